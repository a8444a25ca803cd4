"""Kills `verify` at random moments while it writes over files that are there: each is the old or the new one after
that, byte for byte, and an interrupt leaves no temporary behind. A full disk leaves the old one, too.

One function writes all files: each day four commands are killed 6 times, with --all every command 24 times. When a kill comes
is chance, and no moment is wrong.

Usage: kills.py VERIFY SOURCE [--all] [SEED]
"""
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

verify, source = (os.path.abspath(path) for path in sys.argv[1:3])
tries_all = '--all' in sys.argv
kills = 24 if tries_all else 6
random.seed(int(sys.argv[-1]) if sys.argv[-1].isdigit() else 1)

old = b'the old content\n'
gate_file = """
[[check]]
name = "a"
algo = ["swing", "ring", "bucket"]
p = "2..24"
limit = ["steps <= 2*p"]
"""
baseline = b'{"format":"onceover-baseline","version":1,"units":{}}\n'

# What is run, which files it writes, and what they hold before where that isn't any text.
commands = [
    ('--json-out', ['--algo', 'ring', '--p', '2..90', '--json-out', 'out.json'], ['out.json'], {}),
    ('--certify', ['--algo', 'generalized', '--p', '150', '--certify', 'out.cert'], ['out.cert'], {}),
    ('--draw-counterexample', ['--algo', 'swing-keep-first', '--p', '6', '--draw-counterexample', 'out.svg'],
     ['out.svg'], {}),
    ('export json', ['export', '--algo', 'ring', '--p', '400', '--to', 'json', '-o', 'out.json'], ['out.json'], {}),
    ('export msccl-xml', ['export', '--algo', 'ring', '--p', '128', '--to', 'msccl-xml', '-o', 'out.xml'],
     ['out.xml'], {}),
    ('export goal', ['export', '--algo', 'ring', '--p', '128', '--to', 'goal', '-o', 'out.goal'], ['out.goal'], {}),
    ('draw svg', ['draw', '--view', 'steps', '--algo', 'swing', '--p', '16', '-o', 'out.svg'], ['out.svg'], {}),
    ('draw dot', ['draw', '--view', 'steps', '--algo', 'swing', '--p', '128', '-o', 'out.dot'], ['out.dot'], {}),
    ('report', ['report', '--algo', 'swing', '--p', '8', '-o', 'out.html'], ['out.html'], {}),
    ('contention --csv-out', ['contention', '--algo', 'swing', '--torus', '32x32', '--csv-out', 'out.csv'], ['out.csv'], {}),
    ('cost --csv-out', ['cost', '--algo', 'swing,bucket', '--torus', '16x16', '--csv-out', 'out.csv'], ['out.csv'], {}),
    ('gate', ['gate', 'gate.toml', '--no-cache', '--json-out', 'o.json', '--junit-out', 'o.xml', '--sarif-out', 'o.sarif',
              '--markdown-out', 'o.md', '--baseline', 'b.json', '--update-baseline'],
     ['o.json', 'o.xml', 'o.sarif', 'o.md', 'b.json'], {'gate.toml': gate_file.encode(), 'b.json': baseline}),
    ('gate, its cache', ['gate', 'gate.toml', '--json-out', 'o.json'], ['o.json'], {'gate.toml': gate_file.encode()}),
]


def contents(folder):
    """All files below the folder, by their names as seen from it."""
    found = {}
    for at, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(at, name)
            with open(path, 'rb') as file:
                found[os.path.relpath(path, folder)] = file.read()
    return found


def fresh(outputs, before):
    folder = tempfile.mkdtemp(prefix='onceover-kills-')
    for name in outputs:
        with open(os.path.join(folder, name), 'wb') as file:
            file.write(before.get(name, old))
    for name, content in before.items():
        with open(os.path.join(folder, name), 'wb') as file:
            file.write(content)
    return folder


def start(arguments, folder, **more):
    environment = dict(os.environ, XDG_CACHE_HOME=os.path.join(folder, 'cache'))
    return subprocess.Popen([verify] + arguments, cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, **more)


def run_to_the_end(arguments, outputs, before):
    folder = fresh(outputs, before)
    begin = time.monotonic()
    process = start(arguments, folder)
    error = process.communicate()[1]
    duration = time.monotonic() - begin
    assert process.returncode in (0, 1), (arguments, process.returncode, error)
    after = contents(folder)
    shutil.rmtree(folder)
    return after, duration, process.returncode


def wait_for_temporary(process, folder, there):
    """Until there is a file more, or the program has ended."""
    while process.poll() is None:
        if set(os.listdir(folder)) - there:
            return
        time.sleep(0)


def kill_one(name, arguments, outputs, before, whole, duration, code, number):
    how = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)[number % 3]
    folder = fresh(outputs, before)
    there = set(os.listdir(folder)) | {'cache'}
    process = start(arguments, folder)
    if number % 2:  # every other one while the file is being written
        wait_for_temporary(process, folder, there)
        time.sleep(random.choice([0, random.uniform(0, 0.002), random.uniform(0, 0.02)]))
    else:
        time.sleep(random.uniform(0, 1.1 * duration))
    has_ended = process.poll() is not None
    process.send_signal(how)
    error = process.communicate()[1]
    after = contents(folder)
    shutil.rmtree(folder)
    where = (name, how.name, number)
    changed = 0
    for output in outputs:
        assert after[output] in (before.get(output, old), whole[output]), (where, output, 'is neither old nor new')
        changed += after[output] == whole[output]
    left = set(after) - set(whole)
    if how == signal.SIGKILL:
        # A temporary is named after its file.
        assert all(any(path.startswith(o + '.') for o in whole) for path in left), (where, left)
    else:
        # A signal before the program has begun to wait for it kills it as it does any.
        assert process.returncode in (130, -how, code), (where, process.returncode, error)
        assert not left, (where, left)
    for path in set(after) - left - set(outputs):
        assert after[path] == before.get(path, whole.get(path)), (where, path, 'differs')
    return has_ended, len(left) > 0, changed > 0


def full_disk(name, arguments, outputs, before):
    """A file may have 4 KiB at most: the old files stay, with an error that says why."""
    limit = 4096

    def bound():
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    folder = fresh(outputs, before)
    process = start(arguments, folder, preexec_fn=bound)
    error = process.communicate()[1].decode(errors='replace')
    after = contents(folder)
    shutil.rmtree(folder)
    assert process.returncode == 2, (name, process.returncode, error)
    assert 'cannot be written: File too large' in error, (name, error)
    assert {path for path in after if not path.startswith('cache/')} == set(outputs) | set(before), (name, sorted(after))
    for output in outputs:
        assert after[output] == before.get(output, old) or len(after[output]) <= limit, (name, output)


def main():
    total = ended = temporaries = new = 0
    for name, arguments, outputs, before in commands:
        if not tries_all and name not in ('--json-out', 'export msccl-xml', 'draw svg', 'gate'):
            continue
        whole, duration, code = run_to_the_end(arguments, outputs, before)
        again, _, _ = run_to_the_end(arguments, outputs, before)
        assert whole == again, (name, 'two runs differ', [k for k in whole if whole[k] != again.get(k)])
        for number in range(kills):
            has_ended, left, changed = kill_one(name, arguments, outputs, before, whole, duration, code, number)
            total += 1
            ended += has_ended
            temporaries += left
            new += changed
        if any(len(whole[output]) > 4096 for output in outputs) and not name.startswith('draw svg'):
            if name != '--draw-counterexample':  # the verdict stands without the picture
                full_disk(name, arguments, outputs, before)
        print(f'{name}: {kills} kills of {duration:.2f} s', flush=True)
    print(f'{total} kills; {ended} came too late; in {new} a file was new, in '
          f'{total - new} all were old; SIGKILL left {temporaries} temporaries')
    assert 2 * ended < total, 'most kills came after the end'


main()
