"""Each strategy and operation has a worked example, which runs."""

import doctest
import importlib
import pkgutil

import pytest

import app.transform
from app.transform.registry import STRATEGIES
from app.transform.strategies.operations.operation import Operation

MODULES = [module.name for module in pkgutil.walk_packages(app.transform.__path__, "app.transform.")]
WITH_EXAMPLE = [
    *(f"app.transform.strategies.{strategy.name}" for strategy in STRATEGIES),
    *(kind.__module__ for kind in Operation.__subclasses__()),
]


@pytest.mark.parametrize("name", WITH_EXAMPLE)
def test_there_is_an_example(name: str) -> None:
    found = doctest.testmod(importlib.import_module(name))
    assert found.attempted > 0
    assert found.failed == 0


def test_each_strategy_has_a_file_of_its_own() -> None:
    assert len(WITH_EXAMPLE) == 14
    assert set(WITH_EXAMPLE) <= set(MODULES)
