"""Writes the stub of onceover.catalogue, from its table: write_stubs.py FILE"""

import pathlib
import sys

from onceover import catalogue

HEAD = '''# Written by write_stubs.py, from the table of the catalogue.
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from onceover.schedule import Schedule

class Algorithm:
    name: str
    summary: str
    source: str
    collectives: tuple[str, ...]
    domain: str
    steps: str
    parameters: dict[str, dict[str, str]]
    is_wrong_as_printed: bool
    def __call__(self, p: int | None = ..., *, torus: Sequence[int] | None = ..., collective: str | None = ...,
                 lanes: Literal[1, "all"] = ..., root: int = ..., **settings: Any) -> Schedule: ...

algorithms: Mapping[str, Algorithm]
'''


def stub(row):
    settings = "".join(f", {name}: object = ..." for name in row.parameters)
    collectives = ", ".join(f'"{name}"' for name in row.collectives)
    text = row.summary.replace("\\", "\\\\").replace('"', '\\"')
    return (f"def {row.__name__}(p: int | None = ..., *, torus: Sequence[int] | None = ..., "
            f"collective: Literal[{collectives}] = ..., lanes: Literal[1, \"all\"] = ..., root: int = ...{settings}) "
            f"-> Schedule:\n    \"{text}\"\n")


rows = "".join("\n" + stub(row) for row in catalogue.algorithms.values())
pathlib.Path(sys.argv[1]).write_text(HEAD + rows)
