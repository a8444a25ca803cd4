"""What goes wrong, as exceptions."""

import re
from typing import Any


class Error(Exception):
    """The base of this package's exceptions."""


class UsageError(Error, ValueError):
    """An argument is wrong: an unknown name, a number out of range, a schedule outside an algorithm's domain."""

    def __init__(self, message: object):
        # The library's messages name the options of the command line; here these are arguments.
        super().__init__(re.sub(r"--([a-z][a-z-]*)", lambda option: option[1].replace("-", "_"), str(message)))


class ParseError(Error):
    """A text breaks the rules of its format. `file`, `line` and `column` (both from 1) say where, `reason` says why."""

    def __init__(self, fields: dict[str, Any] | str):
        if isinstance(fields, str):
            fields = {"text": fields}
        super().__init__(fields["text"])
        self.file: str | None = fields.get("file")
        self.line: int | None = fields.get("line")
        self.column: int | None = fields.get("column")
        self.reason: str = fields.get("reason", fields["text"])


class IllFormedError(Error):
    """A schedule can't be followed or exported, because a transfer is wrong by itself. `verify` says which."""


class LimitError(Error):
    """A budget or a limit on time or memory ran out, so nothing is known."""
