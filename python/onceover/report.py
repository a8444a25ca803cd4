"""Verdicts, with their evidence as data."""

import dataclasses
import functools
import html
import json
import os
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from onceover import _onceover
from onceover.arguments import flag, several, shown, text as text_of, whole
from onceover.errors import UsageError
from onceover.picture import Picture, inline, svg_or_none
from onceover.schedule import Made, Program, Schedule


@dataclasses.dataclass(frozen=True)
class Leg:
    """One move of a path: `src` sends at `step`, and `dst` has the value afterwards."""

    step: int
    src: int
    dst: int
    phase: str = ""


class Counterexample:
    """What is wrong, and where.

    `kind` says what: "duplicate", "missing", "not-held" and so on. `rank`, `block`, `step`, `contributor` and `times`
    are None where they don't apply. `paths` are the ways that the contribution took, lists of `Leg`. `facts` has
    everything, as in the program's JSON. `str()` explains it.
    """

    def __init__(self, facts: dict[str, Any], subject: Schedule | Program):
        phases = subject.phases if isinstance(subject, Schedule) else []
        self.facts = facts
        self.kind: str = facts["kind"]
        self.rank: int | None = facts.get("rank")
        self.block: int | None = facts.get("block")
        self.step: int | None = facts.get("step")
        self.contributor: int | None = facts.get("contributor")
        self.times: int | None = facts.get("times")
        self.paths = [[Leg(leg["step"], leg["src"], leg["dst"], phases[leg["step"]] if phases else "") for leg in path]
                      for path in facts["paths"]]

    @property
    def lines(self) -> list[str]:
        """The explanation, a sentence or a move each."""
        return list(self.facts["text"])

    def __str__(self) -> str:
        return "\n".join(self.lines)

    def __repr__(self) -> str:
        return f"<counterexample: {self.lines[0]}>"


class Property:
    """The finding on one property: `verdict` is "pass", "fail" or "unknown"."""

    def __init__(self, facts: dict[str, Any], subject: Schedule | Program):
        self.id: str = facts["id"]
        self.verdict: str = facts["verdict"]
        self.required: bool = facts["required"]
        self.summary: str = facts["summary"]
        self.violations: int = facts.get("violations", 0)
        self.layout: list[int] | None = facts.get("layout")
        self.counterexample = Counterexample(facts["counterexample"], subject) if "counterexample" in facts else None

    def __bool__(self) -> bool:
        return self.verdict == "pass"

    def __repr__(self) -> str:
        return f"<{self.id}: {self.verdict}: {self.summary}>"


class Report:
    """A verdict on a schedule or a program. It is true if the verdict is "pass", so that tests can say `assert verify(s)`.

    `properties` has the finding on each by its id, `metrics` the numbers, `counterexample` that of the first required
    property that fails. `str()` is what `verify` prints. In a notebook it shows the counterexample's picture.
    """

    def __init__(self, judge: Callable[[], _onceover.Judged], subject: Schedule | Program):
        self._judge = judge
        self._held: _onceover.Judged | None = judge()
        run = json.loads(self._held.to_json())["runs"][0]
        self.subject = subject
        self.facts: dict[str, Any] = run
        self.verdict: str = run["verdict"]
        self.scope: str = run["scope"]
        self.properties = {each["id"]: Property(each, subject) for each in run["properties"]}
        self.metrics: dict[str, Any] = run.get("metrics", run.get("program", {}))
        self.theorem: dict[str, Any] | None = run.get("theorem")

    @property
    def _judged(self) -> _onceover.Judged:
        """What the library holds; a copy of a report judges its subject once more."""
        if self._held is None:
            self._held = self._judge()
        return self._held

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_held": None}

    @property
    def waived(self) -> list[str]:
        """The ids of the properties that are required unless they are waived."""
        return list(self.facts.get("waived", []))

    @property
    def launches(self) -> list[dict[str, Any]]:
        """Of a launch of GPU kernels: what was found for each number of ranks and size, as `verify gpu --json` says it."""
        return list(self.facts.get("launches", {}).get("runs", []))

    @property
    def counterexample(self) -> Counterexample | None:
        """The counterexample of the first required property that fails, or None."""
        return next((each.counterexample for each in self.properties.values()
                     if each.required and each.verdict == "fail"), None)

    @property
    def repair(self) -> list[str] | None:
        """The smallest change found that makes the schedule right, in lines of text; None if none was found."""
        return self.facts["repair"]["text"] if "repair" in self.facts else None

    def repaired(self) -> Schedule | None:
        """The schedule with that change, or None."""
        held = self._judged.repaired()
        return None if held is None else Schedule._of(held, Made("read", (b"<repaired>",)))

    def draw(self) -> Picture:
        """The counterexample's picture; the schedule's, if it passes."""
        if self.verdict == "fail" and isinstance(self.subject, Schedule):
            return Picture(self._judged.draw)
        if isinstance(self.subject, Program):
            raise UsageError("draw: programs have no picture here; `verify draw FILE --view happens-before` draws one")
        return self.subject.draw()

    def text(self, full: bool = False) -> str:
        """What `verify` prints; with `full`, all properties and metrics."""
        return self._judged.text(flag("full", full))

    def __bool__(self) -> bool:
        return self.verdict == "pass"

    def __str__(self) -> str:
        return self.text().rstrip("\n")

    def __repr__(self) -> str:
        return f"<{self.verdict}: {self.subject!r}>"

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><td>{html.escape(each.id)}{'' if each.required else ' (not required)'}</td>"
                       f"<td><b>{each.verdict}</b></td><td style='text-align:left'>{html.escape(each.summary)}</td></tr>"
                       for each in self.properties.values())
        picture = None
        if isinstance(self.subject, Schedule):
            picture = svg_or_none(self.draw(), self.subject.ranks, self.subject.steps)
        return (f"<div><pre>{html.escape(str(self))}</pre>{inline(picture)}"
                f"<details><summary>all properties</summary><table>{rows}</table></details></div>")


def verify(subject: Schedule | Program, require: str | Iterable[str] = (), *, waive: str | Iterable[str] = (),
           budget: int = 10**11, threads: int = 0, fifo: int | None = None, **bounds: int | None) -> Report:
    """Judges a Schedule or a Program, as the program `verify` does: by the usual properties without those in `waive`, and
    by those in `require`.

    >>> from onceover import catalogue
    >>> verify(catalogue.swing(p=7)).verdict
    'pass'
    >>> verify(catalogue.ring(p=4), require="order-preserving").counterexample.kind
    'gap'

    `bounds` are those of properties that take one, by their names: `ports=1`, `staging=2`. They require the properties.
    `threads` is a number of threads, 0 for all cores. If more than `budget` values would move, the verdict is
    "unknown". `fifo` is how many messages a program's connections hold, if not what its runtime guarantees. Ctrl-C
    ends it.
    """
    asked = Asked(_ids("require", require), _ids("waive", waive), _bounds(bounds), whole("budget", budget, 0, 1 << 63),
                  whole("threads", threads, 0, 1025), None if fifo is None else whole("fifo", fifo, 0, 1_000_001))
    if isinstance(subject, Program):
        return Report(functools.partial(_judged, subject, asked), subject)
    if not isinstance(subject, Schedule):
        way = ("; from_file(path) reads one" if isinstance(subject, str | os.PathLike)
               else "; its schedule() makes one" if callable(getattr(subject, "schedule", None)) else "")
        raise UsageError(f"verify: expected a Schedule or a Program, found {shown(subject)}{way}")
    if fifo is not None:
        raise UsageError("fifo: this is about programs; a schedule has steps")
    judged = subject._frozen()
    return Report(functools.partial(_judged, judged, asked), judged)


class Asked(NamedTuple):
    """What is asked of a subject, checked."""

    required: list[str]
    waived: list[str]
    bounds: dict[str, int]  # by the ids of properties
    budget: int
    threads: int
    fifo: int | None


def _judged(subject: Schedule | Program, asked: Asked) -> _onceover.Judged:
    *words, fifo = asked
    if isinstance(subject, Program):
        return _onceover.verify_program(subject._held, _onceover.Asked(*words), fifo)
    return _onceover.verify(subject._hold(), _onceover.Asked(*words))


def _ids(what: str, ids: str | Iterable[str]) -> list[str]:
    named: list[object] = [ids] if isinstance(ids, str) else several(what, ids, 1000)
    return [text_of(what, each) for each in named]


def _bounds(given: dict[str, int | None]) -> dict[str, int]:
    """The bounds that are given, by the ids of their properties."""
    known = {each.replace("-", "_"): each for each in _onceover.bounded_properties()}
    for name in given:
        if name not in known:
            raise TypeError(f"verify() got an unexpected keyword argument '{name}'")
    return {known[name]: whole(name, value, 0, 1 << 63) for name, value in given.items() if value is not None}


@dataclasses.dataclass(frozen=True)
class Proof:
    """What is known about a formula for every p. `verdict` is "pass" if it is proved, by the solver and by Coq."""

    peer: str
    verdict: str
    family: str | None
    domain: str
    solver: str
    obligations: list[tuple[str, str, bool]]
    concludes: str = ""
    because: str = ""
    problem: str = ""
    wrong_ranks: int | None = None
    explanation: list[str] = dataclasses.field(default_factory=list)

    def __bool__(self) -> bool:
        return self.verdict == "pass"

    def __str__(self) -> str:
        if self.verdict == "pass":
            return f"proved for {self.domain}: {self.concludes}\nby {self.solver}, because {self.because}"
        lines = [f"no proof: {self.problem}"] if self.problem else ["the invariant that fits the first steps is not proved"]
        if self.wrong_ranks is not None:
            lines += [f"wrong for p = {self.wrong_ranks}:", *self.explanation]
        return "\n".join(lines)


def prove(peer: str, steps: object = None, odd: str | None = None) -> Proof:
    """Tries to prove, for every p, that a formula for the peers makes right schedules; if not, looks for a wrong p.
    `odd` says who runs it among an odd number of ranks, as in `Schedule.from_peer`.

    >>> prove("r xor pow2(s)").domain
    'p = 2^a'
    >>> prove("r xor 1").wrong_ranks
    4
    """
    formula = text_of("peer", peer)
    return Proof(peer=formula, **_onceover.prove(formula, None if steps is None else text_of("steps", str(steps)),
                                                 None if odd is None else text_of("odd", odd)))
