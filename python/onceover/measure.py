"""Loads of links, and times, on a network."""

import dataclasses
import html
from collections.abc import Iterable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from onceover import _onceover
from onceover.arguments import several, shown, text, whole
from onceover.errors import Error, UsageError
from onceover.network import _network
from onceover.picture import Picture, inline, svg_or_none
from onceover.schedule import Schedule, _counted

if TYPE_CHECKING:
    from numpy import float64, int32, uint64
    from numpy.typing import NDArray

MOST_SIZES = 100_000


@dataclasses.dataclass(frozen=True)
class StepLoad:
    """The load of a step, and of the `times - 1` steps after it that are like it.

    `load` is in blocks, exactly: what the `hottest` link carries, a number in `Contention.links` (-1 if nothing is sent).
    """

    step: int
    times: int
    messages: int
    block_transfers: int
    hops_max: int
    hops_mean: float
    links_used: int
    max_messages_per_link: int
    hottest: int
    load: Fraction
    hottest_link: tuple[str, ...] = ()


def _step_load(fields: dict[str, Any]) -> StepLoad:
    fields["load"] = Fraction(fields["load"])
    return StepLoad(**fields)


class Contention:
    """How much each link carries, in all steps together.

    `links` (nodes from and to), `loads` (blocks) and `messages` are numpy arrays with a row or an entry for each link.
    `latency`, `bandwidth` and `congestion` are the deficiencies, 1 being optimal; None where the
    collective has no optimum. `vectors` is the time for large vectors, in vectors at the speed of a port.
    """

    def __init__(self, measured: _onceover.Measured, schedule: Schedule, options: dict[str, str]):
        summary = measured.summary
        self._measured, self._schedule, self._options = measured, schedule, options
        self.network: str = summary["network"]
        self.routing: str = summary["routing"]
        self.ports: int = summary["ports"]
        self.vectors = Fraction(summary["vectors"])
        self.latency: float | None = summary.get("latency")
        self.bandwidth: float | None = summary.get("bandwidth")
        self.congestion: float | None = summary.get("congestion")
        self.steps = [_step_load(step) for step in summary["steps"]]

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_measured": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__ |= state
        self._measured = _onceover.contention(self._schedule._hold(), self._options)

    @property
    def links(self) -> "NDArray[int32]":
        _require_numpy()
        return self._measured.links

    @property
    def loads(self) -> "NDArray[float64]":
        _require_numpy()
        return self._measured.loads

    @property
    def messages(self) -> "NDArray[uint64]":
        _require_numpy()
        return self._measured.messages

    def loads_of_step(self, step: int) -> "NDArray[float64]":
        """The load of each link in one step, a numpy array."""
        _require_numpy()
        return self._measured.loads_of_step(whole("step", step, 0, self._schedule.steps))

    def node_name(self, node: int) -> str:
        """The name of a node: "rank 3", "switch 2", or what the network's file calls it."""
        return self._measured.node_name(whole("node", node, 0, 1 << 31))

    def draw(self, **options: Any) -> Picture:
        """The picture of the loads; the options are those of `Schedule.draw`."""
        named: dict[str, Any] = {**self._options, **options}
        return self._schedule.draw("contention", **named)

    def __str__(self) -> str:
        lines = [f"{self.network}, {self.routing} routing: {float(self.vectors):.4g} vectors"]
        if self.latency is not None:
            lines.append(f"deficiencies: latency {self.latency:.4g}, bandwidth {self.bandwidth:.4g}, "
                         f"congestion {self.congestion:.4g}")
        for step in self.steps:
            like = "" if step.times == 1 else f" and {step.times - 1} like it"
            where = f" on {step.hottest_link[0]} -> {step.hottest_link[1]}" if step.hottest_link else ""
            lines.append(f"step {step.step}{like}: {_counted(step.messages, 'message')}, at most "
                         f"{_counted(step.load, 'block')}{where}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<contention of {self._schedule!r} on {self.network}>"

    def _repr_html_(self) -> str:
        picture = svg_or_none(self.draw(), self._schedule.ranks, self._schedule.steps)
        return f"<div><pre>{html.escape(str(self))}</pre>{inline(picture)}</div>"


def contention(schedule: Schedule, **network: object) -> Contention:
    """Follows all messages of a schedule through a network: how much does each link carry?

    >>> from onceover import catalogue
    >>> contention(catalogue.ring(p=8)).congestion
    1.0
    >>> contention(catalogue.recursive_doubling(p=8)).steps[2].load
    Fraction(2, 1)

    The network is the torus of the schedule's shape, or `topology`: "mesh", "fat-tree:radix=16", a GraphML or DOT file;
    `onceover.topologies()` lists them. `routing` is "minimal", "ecmp" or "dimension-order". `map` is a file with the
    place of each rank, `ways` one with ways that messages take, `ports` how many messages a rank sends at a time.
    `bandwidth` of a link is in Gb/s (400), its `latency` (100) and `hop_latency` (300) in ns. `overhead` of a message
    is in ns, `reduction` in Gb/s.

    The schedule isn't judged: `verify` does that.
    """
    options = _network(network)
    measured = _frozen("contention", schedule)
    return Contention(_onceover.contention(measured._hold(), options), measured, options)


class Cost:
    """The times of a schedule: `times` in ns for the `sizes` of the vector in bytes, as numpy arrays."""

    def __init__(self, schedule: Schedule, network: str, sizes: "NDArray[float64]", times: "NDArray[float64]"):
        self.schedule = schedule
        self.network = network
        self.sizes = sizes
        self.times = times

    @property
    def goodput(self) -> "NDArray[float64]":
        """Size over time, in Gb/s."""
        return self.sizes * 8 / self.times

    def _rows(self) -> list[tuple[str, str, str]]:
        return [(f"{size:.0f}", f"{time:.1f}", f"{rate:.4g}")
                for size, time, rate in zip(self.sizes, self.times, self.goodput)]

    def __str__(self) -> str:
        lines = [f"{self.schedule!r} on {self.network}", f"{'bytes':>12} {'ns':>14} {'Gb/s':>10}"]
        return "\n".join(lines + [f"{size:>12} {time:>14} {rate:>10}" for size, time, rate in self._rows()])

    def __repr__(self) -> str:
        return f"<cost of {self.schedule!r} on {self.network}>"

    def _repr_html_(self) -> str:
        rows = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in self._rows())
        title = html.escape(f"{self.schedule!r} on {self.network}")
        return f"<table><caption>{title}</caption><tr><th>bytes</th><th>ns</th><th>Gb/s</th></tr>{rows}</table>"


def cost(schedule: Schedule, bytes: str | int | Iterable[object] = "32..512Mi", *, mode: str = "synchronous",
         **network: object) -> Cost:
    """How long a schedule takes for vectors of some sizes: a number, a list, or a text such as "1Ki" or "32..512Mi".

    >>> from onceover import catalogue
    >>> cost(catalogue.ring(p=8), "1Mi").times.round()
    array([42300.])

    In the `mode` "synchronous", all ranks wait for each other after every step; in "asynchronous", a rank goes on when its
    data is there. Networks are as for `contention`. The schedule isn't judged: `verify` does that.
    """
    options = _network(network)
    measured = _frozen("cost", schedule)
    sizes = several("bytes", bytes, MOST_SIZES) if isinstance(bytes, Iterable) and not isinstance(bytes, str) else [bytes]
    sizes_text = text("bytes", ",".join(str(each) for each in sizes))
    _require_numpy()
    return Cost(measured, *_onceover.cost(measured._hold(), sizes_text, text("mode", mode), options))


def _require_numpy() -> None:
    try:
        import numpy  # noqa: F401
    except ImportError:
        raise Error("arrays need numpy, which is not installed; try `pip install numpy`") from None


def _frozen(what: str, schedule: object) -> Schedule:
    if not isinstance(schedule, Schedule):
        raise UsageError(f"{what}: expected a Schedule, found {shown(schedule)}")
    return schedule._frozen()
