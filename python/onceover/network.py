"""The options of networks, which several functions take."""

NETWORK = ("topology", "routing", "ports", "map", "bandwidth", "latency", "hop_latency", "overhead", "reduction")


def _network(options: dict[str, object]) -> dict[str, str]:
    unknown = [key for key in options if key not in NETWORK]
    if unknown:
        raise TypeError(f"unknown option {unknown[0]!r} of a network; there are {', '.join(NETWORK)}")
    return {key: str(value) for key, value in options.items() if value is not None}
