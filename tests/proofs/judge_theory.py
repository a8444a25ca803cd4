#!/usr/bin/env python3
"""verify-kernel, the checker that is proved in proofs/coq, and `verify` judge random schedules of all collectives alike, with any
owners and roots. What verify-kernel says is wrong, verify-check confirms.

Usage: judge_theory.py VERIFY VERIFY_KERNEL VERIFY_CHECK COUNT
"""
import collections
import json
import os
import random
import re
import subprocess
import sys
import tempfile

from random_schedules import direct, exported, mutate

verify, kernel, check, count = *sys.argv[1:4], int(sys.argv[4])


def certificate(schedule, answer):
    """What verify-kernel says is wrong, as a certificate for verify-check."""
    counted = re.fullmatch(r"fail: block (\d+): rank (\d+) ends with the contribution of (\d+) (\d+) times", answer)
    fault = re.fullmatch(r"fail: block (\d+): in step (\d+), \S+ \w+: (.*)", answer)
    if counted:
        what = "wrong block {} rank {} contributor {} times {}".format(*counted.groups())
    else:
        block, step, why = fault.groups()
        rank = re.search(r"rank (\d+)", why)[1]
        kind = "self-transfer" if "itself" in why else "conflict" if "reach" in why else "nothing-held"
        what = f"{kind} block {block} rank {rank} step {step}"
    return (f"onceover-certificate 2\ncollective {schedule['collective']}\nranks {schedule['ranks']}\nblocks {schedule['blocks']}\n"
            f"verdict fail\n{what}\n"), what.split()[0]


def drawn(folder):
    """Random schedules in files, by name."""
    made = {}
    while len(made) < count:
        schedule = exported(verify) if random.random() < 0.4 else direct()
        if schedule is None:
            continue
        for _ in range(random.choice([0, 1, 1, 1, 2, 3])):
            mutate(schedule)
        name = os.path.join(folder, f"{len(made)}.json")
        with open(name, "w", encoding="utf-8") as out:
            json.dump(schedule, out)
        made[name] = schedule
    return made


def main():
    random.seed(1)
    tally, kinds, wrong = collections.Counter(), collections.Counter(), 0
    with tempfile.TemporaryDirectory() as folder:
        made = drawn(folder)
        judged = subprocess.run([kernel, *made], capture_output=True, text=True).stdout.splitlines()
        assert len(judged) == count, judged[:3]
        for (name, schedule), line in zip(made.items(), judged):
            answer = line.removeprefix(name + ": ")
            ours = 0 if answer.startswith("pass: ") else 1
            theirs = subprocess.run([verify, name], capture_output=True).returncode
            tally[theirs] += 1
            kinds[schedule["collective"], theirs] += 1
            if ours != theirs:
                wrong += 1
                print("verify and verify-kernel differ:", theirs, answer, json.dumps(schedule))
            elif ours:
                text, kind = certificate(schedule, answer)
                tally[kind] += 1
                confirmed = subprocess.run([check, name, "-"], input=text, capture_output=True, text=True)
                if confirmed.returncode:
                    wrong += 1
                    print("verify-check rejects what verify-kernel says:", answer, confirmed.stderr, json.dumps(schedule))
    print(f"{count} schedules, {tally[0]} right and {tally[1]} wrong: " +
          ", ".join(f"{tally[kind]} {kind}" for kind in ("wrong", "nothing-held", "conflict", "self-transfer")) +
          f"; {wrong} judged differently")
    seen = sorted({c for c, v in kinds if v == 0} & {c for c, v in kinds if v == 1})
    assert len(seen) == 8 and tally[0] + tally[1] == count and tally["wrong"] and tally["nothing-held"], (seen, tally)
    return wrong > 0


sys.exit(main())
