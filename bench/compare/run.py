#!/usr/bin/env python3
"""The same question, put to Onceover and to what one would write instead: medians of time, ratios, peak memory.

Usage: run.py [--times N] [--p P,..] [--limits] [--small] [--build FOLDER]

Builds the preset `bench` unless a folder of a build with ONCEOVER_BENCH=ON is given. Prints a Markdown table.

--limits prints another table, of all that we measure: ours, the fastest other checker, and the limit. That is one pass over the
block transfers in memory, 8 bytes each; one pass over a file; or a target that we set. It has medians of processor seconds, and
says how many times as fast as the other and the limit ours is.
"""

import argparse
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

here = pathlib.Path(__file__).resolve().parent
source = here.parents[1]
ALGORITHMS = ["swing", "ring"]
TARGETS = ["verify", "measure", "dense_bitsets", "onceover_bench"]


def built(folder):
    if folder:
        return pathlib.Path(folder).resolve()
    for command in [["cmake", "--preset", "bench"], ["cmake", "--build", "--preset", "bench", "--target", *TARGETS]]:
        subprocess.run(command, cwd=source, stdout=sys.stderr, check=True)
    return source / "build" / "bench"


def others(build, file):
    return {
        "`dense_bitsets`": [build / "bench" / "compare" / "dense_bitsets", file],
        "`multisets.py`": [sys.executable, "-B", here / "multisets.py", file],
        "`random_numbers.py` (no proof)": [sys.executable, "-B", here / "random_numbers.py", file],
    }


def commands(build, algorithm, ranks, file):
    verify, subject = build / "verify", ["--algo", algorithm, "--p", str(ranks)]
    return {"`verify FILE`": [verify, file], "`verify --algo`": [verify, *subject], **others(build, file)}


def measured(build, times, command):
    """Medians of seconds and of processor seconds, and peak MiB."""
    run = subprocess.run([build / "bench" / "measure", str(times), *command], stdout=subprocess.PIPE, text=True, check=True)
    return tuple(map(float, run.stdout.split()))


def exported(build, folder, algorithm, ranks, form="json"):
    file = pathlib.Path(folder) / f"{algorithm}-{ranks}.{form}"
    subprocess.run([build / "verify", "export", "--algo", algorithm, "--p", str(ranks), "--to", form, "-o", file], check=True)
    return file


def memory_bandwidth(build):
    """Bytes that one core reads in a second of its time."""
    run = subprocess.run([build / "bench" / "onceover_bench", "--benchmark_filter=memory_pass", "--benchmark_format=csv"],
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True)
    lines = run.stdout.splitlines()
    start = next(k for k, line in enumerate(lines) if line.startswith("name,"))
    found = next(csv.DictReader(lines[start:]))
    return float(found["bytes_per_second"]) * float(found["real_time"]) / float(found["cpu_time"])


class Limits:
    """The rows of --limits: what, unit, ours, the best other, the limit; None for what there isn't."""

    def __init__(self, build, times, folder, small):
        self.build, self.times, self.folder, self.verify = build, times, folder, build / "verify"
        self.ranks, self.file_ranks, self.many, self.large, self.side = (
            (1024, 64, 4096, "16x16", "8x8") if small else (4096, 256, 1048576, "1024x1024", "64x64"))

    def processor(self, *command):
        return measured(self.build, self.times, list(map(str, command)))[1]

    def rows(self):
        pass_over_memory = memory_bandwidth(self.build)
        for algorithm in ALGORITHMS:
            yield self.every_block(algorithm, pass_over_memory / 8)
        yield self.json_file()
        for form in ["msccl-xml", "goal"]:
            yield self.program(form)
        for algorithm in ALGORITHMS:
            seconds = self.processor(self.verify, "--algo", algorithm, "--p", self.many)
            yield f"by symmetry, {algorithm}, {self.many} ranks", "s", seconds, None, None
        swing = ["--algo", "swing", "--torus", self.large, "--lanes", "all"]
        for command in ["contention", "cost"]:
            yield f"{command}, swing, {self.large}", "s", self.processor(self.verify, command, *swing), None, 2
        yield "cost, all settings of papers", "s", self.processor(self.verify, "cost", "--preset", "all"), None, 1.5
        for algorithm in ["bucket", "swing"]:
            yield self.simulation(algorithm)

    def every_block(self, algorithm, limit):
        """Of others, the same algorithm on fewer ranks: what they hold grows with the cube of the ranks."""
        file = exported(self.build, self.folder, algorithm, self.file_ranks)
        ours = 2 * self.ranks * (self.ranks - 1) / self.processor(
            self.verify, "--no-symmetry", "--algo", algorithm, "--p", self.ranks)
        other = 2 * self.file_ranks * (self.file_ranks - 1) / min(map(lambda c: self.processor(*c), others(self.build, file).values()))
        return f"every block, {algorithm}, {self.ranks} ranks", "million block transfers/s", ours / 1e6, other / 1e6, limit / 1e6

    def json_file(self):
        file = exported(self.build, self.folder, "ring", 2 * self.file_ranks)
        size = file.stat().st_size / 1e6
        dense = others(self.build, file)["`dense_bitsets`"]
        return ("file, ring, JSON", "MB/s", size / self.processor(self.verify, file), size / self.processor(*dense),
                size / self.processor("wc", "-l", file))

    def program(self, form):
        file = exported(self.build, self.folder, "ring", self.file_ranks, form)
        return f"file, ring, {form}", "MB/s", file.stat().st_size / 1e6 / self.processor(self.verify, file), None, 150

    def simulation(self, algorithm):
        subject = ["--algo", algorithm, "--torus", self.side, "--lanes", "all"]
        judged = subprocess.run([self.verify, *subject, "--json"], stdout=subprocess.PIPE, check=True)
        messages = json.loads(judged.stdout)["runs"][0]["metrics"]["messages"]
        seconds = self.processor(self.verify, "cost", "--mode", "asynchronous", *subject, "--bytes", "2Mi")
        return f"simulation, {algorithm}, {self.side}", "million messages/s", messages / 1e6 / seconds, None, 10


def number(value):
    return "" if value is None else f"{value:.0f}" if value >= 1000 else f"{value:.3g}"


def times_as_fast(unit, ours, other):
    return "" if other is None else f"{other / ours if unit == 's' else ours / other:.2g}"


def print_limits(limits):
    print("| what | unit | ours | best other | limit | to the other | to the limit |")
    print("|---|---|---|---|---|---|---|")
    for what, unit, ours, other, limit in limits.rows():
        print(f"| {what} | {unit} | {number(ours)} | {number(other)} | {number(limit)} | "
              f"{times_as_fast(unit, ours, other)} | {times_as_fast(unit, ours, limit)} |", flush=True)


def print_checkers(build, times, ranks_of_all, folder):
    print("| allreduce | p | checker | ms | to `verify FILE` | to `verify --algo` | processor ms | peak MiB |")
    print("|---|---|---|---|---|---|---|---|")
    for algorithm in ALGORITHMS:
        for ranks in ranks_of_all:
            file = exported(build, folder, algorithm, ranks)
            rows = {name: measured(build, times, command) for name, command in commands(build, algorithm, ranks, file).items()}
            of_file, of_algorithm = rows["`verify FILE`"][0], rows["`verify --algo`"][0]
            for name, (seconds, processor, mib) in rows.items():
                print(f"| {algorithm} | {ranks} | {name} | {1000 * seconds:.1f} | {seconds / of_file:.2f} | "
                      f"{seconds / of_algorithm:.2f} | {1000 * processor:.1f} | {mib:.0f} |", flush=True)


options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
options.add_argument("--times", type=int, default=5, help="runs of each command [5]")
options.add_argument("--p", default="64,128,256", help="numbers of ranks [64,128,256]")
options.add_argument("--limits", action="store_true", help="print one table of all, with limits")
options.add_argument("--small", action="store_true", help="with --limits: small sizes, to try it")
options.add_argument("--build", help="a folder of a build with ONCEOVER_BENCH=ON")
chosen = options.parse_args()

build = built(chosen.build)
with tempfile.TemporaryDirectory() as folder:
    if chosen.limits:
        print_limits(Limits(build, chosen.times, folder, chosen.small))
    else:
        print_checkers(build, chosen.times, chosen.p.split(","), folder)
