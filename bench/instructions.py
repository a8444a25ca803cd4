#!/usr/bin/env python3
"""How many instructions commands take, on one core: counts, unlike seconds, hardly differ between machines.

  bench/instructions.py VERIFY            compares with bench/instructions.csv; fails if a command takes 5 % more
  bench/instructions.py VERIFY --some     of those alone that took less than 50 million: some seconds in place of many
  bench/instructions.py VERIFY --record   writes that file anew: after a change that is meant to take more, or that takes less

Each row of the file has a command and its instructions. `{file}` stands for what `make` of the row exports first.
"""
import csv
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

TABLE = pathlib.Path(__file__).with_name("instructions.csv")
TOLERANCE = 0.05
SOME = 50_000_000


def count(verify, row, folder):
    file = f"{folder}/made"
    if row["make"]:
        subprocess.run([verify, "export", *shlex.split(row["make"]), "-o", file], check=True, stdout=subprocess.DEVNULL)
    command = [verify, *shlex.split(row["command"].replace("{file}", file))]
    done = subprocess.run(["taskset", "-c", "0", "valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *command],
                          capture_output=True, text=True, cwd=TABLE.parents[1])
    collected = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode != 0 or not collected:
        sys.exit(f"{shlex.join(command)} ended with {done.returncode}:\n{done.stderr}")
    return int(collected[1])


def main():
    verify, record = sys.argv[1], "--record" in sys.argv[2:]
    with TABLE.open(newline="") as file:
        rows = list(csv.DictReader(file))
    more, less = [], []
    with tempfile.TemporaryDirectory() as folder:
        for row in rows:
            recorded = int(row["instructions"] or 0)
            if "--some" in sys.argv[2:] and recorded > SOME:
                continue
            now = count(verify, row, folder)
            change = now / recorded - 1 if recorded else float("inf")
            print(f"{now:>13,} instructions, {change:+7.1%}  verify {row['command']}", flush=True)
            (more if change > TOLERANCE else less if change < -TOLERANCE else []).append(row["command"])
            row["instructions"] = now
    if record:
        with TABLE.open("w", newline="") as file:
            writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
        return
    if less:
        print(f"{len(less)} of them take less than recorded; record that with --record")
    if more:
        sys.exit(f"more than {TOLERANCE:.0%} above what bench/instructions.csv records: {'; '.join(more)}")


main()
