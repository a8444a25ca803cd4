"""Many schedules at once."""

import concurrent.futures
import html
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from onceover import _onceover
from onceover.arguments import flag, shown, whole, wholes
from onceover.errors import UsageError
from onceover.report import Report, verify
from onceover.schedule import Schedule


MOST_SCHEDULES = 1_000_000


class Sweep:
    """Reports by number of ranks, in the order of the numbers that were asked for. It is true if all pass, and there is
    one: without any, nothing was judged, and the verdict is "unknown"."""

    def __init__(self, reports: dict[int, Report]):
        self.reports = reports

    @property
    def verdict(self) -> str:
        verdicts = {report.verdict for report in self.reports.values()} or {"unknown"}
        return next(verdict for verdict in ("fail", "unknown", "pass") if verdict in verdicts)

    @property
    def failures(self) -> dict[int, Report]:
        """The reports that fail, by number of ranks."""
        return {p: report for p, report in self.reports.items() if report.verdict == "fail"}

    @property
    def first_failure(self) -> Report | None:
        """The failure with the fewest ranks, or None."""
        return self.reports[min(self.failures)] if self.failures else None

    def __getitem__(self, p: int) -> Report:
        return self.reports[p]

    def __iter__(self) -> Iterator[int]:
        return iter(self.reports)

    def __len__(self) -> int:
        return len(self.reports)

    def __bool__(self) -> bool:
        return self.verdict == "pass"

    def _lines(self) -> Iterator[str]:
        if not self.reports:
            yield "unknown  nothing was judged"
        is_ranks = all(getattr(report.subject, "ranks", p) == p for p, report in self.reports.items())
        name = "p" if is_ranks else "argument"
        for verdict in ("pass", "fail", "unknown"):
            ranks = [p for p, report in self.reports.items() if report.verdict == verdict]
            if ranks:
                yield f"{verdict:<8} {name} = {_ranges(ranks)}"

    def __str__(self) -> str:
        lines = list(self._lines())
        if self.first_failure is not None:
            lines += ["smallest failure:", str(self.first_failure)]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<sweep: {'; '.join(' '.join(line.split()) for line in self._lines())}>"

    def _repr_html_(self) -> str:
        failed = self.first_failure
        return f"<pre>{html.escape(chr(10).join(self._lines()))}</pre>{'' if failed is None else failed._repr_html_()}"


def sweep(make: Callable[[int], Schedule], p: Iterable[int], *, workers: int | None = None,
          progress: bool | None = None, **options: Any) -> Sweep:
    """Judges `make(p)` for each number of ranks in `p`, several at a time. It may also be a number of nodes, say: where a
    schedule has another number of ranks, the result speaks of the argument.

    >>> from onceover import catalogue
    >>> sweep(catalogue.swing, p=range(2, 33))
    <sweep: pass p = 2..32>
    >>> sweep(lambda p: catalogue.ring(p), p=[3, 5, 8], require="order-preserving").failures.keys()
    dict_keys([3, 5, 8])

    `make` runs in Python, one at a time; the verdicts take as many cores as there are. `options` are those of `verify`.
    `progress` shows a line that grows on standard error: yes, no, or None for yes on a terminal or in a notebook. What
    `make` raises ends it, and so does Ctrl-C.
    """
    if not callable(make):
        raise UsageError(f"make: expected a function that makes a schedule, found {shown(make)}")
    numbers = list(dict.fromkeys(wholes("p", p, 0, most=MOST_SCHEDULES)))
    threads = os.cpu_count() if workers is None else whole("workers", workers, 1, 1025)
    options.setdefault("threads", 1)

    def judge(ranks: int) -> Report:
        try:
            return verify(make(ranks), **options)
        except Exception as error:
            error.add_note(f"in the sweep, at p = {ranks}")
            raise

    pool = concurrent.futures.ThreadPoolExecutor(threads)
    bar = _Bar(len(numbers), None if progress is None else flag("progress", progress))
    running: dict[concurrent.futures.Future[Report], int] = {}
    try:
        for ranks in numbers:
            running[pool.submit(judge, ranks)] = ranks
        reports: dict[int, Report] = {}
        for done in concurrent.futures.as_completed(running):
            reports[running[done]] = done.result()
            bar.show(len(reports))
    except KeyboardInterrupt:
        for each in running:
            each.cancel()
        while not all(each.done() for each in running):  # one may begin its work only now
            _onceover.interrupt()
            time.sleep(0.05)
        raise
    finally:
        pool.shutdown(cancel_futures=True)
        bar.end()
    return Sweep({ranks: reports[ranks] for ranks in numbers})


class _Bar:
    """A line on standard error, `[#####.....] 12 of 63`, after the first tenth of a second."""

    WIDTH = 30

    def __init__(self, whole: int, wanted: bool | None):
        is_notebook = "ipykernel" in sys.modules
        self._is_shown = (sys.stderr.isatty() or is_notebook) if wanted is None else wanted
        self._whole = whole
        self._next = time.monotonic() + 0.1
        self._was_shown = False

    def show(self, done: int) -> None:
        if not self._is_shown or (time.monotonic() < self._next and done < self._whole):
            return
        if done == self._whole and not self._was_shown:
            return
        self._next = time.monotonic() + 0.1
        self._was_shown = True
        full = self.WIDTH * done // max(self._whole, 1)
        print(f"\r[{'#' * full}{'.' * (self.WIDTH - full)}] {done} of {self._whole}", end="", file=sys.stderr, flush=True)

    def end(self) -> None:
        if self._was_shown:
            print(f"\r{' ' * (self.WIDTH + 30)}\r", end="", file=sys.stderr, flush=True)


def _ranges(numbers: list[int]) -> str:
    """"2..5, 8"."""
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and runs[-1][1] == number - 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(f"{first}" if first == last else f"{first}..{last}" for first, last in runs)
