"""Schedules: written step by step, made by a formula, or read from files."""

import contextlib
import itertools
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple, Protocol, SupportsIndex

from onceover import _onceover
from onceover.arguments import Path, flag, number, one_of, path as path_of, several, shown, text as text_of, whole, wholes
from onceover.errors import ParseError, UsageError
from onceover.network import _network
from onceover.picture import Picture, svg_or_none

OPS = ("reduce", "copy")
MOST_BYTES = 1 << 50
MOST_RANKS = 1 << 24
Blocks = SupportsIndex | Iterable[SupportsIndex]


class HasSizes(Protocol):
    """A grid of ranks, as `ranks.grid` makes it."""

    @property
    def sizes(self) -> dict[str, int]: ...


class Transfer(NamedTuple):
    """At some step, `src` sends `blocks` to `dst`, which adds them to its own ("reduce") or replaces those ("copy")."""

    src: int
    dst: int
    blocks: tuple[int, ...]
    op: str
    into: tuple[int, ...] | None = None


class Made(NamedTuple):
    """How the library made a schedule: the name of its function, and the arguments; of a text only its name."""

    function: str
    arguments: tuple[Any, ...]

    def without_text(self) -> "Made":
        return Made("read", self.arguments[-1:]) if self.function == "read" else self


class Schedule:
    """A schedule of a collective: steps, in each of which ranks send blocks to each other.

    >>> s = Schedule("allreduce", ranks=2, blocks=1)
    >>> with s.step():
    ...     s.send(0, 1, 0, "reduce")
    ...     s.send(1, 0, 0, "reduce")
    >>> s
    <allreduce of 2 ranks, 1 block, 1 step>

    All transfers of a step read what the step began with. `blocks` is 1 for each rank unless said otherwise; block b is
    rank b mod ranks's. `scratch` blocks come after these: they begin empty, and nobody is promised anything of them.
    With a `grid`, such as {"node": 2, "gpu": 4} or `ranks.grid(node=2, gpu=4)`, explanations say that rank 5 is
    (node 1, gpu 1): the last axis is the fastest.

    What is verified, exported and drawn is what `to_json` writes: it is read back by the reader of schedule files.
    """

    def __init__(self, collective: str, ranks: SupportsIndex, blocks: SupportsIndex | None = None, *,
                 scratch: SupportsIndex = 0, owners: Iterable[SupportsIndex] | None = None,
                 root: SupportsIndex | None = None, shape: Iterable[SupportsIndex] | None = None, name: str = "",
                 grid: Mapping[str, SupportsIndex] | HasSizes | None = None):
        known = _onceover.collectives()
        one_of("collective", collective, tuple(known), f"one of {', '.join(known)}")
        ranks = whole("ranks", ranks, 1)
        scratch = whole("scratch", scratch, 0)
        self._header: dict[str, Any] = {
            "format": "onceover-schedule", "version": 2 if scratch else 1, "collective": collective, "ranks": ranks,
            "blocks": whole("blocks", ranks if blocks is None else blocks, 1)}
        if scratch:
            self._header["scratch"] = scratch
        if owners is not None:
            self._header["owners"] = wholes("owners", owners, 0, ranks)
        if root is not None:
            self._header["root"] = whole("root", root, 0, ranks)
        if shape is not None:
            self._header["shape"] = wholes("shape", shape, 1)
        if text_of("name", name):
            self._header["algorithm"] = name
        if grid is not None:
            self._header["grid"] = _axes(grid)
        self._steps: list[list[str]] = []  # of transfers, as the lines of the file
        self._phases: list[str] = []  # of the steps
        self._is_open = self._is_complete = False
        self._held: _onceover.Schedule | None = None
        self._hold()  # the header's mistakes are found where it is written

    @classmethod
    def _of(cls, held: _onceover.Schedule, made_by: Made) -> "Schedule":
        """The schedule that the library holds; it can't be changed. Copies of it are made as it was."""
        made = cls.__new__(cls)
        made._held, made._header, made._steps, made._phases = held, {}, [], []
        made._is_open, made._is_complete = False, True
        made._made_by = made_by
        return made

    def __getstate__(self) -> dict[str, Any]:
        """What copy and pickle take: not what the library holds."""
        state = {**self.__dict__, "_held": None}
        if self._is_complete and self._made_by.function == "read":
            state["_made_by"] = Made("read", (self.to_json().encode(), *self._made_by.arguments[-1:]))
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__ |= state
        if self._is_complete:
            self._held = getattr(_onceover, self._made_by.function)(*self._made_by.arguments)
            self._made_by = self._made_by.without_text()

    @classmethod
    def from_peer(cls, peer: str, ranks: int, *, steps: object = None, collective: str = "allreduce",
                  odd: str | None = None) -> "Schedule":
        """The schedule in which rank r exchanges with rank `peer` at step s, a formula in r, s and p.

        Of an odd number of ranks, the last may be "apart", or all may run the formula "as-written": `odd`. Without it, the
        formula decides.

        >>> Schedule.from_peer("r xor pow2(s)", 8)
        <allreduce of 8 ranks, 8 blocks, 6 steps>
        """
        arguments = (text_of("peer", peer), None if steps is None else text_of("steps", str(steps)),
                     text_of("collective", collective), whole("ranks", ranks, 1, MOST_RANKS + 1),
                     None if odd is None else text_of("odd", odd))
        return cls._of(_onceover.by_peers(*arguments), Made("by_peers", arguments))

    @classmethod
    def from_dict(cls, document: dict[str, Any], name: str = "<python>") -> "Schedule":
        """The schedule of a schedule file's content, as `json.load` reads it."""
        try:
            content = json.dumps(document)
        except (TypeError, ValueError, RecursionError) as error:
            raise UsageError(f"{name}: this can't be written as JSON: {error}") from None
        made = from_text(content, name)
        if not isinstance(made, Schedule):
            raise UsageError(f"{name}: this is a program, not a schedule; from_text reads it")
        return made

    @contextlib.contextmanager
    def step(self, phase: str = "") -> Iterator[int]:
        """Begins a step, which ends with the block. `phase` names what it is for, in explanations."""
        self._may_change()
        if self._is_open:
            raise UsageError("step: the step before has not ended; end its `with` first")
        phase = text_of("phase", phase)
        self._steps.append([])
        self._phases.append(phase)
        self._is_open, self._held = True, None
        try:
            yield len(self._steps) - 1
        except BaseException:
            self._steps.pop()
            self._phases.pop()
            raise
        finally:
            self._is_open = False

    def send(self, src: SupportsIndex, dst: SupportsIndex, blocks: Blocks, op: str, *, into: Blocks | None = None) -> None:
        """In this step, `src` sends `blocks` (a number, or several) to `dst`, which does `op`: "reduce" or "copy".

        With `into`, as many blocks, they land in those instead of in the blocks of their own numbers; `src` may then be
        `dst`. This needs scratch.
        """
        if not self._is_open:
            self._may_change()
            raise UsageError("send: write it inside a step, `with s.step():`")
        one_of("op", op, OPS, '"reduce" or "copy"')
        ranks = self._header["ranks"]
        most = self._header["blocks"] + self._header.get("scratch", 0)
        src, dst, sent = whole("src", src, 0, ranks), whole("dst", dst, 0, ranks), _blocks("blocks", blocks, most)
        landing = ""
        if into is None:
            _check_once("blocks", sent)
        else:
            if self._header["version"] == 1:
                raise UsageError("into: this needs scratch=, a number of scratch blocks")
            landed = _blocks("into", into, most)
            _check_once("into", landed)
            if len(landed) != len(sent):
                raise UsageError(f"into: expected {len(sent)} blocks, found {len(landed)}")
            landing = f',"into":{landed}'
        self._steps[-1].append(f'{{"src":{src},"dst":{dst},"blocks":{sent}{landing},"op":"{op}"}}')
        self._held = None

    def _may_change(self) -> None:
        if self._is_complete:
            raise UsageError("this schedule is complete; s.copy() makes one that you can change")

    def _frozen(self) -> "Schedule":
        """As it is now, for what is said of it."""
        return self if self._is_complete else Schedule._of(self._hold(), Made("read", (b"<python>",)))

    def _hold(self) -> _onceover.Schedule:
        if self._is_open:
            raise UsageError("this schedule is not complete: end its last step first")
        if self._held is None:
            steps = ",\n".join("[\n" + ",\n".join(step) + "\n]" for step in self._steps)
            before = ["", *self._phases]
            phases = [[phase, step] for step, phase in enumerate(self._phases) if phase != before[step]]
            header = self._header | ({"phases": phases} if phases else {})
            text = json.dumps(header)[:-1] + ',\n"steps":[\n' + steps + "\n]}\n"
            try:
                held = _onceover.read(text.encode(), b"<python>")
            except ParseError as error:  # a line of that text would tell its writer nothing
                raise UsageError(error.reason) from None
            assert isinstance(held, _onceover.Schedule)
            self._held = held
        return self._held

    # What it is.

    @property
    def header(self) -> dict[str, Any]:
        """Collective, ranks, blocks and so on, as a dictionary."""
        return self._hold().header

    @property
    def ranks(self) -> int:
        """How many ranks there are."""
        return int(self._header["ranks"] if self._header else self.header["ranks"])

    @property
    def steps(self) -> int:
        """How many steps there are, with one that has only begun."""
        return self._hold().steps if self._is_complete else len(self._steps)

    @property
    def phases(self) -> list[str]:
        """The name of each step's phase; "" if it has none."""
        if not self._is_complete:
            return list(self._phases)
        named = dict((step, phase) for phase, step in self.header["phases"])
        return list(itertools.accumulate(range(self.steps), lambda last, step: named.get(step, last), initial=""))[1:]

    def transfers(self, step: int) -> list[Transfer]:
        """The transfers of a step, in order.

        >>> from onceover import catalogue
        >>> catalogue.ring(p=3).transfers(0)[0]
        Transfer(src=0, dst=1, blocks=(2,), op='reduce', into=None)
        """
        return [Transfer(each["src"], each["dst"], _numbers(each["blocks"]), each["op"],
                         _numbers(each["into"]) if "into" in each else None)
                for each in self.to_dict()["steps"][whole("step", step, 0, self.steps)]]

    def name_of(self, rank: int) -> str:
        """The rank's place in the grid, such as "(node 1, gpu 0)"; without a grid, its number."""
        axes = self._header.get("grid", []) if self._header else self.header["grid"]
        return place_of(axes, whole("rank", rank, 0, self.ranks))

    def copy(self) -> "Schedule":
        """The same schedule, to be changed."""
        document = self.to_dict()
        steps = document.pop("steps")
        document.pop("phases", None)
        made = Schedule.__new__(Schedule)
        made._header, made._phases = document, self.phases
        made._is_open = made._is_complete = False
        made._steps = [[json.dumps(transfer, separators=(",", ":")) for transfer in step] for step in steps]
        made._held = None
        return made

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Schedule) and self.to_json() == other.to_json()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        header = self.header
        name = f"{header['name']} " if header["name"] else ""
        counts = ", ".join(_counted(count, what) for count, what in ((header["blocks"], "block"), (self.steps, "step")))
        return f"<{name}{header['collective']} of {_counted(header['ranks'], 'rank')}, {counts}>"

    # What it becomes.

    def to_dict(self) -> dict[str, Any]:
        """The content of the schedule file, as `json.load` reads it."""
        document: dict[str, Any] = json.loads(self.to_json())
        return document

    def to_json(self, path: Path | None = None) -> str:
        """The schedule file, which `verify` reads. Like all of these, it is returned, and written if there is a path."""
        return _written(self._hold().to_json(), path)

    def to_msccl(self, path: Path | None = None, *, protocol: str = "Simple", in_place: bool = False,
                 channels: int | None = None) -> str:
        """A program for MSCCL, as XML, for `protocol` Simple, LL or LL128."""
        one_of("protocol", protocol, ("Simple", "LL", "LL128"), "Simple, LL or LL128")
        channels = None if channels is None else whole("channels", channels, 0, 1 << 31)
        return _written(self._hold().to_msccl(protocol, flag("in_place", in_place), channels), path)

    def to_mscclpp(self, path: Path | None = None, *, packets: bool = False, in_place: bool = False) -> str:
        """An execution plan for MSCCL++; with `packets`, of protocol LL."""
        return _written(self._hold().to_mscclpp(flag("packets", packets), flag("in_place", in_place)), path)

    def to_goal(self, path: Path | None = None, *, bytes: int = 1 << 20, in_place: bool = False) -> str:
        """A program for simulators, in GOAL; the vector has that many bytes."""
        return _written(self._hold().to_goal(whole("bytes", bytes, 1, MOST_BYTES + 1), flag("in_place", in_place)), path)

    def draw(self, view: str = "steps", *, ranks: Iterable[int] = (), steps: int | tuple[int, int] | None = None,
             blocks: Iterable[int] = (), counts: bool = False, width: float = 3.3, **network: object) -> Picture:
        """A picture; `onceover.views()` lists the views. `width` is in inches. Networks: see `onceover.contention`.

        The options show less: some `ranks`, some `steps` (a number, or the first and last), some `blocks`.
        """
        inches = number("width", width)
        if not 1 <= inches <= 100:
            raise UsageError(f"width: expected 1 to 100 inches, found {shown(width)}")
        held, texts = self._hold(), _network(network)
        all_blocks = held.header["blocks"] + held.header["scratch"]
        shown_steps = None if steps is None else _steps(steps)
        shown_ranks, shown_blocks = wholes("ranks", ranks, 0, self.ranks), wholes("blocks", blocks, 0, all_blocks)
        view, with_counts = text_of("view", view), flag("counts", counts)
        return Picture(lambda format: _onceover.draw(held, view, format, shown_ranks, shown_steps, shown_blocks,
                                                     with_counts, inches, texts))

    def _repr_svg_(self) -> str | None:
        return svg_or_none(self.draw(), self.ranks, self.steps)


class Program:
    """What each rank runs, from a file in one of the formats that docs/formats.md lists. `verify` judges it."""

    def __init__(self, held: _onceover.Program, text: bytes):
        self._held = held
        self._text = text

    def __reduce__(self) -> tuple[Any, ...]:
        return from_text, (self._text, self.name)

    @property
    def name(self) -> str:
        """The file's name."""
        return self._held.name

    def __repr__(self) -> str:
        return f"<program {self.name}>"


def from_text(text: str | bytes, name: Path = "<text>") -> Schedule | Program:
    """The Schedule or Program in a text, whose format is recognised.

    >>> from_text('{"format":"onceover-schedule","version":1}', "mine.json")
    Traceback (most recent call last):
    onceover.errors.ParseError: mine.json:1:42: the key "collective" is missing here
    {"format":"onceover-schedule","version":1}
                                             ^
    """
    content = text if isinstance(text, bytes) else text_of("text", text).encode()
    words = str(name).encode(errors="replace")
    held = _onceover.read(content, words)
    return Schedule._of(held, Made("read", (words,))) if isinstance(held, _onceover.Schedule) else Program(held, content)


def from_file(path: Path) -> Schedule | Program:
    """The Schedule or Program in a file, whose format is recognised. docs/formats.md lists them."""
    return from_text(path_of("path", path).read_bytes(), path)


def from_msccl(path: Path) -> Program:
    """The Program in a file of MSCCL XML."""
    text = path_of("path", path).read_bytes()
    if not text.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        raise UsageError(f"{path}: expected MSCCL XML, <algo ..>; from_file reads the other formats")
    program = from_text(text, path)
    assert isinstance(program, Program)  # all XML is
    return program


def _written(text: str, path: Path | None) -> str:
    if path is not None:
        path_of("path", path).write_text(text)
    return text


def _counted(count: object, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _steps(steps: int | tuple[int, int]) -> tuple[int, int]:
    """The first and the last of the steps that a picture shows."""
    range_of_steps = list(steps) if isinstance(steps, (tuple, list)) else [steps, steps]
    first, last = range_of_steps if len(range_of_steps) == 2 else (None, None)
    if not (isinstance(first, SupportsIndex) and isinstance(last, SupportsIndex)):
        raise UsageError(f"steps: expected a step, or the first and last, found {shown(steps)}")
    first = whole("steps", first, 0, 1 << 31)
    return first, whole("steps", last, first, 1 << 31)


def _axes(grid: Mapping[str, SupportsIndex] | HasSizes) -> list[list[object]]:
    """The axes of a grid, as a schedule file has them."""
    sizes = getattr(grid, "sizes", grid)
    if not isinstance(sizes, Mapping):
        raise UsageError(f'grid: expected sizes by name, such as {{"node": 2, "gpu": 4}}, found {shown(grid)}')
    return [[text_of("grid", name), whole(f"grid, {name}", size, 1)] for name, size in sizes.items()]


def place_of(axes: Iterable[tuple[str, int]], rank: int) -> str:
    """ "(node 1, gpu 0)": a rank's place on the axes, the last of which is the fastest; without axes, its number."""
    words: list[str] = []
    left = rank
    for name, size in reversed(list(axes)):
        left, place = divmod(left, size)
        words.insert(0, f"{name} {place}")
    return f"({', '.join(words)})" if words else str(rank)


def _blocks(what: str, blocks: Blocks, end: int) -> list[int]:
    """The numbers of blocks, in their order."""
    numbers = several(what, blocks) if isinstance(blocks, Iterable) else [blocks]
    if not numbers:
        raise UsageError(f"{what}: expected one block or several, found none")
    return wholes(what, numbers, 0, end)


def _check_once(what: str, numbers: list[int]) -> None:
    if len(set(numbers)) != len(numbers):
        twice = next(number for number in numbers if numbers.count(number) > 1)
        raise UsageError(f"{what}: block {twice} is in this list twice")


def _numbers(runs: list[int | list[int]]) -> tuple[int, ...]:
    """The blocks of a schedule file's list of blocks and [first, last] runs."""
    return tuple(block for run in runs for block in (range(run[0], run[1] + 1) if isinstance(run, list) else (run,)))
