"""The table of exit codes in docs/formats.md: each situation is brought about for each command in which it can occur.

Each day that is tried with `verify`, and with another of the commands in turn; with --all with each line of each command.

Usage: exit_codes.py VERIFY SOURCE [--all]
"""
import os
import re
import signal
import subprocess
import sys
import tempfile

verify, source = (os.path.abspath(path) for path in sys.argv[1:3])
tries_all = '--all' in sys.argv

ring = ['--algo', 'ring', '--p', '4']
wrong = ['wrong.json']
wrong_peer = 'even(r) ? r + delta(s) : r - delta(s)'
no_value = ['--peer', 'p == 9 ? r + 1/0 : r', '--p', '7..10']  # wrong for 7 and 8, and no formula for 9
unloadable = os.path.join(source, 'examples', 'ring-2.xml')
heavy = ['--algo', 'ring', '--p', '2..3000']  # takes many seconds wherever it goes
one_heavy = ['--algo', 'swing', '--torus', '512x512', '--lanes', 'all', '--topology', 'mesh']  # turns change a mesh

files = {
    'ring.json': None,  # made below
    'wrong.json': '{"format":"onceover-schedule","version":1,"collective":"allreduce","ranks":2,"blocks":1,\n'
                  '"steps":[[{"src":0,"dst":1,"blocks":[0],"op":"reduce"}]]}\n',
    'ill.json': '{"format":"onceover-schedule","version":1,"collective":"allreduce","ranks":2,"blocks":1,\n'
                '"steps":[[{"src":0,"dst":0,"blocks":[0],"op":"reduce"}]]}\n',
    'large.json': '{"format":"onceover-schedule","version":1,"collective":"allreduce","ranks":4,"blocks":268435456,\n"steps":['
                  + ',\n'.join('[' + ','.join(f'{{"src":{r},"dst":{r ^ x},"blocks":[[0,268435455]],"op":"reduce"}}'
                                              for r in range(4)) + ']' for x in (1, 2)) + ']}\n',
    'broken.json': '{"format":"onceover-schedule","version":1,\n',
    'broken.xml': '<algo name="a"',
    'broken.dot': 'graph { 0 -- ',
    'program.xml': None,
    'cut.dot': 'graph { 0 -- 1; 2 -- 3 }\n',
    'ends.dot': 'graph { 1 [forwards=false]; 0 -- 1; 1 -- 2; 2 -- 3 }\n',
    'switch.dot': 'graph { s [forwards=false]; 0 -- s; 1 -- s; 2 -- s; 3 -- s }\n',
    'small.dot': 'graph { 0 -- 1 }\n',
    'right.toml': '[[check]]\nname = "a"\nalgo = "ring"\np = 4\n',
    'wrong.toml': '[[check]]\nname = "a"\nfile = "wrong.json"\n',
    'not-held.json': '{"format":"onceover-schedule","version":1,"collective":"allgather","ranks":3,"blocks":3,\n'
                     '"steps":[[{"src":0,"dst":1,"blocks":[1],"op":"copy"}]]}\n',
    'conflict.json': '{"format":"onceover-schedule","version":1,"collective":"allreduce","ranks":3,"blocks":3,\n'
                     '"steps":[[{"src":0,"dst":1,"blocks":[0],"op":"copy"},{"src":2,"dst":1,"blocks":[0],"op":"copy"}]]}\n',
    'not-held.toml': '[[check]]\nname = "a"\nfile = "not-held.json"\n',
    'ill.toml': '[[check]]\nname = "a"\nfile = "ill.json"\n',
    'broken.toml': '[[check]]\nname = "a"\nfile = "broken.json"\n',
    'no-gate.toml': '[[check\n',
    'unread.toml': '[[check]]\nname = "a"\nfile = "missing.json"\n',
    'name.toml': '[[check]]\nname = "a"\nalgo = "rign"\np = 4\n',
    'foreign.toml': '[[check]]\nname = "a"\nalgo = "ring"\np = 4\nrequire = ["deterministic"]\n',
    'foreign-program.toml': '[[check]]\nname = "a"\nfile = "program.xml"\nrequire = ["contiguous"]\n',
    'budget.toml': '[[check]]\nname = "a"\nalgo = "ring"\np = 4\nbudget = 3\n',
    'heavy.toml': '[[check]]\nname = "a"\nalgo = ["swing", "ring", "bucket"]\np = "2..3000"\n',
    'fails.toml': '[[check]]\nname = "a"\nexec = "false {p}"\np = 4\n',
    'slow.toml': '[[check]]\nname = "a"\nexec = "sleep 100 {p}"\np = 4\nexec-time-limit = "1s"\n',
}
for name, network in (('cut', 'cut.dot'), ('ends', 'ends.dot'), ('switch', 'switch.dot'), ('small', 'small.dot'),
                      ('unread-net', 'missing.dot'), ('broken-net', 'broken.dot')):
    files[f'{name}-network.toml'] = ('[[check]]\nname = "a"\nalgo = "ring"\np = 4\nlimit = ["congestion <= 100"]\n'
                                     f'topology = "./{network}"\n')


def network_cases(network):
    on = [*ring, '--topology', f'./{network}']
    return {'contention': [on], 'cost': [on], 'bound': [['--p', '4', '--topology', f'./{network}']], 'optimum': [['--p', '4', '--topology', f'./{network}']], 'report': [[*on, '-o', 'r.html']],
            'draw': [['--view', 'contention', *on, '-o', 'd.dot']]}


def joined(*many):
    """Cases by command, of several such tables."""
    all_cases = {}
    for cases in many:
        for command, lines in cases.items():
            all_cases.setdefault(command, []).extend(lines)
    return all_cases


def of_subject(subject, view='matrix', to='json'):
    """A subject put to all commands that take one."""
    return {'verify': [subject], 'contention': [subject], 'cost': [subject], 'report': [[*subject, '-o', 'r.html']],
            'draw': [['--view', view, *subject, '-o', 'd.dot']], 'export': [[*subject, '--to', to, '-o', 'e.out']]}


no_folder = 'no/such/folder/out'
gpu_examples = os.path.join(source, 'examples', 'gpu')
few = ['--p', '2', '--n', '32', '--starve', '1', '--seeds', '1']
right_kernel = [os.path.join(gpu_examples, 'one_shot.toml'), *few]
wrong_kernel = [os.path.join(gpu_examples, 'ptx', 'bugs', 'one_shot-6.ptx'), '--launch', os.path.join(gpu_examples, 'one_shot.toml'), *few]
output_nowhere = {
    'verify': [[*ring, '--json-out', no_folder], [*ring, '--certify', no_folder], [*wrong, '--json-out', '.'],
               [*wrong, '--draw-counterexample', no_folder + '.dot'], [*wrong, '--json-out', no_folder],
               ['program.xml', '--json-out', no_folder]],
    'contention': [[*ring, '--csv-out', no_folder], [*ring, '--gnuplot', no_folder]],
    'cost': [[*ring, '--csv-out', no_folder], [*ring, '--gnuplot', no_folder]],
    'bound': [['--p', '4', '--json-out', no_folder]],
    'code': [['none.c', '--function', 'f', '--json-out', no_folder]],
    'optimum': [['--p', '3', '--json-out', no_folder], ['--p', '3', '--out', no_folder]],
    'report': [[*ring, '-o', no_folder]],
    'draw': [['--view', 'matrix', *ring, '-o', no_folder + '.dot']],
    'export': [[*ring, '--to', 'json', '-o', no_folder]],
    'gate': [['right.toml', '--no-cache', flag, no_folder]
             for flag in ('--json-out', '--junit-out', '--sarif-out', '--markdown-out')] +
            [['right.toml', '--no-cache', '--update-baseline', '--baseline', no_folder]],
    'prove': [['--all', '--emit-smt2', no_folder]],
    'live': [['--sweep', 'openmpi', '--json-out', no_folder]],
    'gpu': [[*right_kernel, '--json-out', no_folder]],
}
# /dev/full takes what is written, and says at the end that there was no room.
right_and_full = {
    'verify': [[*ring, '--json-out', '/dev/full'], [*ring, '--certify', '/dev/full']],
    'contention': [[*ring, '--csv-out', '/dev/full'], [*ring, '--gnuplot', '/dev/full']],
    'cost': [[*ring, '--csv-out', '/dev/full'], [*ring, '--gnuplot', '/dev/full']],
    'bound': [['--p', '4', '--json-out', '/dev/full']],
    'optimum': [['--p', '3', '--json-out', '/dev/full'], ['--p', '3', '--out', '/dev/full']],
    'report': [[*ring, '-o', '/dev/full']],
    'draw': [['--view', 'matrix', *ring, '--to', 'dot', '-o', '/dev/full']],
    'export': [[*ring, '--to', 'json', '-o', '/dev/full']],
    'gpu': [[*right_kernel, '--json-out', '/dev/full']],
    'gate': [['right.toml', '--no-cache', '--json-out', '/dev/full'],
             ['right.toml', '--no-cache', '--junit-out', '/dev/full']],
}
wrong_and_full = {
    'verify': [[*wrong, '--json-out', '/dev/full'], [*wrong, '--json', '--json-out', '/dev/full'],
               [*wrong, '--certify', '/dev/full']],
    'contention': [[*wrong, '--csv-out', '/dev/full'], [*wrong, '--gnuplot', '/dev/full']],
    'cost': [[*wrong, '--csv-out', '/dev/full'], [*wrong, '--gnuplot', '/dev/full']],
    'report': [[*wrong, '-o', '/dev/full']],
    'gate': [['wrong.toml', '--no-cache', '--json-out', '/dev/full'],
             ['wrong.toml', '--no-cache', '--sarif-out', '/dev/full']],
}
program_for_schedule = {
    'report': [['program.xml', '--ports', '2', '-o', 'r.html']],
    'draw': [['--view', 'matrix', 'program.xml', '-o', 'd.dot']],
    'export': [['program.xml', '--to', 'json', '-o', 'e.out']],
}
time_limit = ['--time-limit', '50ms']
heavy_cases = {
    'verify': [[*heavy], ['--algo', 'ring', '--p', '3000', '--blocking', 'all']],
    'contention': [heavy, one_heavy],
    'cost': [[*one_heavy, '--mode', 'asynchronous']],
    'bound': [['--torus', '128x128', '--topology', 'mesh']],
    'optimum': [['--p', '9', '--steps', '4', '--budget', '4000000000']],
    'report': [['--algo', 'bucket', '--torus', '64x64', '--lanes', 'all', '-o', 'r.html']],
    'draw': [['--view', 'steps', '--algo', 'swing', '--p', '16777216', '--ranks', '0,1', '-o', 'd.dot']],
    'export': [['--algo', 'ring', '--p', '4096', '--to', 'goal', '-o', 'e.out']],
    'gate': [['heavy.toml', '--no-cache']],
    'prove': [['--peer', 'even(r) ? r + rho(s) : r - rho(s)', '--p', '2^1..2^12']],
    'claims': [[]],
}
watched_heavy = {'watch': [['--also', 'ring.json', *heavy]]}
cases = {
    'all required properties hold': {
        **of_subject(ring), 'gate': [['right.toml', '--no-cache']], 'lint': [['program.xml', '--profile', 'msccl']],
        'prove': [['ring']], 'claims': [['bucket-ring-cost']], 'bound': [['--p', '4']], 'optimum': [['--p', '3']], 'gpu': [right_kernel]},
    'a schedule is wrong': joined(
        of_subject(wrong), {'verify': [no_value], 'gpu': [wrong_kernel], 'gate': [['wrong.toml', '--no-cache']],
                            'lint': [[unloadable, '--profile', 'rccl']], 'prove': [['--peer', wrong_peer], no_value]}),
    'a rank sends to itself': {
        **of_subject(['ill.json']), 'gate': [['ill.toml', '--no-cache']],
        'export': [['ill.json', '--to', form, '-o', 'e.out'] for form in ('goal', 'msccl-xml', 'mscclpp', 'mpi')]},
    'a rank sends what it does not hold': {
        **of_subject(['not-held.json']), 'gate': [['not-held.toml', '--no-cache']],
        'draw': [['--view', 'steps', 'not-held.json', '-o', 'd.dot']],
        'export': [['not-held.json', '--to', 'json', '-o', 'e.out']]},
    "a view or a format can't express what a wrong schedule does": {
        'draw': [['--view', view, 'conflict.json', '-o', 'd.dot'] for view in ('matrix', 'term')],
        'export': [[name, '--to', 'mpi', '-o', 'e.out'] for name in ('wrong.json', 'conflict.json')]
                  + [['not-held.json', '--to', form, '-o', 'e.out'] for form in ('goal', 'msccl-xml', 'mscclpp')]},
    'an output cannot be created': output_nowhere,
    'writing an output fails at the end': right_and_full,
    'a schedule is wrong, and an output fails': wrong_and_full,
    'an input file is missing': joined(
        of_subject(['missing.json']), network_cases('missing.dot'),
        {'gate': [['missing.toml'], ['unread.toml', '--no-cache'], ['unread-net-network.toml', '--no-cache']],
         'lint': [['missing.xml', '--profile', 'msccl']], 'claims': [['--from', 'missing.toml']], 'gpu': [['missing.toml'], ['missing.ptx', '--describe']],
         'live': [['--schedule', 'missing.json']]}),
    'an input file is malformed': joined(
        of_subject(['broken.json']), network_cases('broken.dot'),
        {'verify': [['broken.xml']], 'gpu': [['no-gate.toml'], ['broken.xml', '--describe']],
         'gate': [['broken.toml', '--no-cache'], ['broken-net-network.toml', '--no-cache']],
         'lint': [['broken.xml', '--profile', 'msccl']], 'live': [['--schedule', 'broken.json']]}),
    'a gate file or a claims file is malformed': {'gate': [['no-gate.toml']], 'claims': [['--from', 'no-gate.toml']]},
    "a network's ranks can't reach each other": joined(
        network_cases('cut.dot'), network_cases('ends.dot'), network_cases('switch.dot'),
        {'gate': [[f'{name}-network.toml', '--no-cache'] for name in ('cut', 'ends', 'switch')]}),
    'a network has another number of ranks': joined(network_cases('small.dot'),
                                          {'gate': [['small-network.toml', '--no-cache']]}),
    'a name is unknown': {
        'gpu': [[*right_kernel, '--require', 'race-fre']],
        **of_subject(['--algo', 'rign', '--p', '4']), 'gate': [['name.toml', '--no-cache']],
        'lint': [['program.xml', '--profile', 'nccl']], 'prove': [['rign'], ['--algo', 'rign']],
        'claims': [['bucket-rign']], 'live': [['--collective', 'alreduce'], ['--mpi', 'opnmpi']],
        'bound': [['--p', '4', '--topology', 'tours'], ['--p', '4', '--collective', 'alreduce']], 'optimum': [['--p', '4', '--group', 'pars']]},
    'a required property does not apply': {
        'verify': [[*ring, '--require', 'deterministic'], ['ring.json', '--require', 'race-free'],
                   ['program.xml', '--require', 'deterministic'], ['program.xml', '--require', 'contiguous'],
                   ['program.goal', '--require', 'exactly-once']],
        'report': [[*ring, '--require', 'deterministic', '-o', 'r.html'],
                   ['plan.json', '--require', 'contiguous', '-o', 'r.html']],
        'gate': [['foreign.toml', '--no-cache'], ['foreign-program.toml', '--no-cache']],
        'live': [['--require', 'contiguous']]},
    'the format cannot express it': {
        **program_for_schedule,
        'export': [*program_for_schedule['export'],
                   *(['alltoall.json', '--to', form, '-o', 'e.out'] for form in ('goal', 'msccl-xml', 'mscclpp', 'mpi'))]},
    "the user's program fails": {
        **joined(of_subject(['--exec', 'false', '--p', '4']), of_subject(['--exec', 'cat program.xml', '--p', '4'])),
        'gate': [['fails.toml', '--no-cache']]},
    "the user's program takes too long": {
        **of_subject(['--exec', 'sleep 100', '--exec-time-limit', '1s', '--p', '4']), 'gate': [['slow.toml', '--no-cache']]},
    'the budget runs out, or the subject is too large': {
        'verify': [[*ring, '--budget', '3']], 'contention': [[*ring, '--budget', '3'], ['large.json']],
        'cost': [[*ring, '--budget', '3'], ['large.json', '--bytes', '1Mi']], 'bound': [['--p', '4', '--budget', '3']], 'optimum': [['--p', '7', '--steps', '3', '--budget', '3'], ['--p', '8', '--group', 'xor', '--budget', '3']],
        'report': [[*ring, '--budget', '3', '-o', 'r.html']],
        'gate': [['budget.toml', '--no-cache']], 'export': [['--algo', 'ring', '--p', p, '--to', form, '-o', 'e.out'] for p, form in (('65536', 'json'), ('2048', 'mpi'))]},
    'a limit on time runs out': {command: [line + time_limit for line in lines] for command, lines in heavy_cases.items()},
    'it is interrupted': {**heavy_cases, **watched_heavy},
    'standard output cannot be written': {
        **of_subject(ring), 'export': [[*ring, '--to', 'json']], 'draw': [['--view', 'matrix', *ring]],
        'report': [[*ring, '-o', '-']], 'gate': [['right.toml', '--no-cache']],
        'lint': [['program.xml', '--profile', 'msccl']], 'prove': [[]], 'claims': [['bucket-ring-cost']],
        'bound': [['--p', '4'], ['--p', '4', '--json']], 'optimum': [['--p', '3'], ['--p', '3', '--json']]},
    'a schedule is wrong, and standard output cannot be written': {
        'verify': [wrong, [*wrong, '--json']], 'contention': [wrong], 'cost': [wrong],
        'report': [[*wrong, '-o', '-']], 'gate': [['wrong.toml', '--no-cache']],
        'lint': [[unloadable, '--profile', 'rccl']], 'prove': [['--peer', wrong_peer], no_value]},
}


def table():
    """{situation: (code, {command: another code})}, as the page has it."""
    with open(os.path.join(source, 'docs', 'formats.md')) as file:
        text = file.read()
    rows = re.search(r'^\| situation \|.*?\n\n', text, re.M | re.S)[0].strip().splitlines()[2:]
    split = [[cell.strip() for cell in row.strip('|').split('|')] for row in rows]
    return {situation: (int(code), {command: int(other) for commands, other in re.findall(r'([^\d]+) (\d+)', exceptions)
                                    for command in re.findall(r'`(\w+)`', commands)})
            for situation, code, exceptions in split}


def make_files(folder):
    def path(name):
        return os.path.join(folder, name)

    for name, text in files.items():
        if text is not None:
            with open(path(name), 'w') as file:
                file.write(text)
    for to, name in (('json', 'ring.json'), ('msccl-xml', 'program.xml'), ('goal', 'program.goal'), ('mscclpp', 'plan.json')):
        subprocess.run([verify, 'export', *ring, '--to', to, '-o', path(name)], check=True)
    with open(path('program.goal')) as file:  # without the comment that says what the data is
        lines = [line for line in file if '/*' not in line]
    with open(path('program.goal'), 'w') as file:
        file.writelines(lines)
    with open(path('alltoall.json'), 'w') as file:
        file.write('{"format":"onceover-schedule","version":1,"collective":"alltoall","ranks":2,"blocks":4,\n'
                   '"steps":[[{"src":0,"dst":1,"blocks":[1],"op":"copy"},{"src":1,"dst":0,"blocks":[2],"op":"copy"}]]}\n')


def interrupt_early():
    """In the new process: an interrupt that waits until the program looks for it."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    os.kill(os.getpid(), signal.SIGINT)


def run(command, arguments, situation, folder):
    line = [verify] + ([] if command == 'verify' else [command]) + arguments
    out = open('/dev/full', 'w') if 'standard output cannot be written' in situation else subprocess.PIPE
    process = subprocess.Popen(line, cwd=folder, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.PIPE,
                               env=dict(os.environ, XDG_CACHE_HOME=os.path.join(folder, 'cache')),
                               preexec_fn=interrupt_early if situation == 'it is interrupted' else None)
    said, errors = process.communicate()
    told = situation not in ('all required properties hold', 'a schedule is wrong', 'a rank sends to itself', 'a rank sends what it does not hold')
    if told and process.returncode and not said and not errors:
        return process.returncode, b'it says nothing', False
    if 'output' in situation and situation != 'an output cannot be created':
        if b"can't be written" not in errors and b'cannot be written' not in errors:
            return process.returncode, b'it says nothing of the output: ' + errors, False
    return process.returncode, errors, True


def sample(commands, number):
    """The first line of `verify`, and of another command in turn."""
    others = [command for command in commands if command != 'verify']
    chosen = [c for c in ('verify',) if c in commands] + ([others[number % len(others)]] if others else [])
    return {command: commands[command][:1] for command in chosen}


def main():
    expected = table()
    assert set(expected) == set(cases), set(expected) ^ set(cases)
    wrong_cells = []
    tried = 0
    with tempfile.TemporaryDirectory() as folder:
        make_files(folder)
        for number, (situation, commands) in enumerate(cases.items()):
            usual, exceptions = expected[situation]
            assert set(exceptions) <= set(commands), (situation, set(exceptions) - set(commands))
            for command, lines in (commands if tries_all else sample(commands, number)).items():
                for arguments in lines:
                    code, errors, is_told = run(command, arguments, situation, folder)
                    tried += 1
                    if code != exceptions.get(command, usual) or not is_told:
                        wrong_cells.append((situation, command, ' '.join(arguments), code, errors.decode()[-300:]))
    for cell in wrong_cells:
        print('wrong:', *cell, sep='\n  ')
    print(f'{tried} command lines of {sum(map(len, cases.values()))} commands in {len(cases)} situations')
    sys.exit(1 if wrong_cells else 0)


main()
