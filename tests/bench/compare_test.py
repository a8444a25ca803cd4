"""The checkers of bench/compare agree with `verify` on small schedules: right ones, and ones with a transfer less or more.

Usage: compare_test.py VERIFY DENSE_BITSETS SOURCE_FOLDER
"""

import copy
import json
import pathlib
import subprocess
import sys
import tempfile

verify, dense, source = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
compare = source / "bench" / "compare"
CHECKERS = {
    "verify": [verify],
    "dense_bitsets": [dense],
    "multisets": [sys.executable, "-B", compare / "multisets.py"],
    "random_numbers": [sys.executable, "-B", compare / "random_numbers.py"],
}
PASS, FAIL = 0, 1


def expect(code, file, name):
    for checker, command in CHECKERS.items():
        run = subprocess.run([*command, file], capture_output=True, text=True)
        assert run.returncode == code, f"{checker} on {name}: {run.returncode}, not {code}\n{run.stdout}{run.stderr}"
        # Python ends with 1 after an exception, too.
        assert "fail" in run.stdout + run.stderr or code == PASS, f"{checker} on {name}: {run.stdout}{run.stderr}"


def broken(schedule):
    """Without a transfer of the first, a middle and the last step, and with one of each that reduces, twice."""
    steps = schedule["steps"]
    for s in {0, len(steps) // 2 - 1, len(steps) - 1}:
        less = copy.deepcopy(schedule)
        del less["steps"][s][-1]
        yield f"without the last transfer of step {s}", less
        if steps[s][0]["op"] == "reduce":
            more = copy.deepcopy(schedule)
            more["steps"].insert(s, [steps[s][0]])
            yield f"with the first transfer of step {s} before it, too", more


with tempfile.TemporaryDirectory() as folder:
    file = pathlib.Path(folder) / "schedule.json"
    failing = 0
    # 65 contributions fill more than one word.
    for algorithm, ranks in [("swing", 7), ("swing", 8), ("ring", 5), ("ring", 65)]:
        subprocess.run([verify, "export", "--algo", algorithm, "--p", str(ranks), "--to", "json", "-o", file], check=True)
        expect(PASS, file, f"{algorithm}, p = {ranks}")
        schedule = json.loads(file.read_text())
        for change, changed in broken(schedule):
            file.write_text(json.dumps(changed))
            expect(FAIL, file, f"{algorithm}, p = {ranks}, {change}")
            failing += 1
    expect(FAIL, source / "tests" / "data" / "swing-6-keep-first.json", "swing-6-keep-first.json")
    expect(FAIL, source / "tests" / "data" / "swing-latency-6.json", "swing-latency-6.json")
print(f"all agree, on {failing} changed schedules, too")
