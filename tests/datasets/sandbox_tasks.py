"""Tasks that do to their process what a crafted source could do to a parser."""

import ctypes
import os
import signal
import sys
import time
from typing import Any

import pyarrow as pa

from app.budget import check_deadline
from app.errors import CellInvalidError


def echo(argument: Any) -> Any:
    return argument


def process_id(_argument: Any) -> int:
    return os.getpid()


def refuse(argument: Any) -> None:
    raise CellInvalidError("no", hint="yes", table=argument, row=3)


def crash(_argument: Any) -> None:
    ctypes.string_at(0)


def be_killed(_argument: Any) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def exhaust_python(_argument: Any) -> int:
    held = []
    while True:
        held.append(bytearray(1 << 20))


def exhaust_natively(argument: Any) -> int:
    """Allocate like a library that ends the process where it gets no memory."""
    libc = ctypes.CDLL(None)
    libc.malloc.restype = ctypes.c_void_p
    libc.malloc.argtypes = [ctypes.c_size_t]
    return 0 if libc.malloc(argument) else os.abort()  # type: ignore[func-returns-value]


def encode_texts(argument: Any) -> int:
    return len(pa.array([str(number % 1_000) for number in range(argument)]).dictionary_encode().dictionary)


def spin(_argument: Any) -> None:
    while True:
        check_deadline()


def hang(_argument: Any) -> None:
    time.sleep(600)


def recurse(argument: Any) -> Any:
    return recurse([argument])


def fail(_argument: Any) -> None:
    raise ZeroDivisionError


def talk_too_much(_argument: Any) -> None:
    os.write(sys.stdout.fileno(), b"x" * 100)
    os.write(sys.stdout.fileno(), b"x" * (65 << 20))


def write_a_file(argument: Any) -> None:
    with open(argument, "wb") as file:
        file.write(b"x" * 100_000)


def exit_early(_argument: Any) -> None:
    os._exit(3)
