"""Reads the schedule file of an allreduce, for the checkers beside it."""

import json


def blocks_of(entries):
    for entry in entries:
        if isinstance(entry, list):
            yield from range(entry[0], entry[1] + 1)
        else:
            yield entry


def read_allreduce(path):
    """Ranks, blocks, and the steps: lists of (source, target, is a reduction, blocks)."""
    with open(path) as file:
        schedule = json.load(file)
    if schedule["collective"] != "allreduce":
        raise SystemExit("not an allreduce")
    steps = [[(t["src"], t["dst"], t["op"] == "reduce", list(blocks_of(t["blocks"]))) for t in step]
             for step in schedule["steps"]]
    return schedule["ranks"], schedule["blocks"], steps


def run(held, steps, combine):
    """Executes the steps on `held[rank][block]`. What arrives in a step is what its senders held before it."""
    for step in steps:
        arrivals = [(target, block, reduces, held[source][block])
                    for source, target, reduces, blocks in step for block in blocks]
        for target, block, reduces, value in arrivals:
            held[target][block] = combine(held[target][block], value) if reduces else value
