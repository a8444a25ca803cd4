"""Does an allreduce end with every contribution exactly once? A multiset of contributions for each rank and block.

Ends with 0 if it does, with 1 if it doesn't.

Usage: multisets.py SCHEDULE_FILE
"""

import sys

from reading import read_allreduce, run


def united(one, other):
    """The multiset of both: how often each rank's contribution is in. Neither operand changes, so copies may share."""
    result = dict(one)
    for rank, times in other.items():
        result[rank] = result.get(rank, 0) + times
    return result


ranks, blocks, steps = read_allreduce(sys.argv[1])
held = [[{rank: 1} for _ in range(blocks)] for rank in range(ranks)]
run(held, steps, united)
everything = {rank: 1 for rank in range(ranks)}
for rank in range(ranks):
    for block in range(blocks):
        if held[rank][block] != everything:
            raise SystemExit(f"fail: rank {rank} ends with other contributions to block {block}")
print("pass")
