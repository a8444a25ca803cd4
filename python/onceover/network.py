"""The options of networks, which several functions take."""

import difflib

from onceover import _onceover
from onceover.arguments import path, text
from onceover.errors import UsageError

NETWORK = _onceover.network_options()


def _network(options: dict[str, object]) -> dict[str, str]:
    for key in options:
        if key not in NETWORK:
            near = difflib.get_close_matches(key, NETWORK, 1)
            words = f"; did you mean {near[0]!r}?" if near else ""
            raise UsageError(f"unknown option {key!r} of a network{words}; there are {', '.join(NETWORK)}")
    given = {key: value for key, value in options.items() if value is not None}
    for key in ("map", "ways"):
        if key in given:
            given[key] = path(key, given[key])
    return {key: text(key, str(value)) for key, value in given.items()}
