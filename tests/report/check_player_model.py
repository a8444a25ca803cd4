"""What the player's script makes of a report's bytes is what the schedule has: every transfer with its blocks, and who
holds how much of what after each step, executed here a second time from the exported schedule.
Each day every other subject is tried, with --all all of them.

Usage: check_player_model.py VERIFY SOURCE_FOLDER [--all]
"""

import collections
import json
import pathlib
import subprocess
import sys
import tempfile

from browser import Browser

verify, source = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()

subjects = [
    "--algo ring --p 5",
    "--algo ring --p 4 --collective reduce-scatter",
    "--algo swing --p 6",
    "--algo swing --p 16",
    "--algo swing --torus 4x4 --lanes all",
    "--algo swing --torus 2x4x4",
    "--algo bucket --torus 2x3x2",
    "--algo recursive-doubling --p 12",
    "--algo bruck --p 7 --collective allgather",
    "--algo bruck --p 6 --collective alltoall",
    "--algo pairwise --p 5 --collective alltoall",
    "--algo binomial-tree --p 6 --collective scatter",
    "--algo binomial-tree --p 7 --collective broadcast --root 3",
    "--algo binomial-tree --p 6 --collective reduce",
    "--algo pat --p 10 --collective allgather",
    "examples/leaders-3x2.json",
    "examples/swing-latency-6.json",
    "tests/data/not-held.json",
    "tests/data/conflict.json",
    "tests/data/self-transfer.json",
]

all_transfers = """(() => {
  const { messages } = onceover.player;
  return Array.from({ length: messages.steps }, (_, step) => {
    const transfers = [];
    for (let row = messages.rowsAt[messages.kinds[step]]; row < messages.rowsAt[messages.kinds[step] + 1]; ++row)
      messages.eachSender(row, (src) => transfers.push(
        [src, messages.dst(row, src), messages.blocksOf(step, row, src), messages.copies(row) ? "copy" : "reduce", messages.laneOf(row)]));
    return transfers;
  });
})()"""

all_holdings = """(() => {
  const { player } = onceover;
  return Array.from({ length: player.schedule.blocks }, (_, block) => {
    const run = player.runOf(block);
    return Array.from({ length: player.messages.steps + 1 }, (_, step) => run.isKnown(step) ? Array.from(run.heldBefore(step)) : null);
  });
})()"""

unfolded = """(() => {
  const { messages } = onceover.player;
  return Array.from({ length: messages.steps }, (_, step) => {
    const { count } = messages.at(step);
    return Array.from({ length: count }, (_, m) => messages.message(step, m)).map(({ src, dst, size }) => [src, dst, size]);
  });
})()"""


def runs_of(blocks):
    """Blocks, some of them as runs, as ascending runs that don't touch."""
    runs = []
    for run in sorted([b, b] if isinstance(b, int) else list(b) for b in blocks):
        if runs and runs[-1][1] + 1 >= run[0]:
            runs[-1][1] = max(runs[-1][1], run[1])
        else:
            runs.append(list(run))
    return runs


def listed(blocks):
    """Blocks one by one, in the file's order."""
    return [b for run in blocks for b in ([run] if isinstance(run, int) else range(run[0], run[1] + 1))]


def as_text(transfers):
    return sorted(json.dumps(t) for t in transfers)


def check_transfers(schedule, page):
    shown = page.run(all_transfers)
    assert len(shown) == len(schedule["steps"])
    for step, transfers in enumerate(schedule["steps"]):
        wanted = [[t["src"], t["dst"], runs_of(t["blocks"]), t["op"], t.get("lane", 0)] for t in transfers]
        assert as_text(shown[step]) == as_text(wanted), (step, shown[step][:3], wanted[:3])
    for step, messages in enumerate(page.run(unfolded)):
        wanted = [[t["src"], t["dst"], len(set(listed(t["blocks"])))] for t in schedule["steps"][step] if t["src"] != t["dst"]]
        assert as_text(messages) == as_text(wanted), (step, messages[:3], wanted[:3])


def begins(schedule, rank, block):
    kind, p = schedule["collective"], schedule["ranks"]
    if kind in ("allreduce", "reduce-scatter", "reduce"):
        return True
    if kind in ("broadcast", "scatter"):
        return rank == schedule.get("root", 0)
    if kind == "alltoall":
        return rank == block // p % p
    return rank == schedule["owners"][block] if "owners" in schedule else rank == block % p


def moves_of(transfers):
    for t in transfers:
        sent = listed(t["blocks"])
        for block, lands in zip(sent, listed(t.get("into", t["blocks"]))):
            yield (t["src"], block), (t["dst"], lands), t["op"]


def has_meaning(value, to, op, held, written):
    if not value:
        return False
    if op == "reduce":
        return bool(held.get(to)) and written.get(to, "reduce") == "reduce"
    return to not in written or written[to] == value


def executed(schedule):
    """By step (before the first, after the first, ..), what each (rank, block) holds: contributions, counted. The last
    element is None from a step on that has no meaning; with it, the groups of blocks that it is about."""
    held = {(r, b): collections.Counter({(r, b): 1}) for r in range(schedule["ranks"])
            for b in range(schedule["blocks"]) if begins(schedule, r, b)}
    states, faulty = [dict(held)], {}
    for step, transfers in enumerate(schedule["steps"]):
        now, written = dict(held), {}
        for origin, to, op in moves_of(transfers):
            value = held.get(origin)
            if not has_meaning(value, to, op, now, written):
                faulty.setdefault(origin[1], step)
                continue
            now[to] = value if op == "copy" else now[to] + value
            written[to] = value if op == "copy" else "reduce"
        held = now
        states.append(dict(held))
    return states, faulty


def check_holdings(schedule, page):
    shown = page.run(all_holdings)
    states, faulty = executed(schedule)
    for block in range(schedule["blocks"]):
        for step, state in enumerate(states):
            if faulty.get(block, step) < step:
                assert shown[block][step] is None, (block, step, shown[block][step])
                continue
            wanted = []
            for rank in range(schedule["ranks"]):
                own = {who: n for (who, b), n in state.get((rank, block), {}).items() if b == block}
                wanted.append(-len(own) if any(n > 1 for n in own.values()) else len(own))
            assert shown[block][step] == wanted, (block, step, shown[block][step], wanted)


with tempfile.TemporaryDirectory() as folder, Browser() as page:
    for number, subject in enumerate(subjects if "--all" in sys.argv else subjects[::2]):
        words = [str(source / w) if w.endswith(".json") else w for w in subject.split()]
        path = pathlib.Path(folder) / f"{number}.html"
        assert subprocess.run([verify, "report", *words, "-o", path], stderr=subprocess.DEVNULL).returncode in (0, 1), subject
        exported = subprocess.run([verify, "export", *words, "--to", "json"], stdout=subprocess.PIPE, check=True).stdout
        schedule = json.loads(exported)
        page.open(path)
        try:
            check_transfers(schedule, page)
            check_holdings(schedule, page)
        except AssertionError as fault:
            sys.exit(f"{subject}: {fault}")
    assert page.messages == [], page.messages
print(f"the player of {len(subjects)} reports has what their schedules have")
