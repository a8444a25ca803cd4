#!/usr/bin/env python3
"""Judges every row of the catalogue at sizes of 65,535 to 1,048,576 ranks, and writes how that went.

usage: bench/table.py [--verify PROGRAM] [--seconds LIMIT] [ROW..] >docs/cost-table.csv

Each row is run once for each collective, on each line and torus of `shapes` that it takes, on one lane and on all. Columns:
algorithm, collective, shape, lanes, verdict, blocks executed of all, seconds, processor seconds, peak memory in MiB. A run
that takes longer than the limit is `unknown`; one that the row doesn't take is left out.
"""
import argparse
import csv
import json
import os
import subprocess
import sys
import time

shapes = ["65535", "65536", "60000", "1048575", "1048576", "256x256", "1024x1024", "64x64x64"]


def commands(verify, rows):
    for row in json.loads(subprocess.run([verify, "list", "--json"], check=True, capture_output=True).stdout):
        if row["as_printed"] or (rows and row["name"] not in rows):
            continue
        for collective in row["collectives"]:
            for shape in shapes:
                on_torus = "x" in shape
                if on_torus and not row["tori"]:
                    continue
                for lanes in ["1", "all"] if row["lanes"] else ["1"]:
                    place = ["--torus", shape] if on_torus else ["--p", shape]
                    yield (row["name"], collective, shape, lanes), [
                        verify, "--algo", row["name"], "--collective", collective, *place, "--lanes", lanes]


def peak_and_result(command, limit):
    """Peak MiB, seconds, processor seconds, the exit code and what was printed."""
    begin = time.monotonic()
    process = subprocess.Popen(["timeout", str(limit), *command, "--json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    printed = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    processor = usage.ru_utime + usage.ru_stime
    return usage.ru_maxrss / 1024, time.monotonic() - begin, processor, process.returncode, printed


def executed(run):
    """"2 of 65536", or "all"."""
    scope = run["scope"]
    return scope.split(" blocks,")[0] if " blocks, one of each orbit" in scope else "all" if scope.startswith("every block") else ""


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--verify", default="./verify")
    options.add_argument("--seconds", type=float, default=30)
    options.add_argument("rows", nargs="*")
    options = options.parse_args()
    table = csv.writer(sys.stdout, lineterminator="\n")
    table.writerow(["algorithm", "collective", "shape", "lanes", "verdict", "executed", "seconds", "processor", "MiB"])
    for place, command in commands(options.verify, options.rows):
        mib, seconds, processor, code, printed = peak_and_result(command, options.seconds)
        if code == 2:
            continue
        verdict, blocks = "unknown", ""
        if code in (0, 1, 4) and printed:
            run = json.loads(printed)["runs"][0]
            verdict, blocks = run["verdict"], executed(run)
        table.writerow([*place, verdict, blocks, f"{seconds:.1f}", f"{processor:.1f}", f"{mib:.0f}"])
        sys.stdout.flush()


main()
