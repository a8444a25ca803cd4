"""The catalogue: a function for each algorithm, such as `catalogue.swing(p=7)`.

>>> swing(p=7)
<swing allreduce of 7 ranks, 7 blocks, 6 steps>
>>> swing(torus=(4, 4), lanes="all")
<swing allreduce of 16 ranks, 64 blocks, 8 steps>
>>> rabenseifner(p=6, remainder="eliminate-3-2").steps
4

`algorithms` has them by name; `help(catalogue.swing)` says what one does.
"""

import difflib
import inspect
from collections.abc import Sequence
from typing import Any

from onceover import _onceover
from onceover.arguments import one_of, text, whole, wholes
from onceover.errors import UsageError
from onceover.schedule import MOST_RANKS, Made, Schedule


def _python_name(name: str) -> str:
    return name.replace("-", "_")


class Algorithm:
    """A row of the catalogue. Called with a number of ranks, it makes a schedule."""

    def __init__(self, row: dict[str, Any]):
        self.name: str = row["name"]
        self.summary: str = row["summary"]
        self.source: str = row["source"]
        self.collectives: tuple[str, ...] = tuple(row["collectives"])
        self.domain: str = row["domain"]
        self.steps: str = row["steps"]
        self.parameters: dict[str, dict[str, str]] = {_python_name(each["name"]): each for each in row["parameters"]}
        self.is_wrong_as_printed: bool = row["as_printed"]
        self.__name__ = _python_name(self.name)
        self.__doc__ = self._doc(row["description"])
        self.__signature__ = self._signature()

    def _doc(self, description: str) -> str:
        lines = [self.summary, "", description.strip(), "", f"For {self.domain}. Steps: {self.steps}.",
                 f"Collectives: {', '.join(self.collectives)}. Source: {self.source}.", ""]
        lines += [f"{name}: {each['summary']} ({each['values']}; {each['preset']} if not given)"
                  for name, each in self.parameters.items()]
        return "\n".join(lines).rstrip() + "\n"

    def _signature(self) -> inspect.Signature:
        plain = inspect.Parameter
        own = [plain(name, plain.KEYWORD_ONLY, default=each["preset"]) for name, each in self.parameters.items()]
        common = [plain("p", plain.POSITIONAL_OR_KEYWORD, default=None), plain("torus", plain.KEYWORD_ONLY, default=None),
                  plain("collective", plain.KEYWORD_ONLY, default=self.collectives[0]),
                  plain("lanes", plain.KEYWORD_ONLY, default=1), plain("root", plain.KEYWORD_ONLY, default=0)]
        return inspect.Signature(common + own, return_annotation=Schedule)

    def __call__(self, p: int | None = None, *, torus: Sequence[int] | None = None, collective: str | None = None,
                 lanes: int | str = 1, root: int = 0, **settings: object) -> Schedule:
        if (p is None) == (torus is None):
            raise UsageError(f"{self.name}: give either p, a number of ranks, or torus, such as (4, 4)")
        one_of("lanes", lanes, (1, "all"), '1 or "all"')
        shape = wholes("torus", torus, 1, MOST_RANKS + 1) if p is None else [whole("p", p, 1, MOST_RANKS + 1)]
        if not shape:
            raise UsageError("torus: expected sides, such as (4, 4), found none")
        if torus is not None and len(shape) == 1:
            raise UsageError(f"torus: ({shape[0]},) is one side; a line of {shape[0]} ranks is p={shape[0]}")
        collective = None if collective is None else text("collective", collective)
        texts = {name.replace("_", "-"): text(name, str(value)) for name, value in settings.items()}
        arguments = (self.name, collective, shape, lanes == "all", whole("root", root, 0, MOST_RANKS), texts)
        return Schedule._of(_onceover.make(*arguments), Made("make", arguments))

    def __reduce__(self) -> tuple[Any, ...]:
        return _row, (self.name,)

    def __repr__(self) -> str:
        return f"<algorithm {self.name}: {self.summary}>"


#: All rows, by their names as `verify list` has them.
algorithms = {row["name"]: Algorithm(row) for row in _onceover.rows()}


def _row(name: str) -> Algorithm:
    return algorithms[name]


_by_python_name = {row.__name__: row for row in algorithms.values()}


def __getattr__(name: str) -> Algorithm:
    if name in _by_python_name:
        return _by_python_name[name]
    near = difflib.get_close_matches(name, _by_python_name, 1)
    raise AttributeError(f"the catalogue has no {name!r}" + (f"; did you mean {near[0]!r}?" if near else ""))


def __dir__() -> list[str]:
    return ["Algorithm", "algorithms", *_by_python_name]
