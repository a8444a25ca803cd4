"""Collectives built of phases, each within or across the parts of a machine.

>>> from onceover import verify
>>> machine = grid(node=2, gpu=3)
>>> plan = reduce_scatter(within=machine.node) >> allreduce(across=machine.node) >> allgather(within=machine.node)
>>> s = plan.schedule()
>>> s
<allreduce of 6 ranks, 6 blocks, 6 steps>
>>> s.phases[0], s.name_of(4)
('reduce-scatter within node', '(node 1, gpu 1)')
>>> verify(s).verdict
'pass'

Nothing about a plan is taken for granted: its schedule is a list of transfers like any other, which `verify` judges.
"""

import itertools
import math
from collections.abc import Callable, Iterable, Iterator

from onceover import catalogue
from onceover.arguments import several, shown, whole
from onceover.errors import UsageError
from onceover.schedule import Schedule, _numbers, place_of

#: What makes a group's schedule: a row of the catalogue, or a function like it.
Maker = Callable[..., Schedule]


class Axis:
    """One dimension of a grid of ranks: its name, its position, and how many places it has."""

    def __init__(self, grid: "Grid", number: int, name: str, size: int):
        self.grid, self.number, self.name, self.size = grid, number, name, size

    def __repr__(self) -> str:
        return f"<axis {self.name} of {self.size}>"


class Grid:
    """Ranks with coordinates, the last axis the fastest. Each axis is an attribute of its name."""

    def __init__(self, **sizes: int):
        if not sizes:
            raise UsageError("grid: expected axes, such as grid(node=4, gpu=8)")
        for name in sizes:
            if hasattr(Grid, name) or name in ("axes", "ranks"):
                raise UsageError(f"grid: an axis can't be called {name!r}, since grids have that already")
        self.axes = [Axis(self, number, name, whole(name, size, 1)) for number, (name, size) in enumerate(sizes.items())]
        self.ranks = math.prod(axis.size for axis in self.axes)

    def __getattr__(self, name: str) -> Axis:
        axes: list[Axis] = self.__dict__.get("axes", [])
        for axis in axes:
            if axis.name == name:
                return axis
        raise AttributeError(f"the grid has no axis {name!r}; it has {', '.join(axis.name for axis in axes)}")

    def __iter__(self) -> Iterator[Axis]:
        return iter(self.axes)

    @property
    def sizes(self) -> dict[str, int]:
        """How many places each axis has, by its name."""
        return {axis.name: axis.size for axis in self.axes}

    def rank(self, *coordinates: int, **named: int) -> int:
        """The rank at these coordinates: `machine.rank(1, 0)` or `machine.rank(node=1, gpu=0)`."""
        names = [axis.name for axis in self.axes]
        if coordinates and named or len(coordinates or named) != len(names) or not set(named) <= set(names):
            raise UsageError(f"rank: expected a place on each axis: {', '.join(names)}")
        places = coordinates or [named[name] for name in names]
        rank = 0
        for axis, place in zip(self.axes, places):
            rank = rank * axis.size + whole(axis.name, place, 0, axis.size)
        return rank

    def coordinates(self, rank: int) -> tuple[int, ...]:
        """The coordinates of a rank, in the order of the axes."""
        places = []
        rank = whole("rank", rank, 0, self.ranks)
        for axis in reversed(self.axes):
            rank, place = divmod(rank, axis.size)
            places.append(place)
        return tuple(reversed(places))

    def name(self, rank: int) -> str:
        """ "(node 1, gpu 0)"."""
        return place_of(self.sizes.items(), whole("rank", rank, 0, self.ranks))

    def groups(self, axes: Iterable[Axis]) -> list[list[int]]:
        """The ranks that differ in these axes only: a list for each group, ascending."""
        among = several("groups", axes)
        if not all(isinstance(axis, Axis) and axis.grid is self for axis in among):
            raise UsageError(f"groups: expected axes of this grid, found {shown(axes)}")
        groups: dict[tuple[int, ...], list[int]] = {}
        for rank in range(self.ranks):
            place = self.coordinates(rank)
            groups.setdefault(tuple(place[a.number] for a in self.axes if a not in among), []).append(rank)
        return list(groups.values())

    def __repr__(self) -> str:
        return "x".join(str(axis.size) for axis in self.axes) + " ranks"


def grid(*unnamed: int, **axes: int) -> Grid:
    """`grid(node=4, gpu=8)`: 32 ranks, of which rank 9 is (node 1, gpu 1)."""
    if unnamed:
        raise UsageError(f"grid: each axis needs a name, as in grid(node=4, gpu=8); found {shown(unnamed[0])} without one")
    return Grid(**axes)


class Phase:
    """A collective that all groups of ranks run side by side, each on the blocks that its ranks hold the same part of."""

    def __init__(self, collective: str, axes: list[Axis], words: str, by: Maker):
        self.collective, self.axes, self.words, self.by = collective, axes, words, by

    @property
    def name(self) -> str:
        """ "reduce-scatter within node"."""
        return f"{self.collective} {self.words}"

    def __rshift__(self, after: "Phase | Plan") -> "Plan":
        return Plan([self]) >> after

    def schedule(self, collective: str | None = None, name: str = "", chunks: int = 1) -> Schedule:
        """The schedule of this phase alone."""
        return Plan([self]).schedule(collective, name, chunks)


def reduce_scatter(*, within: Axis | None = None, across: Axis | None = None, by: Maker | None = None) -> Phase:
    """Each rank of a group ends with its part of the group's sums; `by` is a row of the catalogue (ring)."""
    return _phase("reduce-scatter", within, across, by)


def allreduce(*, within: Axis | None = None, across: Axis | None = None, by: Maker | None = None) -> Phase:
    """Each rank of a group ends with the group's sums of what it holds; `by` is a row of the catalogue (ring)."""
    return _phase("allreduce", within, across, by)


def allgather(*, within: Axis | None = None, across: Axis | None = None, by: Maker | None = None) -> Phase:
    """Each rank of a group ends with what all of them held; `by` is a row of the catalogue (ring)."""
    return _phase("allgather", within, across, by)


def _phase(collective: str, within: Axis | None, across: Axis | None, by: Maker | None) -> Phase:
    axis = across if within is None else within
    if (within is None) == (across is None) or not isinstance(axis, Axis):
        raise UsageError(f"{collective}: say within= or across= an axis of a grid")
    if by is not None and not callable(by):
        raise UsageError(f"by: expected a row of the catalogue, or a function like it, found {shown(by)}")
    if across is not None:
        return Phase(collective, [axis], f"across {axis.name}", by or catalogue.ring)
    return Phase(collective, [a for a in axis.grid.axes if a is not axis], f"within {axis.name}", by or catalogue.ring)


class Plan:
    """Phases, one after the other."""

    def __init__(self, phases: list[Phase]):
        self.phases = phases
        grids = {id(axis.grid): axis.grid for phase in phases for axis in phase.axes}
        if len(grids) != 1:
            raise UsageError("the phases of a plan must be on one grid with at least two axes")
        self.grid = next(iter(grids.values()))

    def __rshift__(self, after: "Phase | Plan") -> "Plan":
        if not isinstance(after, (Phase, Plan)):
            raise UsageError(f">>: expected a phase, such as allreduce(within=node), found {shown(after)}")
        return Plan(self.phases + (after.phases if isinstance(after, Plan) else [after]))

    def schedule(self, collective: str | None = None, name: str = "", chunks: int = 1) -> Schedule:
        """The schedule: of the collective that the phases amount to, unless you say which.

        There is a block for each rank, and the blocks have the ranks' coordinates. A reduce-scatter leaves a rank those
        whose coordinates in the phase's axes are its own; an allgather gives it the others' back.

        With several `chunks` of the vector, each has such blocks, and begins a step after the one before: a pipeline.
        """
        split = self._split()
        p = self.grid.ranks
        chunks = whole("chunks", chunks, 1)
        made = Schedule(self._collective(split) if collective is None else collective, p, p * chunks, name=name,
                        grid=self.grid)
        steps = [step for phase, divided in zip(self.phases, split) for step in self._steps(phase, divided)]
        for time in range(len(steps) + chunks - 1 if steps else 0):
            now = [(chunk, steps[time - chunk]) for chunk in range(chunks) if 0 <= time - chunk < len(steps)]
            with made.step(" and ".join(dict.fromkeys(phase for _, (phase, _) in now))):
                for chunk, (_, transfers) in now:
                    for src, dst, blocks, op in transfers:
                        made.send(src, dst, [chunk * p + block for block in blocks], op)
        return made

    def _split(self) -> list[set[int]]:
        """The axes by which the ranks' blocks are divided: before each phase, and at the end."""
        split: list[set[int]] = [set()]
        for phase in self.phases:
            own = {axis.number for axis in phase.axes}
            if phase.collective == "allgather":
                missing = own - split[-1]
                if missing and any(before.collective != "allgather" for before in self.phases[:len(split) - 1]):
                    raise UsageError(f"{phase.name}: the ranks of a group hold the same blocks there; nothing is to gather")
                split = [before | missing for before in split]  # the plan begins with blocks divided so
                split.append(split[-1] - own)
            elif own & split[-1]:
                raise UsageError(f"{phase.name}: the ranks of a group hold different blocks there; gather them first")
            else:
                split.append(split[-1] | own if phase.collective == "reduce-scatter" else split[-1])
        return split

    def _collective(self, split: list[set[int]]) -> str:
        begins, ends = bool(split[0]), bool(split[-1])
        if begins and ends:
            raise UsageError("these phases amount to no collective: they begin and end with divided blocks")
        return "allgather" if begins else "reduce-scatter" if ends else "allreduce"

    def _steps(self, phase: Phase, divided: set[int]) -> Iterator[tuple[str, list[tuple[int, int, list[int], str]]]]:
        """The steps of all groups, side by side, by the row's schedule on the blocks that they have."""
        groups = self.grid.groups(phase.axes)
        size = len(groups[0])
        if size == 1:
            return
        by = phase.by(p=size, collective=phase.collective)
        if not isinstance(by, Schedule):
            raise UsageError(f"{phase.name}: expected its schedule for {size} ranks, found {shown(by)}")
        document = by.to_dict()
        found = (document["collective"], document["ranks"], document["version"])
        if found != (phase.collective, size, 1) or document["blocks"] not in (1, size):
            raise UsageError(f"{phase.name}: expected its schedule for {size} ranks, of {size} blocks or 1, without scratch")
        # Block b of the group's schedule is the part of the rank that owns it; if it is the only one, it is all parts.
        owners = document.get("owners", range(size))
        parts = [self._parts(group, phase, divided) for group in groups]
        if document["blocks"] == 1:
            parts = [[sorted(itertools.chain.from_iterable(part))] for part in parts]
        else:
            parts = [[part[owner] for owner in owners] for part in parts]
        for step in document["steps"]:
            transfers = []
            for (group, part), transfer in itertools.product(zip(groups, parts), step):
                blocks = itertools.chain.from_iterable(part[block] for block in _numbers(transfer["blocks"]))
                transfers.append((group[transfer["src"]], group[transfer["dst"]], sorted(blocks), transfer["op"]))
            yield phase.name, transfers

    def _parts(self, group: list[int], phase: Phase, divided: set[int]) -> list[list[int]]:
        """For each rank of a group, the blocks with its coordinates in the phase's axes and in those divided before."""
        fixed = {a.number for a in self.grid.axes if a.number in divided} | {a.number for a in phase.axes}
        places = [[self.grid.coordinates(block)[axis] for axis in sorted(fixed)] for block in range(self.grid.ranks)]
        return [[block for block in range(self.grid.ranks) if places[block] == places[rank]] for rank in group]

    def __repr__(self) -> str:
        return " >> ".join(phase.name for phase in self.phases)
