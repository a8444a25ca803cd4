#!/usr/bin/env python3
"""verify-kernel and `verify` judge schedules with scratch blocks as a plain reading of their rules does, and verify-check accepts what `verify`
writes down: random ones, whose values make detours through scratch blocks and which may be changed, and small ones whose answers are known.

Usage: judge_scratch.py VERIFY VERIFY_CHECK VERIFY_KERNEL COUNT
"""
import collections
import copy
import json
import os
import random
import subprocess
import sys
import tempfile

from random_schedules import direct, exported, mutate

verify, check, kernel, count = *sys.argv[1:4], int(sys.argv[4])


def moves(transfer):
    """The blocks that a transfer reads, each with the one that it writes."""
    def listed(blocks):
        return [b for run in blocks for b in (range(run[0], run[1] + 1) if isinstance(run, list) else [run])]
    return list(zip(listed(transfer["blocks"]), listed(transfer.get("into", transfer["blocks"]))))


def promise(schedule):
    """For each block: who contributes to it, who wants it."""
    kind, p = schedule["collective"], schedule["ranks"]
    everybody, root = list(range(p)), [schedule.get("root", 0)]
    for b in range(schedule["blocks"]):
        own = [schedule["owners"][b] if "owners" in schedule else b % p]
        yield {"allreduce": (everybody, everybody), "reduce-scatter": (everybody, own), "allgather": (own, everybody),
               "broadcast": (root, everybody), "reduce": (everybody, root), "scatter": (root, own), "gather": (own, root),
               "alltoall": ([b // p % p], [b % p])}[kind]


def is_right(schedule):
    holds = {(r, b): collections.Counter([(r, b)]) for b, (begin, _) in enumerate(promise(schedule)) for r in begin}
    for step in schedule["steps"]:
        before, copied, written = dict(holds), set(), set()
        for transfer in step:
            for read, write in moves(transfer):
                giver, taker = (transfer["src"], read), (transfer["dst"], write)
                is_copy = transfer["op"] == "copy"
                if giver == taker or giver not in before or taker in copied or is_copy and taker in written:
                    return False
                if not is_copy and taker not in before:
                    return False
                (copied if is_copy else written).add(taker)
                holds[taker] = before[giver] if is_copy else holds[taker] + before[giver]
    return all(holds.get((r, b)) == collections.Counter((x, b) for x in begin)
               for b, (begin, want) in enumerate(promise(schedule)) for r in want)


def detour(schedule):
    """A value goes to scratch on its way: on its sender before a step, or on its receiver, from where it goes on after the step."""
    schedule.setdefault("scratch", 0)
    steps, scratch = schedule["steps"], schedule["blocks"] + schedule["scratch"]
    t = random.randrange(len(steps))
    if not steps[t]:
        return
    message = random.choice(steps[t])
    pairs, k = moves(message), random.randrange(len(moves(message)))
    read, write = pairs[k]
    schedule["scratch"] += 1
    if random.random() < 0.5 or message["op"] == "reduce" or message["src"] == message["dst"]:
        steps.insert(t, [{"src": message["src"], "dst": message["src"], "blocks": [read], "into": [scratch], "op": "copy"}])
        pairs[k] = scratch, write
    else:
        steps.insert(t + 1, [{"src": message["dst"], "dst": message["dst"], "blocks": [scratch], "into": [write], "op": "copy"}])
        pairs[k] = read, scratch
    message["blocks"], message["into"] = map(list, zip(*pairs))


def redirect(schedule):
    """One block of a transfer is read or written elsewhere."""
    messages = [message for step in schedule["steps"] for message in step]
    if messages:
        message = random.choice(messages)
        pairs = [list(pair) for pair in moves(message)]
        random.choice(pairs)[random.randrange(2)] = random.randrange(schedule["blocks"] + schedule.get("scratch", 0))
        if len({write for _, write in pairs}) == len(pairs):
            message["blocks"], message["into"] = map(list, zip(*pairs))


def drawn():
    while True:
        schedule = exported(verify) if random.random() < 0.4 else direct()
        if schedule is None or not schedule["steps"]:
            continue
        schedule = copy.deepcopy(schedule)
        schedule["version"] = 2
        for _ in range(random.choice([0, 0, 1])):
            mutate(schedule)
        for _ in range(random.randint(0, 4)):
            detour(schedule)
        for _ in range(random.choice([0, 0, 1, 2])):
            redirect(schedule)
        return schedule


def move(src, dst, read, write, op="copy"):
    return {"src": src, "dst": dst, "blocks": [read], "into": [write], "op": op}


def of(steps, scratch=1, collective="allreduce", blocks=1, ranks=2):
    return {"format": "onceover-schedule", "version": 2, "collective": collective, "ranks": ranks, "blocks": blocks, "scratch": scratch,
            "steps": steps}


PASSES = "pass: each contribution once, in each of 1 blocks"
ANSWERS = [
    # Each rank keeps its own contribution in scratch, sends it, and adds what comes.
    (of([[move(r, r, 0, 1) for r in (0, 1)], [move(r, 1 - r, 1, 0, "reduce") for r in (0, 1)]]), PASSES),
    (of([[move(0, 1, 0, 1)], [move(1, 1, 1, 0, "reduce")], [move(1, 0, 0, 0)]]), PASSES),
    # A step reads what it began with: the first finds nothing, the second a value without what arrives.
    (of([[move(0, 0, 0, 1), move(0, 1, 1, 0, "reduce")]]), "fail: block 1: in step 0, 0>1 reduce into block 0: rank 0 holds nothing to send"),
    (of([[move(1, 0, 0, 0, "reduce"), move(0, 0, 0, 1)], [move(0, 1, 1, 0)]]),
     "fail: block 0: rank 1 ends with the contribution of 1 0 times"),
    (of([[move(1, 0, 0, 1, "reduce")]]), "fail: block 0: in step 0, 1>0 reduce into block 1: rank 0 holds nothing to add to"),
    (of([[move(0, 1, 0, 1), move(1, 1, 0, 1)]]), "fail: block 0: in step 0, 1>1 copy into block 1: a copy and another write reach rank 1"),
    (of([[move(0, 1, 0, 0), move(1, 1, 1, 1)]]), "fail: block 0: rank 0 ends with the contribution of 1 0 times"),
    (of([[move(1, 1, 0, 0)]]), "fail: block 0: in step 0, 1>1 copy: rank 1 sends to itself"),
    # Data of another block, from a rank that should contribute
    (of([[move(0, 1, 1, 0)]], 0, "broadcast", 2), "fail: block 0: rank 1 ends with the contribution of 0 0 times"),
    (of([[{"src": 0, "dst": 1, "blocks": [0, 1], "op": "copy"}], [move(1, 1, 1, 0, "reduce")]], 0, "broadcast", 2),
     "fail: block 0: rank 1 ends with the contribution of 0 to block 1 1 times"),
    # Blocks change places by scratch, and back; what ends in scratch is nobody's.
    (of([[{"src": 0, "dst": 1, "blocks": [[0, 1]], "into": [1, 2], "op": "copy"}], [{"src": 1, "dst": 1, "blocks": [1, 2], "into": [[0, 1]], "op": "copy"}]],
        1, "broadcast", 2), PASSES.replace("1 blocks", "2 blocks")),
    (of([[{"src": 0, "dst": 1, "blocks": [0, 0], "into": [0, 1], "op": "copy"}]], 3, "broadcast"), PASSES),
    (of([[move(0, 1, 0, 1)]], 1, "broadcast"), "fail: block 0: rank 1 ends with the contribution of 0 0 times"),
]


def main():
    random.seed(1)
    wrong, tally = 0, collections.Counter()
    made = [schedule for schedule, _ in ANSWERS] + [drawn() for _ in range(count)]
    with tempfile.TemporaryDirectory() as folder:
        names = [os.path.join(folder, f"{k}.json") for k in range(len(made))]
        for name, schedule in zip(names, made):
            with open(name, "w", encoding="utf-8") as out:
                json.dump(schedule, out)
        ended = subprocess.run([kernel, *names], capture_output=True, text=True)
        codes = [subprocess.run([verify, name, "--certify", name + ".cert"], capture_output=True).returncode for name in names]
        checked = [subprocess.run([check, name, name + ".cert"], capture_output=True, text=True) for name in names]
        answers = [line.removeprefix(name + ": ") for name, line in zip(names, ended.stdout.splitlines())]
    assert len(answers) == len(made), ended.stderr
    for (_, expected), answer in zip(ANSWERS, answers):
        if answer != expected:
            wrong += 1
            print("expected", expected, "found", answer)
    for schedule, answer, code, of_certificate in zip(made, answers, codes, checked):
        right, passes = is_right(schedule), answer.startswith("pass: ")
        tally[right] += 1
        tally["scratch"] += right and schedule.get("scratch", 0) > 0
        if right != passes:
            wrong += 1
            print("the rules say", right, "but verify-kernel", answer, json.dumps(schedule))
        if code != (0 if right else 1):
            wrong += 1
            print("the rules say", right, "but verify ends with", code, json.dumps(schedule))
        if of_certificate.returncode != 0 or of_certificate.stdout.startswith("pass") != right:
            wrong += 1
            print("the rules say", right, "but verify-check", of_certificate, json.dumps(schedule))
    print(f"{count} schedules, {tally[True]} right, {tally['scratch']} of them with scratch blocks, and {tally[False]} wrong; "
          f"{wrong} judged differently")
    assert min(tally[True], tally[False], tally["scratch"]) > count // 10, tally
    return wrong > 0


sys.exit(main())
