"""Launches of GPU kernels, judged from their PTX."""

import functools
from collections.abc import Iterable
from typing import SupportsIndex

from onceover import _onceover
from onceover.arguments import Path, whole, wholes
from onceover.errors import UsageError
from onceover.report import Asked, Report, _ids
from onceover.schedule import Program, from_file


def gpu(path: Path, *, p: int | Iterable[int] | None = None, n: int | Iterable[int] | None = None, seed: int = 1,
        require: str | Iterable[str] = (), waive: str | Iterable[str] = (), budget: int = 10**9, threads: int = 0) -> Report:
    """Judges the launches of a launch description, as the program `verify gpu` does.

        report = gpu("two_shot.toml", p=[2, 4], n=1000)

    `p` and `n` are numbers of ranks and sizes, or several, instead of the description's. `seed` is the first of the
    random interleavings'. An interleaving of more than `budget` instructions makes the verdict "unknown". `threads` is a
    number of threads, 0 for all cores. Of each property the report has the worst finding; `launches` has each launch.
    """
    program = from_file(path)
    if not isinstance(program, Program) or not program._held.is_launch:
        raise UsageError(f"{path}: expected a launch of GPU kernels; from_file reads other formats, and verify judges them")
    asked = Asked(_ids("require", require), _ids("waive", waive), {}, whole("budget", budget, 1, 1 << 63),
                  whole("threads", threads, 0, 1025), None)
    judge = functools.partial(_judged, program, asked, _numbers("p", p, 65), _numbers("n", n, 10**9 + 1),
                              whole("seed", seed, 0, 1 << 63))
    return Report(judge, program)


def _numbers(what: str, numbers: int | Iterable[int] | None, end: int) -> list[int]:
    """Some numbers, each once and ascending; none for None."""
    if numbers is None:
        return []
    given = [whole(what, numbers, 1, end)] if isinstance(numbers, SupportsIndex) else wholes(what, numbers, 1, end, 5000)
    if not given:
        raise UsageError(f"{what}: expected a number, or several, found none")
    return sorted(set(given))


def _judged(program: Program, asked: Asked, ranks: list[int], sizes: list[int], seed: int) -> _onceover.Judged:
    *words, _ = asked
    return _onceover.verify_launch(program._held, _onceover.Asked(*words), ranks, sizes, seed)
