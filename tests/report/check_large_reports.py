"""Reports of many ranks in headless Chromium: a page stays small, a frame draws few shapes and looks at few messages,
whatever is seen.

Usage: check_large_reports.py VERIFY [--all]
"""

import json
import pathlib
import random
import subprocess
import sys
import tempfile

from browser import Browser
from reader import Reader

verify = pathlib.Path(sys.argv[1]).resolve()
most_shapes, most_messages = 5000, 3000

# A report, how large its page may be, and how many messages the schedule has.
few = [("--algo swing --torus 32x32 --lanes all", 800_000, 81_920)]
more = [
    ("--algo swing --torus 64x64 --lanes all", 800_000, 393_216),
    ("--algo swing --p 256", 400_000, 4096),
    ("--algo ring --p 1024", 3_000_000, 2_095_104),
    ("--algo swing --p 1024", 500_000, 20_480),
    ("--algo swing --p 4096", 1_000_000, 98_304),
    ("--algo recursive-doubling --p 4096", 2_000_000, 49_152),
]


def unlike(path, ranks, steps, messages):
    """A schedule file in which no two messages are alike."""
    choice = random.Random(1)
    lines = []
    for _ in range(steps):
        pairs = [(a, (a + choice.randrange(1, 9)) % ranks) for a in choice.choices(range(ranks), k=messages // steps)]
        lines.append([{"src": a, "dst": b, "blocks": [choice.randrange(ranks)], "op": "reduce"} for a, b in pairs])
    path.write_text(json.dumps({"format": "onceover-schedule", "version": 1, "collective": "allreduce", "ranks": ranks,
                                "blocks": ranks, "steps": lines}))


def check_frame(reader, what):
    shapes, messages = reader.drawn()
    assert 0 < shapes <= most_shapes and messages <= most_messages, (what, shapes, messages)
    return shapes, messages


def is_driven(page, reader, count):
    page.run("onceover.player.draw()")
    _, touched = check_frame(reader, "all of it")
    assert touched == 0 or count <= most_messages, "messages are looked at where only cells are drawn"
    steps, ranks = page.run("onceover.player.messages.steps"), page.run("onceover.player.messages.ranks")
    for step in (0, steps // 2, steps - 1):
        reader.set("step", step, "input")
        check_frame(reader, f"step {step}")
    reader.set("rank", ranks // 3)
    check_frame(reader, "a rank")
    block = min(7, page.run("onceover.player.schedule.blocks") - 1)
    reader.set("block", block)
    check_frame(reader, "a block")
    assert f"Block {block} on rank {ranks // 3}" in reader.told, reader.told
    for level in range(16):
        page.press("+")
        check_frame(reader, f"zoom {level}")
    assert page.run("onceover.drawn.messages.timeline") > 0, "messages are drawn where there is room"
    page.run("onceover.player.picture.zoom(100)")
    check_frame(reader, "the network from near")
    page.press("Escape")
    page.press("0")
    check_frame(reader, "all of it, again")


with tempfile.TemporaryDirectory() as folder, Browser() as page:
    reader = Reader(page)
    page.send("Emulation.setDeviceMetricsOverride", width=1400, height=1000, deviceScaleFactor=1, mobile=False)
    cases = few + (more if "--all" in sys.argv else [])
    if "--all" in sys.argv:
        file = pathlib.Path(folder) / "unlike.json"
        unlike(file, 4096, 50, 1_000_000)
        cases.append((str(file), 24_000_000, 1_000_000))
    for number, (subject, most_bytes, count) in enumerate(cases):
        path = pathlib.Path(folder) / f"{number}.html"
        assert subprocess.run([verify, "report", *subject.split(), "-o", path], stderr=subprocess.DEVNULL).returncode in (0, 1)
        size = path.stat().st_size
        assert size <= most_bytes, (subject, size)
        page.open(path)
        steps = page.run("onceover.player.messages.steps")
        assert page.run(f"Array.from({{ length: {steps} }}, (_, s) => onceover.player.messages.countOf(onceover.player.messages.kinds[s]))"
                        ".reduce((a, b) => a + b)") == count, subject
        is_driven(page, reader, count)
        print(f"{subject}: {size} bytes")
    assert page.messages == [], page.messages
print("large reports work in Chromium")
