#!/usr/bin/env python3
"""What Coq computes of a schedule by the definitions of Sums.v, Useful.v and Halves.v is what `verify` says: identical bits, the order of
the ranks, transfers in vain, and the blocks that a rank sends. The schedules are random ones that are exactly once.

Usage: theory_properties.py VERIFY CHECK COUNT     CHECK lies in the folder in which the theory was compiled
"""
import collections
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

from random_schedules import direct, exported, mutate

verify, theory, count = sys.argv[1], pathlib.Path(sys.argv[2]).parent, int(sys.argv[3])
PROPERTIES = ["bitwise-reproducible", "order-preserving", "no-redundant-transfer"]
COLLECTIVES = {"allreduce": "Allreduce", "reduce-scatter": "ReduceScatter owner_of", "allgather": "Allgather owner_of", "broadcast": "Broadcast {root}",
               "reduce": "ReduceTo {root}", "scatter": "Scatter {root} owner_of", "gather": "Gather {root} owner_of", "alltoall": "Alltoall"}


def all_add():
    """An allreduce in which each rank adds up all contributions, in an order of its own."""
    p = random.randint(2, 4)
    step = [{"src": src, "dst": dst, "blocks": [0], "op": "reduce"} for src in range(p) for dst in range(p) if src != dst]
    random.shuffle(step)
    return {"format": "onceover-schedule", "version": 1, "collective": "allreduce", "ranks": p, "blocks": 1, "steps": [step]}


def in_vain(schedule):
    """Sends something once more, which often is redundant and does no harm."""
    steps = schedule["steps"]
    if steps and steps[-1]:
        message = dict(random.choice(random.choice([step for step in steps if step])), op="copy")
        steps.insert(random.randint(len(steps) - 1, len(steps)), [message])


def answer(schedule, folder):
    """What verify says of a schedule that is exactly once, or None."""
    file = os.path.join(folder, "schedule.json")
    pathlib.Path(file).write_text(json.dumps(schedule), encoding="utf-8")
    run = json.loads(subprocess.run([verify, file, "--json", "--full"], capture_output=True, text=True).stdout or '{"runs":[]}')["runs"]
    if not run or run[0]["verdict"] != "pass":
        return None
    verdicts = {p["id"]: p["verdict"] == "pass" for p in run[0]["properties"]}
    metrics = run[0]["metrics"]
    return [verdicts[name] for name in PROPERTIES], (metrics["steps"], metrics["blocks_sent_max"], metrics["blocks_sent_min"])


def blocks(message):
    return [b for run in message["blocks"] for b in (range(run[0], run[1] + 1) if isinstance(run, list) else [run])]


def goal(schedule, verdicts, numbers):
    """The same as a sentence of Coq."""
    transfers = ["[" + "; ".join(f"move {m['src']} {m['dst']} {b} {m['op'].capitalize()}" for m in step for b in blocks(m)) + "]"
                 for step in schedule["steps"]]
    owners = schedule.get("owners", [b % schedule["ranks"] for b in range(schedule["blocks"])])
    collective = COLLECTIVES[schedule["collective"]].format(root=schedule.get("root", 0))
    said = ", ".join(str(v).lower() for v in verdicts)
    return (f"Goal let owner_of b := nth b [{'; '.join(map(str, owners))}] 0 in let sch := [{'; '.join(transfers)}] in\n"
            f"  (properties ({collective}) {schedule['ranks']} {schedule['blocks']} sch, (length sch, most sch {schedule['ranks']}, least sch "
            f"{schedule['ranks']})) = (({said}), ({', '.join(map(str, numbers))})).\nProof. vm_compute. reflexivity. Qed.\n")


HEAD = """Require Import Arith List.
From Collectives Require Import Semantics Halves SumsChecked.
Import ListNotations.
Definition volumes (sch : schedule) (p : nat) : list nat := map (fun r => sent r sch) (seq 0 p).
Definition most (sch : schedule) (p : nat) : nat := list_max (volumes sch p).
Definition least (sch : schedule) (p : nat) : nat := fold_right Nat.min (most sch p) (volumes sch p).
"""


def main():
    random.seed(3)
    goals, tally = [], collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        while len(goals) < count:
            schedule = random.choice([lambda: exported(verify)] * 6 + [direct] * 3 + [all_add])()
            if schedule is None or schedule["ranks"] > 6:
                continue
            for _ in range(random.choice([0, 0, 1])):
                mutate(schedule)
            if random.random() < 0.3:
                in_vain(schedule)
            said = answer(schedule, folder)
            if said is not None:
                goals.append(goal(schedule, *said))
                tally.update(f"{'' if v else 'not '}{name}" for name, v in zip(PROPERTIES, said[0]))
        file = pathlib.Path(folder) / "Said.v"
        file.write_text(HEAD + "\n".join(goals), encoding="utf-8")
        ended = subprocess.run(["coqc", "-q", "-Q", theory, "Collectives", file], capture_output=True, text=True)
        wrong = goals[0].replace("true", "false") if "true" in goals[0] else goals[0].replace("false", "true")
        file.write_text(HEAD + wrong, encoding="utf-8")
        refused = subprocess.run(["coqc", "-q", "-Q", theory, "Collectives", file], capture_output=True, text=True)
    print(f"{count} schedules: " + ", ".join(f"{n} {name}" for name, n in sorted(tally.items())))
    print(ended.stderr[:2000], end="")
    assert refused.returncode and "Unable to unify" in refused.stderr, "a wrong answer is accepted"
    assert all(tally[name] and tally[f"not {name}"] for name in PROPERTIES), tally
    return ended.returncode


sys.exit(main())
