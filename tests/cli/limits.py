"""Every command of `verify` ends in time with code 4 when --time-limit or --memory-limit runs out, and leaves nothing
half-written. The commands are those of --help: a new one has to be put into one of the tables here.

Each day one subject of each command meets two limits on time and one on memory; with --all every subject meets all.

Usage: limits.py VERIFY SOURCE [--no-memory] [--all]
"""
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import jsonschema

verify, source = (os.path.abspath(path) for path in sys.argv[1:3])
tries_memory = '--no-memory' not in sys.argv  # a sanitizer's own memory is beyond any limit
tries_all = '--all' in sys.argv

gate_file = '[[check]]\nname = "a"\nalgo = ["swing", "ring", "bucket"]\np = "2..2000"\n'

# Commands with a subject that takes many seconds; '' is verify itself.
heavy = {
    '': [['--algo', 'swing', '--p', '2..4096'],
         ['--algo', 'swing', '--p', '2..4096', '--json', '--json-out', 'out.json'],
         ['--algo', 'swing', '--torus', '128x128', '--lanes', 'all', '--no-symmetry'],
         ['--algo', 'swing', '--torus', '128x128', '--lanes', 'all', '--no-symmetry', '--json'],
         ['--exec', 'sleep 100', '--p', '4'],
         ['--algo', 'ring', '--p', '3000', '--blocking', 'all'],
         ['--algo', 'swing', '--p', '2000', '--certify', 'out.cert'],
         ['--algo', 'ring', '--p', '2000', '--require', 'contiguous', '--no-symmetry'],
         ['large.json'], ['large.xml'],
         ['--peer', 'even(r) ? r + rho(s) : r - rho(s)', '--p', '2..4096']],
    'export': [['--algo', 'ring', '--p', '8192', '--to', 'json', '-o', 'out.json'],
               ['--algo', 'ring', '--p', '2048', '--to', 'goal', '-o', 'out.goal'],
               ['--algo', 'ring', '--p', '512', '--to', 'msccl-xml', '-o', 'out.xml'],
               ['--algo', 'ring', '--p', '256', '--to', 'mscclpp', '-o', 'out.plan']],
    'draw': [['--view', 'steps', '--algo', 'swing', '--p', '16777216', '--ranks', '0,1', '--steps', '0..2', '-o', 'out.svg']],
    'report': [['--algo', 'bucket', '--torus', '64x64', '--lanes', 'all', '-o', 'out.html'],
               ['--algo', 'swing', '--p', '7', '-o', 'out.html']],  # is cut off in its proofs
    'prove': [['--all'], ['--all', '--json'],
              ['--peer', 'even(r) ? r + rho(s) : r - rho(s)', '--p', '2^1..2^12']],
    'contention': [['--algo', 'ring', '--p', '2..3000'], ['--algo', 'ring', '--p', '9000', '--topology', './ring.dot'], ['--algo', 'swing', '--torus', '512x512', '--lanes', 'all', '--topology', 'mesh']],
    'bound': [['--torus', '128x128', '--topology', 'mesh']],
    'optimum': [['--p', '9', '--steps', '4', '--budget', '4000000000', '--json-out', 'out.json']],
    'cost': [['--algo', 'swing,bucket', '--torus', '128x128', '--lanes', 'all', '--mode', 'asynchronous'],
             ['--preset', 'all']],
    'lint': [['large.xml', '--profile', 'msccl']],
    'gate': [['gate.toml', '--no-cache', '--json-out', 'out.json', '--baseline', 'b.json', '--update-baseline']],
    'claims': [[], ['--json'], ['--markdown']],
}
# Commands that have nothing to do that could take long, with what they need.
light = {'list': [], 'explain': ['ports'], 'completion': ['bash'], 'manual': [], 'help': ['draw'],
         'watch': ['--runs', '1', os.path.join(source, 'examples', 'ring-2.xml')],
         'code': [os.path.join(source, 'examples', 'code', 'ring.c'), '--function', 'my_allreduce', '--p', '2', '--quick'],
         'gpu': [os.path.join(source, 'examples', 'gpu', 'one_shot.toml'), '--p', '2', '--starve', '1', '--seeds', '1'],
         'live': ['--p', '2', '--collective', 'allreduce', '--count', '1']}

kept = {'gate.toml', 'large.xml', 'large.json', 'ring.dot', './ring.dot', 'b.json'}
times = {'1ms': 0.001, '30ms': 0.03, '300ms': 0.3, '1s': 1} if tries_all else {'1ms': 0.001, '30ms': 0.03}
cores = os.cpu_count()


def most_work(limit):
    """Seconds of all processors within which a limit has to end: it does within 0.2 s and a tenth of it where nothing else runs,
    and has ten times that here, since a busy machine's processors take longer for the same. Without a limit the tasks take more."""
    return cores * (times.get(limit, 1) + 10 * (0.2 + times.get(limit, 1) / 10))


def table_of_commands():
    text = subprocess.run([verify, '--help'], capture_output=True, text=True, check=True).stdout
    names = re.findall(r'^  (\w+) ', text[text.index('\nCommands:'):text.index('Exit codes:')], re.M)
    assert len(names) >= 10, names
    return names


def run(command, arguments, folder):
    environment = dict(os.environ, XDG_CACHE_HOME=os.path.join(folder, 'cache'))
    begin = time.monotonic()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    ended = subprocess.run([verify] + ([command] if command else []) + arguments, cwd=folder, env=environment,
                           stdin=subprocess.DEVNULL, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = time.monotonic() - begin
    # None of them takes a second of idle waiting; forty are for the busiest of machines.
    assert '--time-limit' not in arguments or seconds < 40, (seconds, command, arguments)
    return ended, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def schema_of(command):
    name = {'': 'run', 'prove': 'prove', 'claims': 'claims'}[command]
    path = os.path.join(source, 'docs', 'schema', f'{name}.schema.json')
    if not os.path.exists(path):
        return {}
    with open(path) as file:
        return json.load(file)


def check_one(command, arguments, limit, reason, may_finish=False):
    """Ends with 4 and the reason, unless it may finish. `limit` is an option with its value."""
    folder = tempfile.mkdtemp(prefix='onceover-limits-')
    with open(os.path.join(folder, 'gate.toml'), 'w') as file:
        file.write(gate_file)
    with open(os.path.join(folder, 'b.json'), 'w') as file:
        file.write('{"format":"onceover-baseline","version":1,"units":{}}')
    for name in ('large.xml', 'large.json', 'ring.dot'):
        if {name, './' + name} & set(arguments):
            os.symlink(os.path.join(scratch, name), os.path.join(folder, name))
    ended, processor = run(command, arguments + limit, folder)
    where = (command, arguments, limit, ended.returncode, ended.stdout[-500:], ended.stderr[-500:])
    print(f'{processor:5.2f} s of processors  {command or "verify"} {" ".join(arguments + limit)}', flush=True)
    if limit[0] == '--time-limit':
        assert not tries_memory or processor < most_work(limit[1]), (processor, where)
    if ended.returncode == 0 and may_finish:
        shutil.rmtree(folder)
        return ended
    assert ended.returncode == 4, where
    said = ended.stdout + ended.stderr
    for name in set(os.listdir(folder)) & set(arguments) - kept:  # the report's page says it
        with open(os.path.join(folder, name), errors='replace') as file:
            said += file.read()
    assert reason in said, where
    if '--json' in arguments and ended.stdout:
        jsonschema.validate(json.loads(ended.stdout), schema_of(command))
    left = set(os.listdir(folder)) - kept - {'cache'}
    for name in left:  # whole or not there
        assert name in arguments, where
        if name.endswith('.json'):
            with open(os.path.join(folder, name)) as file:
                json.load(file)
    shutil.rmtree(folder)
    return ended


def check_sweep():
    """What was finished is told, and what wasn't. It is little to print: who takes two seconds for it after the limit prints nothing."""
    for json_too in ([], ['--json']):
        ended = check_one('', ['--algo', 'ring', '--p', '2..900', '--no-symmetry'] + json_too, ['--time-limit', '1s'],
                          'the time limit of 1s ran out')
        if json_too:
            runs = json.loads(ended.stdout)['runs']
            assert len(runs) == 899 and runs[0]['verdict'] == 'pass' and runs[-1]['verdict'] == 'unknown'
            assert all(r['subject']['algorithm'] == 'ring' for r in runs)
            assert 'the time limit of 1s ran out' in runs[-1]['properties'][0]['summary']
        else:
            assert re.search(r'^ring allreduce, p = 2\.\.900: 899 schedules$', ended.stdout, re.M), ended.stdout
            assert re.search(r'^  pass  p = 2\.\.\d+', ended.stdout, re.M), ended.stdout
            assert len(ended.stdout.splitlines()) < 40 and ended.stdout.endswith('unknown\n'), ended.stdout


def check_bounded_proof():
    """`prove --peer --p` tells each p when it is settled: a limit and an interrupt leave what was.
    How many are settled within a second is the machine's affair; the interrupt waits for two."""
    arguments = ['--peer', 'even(r) ? r + rho(s) : r - rho(s)', '--p', '2..1000']
    settled = r'^peer .*\n  p = 2: every rank is reached, each by one sequence\n  p = 3: every rank is reached'
    ended = check_one('prove', arguments, ['--time-limit', '1s'], 'the time limit of 1s ran out')
    # A query that can't be cut short is given up with the program.
    if ended.stdout.count('unknown') > 0:
        assert re.search(r'\n  p = \d+\.\.1000: unknown: the time limit of 1s ran out.*\nunknown  for p = \d+\.\.1000\n$', ended.stdout), ended.stdout
    with subprocess.Popen([verify, 'prove', *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as program:
        told = ''.join(program.stdout.readline() for _ in range(3))
        assert re.search(settled, told), told
        program.send_signal(signal.SIGINT)
        rest, errors = program.communicate()
        assert program.returncode == 130, (program.returncode, told + rest, errors)
        assert 'proved   ' not in rest, rest


def check_bad_values(names):
    """One function reads the values of all commands: all bad values once, and one of each for every command."""
    bad = {'--time-limit': ['0s', '5', '-1s', '1.5s', '1 s', '99999999999999999999s', '5d', '10001h'],
           '--memory-limit': ['1GB', '0', '-1', '1e9', '99999999TiB']}
    for name in [''] + names:
        rest = light[name] if name in light else heavy[name][0]
        for option, values in bad.items():
            for value in values if not name else values[:1]:
                with tempfile.TemporaryDirectory() as folder:
                    ended, _ = run(name, rest + [f'{option}={value}'], folder)
                    assert ended.returncode == 2 and (f'write {value}s for' if value == '5' else 'expected a') in ended.stderr, (name, option, value, ended.stderr)


def check_thread_without_memory():
    """Z3's thread finds no memory, not even to throw: that ends with a code of the table, too."""
    for limit in ('56MiB', '64MiB', '72MiB', '80MiB') if tries_all else ('64MiB',):
        for _ in range(4 if tries_all else 1):
            with tempfile.TemporaryDirectory() as folder:
                ended, _ = run('report', ['--algo', 'swing-latency', '--p', '2048', '--memory-limit', limit, '-o', 'o.html'],
                                  folder)
                assert ended.returncode == 0 or ended.returncode == 4 and ended.stderr, (limit, ended)


failures = []
names = table_of_commands()
unlisted = set(names) - set(heavy) - set(light)
assert not unlisted, f'neither heavy nor light here: {sorted(unlisted)}'
with tempfile.TemporaryDirectory() as scratch:
    for to, ranks, name in (('msccl-xml', '256' if tries_all else '128', 'large.xml'), ('json', '700', 'large.json')):
        if name == 'large.json' and not tries_all:
            continue
        subprocess.run([verify, 'export', '--algo', 'ring', '--p', ranks, '--to', to, '-o', os.path.join(scratch, name)],
                       check=True, capture_output=True)
    with open(os.path.join(scratch, 'ring.dot'), 'w') as file:
        file.write('graph {\n' + ''.join(f'{r} -- {(r + 1) % 9000};\n' for r in range(9000)) + '}\n')
    check_sweep()
    check_bounded_proof()
    for name, subjects in heavy.items():
        for subject in subjects if tries_all else subjects[:1]:
            # No command finishes within 1 ms. What finishes within a longer limit passes, within the work that it allows.
            tries = [(['--time-limit', limit], f'the time limit of {limit} ran out', limit != '1ms') for limit in times]
            if tries_memory and '--exec' not in subject:  # sleeping takes no memory
                tries.append((['--memory-limit', '1MiB'], 'the memory limit of 1MiB', False))
                tries += [(['--memory-limit', limit, '--time-limit', '1s'], ' limit of 1', True)
                          for limit in ('12MiB', '16MiB', '128MiB') if tries_all]
            for limit, reason, may_finish in tries:
                try:
                    check_one(name, subject, limit, reason, may_finish)
                except AssertionError as wrong:
                    failures.append(wrong)
    for name, rest in light.items():
        with tempfile.TemporaryDirectory() as folder:
            ended, _ = run(name, rest + ['--time-limit', '60s', '--memory-limit', '1GiB'] if tries_memory else rest,
                           folder)
            no_mpi = name in ('code', 'live') and ended.returncode == 2 and 'apt-get install' in ended.stderr
            assert ended.returncode == 0 or no_mpi, (name, ended.stderr)
    check_bad_values(names)
    if tries_memory:
        check_thread_without_memory()
for failure in failures:
    print('wrong:', failure)
assert not failures
