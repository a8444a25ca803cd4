#!/usr/bin/env python3
"""The same question, put to Onceover and to what one would write instead: medians of wall time, ratios, peak memory.

Usage: run.py [--times N] [--p P,..] [--build FOLDER]

Builds the preset `bench` unless a folder of a build with ONCEOVER_BENCH=ON is given. Prints a Markdown table.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

here = pathlib.Path(__file__).resolve().parent
source = here.parents[1]
ALGORITHMS = ["swing", "ring"]


def built(folder):
    if folder:
        return pathlib.Path(folder).resolve()
    for command in [["cmake", "--preset", "bench"],
                    ["cmake", "--build", "--preset", "bench", "--target", "verify", "measure", "dense_bitsets"]]:
        subprocess.run(command, cwd=source, stdout=sys.stderr, check=True)
    return source / "build" / "bench"


def commands(build, algorithm, ranks, file):
    verify, subject = build / "verify", ["--algo", algorithm, "--p", str(ranks)]
    return {
        "`verify FILE`": [verify, file],
        "`verify --algo`": [verify, *subject],
        "`dense_bitsets`": [build / "bench" / "compare" / "dense_bitsets", file],
        "`multisets.py`": [sys.executable, "-B", here / "multisets.py", file],
        "`random_numbers.py` (no proof)": [sys.executable, "-B", here / "random_numbers.py", file],
    }


def measured(build, times, command):
    """Medians of seconds and of processor seconds, and peak MiB."""
    run = subprocess.run([build / "bench" / "measure", str(times), *command], stdout=subprocess.PIPE, text=True, check=True)
    return tuple(map(float, run.stdout.split()))


options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
options.add_argument("--times", type=int, default=5, help="runs of each command [5]")
options.add_argument("--p", default="64,128,256", help="numbers of ranks [64,128,256]")
options.add_argument("--build", help="a folder of a build with ONCEOVER_BENCH=ON")
chosen = options.parse_args()

build = built(chosen.build)
print("| allreduce | p | checker | ms | to `verify FILE` | to `verify --algo` | processor ms | peak MiB |")
print("|---|---|---|---|---|---|---|---|")
with tempfile.TemporaryDirectory() as folder:
    for algorithm in ALGORITHMS:
        for ranks in chosen.p.split(","):
            file = pathlib.Path(folder) / f"{algorithm}-{ranks}.json"
            subprocess.run([build / "verify", "export", "--algo", algorithm, "--p", ranks, "--to", "json", "-o", file], check=True)
            rows = {name: measured(build, chosen.times, command)
                    for name, command in commands(build, algorithm, ranks, file).items()}
            of_file, of_algorithm = rows["`verify FILE`"][0], rows["`verify --algo`"][0]
            for name, (seconds, processor, mib) in rows.items():
                print(f"| {algorithm} | {ranks} | {name} | {1000 * seconds:.1f} | {seconds / of_file:.2f} | "
                      f"{seconds / of_algorithm:.2f} | {1000 * processor:.1f} | {mib:.0f} |", flush=True)
