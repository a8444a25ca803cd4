"""Does an allreduce of random numbers end with their sums? What tests of libraries do, and no proof.

A wrong schedule passes by chance, though rarely with 64 random bits, and a failure doesn't say whose contribution is
missing or there twice. Ends with 0 for the sums, with 1 for anything else.

Usage: random_numbers.py SCHEDULE_FILE [SEED]
"""

import operator
import random
import sys

from reading import read_allreduce, run

ranks, blocks, steps = read_allreduce(sys.argv[1])
source = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
held = [[source.getrandbits(64) for _ in range(blocks)] for _ in range(ranks)]
sums = [sum(column) for column in zip(*held)]
run(held, steps, operator.add)
for rank in range(ranks):
    if held[rank] != sums:
        raise SystemExit(f"fail: rank {rank} ends with other numbers")
print("pass, this time")
