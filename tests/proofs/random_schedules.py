"""Random schedules of all collectives, right and wrong ones, as schedule files have them."""
import copy
import json
import random
import subprocess

ROWS = {
    "swing": ["allreduce", "reduce-scatter", "allgather", "broadcast", "reduce"],
    "ring": ["allreduce", "reduce-scatter", "allgather"],
    "bruck": ["reduce-scatter", "allgather"],
    "swing-latency": ["allreduce"],
    "binomial-tree": ["broadcast", "reduce"],
    "generalized": ["allreduce"],
}


def exported(verify):
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
