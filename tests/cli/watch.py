"""`verify watch` judges again when a file changes, and tells what changed: files replaced, written in place, half written and gone;
programs, code, gates and files that are new there; interrupts, limits and mistakes on the line.

Usage: watch.py VERIFY
"""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

verify = str(pathlib.Path(sys.argv[1]).resolve())
PATIENCE = 120  # on a busy machine


class Watch:
    """A watch that runs, and what it has printed so far."""

    def __init__(self, folder, *line):
        environment = dict(os.environ, XDG_CACHE_HOME=str(folder / "cache"), TMPDIR=str(folder))
        self.process = subprocess.Popen([verify, "watch", *line], cwd=folder, env=environment, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True)
        self.text, self.at = "", 0
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            self.text += line

    def until(self, pattern):
        """The text from here up to the end of the first line that the pattern ends in."""
        begin = time.monotonic()
        while not (found := re.compile(f"{pattern}.*\n", re.M).search(self.text, self.at)):
            assert time.monotonic() - begin < PATIENCE, (pattern, self.text[self.at:], self.process.poll())
            time.sleep(0.01)
        text, self.at = self.text[self.at:found.end()], found.end()
        return text

    def end(self, code, stop=None):
        if stop:
            self.process.send_signal(stop)
        assert self.process.wait(PATIENCE) == code, (self.process.returncode, self.text)


def replace(path, text, mode=0o644):
    """As editors do it. A program that is just starting can't be written in place."""
    new = path.with_suffix(".new")
    new.write_text(text)
    new.chmod(mode)
    new.rename(path)


def ring(folder):
    export = [verify, "export", "--algo", "ring", "--p", "4", "--to", "json"]
    right = subprocess.run(export, cwd=folder, check=True, capture_output=True, text=True).stdout
    steps = json.loads(right)
    steps["steps"].pop()
    return right, json.dumps(steps)


def check_file(folder):
    right, wrong = ring(folder)
    file = folder / "s.json"
    file.write_text(right)
    watch = Watch(folder, "s.json")
    assert re.search(r"^pass  ", watch.until("watching s.json"), re.M)
    replace(file, wrong)
    text = watch.until("^fail")
    assert text.startswith("\ns.json changed\n  exactly-once: pass -> fail\n    rank "), text
    file.write_text(right[:200])  # in place, and not yet whole
    assert "not JSON" in watch.until("s.json:.*not JSON")
    with file.open("a") as more:
        more.write(right[200:])
    text = watch.until("^pass")
    assert "\ns.json changed\n  exactly-once: fail -> pass\npass  " in text, text
    file.unlink()
    os.mkfifo(file)
    assert "nothing was judged: s.json is a pipe" in watch.until("nothing was judged")
    file.unlink()
    assert watch.until("s.json is gone") and watch.until("  verify: .*s.json")
    file.write_text(right)
    assert "  no verdict changed\n" in watch.until("^pass")
    watch.end(0, signal.SIGINT)
    assert sorted(p.name for p in folder.iterdir()) == ["s.json"], list(folder.iterdir())


GENERATOR = """#!/usr/bin/env python3
import subprocess, sys
print(subprocess.run([{verify!r}, "export", "--algo", "{algorithm}", "--p", sys.argv[1], "--to", "json"],
                     capture_output=True, text=True).stdout)
"""


def check_failing(folder):
    (folder / "s.json").write_text(ring(folder)[1])
    watch = Watch(folder, "s.json")
    watch.until("watching s.json")
    watch.end(1, signal.SIGINT)


def check_program(folder):
    program = folder / "make.py"
    replace(program, GENERATOR.format(verify=verify, algorithm="swing"), 0o755)
    watch = Watch(folder, "--runs", "3", "--also", "note.txt", "--exec", "./make.py {p}", "--p", "4,6", "--limit", "steps <= 4")
    assert "fail" in watch.until(r"watching ./make.py, note.txt")
    replace(program, GENERATOR.format(verify=verify, algorithm="swing-keep-first").replace("--p", "--no"), 0o755)
    watch.until("^./make.py changed")
    replace(program, program.read_text().replace("--no", "--p"), 0o755)
    (folder / "note.txt").write_text("a file that is watched though nothing names it")
    watch.end(1)


def check_gate(folder):
    right, wrong = ring(folder)
    there = folder / "ci"
    (there / "plans").mkdir(parents=True)
    (there / "plans/a.json").write_text(right)
    (there / "gate.toml").write_text('[[check]]\nname = "plans"\nfiles = "plans/*.json"\n')
    watch = Watch(folder, "gate", "ci/gate.toml")
    assert "pass  1 unit\n" in watch.until("watching ci/gate.toml, ci/plans/a.json")
    (there / "plans/b.json").write_text(wrong)
    text = watch.until("^1 of 2 units fail|^fail")
    assert "ci/plans/b.json changed\n  plans/plans/b.json: fail, which is new\n    exactly-once: rank " in text, text
    (there / "plans/b.json").unlink()
    text = watch.until("^pass")
    assert "ci/plans/b.json is gone\n  plans/plans/b.json: gone\n" in text, text
    (there / "gate.toml").write_text('[[check]]\nname = "plans"\nfiles = "plans/*.json"\nlimit = "steps <= 5"\n')
    text = watch.until("^fail|^1 of 1")
    assert "ci/gate.toml changed\n  plans/plans/a.json: pass -> fail\n    limit: steps <= 5" in text, text
    (there / "gate.toml").write_text("[[check]\n")
    watch.until("gate.toml:1:")
    watch.end(2, signal.SIGTERM)  # as the last run


FUNCTION = """#include "by_reduce.h"
int by_reduce(const void *in, void *out, int n, MPI_Datatype t, MPI_Op op, MPI_Comm c) {
  return MPI_Reduce(in, out, n, t, op, 0, c) || MPI_Bcast(out, n, t, FROM, c);
}
"""


def check_code(folder):
    (folder / "headers").mkdir()
    (folder / "headers/from.h").write_text("#define FROM 0\n")
    (folder / "by_reduce.h").write_text('#include <mpi.h>\n#  include "from.h"\n')
    (folder / "by_reduce.c").write_text(FUNCTION)
    watch = Watch(folder, "code", "by_reduce.c", "--function", "by_reduce", "--include", "headers", "--p", "2,3", "--count", "4,5", "--quick")
    text = watch.until("watching by_reduce.c, by_reduce.h, headers/from.h")
    assert "\npass  every element of every result is right" in text and "exactly-once" not in text, text
    replace(folder / "headers/from.h", "#define FROM 1\n")
    text = watch.until("^fail")
    assert "headers/from.h changed\n  p = 2, count 4: exactly-once: pass -> fail\n    element 0 of rank 0's result is garbled\n" in text, text
    (folder / "by_reduce.c").write_text(FUNCTION.replace("{", "(", 1))
    watch.until("by_reduce.c doesn.t compile")
    (folder / "by_reduce.c").write_text(FUNCTION.replace("FROM", "0"))
    text = watch.until("^pass")
    assert "by_reduce.c changed\n  p = 2, count 4: exactly-once: fail -> pass\n" in text, text
    watch.end(0, signal.SIGINT)


def check_ends(folder):
    (folder / "s.json").write_text(ring(folder)[0])

    def refused(words, *line):
        ended = subprocess.run([verify, "watch", *line], cwd=folder, capture_output=True, text=True, timeout=PATIENCE)
        assert ended.returncode == 2 and words in ended.stderr + ended.stdout, (line, ended)

    refused("--also FILE names one")
    refused("--also FILE names one", "--algo", "swing", "--p", "4")
    refused("not 'list'", "list", "swing")
    refused("no file is named", "code", "--p", "3")
    refused("leave out --json", "code", "ring.c", "--function", "f", "--json")
    refused("leave out --json", "s.json", "--json")
    refused("leave out --blocking", "s.json", "--blocking", "all")
    refused("- is standard input", "-")
    refused("no option '--bugdet'; did you mean '--budget'?", "s.json", "--bugdet", "3")
    refused("no property 'x'", "s.json", "--require", "x")
    refused("--runs: expected a number from 1", "--runs", "0", "s.json")
    refused("none.json", "none.json")
    Watch(folder, "--time-limit", "1s", "s.json").end(4)
    Watch(folder, "--runs", "1", "s.json").end(0)
    slow = Watch(folder, "--also", "s.json", "--algo", "ring", "--no-symmetry", "--p", "2..900")

    def is_run(line):
        return line.startswith(verify) and line.endswith("--p 2..900")

    end = time.monotonic() + PATIENCE
    while sum(map(is_run, command_lines())) < 2:  # the watch and its run, which it forks
        assert time.monotonic() < end
        time.sleep(0.05)
    slow.end(130, signal.SIGINT)  # nothing was judged

    assert_gone(is_run)
    for stop, code in ((signal.SIGHUP, 130), (signal.SIGKILL, -signal.SIGKILL)):  # also what a run started
        program = f"touch {int(stop)}; sleep {1000 + os.getpid()}"
        waits = Watch(folder, "--also", "s.json", "--exec", program, "--p", "2")
        end = time.monotonic() + PATIENCE
        while not (folder / str(int(stop))).exists():
            assert time.monotonic() < end
            time.sleep(0.01)
        waits.end(code, stop)
        assert_gone(lambda line: line == f"sleep {1000 + os.getpid()}")


def command_lines():
    return subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True).stdout.splitlines()


def assert_gone(is_one):
    """No process has such a command line, or soon none."""
    end = time.monotonic() + PATIENCE
    while left := [line for line in command_lines() if is_one(line)]:
        assert time.monotonic() < end, left
        time.sleep(0.1)


has_simulator = shutil.which("smpicc") is not None
for check in (check_file, check_failing, check_program, check_gate, *([check_code] if has_simulator else []), check_ends):
    with tempfile.TemporaryDirectory() as name:
        check(pathlib.Path(name))
print("verify watch tells what changed")
