"""- is standard input for every option that reads a file, standard output for every one that writes one; a file that is
too large is refused by its size, a pipe as soon as it has given too much, which takes seconds and is tried with --all.

Usage: streams.py VERIFY [--all]
"""
import json
import os
import resource
import subprocess
import sys
import tempfile

verify = os.path.abspath(sys.argv[1])
folder = tempfile.mkdtemp(prefix='onceover-streams-')
ring = ['--algo', 'ring', '--p', '4']


def run(line, text='', code=0, **more):
    ended = subprocess.run([verify] + line, input=text, capture_output=True, text=True, cwd=folder, timeout=120, **more)
    assert ended.returncode == code, (line, ended.returncode, ended.stdout[-300:], ended.stderr[-300:])
    assert not os.path.exists(os.path.join(folder, '-')), (line, 'made a file called -')
    return ended


def path(name):
    return os.path.join(folder, name)


for to, name in (('json', 'ring.json'), ('msccl-xml', 'ring.xml'), ('goal', 'ring.goal'), ('mscclpp', 'plan.json')):
    text = run(['export', *ring, '--to', to, '-o', '-']).stdout
    assert text == run(['export', *ring, '--to', to]).stdout
    with open(path(name), 'w') as file:
        file.write(text)
with open(path('ring.json')) as file:
    ring_json = file.read()
with open(path('ring.xml')) as file:
    ring_xml = file.read()
with open(path('ring.goal')) as file:
    ring_goal = file.read()
with open(path('plan.json')) as file:
    plan_json = file.read()
wrong_json = ring_json.replace('"reduce"', '"copy"', 1)
gate_text = '[[check]]\nname = "a"\nfile = "ring.json"\n'
with open(path('gate.toml'), 'w') as file:
    file.write(gate_text)

# In: what is read from a file is read from standard input.
for text, line in ((ring_json, ['-']), (ring_xml, ['-']), (ring_goal, ['-']), (ring_json, ['contention', '-']),
                   (ring_xml, ['cost', '-']),
                   (plan_json, ['-']), (plan_json, ['contention', '-']), (plan_json, ['report', '-', '-o', '-']),
                   (plan_json, ['draw', '--view', 'happens-before', '--width', '9in', '--height', '12in', '--ranks', '0,1', '-']),
                   (ring_xml, ['draw', '--view', 'steps', '-']), (ring_goal, ['report', '-', '-o', '-']), (ring_json, ['report', '-', '-o', '-']),
                   (ring_json, ['draw', '--view', 'matrix', '-']), (ring_json, ['export', '-', '--to', 'goal']),
                   (ring_xml, ['lint', '-', '--profile', 'msccl']), (gate_text, ['gate', '-', '--no-cache']),
                   ('graph { 0 -- 1; 1 -- 2; 2 -- 3 }', ['contention', *ring, '--topology', '-']),
                   ('3 2 1 0', ['contention', *ring, '--map', '-'])):
    run(line, text)
assert run(['-'], wrong_json, 1).stdout.splitlines()[-1].startswith('fail')
assert '-:1:1: ' in run(['-'], '', 3).stderr
live = run(['live', '--schedule', '-', '--collective', 'allreduce', '--p', '4', '--count', '1'], '{', 3)
assert live.stderr.startswith('-:1:'), live.stderr

# Out: what is written to a file is written to standard output, where nothing else then stands.
assert json.loads(run([*ring, '--json-out', '-']).stdout)['summary']['pass'] == 1
assert json.loads(run(['-', '--json-out', '-'], ring_json).stdout)['summary']['pass'] == 1
run([*ring, '--certify', 'c'])
with open(path('c')) as file:
    assert run([*ring, '--certify', '-']).stdout == file.read()
assert run(['-', '--draw-counterexample', '-'], wrong_json, 1).stdout.startswith('// Render with: dot')
assert run(['draw', '--view', 'matrix', *ring, '-o', '-', '--to', 'svg']).stdout.startswith('<?xml')
assert run(['contention', *ring, '--csv-out', '-']).stdout.startswith('link,')
assert run(['cost', *ring, '--csv-out', '-']).stdout.startswith('bytes,')
assert run(['cost', *ring, '--plot', '-']).stdout.startswith('<?xml')
assert 'plot' in run(['contention', *ring, '--gnuplot', '-']).stdout
assert json.loads(run(['gate', 'gate.toml', '--no-cache', '--json-out', '-']).stdout)
assert run(['gate', 'gate.toml', '--no-cache', '--junit-out', '-']).stdout.startswith('<?xml')
assert json.loads(run(['gate', 'gate.toml', '--no-cache', '--sarif-out', '-']).stdout)
assert run(['gate', 'gate.toml', '--no-cache', '--markdown-out', '-']).stdout.startswith('#')
run(['gate', 'gate.toml', '--no-cache', '--baseline', 'b.json', '--update-baseline'])
with open(path('b.json')) as file:
    baseline = file.read()
assert run(['gate', 'gate.toml', '--no-cache', '--baseline', '-', '--update-baseline'], baseline).stdout == baseline
run(['gate', 'gate.toml', '--no-cache', '--baseline', '-'], baseline)

# It takes one output.
for line in ([*ring, '--json-out', '-', '--certify', '-'], [*ring, '--json', '--certify', '-'],
             ['contention', *ring, '--json', '--csv-out', '-'], ['cost', *ring, '--csv-out', '-', '--plot', '-'],
             ['cost', *ring, '--plot', '-', '--gnuplot', '-'], ['contention', *ring, '--json', '--gnuplot', '-'],
             ['gate', 'gate.toml', '--json-out', '-', '--junit-out', '-']):
    run(line, code=2)

# Sizes. A sparse file of 5 GiB takes no room, and no time: it isn't read.
with open(path('sparse.json'), 'wb') as file:
    file.truncate(5 << 30)


def processor_seconds(line, code):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    ended = run(line, code=code)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, ended


start, _ = processor_seconds(['--version'], 0)  # under the sanitizers, most of a second
for line in (['sparse.json'], ['contention', 'sparse.json'], ['export', 'sparse.json', '--to', 'json'],
             ['contention', *ring, '--topology', './sparse.json'], ['contention', *ring, '--map', 'sparse.json'],
             ['lint', 'sparse.json', '--profile', 'msccl'], ['gate', 'sparse.json']):
    seconds, ended = processor_seconds(line, 3)
    assert 'sparse.json: larger than 1 GiB' in ended.stderr, ended.stderr
    # A hundredth of a second more; to read it takes more than one.
    assert seconds < 2 * start + 0.5, (line, seconds, start)

# A pipe without end is left at 1 GiB, with little more memory than that.
if '--all' in sys.argv:
    endless = subprocess.Popen(['cat', '/dev/zero'], stdout=subprocess.PIPE)
    ended = subprocess.run([verify, '-'], stdin=endless.stdout, capture_output=True, text=True)
    endless.kill()
    assert ended.returncode == 3 and '-: larger than 1 GiB' in ended.stderr, ended
    most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    assert most < 2.5 * (1 << 20), f'{most} KiB'

# A limit on time ends the wait for a pipe that nobody writes to.
os.mkfifo(path('fifo'))
silent = subprocess.Popen(['sleep', '1000'], stdout=subprocess.PIPE)
for line, more in ((['fifo'], {}), (['-'], {'stdin': silent.stdout})):
    ended = subprocess.run([verify, *line, '--time-limit', '300ms'], cwd=folder, capture_output=True, text=True, **more)
    assert ended.returncode == 4 and 'the time limit of 300ms ran out' in ended.stderr, ended
silent.kill()
writer = subprocess.Popen(['sh', '-c', 'cat ring.json > fifo'], cwd=folder)
run(['fifo'])
writer.wait()
print('all is well')
