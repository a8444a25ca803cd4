#!/usr/bin/env python3
"""verify-kernel, the checker that is proved in proofs/coq, and `verify` judge random schedules of all collectives alike, with any
owners and roots. What verify-kernel says is wrong, verify-check confirms.

Usage: judge_theory.py VERIFY VERIFY_KERNEL VERIFY_CHECK COUNT
"""
import collections
import copy
import json
import os
import random
import re
import subprocess
import sys
import tempfile

verify, kernel, check, count = *sys.argv[1:4], int(sys.argv[4])
ROWS = {
    "swing": ["allreduce", "reduce-scatter", "allgather", "broadcast", "reduce"],
    "ring": ["allreduce", "reduce-scatter", "allgather"],
    "bruck": ["reduce-scatter", "allgather"],
    "swing-latency": ["allreduce"],
    "binomial-tree": ["broadcast", "reduce"],
    "generalized": ["allreduce"],
}


def exported():
    """A schedule of the catalogue, or None where the row has none for this p."""
    row = random.choice(list(ROWS))
    ended = subprocess.run([verify, "export", "--to", "json", "--algo", row, "--p", str(random.randint(2, 8)),
                            "--collective", random.choice(ROWS[row])], capture_output=True, text=True)
    return None if ended.returncode else json.loads(ended.stdout)


def sent(src, dst, blocks, op="copy"):
    return {"src": src, "dst": dst, "blocks": blocks, "op": op}


def direct():
    """A right schedule that the catalogue has not: other owners and roots, scatter, gather, alltoall, block counts of any kind."""
    p = random.randint(2, 5)
    kind = random.choice(["reduce-scatter", "allgather", "reduce", "broadcast", "scatter", "gather", "alltoall"])
    blocks = p * p * random.randint(1, 2) if kind == "alltoall" else random.randint(1, 2 * p)
    made = {"format": "onceover-schedule", "version": 1, "collective": kind, "ranks": p, "blocks": blocks}
    root = random.randrange(p)
    if kind in ("reduce", "broadcast", "scatter", "gather"):
        made["root"] = root
    owners = [b % p for b in range(blocks)]
    if kind in ("reduce-scatter", "allgather", "scatter", "gather") and random.random() < 0.7:
        owners = made["owners"] = [random.randrange(p) for _ in range(blocks)]
    steps = [[] for _ in range(random.randint(1, 3))]
    for b in range(blocks):
        ends = {"reduce-scatter": owners[b], "alltoall": b % p, "scatter": owners[b], "gather": root, "reduce": root}.get(kind)
        begins = {"allgather": owners[b], "alltoall": b // p % p, "scatter": root, "gather": owners[b], "broadcast": root}.get(kind)
        for src in range(p) if begins is None else [begins]:
            for dst in range(p) if ends is None else [ends]:
                if src != dst:
                    random.choice(steps).append(sent(src, dst, [b], "reduce" if begins is None else "copy"))
    made["steps"] = steps
    return made


def mutate(schedule):
    steps, ranks, blocks = schedule["steps"], schedule["ranks"], schedule["blocks"]
    step = random.choice(steps) if steps else []
    kind = random.choice(["drop", "double", "dst", "src", "op", "swap", "block", "again", "shuffle", "owner", "root"])
    if kind == "owner" and "owners" in schedule:
        schedule["owners"][random.randrange(blocks)] = random.randrange(ranks)
    elif kind == "root" and "root" in schedule:
        schedule["root"] = random.randrange(ranks)
    elif not step:
        return
    elif kind == "drop":
        step.pop(random.randrange(len(step)))
    elif kind == "double":
        step.append(copy.deepcopy(random.choice(step)))
    elif kind in ("dst", "src"):
        random.choice(step)[kind] = random.randrange(ranks)
    elif kind == "op":
        message = random.choice(step)
        message["op"] = "copy" if message["op"] == "reduce" else "reduce"
    elif kind == "swap":
        a, b = random.randrange(len(steps)), random.randrange(len(steps))
        steps[a], steps[b] = steps[b], steps[a]
    elif kind == "block":
        random.choice(step)["blocks"] = [random.randrange(blocks)]
    elif kind == "again":
        random.choice(steps).append(copy.deepcopy(random.choice(step)))
    else:
        random.shuffle(step)


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
    return (f"onceover-certificate 1\ncollective {schedule['collective']}\nranks {schedule['ranks']}\nblocks {schedule['blocks']}\n"
            f"verdict fail\n{what}\n"), what.split()[0]


def drawn(folder):
    """Random schedules in files, by name."""
    made = {}
    while len(made) < count:
        schedule = exported() if random.random() < 0.4 else direct()
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
