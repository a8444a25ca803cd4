"""What `verify` does on a terminal: colours, a line of progress that is gone before anything else is printed, and an
interrupt that tells what was settled. Also that there is no such line elsewhere.

Each day a few commands are tried, with --all every one that may take long.

Usage: terminal.py VERIFY [--all]
"""
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import tempfile
import termios
import time

verify = os.path.abspath(sys.argv[1])
tries_all = '--all' in sys.argv
folder = tempfile.mkdtemp(prefix='onceover-terminal-')
environment = dict(os.environ, XDG_CACHE_HOME=os.path.join(folder, 'cache'), NO_COLOR='1')
columns = 60

# Commands that take seconds, with something that the line says.
gate_file = '[[check]]\nname = "a"\nalgo = ["swing", "ring", "bucket"]\np = "2..3000"\n'
with open(os.path.join(folder, 'gate.toml'), 'w') as file:
    file.write(gate_file)
with open(os.path.join(folder, 'colors.toml'), 'w') as file:
    file.write('[[check]]\nname = "a"\nalgo = "swing"\np = 4\n')
swing_512 = ['--algo', 'swing', '--torus', '512x512', '--lanes', 'all']
slow = {
    'verify': ([], ['--algo', 'ring', '--p', '2..4096'], r' \d %  p = \d+'),
    'verify --blocking': ([], ['--algo', 'ring', '--p', '2..2000', '--blocking', 'all'], r' %  p = \d+'),
    'contention': (['contention'], ['--algo', 'ring', '--p', '2..4000'], r' %  p = \d+'),
    'one contention': (['contention'], [*swing_512, '--topology', 'mesh'], r'contention|512x512'),
    'bound': (['bound'], ['--torus', '128x128', '--topology', 'mesh'], r'bound \.\.'),
    'optimum': (['optimum'], ['--p', '9', '--steps', '4', '--budget', '4000000000'], r'optimum \.\.'),
    'cost': (['cost'], ['--algo', 'swing,bucket', '--torus', '128x128', '--lanes', 'all', '--mode', 'asynchronous'], 'swing'),
    'cost --preset': (['cost'], ['--preset', 'all'], ' %  swing-'),
    'draw': (['draw'], ['--view', 'steps', '--algo', 'swing', '--p', '16777216', '--ranks', '0,1', '-o', 'd.dot'], r'draw \.\.'),
    'report': (['report'], ['--algo', 'swing', '--torus', '128x128', '--lanes', 'all', '-o', 'r.html'], r' \.\.'),
    'export': (['export'], ['--algo', 'ring', '--p', '8192', '--to', 'json', '-o', 'e.json'], r'export \.\.'),
    'gate': (['gate'], ['gate.toml', '--no-cache'], r' %  \w+ allreduce, p = \d+'),
    'claims': (['claims'], [], r' %  [a-z]+-|claims \.\.'),
    'prove': (['prove'], ['--peer', 'even(r) ? r + rho(s) : r - rho(s)', '--p', '2^1..2^12'], r'prove \.\.| %  '),
    'verify --exec': ([], ['--exec', 'sleep 100', '--p', '4'], r'verify \.\.'),
}


class Screen:
    """One row of a terminal after the other, as far as this program's output needs it."""

    def __init__(self):
        self.rows, self.row, self.at, self.seen = [], '', 0, set()

    def feed(self, text):
        for token in re.findall(r'\x1b\[K|.', text, re.S):
            if token == '\x1b[K':
                assert len(self.row) < columns, ('the line of progress is longer than the terminal', self.row)
                self.row = self.row[:self.at]
            elif token == '\r':
                self.at = 0
            elif token == '\n':
                self.rows.append(self.row)
                self.row, self.at = '', 0
            else:
                self.row = self.row[:self.at] + token + self.row[self.at + 1:]
                self.at += 1
        self.seen.add(self.row)

    def all(self):
        return '\n'.join(self.rows + [self.row])


class Terminal:
    """The program on a terminal; with `out` its standard output is that file and not the terminal."""

    def __init__(self, line, out=None):
        self.screen, self.raw = Screen(), ''
        self.process, self.master = None, None
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack('HHHH', 24, columns, 0, 0))
        self.process = subprocess.Popen([verify] + line, cwd=folder, env=environment, stdin=slave, stderr=slave,
                                        stdout=slave if out is None else out, start_new_session=True,
                                        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        os.close(slave)
        self.master = master

    def read(self, until, seconds=60):
        """Reads till `until()` or the end of the program; was it so?"""
        end = time.monotonic() + seconds
        while not until():
            if not select.select([self.master], [], [], 0.05)[0]:
                if self.process.poll() is not None or time.monotonic() > end:
                    return until()
                continue
            try:
                text = os.read(self.master, 1 << 16).decode(errors='replace')
            except OSError:  # the other side has closed
                return until()
            self.raw += text
            self.screen.feed(text)
        return True

    def saw(self, pattern):
        return self.read(lambda: any(re.search(pattern, row) for row in self.screen.seen))

    def press(self, key):
        os.write(self.master, key)

    def end(self):
        self.read(lambda: False)
        code = self.process.wait()
        os.close(self.master)
        return code


def check_progress_and_interrupt():
    for name, (command, arguments, words) in slow.items():
        if not tries_all and name not in ('verify', 'gate', 'verify --exec'):
            continue
        terminal = Terminal(command + arguments)
        assert terminal.saw(words), (name, 'shows no progress', terminal.raw[-300:])
        terminal.press(b'\x03')  # Ctrl-C
        code = terminal.end()
        assert code == 130, (name, code, terminal.raw[-500:])
        text = terminal.screen.all()
        assert not re.search(r'\d %  |^\w+ \.\.$|\^C', text, re.M), (name, 'the line stands', text[-500:])
        print(name, flush=True)


def check_what_was_settled():
    terminal = Terminal(['--algo', 'ring', '--p', '2..4096'])
    assert terminal.saw(r'p = [1-9]\d\d')
    terminal.press(b'\x03')
    assert terminal.end() == 130
    text = terminal.screen.all()
    assert re.search(r'^  pass  p = 2\.\.\d+', text, re.M), text
    assert re.search(r'^  p = .*interrupted$', text, re.M) and text.rstrip().endswith('unknown'), text
    if not tries_all:
        return
    for line, words in ((['contention', '--algo', 'ring', '--p', '2..4000'], r'not measured, of 3999: .*interrupted'),
                        (['--algo', 'ring', '--p', '2..2000', '--blocking', 'all'], r'not run: p = \d+ .*interrupted'),
                        (['claims'], r'\d+ unknown'), (['gate', 'gate.toml', '--no-cache'], r'interrupted')):
        terminal = Terminal(line)
        assert terminal.saw(r' [1-9]\d? %  '), (line, terminal.raw[-300:])
        terminal.press(b'\x03')
        assert terminal.end() == 130, line
        assert re.search(words, terminal.screen.all()), (line, terminal.screen.all()[-1500:])
    terminal = Terminal(['cost', '--algo', 'swing-latency,bucket,swing', '--torus', '64x64', '--lanes', 'all',
                         '--mode', 'asynchronous', '--bytes', '32..512Mi'])
    assert terminal.saw(r'[36]\d %  '), terminal.raw[-300:]
    terminal.press(b'\x03')
    assert terminal.end() == 130
    assert re.search(r'not timed: .*swing: interrupted', terminal.screen.all()), terminal.screen.all()


def check_verdict_stands_alone():
    """The verdict begins a line of its own, on the terminal and behind a pipe. The program that makes the schedules waits until
    the line of progress was seen."""
    gate = os.path.join(folder, 'go-on')
    os.mkfifo(gate)
    line = ['--exec', f'test {{p}} -ne 9 || read x <{gate}; exec {verify} export --algo ring --p {{p}} --to json', '--p', '8..10']

    def ended(out=None):
        terminal = Terminal(line, out)
        assert terminal.saw(r' %  p = '), terminal.raw
        with open(gate, 'w') as to:
            to.write('\n')
        assert terminal.end() == 0
        return terminal.screen

    screen = ended()
    assert screen.rows[0].endswith(', p = 8..10: 3 schedules'), screen.rows
    assert not any(' %  ' in row for row in screen.rows), screen.rows
    with tempfile.TemporaryFile() as out:
        screen = ended(out)
        assert screen.all() == '', screen.all()
        out.seek(0)
        assert b'\r' not in out.read()


def colors_of(line, out=None, **more):
    """The codes of colours that the program prints, to the terminal, or to the file `out`."""
    global environment
    before, environment = environment, {**{k: v for k, v in os.environ.items() if k not in ('NO_COLOR', 'TERM')},
                                        'TERM': 'xterm', **more}
    try:
        terminal = Terminal(line, out)
        terminal.end()
    finally:
        environment = before
    assert out is None or '\x1b[3' not in terminal.raw, terminal.raw
    printed = terminal.raw
    if out is not None:
        out.seek(0)
        printed = out.read().decode()
    return re.findall(r'\x1b\[(3\d)m(\w+)\x1b\[0m', printed)


def check_colors():
    """Verdicts are coloured on a terminal, and nowhere else unless somebody asks for it; JSON never is."""
    green, red, yellow = ('32', 'pass'), ('31', 'fail'), ('33', 'unknown')
    passes, fails = ['--algo', 'swing', '--p', '7'], ['--peer', 'even(r) ? r + delta(s) : r - delta(s)', '--p', '2..6']
    assert colors_of(passes) == [green]
    assert set(colors_of(fails)) == {green, red} and colors_of(fails)[-1] == red
    assert colors_of([*passes, '--budget', '1']) == [yellow]
    assert colors_of(['--algo', 'ring', '--p', '4', '--blocking', 'all']) == [red]
    assert set(colors_of(['prove', 'covering-peers'])) == {('32', 'proved')}
    assert green in colors_of([*passes, '--full']) and colors_of(['gate', 'colors.toml', '--no-cache'])[-1] == green
    # Who doesn't want them.
    for line, more in ((passes, {'NO_COLOR': '1'}), (passes, {'TERM': 'dumb'}), ([*passes, '--color', 'never'], {}),
                       ([*passes, '--json', '--color', 'always'], {}), ([*passes, '--json-out', '-'], {})):
        assert colors_of(line, **more) == [], (line, more)
    # An empty NO_COLOR is none, and the option wins.
    assert colors_of(passes, NO_COLOR='') == [green]
    assert colors_of([*passes, '--color', 'always'], NO_COLOR='1') == [green]
    for line, expected in ((passes, []), ([*passes, '--color', 'auto'], []), ([*passes, '--color', 'always'], [green])):
        with tempfile.TemporaryFile() as out:
            assert colors_of(line, out) == expected, line
    assert colors_of([*passes, '--color', 'always', '--json-out', 'colors.json']) == [green]
    with open(os.path.join(folder, 'colors.json')) as file:
        assert '\x1b' not in file.read()


def check_elsewhere():
    """Without a terminal there is no line; an interrupt tells and ends all the same, a second one ends at once."""
    # The signal comes from the program that makes the schedules, once many are judged. Twice in a moment is once: timeout(1)
    # signals the process, then its group.
    for kill in ('kill -INT $PPID', 'kill -TERM $PPID', 'kill -INT $PPID; kill -INT $PPID'):
        program = f'test {{p}} -ne 20 || {{ {kill}; sleep 100; }}; exec {verify} export --algo ring --p {{p}} --to json'
        ended = subprocess.run([verify, '--exec', program, '--p', '2..30'], stdin=subprocess.DEVNULL, capture_output=True, text=True)
        assert ended.returncode == 130 and ended.stderr == '', ended
        assert '  pass  p = 2..' in ended.stdout and ended.stdout.endswith('unknown\n'), ended
    program = 'trap "" INT TERM; kill -INT $PPID; kill -TERM $PPID; sleep 1000; sleep 1000'
    ended = subprocess.run([verify, '--exec', program, '--p', '4'], stdin=subprocess.DEVNULL, capture_output=True)
    assert ended.returncode == 130, ended


def check_question():
    """More processes than the machine bears are asked for; no ends it."""
    terminal = Terminal(['live', '--p', '1000', '--collective', 'allreduce', '--count', '1'])
    assert terminal.saw(r'1000 processes are more than 8 for each of the \d+ cores'), terminal.raw
    terminal.press(b'n\n')
    assert terminal.end() == 2 and 'nothing was started' in terminal.screen.all(), terminal.screen.all()
    ended = subprocess.run([verify, 'live', '--p', '1000', '--collective', 'allreduce', '--count', '1'],
                           stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert ended.returncode == 2 and '--yes starts them' in ended.stderr, ended.stderr


check_colors()
check_verdict_stands_alone()
check_what_was_settled()
check_progress_and_interrupt()
check_elsewhere()
check_question()
print('all is well')
