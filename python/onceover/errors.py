"""What goes wrong, as exceptions."""

import re
from typing import Any


class Error(Exception):
    """The base of this package's exceptions."""

    def __init__(self, message: object):
        super().__init__(_words(message))


def _words(message: object) -> str:
    """A message, as the library gives it: it may show a part of a text that isn't UTF-8."""
    return message.decode(errors="replace") if isinstance(message, bytes) else str(message)


class UsageError(Error, ValueError):
    """An argument is wrong: an unknown name, a number out of range, a schedule outside an algorithm's domain."""

    def __init__(self, message: object):
        # The library's messages name the options of the command line; here these are arguments.
        super().__init__(re.sub(r"--([a-z][a-z-]*)", lambda option: option[1].replace("-", "_"), _words(message)))


class ParseError(Error):
    """A text breaks the rules of its format. `file`, `line` and `column` (both from 1) say where, `reason` says why."""

    def __init__(self, fields: dict[str, Any] | str | bytes):
        if not isinstance(fields, dict):
            fields = {"text": fields}
        super().__init__(fields["text"])
        self.file: str | None = fields.get("file")
        self.line: int | None = fields.get("line")
        self.column: int | None = fields.get("column")
        self.reason: str = _words(fields.get("reason", fields["text"]))


class IllFormedError(Error):
    """A schedule can't be followed or exported, because a transfer is wrong by itself. `verify` says which."""


class LimitError(Error):
    """A budget or a limit on time or memory ran out, so nothing is known."""
