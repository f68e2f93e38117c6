"""What a column's name suggests about its part in business questions."""

import re


def _vocabulary(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")

_CATEGORIES = _vocabulary(
    "status state category type kind class group genre segment country city region channel method level grade role "
    "priority gender department brand language currency stage phase tag color 状态 类别 类型 分类 等级 地区"
)
_MEASURES = _vocabulary(
    "amount price total cost revenue sale quantity qty score rating value fee salary point balance discount tax "
    "payment budget profit income expense stock weight duration length size byte millisecond minute view vote "
    "金额 价格 数量 总额 成本 分数"
)
_LABELS = _vocabulary("name title label subject headline 名称 姓名 标题")
_IDENTIFIERS = _vocabulary("id uuid guid key hash")
_NOT_ADDITIVE = _vocabulary("year month day date time zip postal phone fax version latitude longitude lat lon")


def words(name: str) -> frozenset[str]:
    """The words of a name in lower case, as they are and in the singular.

    >>> sorted(words("UnitPrices")), sorted(words("order_id"))
    (['price', 'prices', 'unit'], ['id', 'order'])
    """
    found = [word.lower() for word in _WORD.findall(name)]
    return frozenset([*found, *(word.removesuffix("s") for word in found)])


def suggests_category(name: str) -> bool:
    """Whether the name is that of a business category, such as status."""
    return _mentions(name, _CATEGORIES)


def suggests_measure(name: str) -> bool:
    """Whether the name is that of a quantity, such as amount."""
    return _mentions(name, _MEASURES)


def suggests_label(name: str) -> bool:
    """Whether the name is that of what people call the row."""
    return _mentions(name, _LABELS)


def suggests_identifier(name: str) -> bool:
    """Whether the name is that of a key."""
    return _mentions(name, _IDENTIFIERS)


def suggests_no_sum(name: str) -> bool:
    """Whether sums of such numbers mean nothing: years, postal codes, coordinates."""
    return _mentions(name, _NOT_ADDITIVE)


def _mentions(name: str, hints: frozenset[str]) -> bool:
    """Scripts without spaces and cases have no words to tell apart: there a hint may stand anywhere."""
    return not hints.isdisjoint(words(name)) or any(hint in name for hint in hints if not hint.isascii())
