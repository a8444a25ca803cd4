"""Arguments of the package's functions, checked where they come in: a wrong one is a UsageError that names it."""

import itertools
import operator
import pathlib
from collections.abc import Iterable
from os import PathLike
from typing import SupportsIndex

from onceover.errors import UsageError

Path = str | PathLike[str]


def whole(what: str, value: SupportsIndex, least: int, end: int | None = None) -> int:
    """A number from `least`, below `end`."""
    try:
        number = operator.index(value)
    except TypeError:
        raise UsageError(f"{what}: expected a whole number, found {shown(value)}") from None
    if number < least or (end is not None and number >= end):
        most = "" if end is None else f" to {end - 1}"
        raise UsageError(f"{what}: expected a number from {least}{most}, found {number}")
    return number


def number(what: str, value: object) -> float:
    """A number, whole or not."""
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        raise UsageError(f"{what}: expected a number, found {shown(value)}") from None


def text(what: str, value: object) -> str:
    """A text that UTF-8 has letters for."""
    if not isinstance(value, str):
        raise UsageError(f"{what}: expected a text, found {shown(value)}")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise UsageError(f"{what}: expected letters of Unicode, found {shown(value)}") from None
    return value


def one_of(what: str, value: object, choices: tuple[object, ...], words: str) -> None:
    """Refuses what isn't one of the choices, which `words` name."""
    if not isinstance(value, (str, int)) or value not in choices:
        raise UsageError(f"{what}: expected {words}, found {shown(value)}")


def flag(what: str, value: object) -> bool:
    """Yes or no."""
    try:
        return bool(value)
    except (TypeError, ValueError):
        raise UsageError(f"{what}: expected True or False, found {shown(value)}") from None


#: More ranks, blocks or sizes than any function takes.
MOST_ITEMS = 1 << 24


def several(what: str, value: object, most: int = MOST_ITEMS) -> list[object]:
    """What a list, a tuple or the like has in it, which may be endless."""
    if not isinstance(value, Iterable) or isinstance(value, (str, bytes)):
        raise UsageError(f"{what}: expected a list, found {shown(value)}")
    found = list(itertools.islice(value, most + 1))
    if len(found) > most:
        raise UsageError(f"{what}: expected at most {most} of them, found more: {shown(value)}")
    return found


def wholes(what: str, value: object, least: int, end: int | None = None, most: int = MOST_ITEMS) -> list[int]:
    """A list of numbers."""
    return [whole(what, each, least, end) for each in several(what, value, most)]  # type: ignore[arg-type]


def path(what: str, value: object) -> pathlib.Path:
    """The path of a file."""
    try:
        found = pathlib.Path(value)  # type: ignore[arg-type]
    except TypeError:
        found = None
    if found is None or "\0" in str(found):
        raise UsageError(f"{what}: expected the path of a file, found {shown(value)}")
    return found


def shown(value: object) -> str:
    """A value as messages show it, in a line that isn't long."""
    words = " ".join(repr(value).split())
    return words if len(words) <= 60 else words[:60] + ".."
