"""The program around the functions that Coq extracts from proofs/coq, and schedule files as the lines that it reads."""
import json
import subprocess


def listed(blocks):
    return [b for run in blocks for b in (range(run[0], run[1] + 1) if isinstance(run, list) else [run])]


def lines(text):
    """The lines of an onceover-schedule in JSON."""
    schedule = json.loads(text)
    assert schedule["format"] == "onceover-schedule" and schedule["version"] in (1, 2)
    ranks, blocks, collective = schedule["ranks"], schedule["blocks"], schedule["collective"]
    root = f" {schedule.get('root', 0)}" if collective in ("broadcast", "reduce", "scatter", "gather") else ""
    yield f"{ranks} {blocks} {collective}{root}"
    if "owners" in schedule:
        yield "owners " + " ".join(map(str, schedule["owners"]))
    if "scratch" in schedule:
        yield f"scratch {schedule['scratch']}"
    for number, step in enumerate(schedule["steps"]):
        for m in step:
            assert not set(m) - {"src", "dst", "blocks", "into", "op", "lane"}, m
            if "into" in m:
                for read, write in zip(listed(m["blocks"]), listed(m["into"]), strict=True):
                    yield f"{number} {m['src']} {m['dst']} {m['op']} {read}" + (f" {write}" if write != read else "")
                continue
            runs = ",".join(f"{b[0]}-{b[1]}" if isinstance(b, list) else str(b) for b in m["blocks"])
            yield f"{number} {m['src']} {m['dst']} {m['op']} {runs}"


def schedules(printed):
    """What each of the printed schedules promises, with its transfers in the order of their numbers."""
    found = []
    for line in printed:
        words = line.split()
        if words[0] in ("owners", "scratch"):
            found[-1][0].extend(words)
            continue
        if len(words) < 5:
            found.append((words, []))
            continue
        step, src, dst, op, runs, *written = words
        for run in runs.split(","):
            first, *last = map(int, run.split("-"))
            found[-1][1].extend((int(step), int(src), int(dst), op, b, *map(int, written)) for b in range(first, (last or [first])[0] + 1))
    for _, transfers in found:
        transfers.sort()
    return found


def made(check, cases):
    """The schedules of the theory's functions, in the order of the cases."""
    asked = "".join(case + "\n" for case in cases)
    printed = subprocess.run([check, "--batch"], input=asked, capture_output=True, text=True, check=True)
    return schedules(printed.stdout.splitlines())
