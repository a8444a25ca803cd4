#!/usr/bin/env python3
"""Changes the verifier's own sources, one place at a time, and sees whether the fast tests notice.

    scripts/mutate_sources.py --folder verifier --count 150 --seed 1 --jobs 2

Works in copies of the tree, one a job, which are built once; of a mutant only what the changed file touches is built
again. Tests run from the cheapest to the dearest, to the first that fails. A mutant that doesn't compile isn't counted;
one that uses up four times the processor time of the tests, or too much memory, is caught. The seed fixes the mutants.
Exits with 0 if at least --least percent are caught.
"""

import argparse
import concurrent.futures
import dataclasses
import functools
import os
import pathlib
import queue
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent

# What runs for a folder, in this order.
STAGES = {
    "verifier": ["verifier_tests", "mutants_tests", "check_tests", "network_tests", "viz_tests", "cli_tests"],
    "programs": ["programs_tests", "formats_tests", "mutants_tests", "network_tests", "viz_tests", "cli_tests"],
    "proofs": ["proofs_tests", "cli_tests"],
}

# Changes that can't change what is found, each with its reason: (file, regular expression of the line, reason).
WITHOUT_MEANING = [
    (r".*", r"\b(assert|static_assert)\(", "an assert"),
    (r".*", r"\.reserve\(", "room in advance"),
    (r".*", r"on_progress", "what is told of progress"),
    (r".*", r"\bthrow std::logic_error", "a bug here, which no input reaches"),
    (r"verifier/verify\.cpp", r"worth_a_thread|window_hops|even_share|hardware_concurrency", "threads and windows"),
    (r"programs/event_graph\.cpp", r"search_budget", "how long a short cycle is looked for"),
    (r"verifier/terms\.(h|cpp)", r"0x9E|>> ?\d+", "where terms lie in their table"),
]

KEYWORDS = r"(?:return|case|else|if|for|while|do|switch|using|throw|goto|break|continue|template|namespace|delete)\b"
SWAPS = {"==": "!=", "<": "<=", ">": ">=", "&&": "||", "+": "-", "+=": "-=", "true": "false", "0": "1", "++": "--"}
SWAPS |= {b: a for a, b in SWAPS.items()}
WORDS = {"min": "max", "max": "min", "min_element": "max_element", "max_element": "min_element"}
SPACED = {"<", "<=", ">", ">=", "&&", "||", "+", "-"}  # without spaces: templates, references, signs

TOKEN = re.compile(
    r"""(?P<skip>//[^\n]*|/\*.*?\*/|^[ \t]*\#[^\n]*|R"(?P<raw>[^(]*)\(.*?\)(?P=raw)"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+')
    |(?P<word>[A-Za-z_]\w*)
    |(?P<number>\.?\d(?:'?[\w.])*)
    |(?P<sign><=>|<<=|>>=|->\*|->|::|\+\+|--|\+=|-=|\*=|/=|%=|&=|\|=|\^=|==|!=|<=|>=|&&|\|\||<<|[^\w\s])""",
    re.X | re.S | re.M,
)


@dataclasses.dataclass(frozen=True)
class Mutant:
    file: str
    line: int
    begin: int
    end: int
    text: str
    kind: str

    def apply(self, source):
        return source[: self.begin] + self.text + source[self.end :]

    def told(self, source):
        first = source.rfind("\n", 0, self.begin) + 1
        last = source.find("\n", self.begin)
        before = source[first:last].strip()
        after = self.apply(source)[first : last + len(self.text) - (self.end - self.begin)].strip()
        return f"{self.file}:{self.line}: {before}  ->  {after}"


def is_without_meaning(file, line):
    return any(re.fullmatch(f, file) and re.search(pattern, line) for f, pattern, _ in WITHOUT_MEANING)


def token_changes(source):
    """(begin, end, text, kind) of each token that has another."""
    for match in TOKEN.finditer(source):
        token, begin, end = match.group(), match.start(), match.end()
        if match.lastgroup in ("skip", "raw"):
            continue
        is_spaced = source[begin - 1] == " " and source[end : end + 1] in (" ", "\n")
        if token == "!" and source[end : end + 1] not in ("=", " "):
            yield begin, end, "", "! dropped"
        elif token in SWAPS and (is_spaced or token not in SPACED):
            is_pure = source[end : end + 3] == " 0;" or source[begin - 9 : begin - 1] == "operator"
            if not is_pure:
                yield begin, end, SWAPS[token], f"{token} to {SWAPS[token]}"
        elif token in WORDS and source[begin - 5 : begin] == "std::":
            yield begin, end, WORDS[token], f"{token} to {WORDS[token]}"


def statement_changes(source):
    """Statements of one line that can be left out: calls, assignments, and the guarded leaving of loops and functions."""
    place = r"[A-Za-z_*][\w.:\[\]>()*-]*"
    patterns = [
        (rf"^(?P<x> +(?!{KEYWORDS}){place}(?:\.|->|::)?\w*\([^\n]*\);)$", "call dropped"),
        (rf"^(?P<x> +(?!{KEYWORDS}){place} (?:=|\+=|-=|\|=|&=) [^\n]*;)$", "assignment dropped"),
        (r"^ +if \([^\n]*\) (?P<x>(?:return|continue|break)\b[^\n]*;)$", "guard dropped"),
    ]
    for pattern, kind in patterns:
        for match in re.finditer(pattern, source, re.M):
            text = match.group("x")
            if text.count("(") != text.count(")") or text.count("{") != text.count("}"):
                continue
            before = source[: match.start()].rstrip()
            if kind != "guard dropped" and not before.endswith((";", "{", "}", ")", ":")):
                continue  # it goes on from the line before
            begin = match.start("x") + len(text) - len(text.lstrip())
            yield begin, match.end("x"), ";", kind


@functools.cache
def source_of(file):
    """As it was when the mutants were drawn, whatever is written in the tree meanwhile."""
    return (ROOT / file).read_text()


def mutants_of(file):
    source = source_of(file)
    found = []
    for begin, end, text, kind in [*token_changes(source), *statement_changes(source)]:
        first, last = source.rfind("\n", 0, begin) + 1, source.find("\n", begin)
        line = source[first:last]
        is_message = '"' in line and kind != "guard dropped"
        if not is_message and not is_without_meaning(file, line):
            found.append(Mutant(file, source.count("\n", 0, begin) + 1, begin, end, text, kind))
    return found


def sources(folder):
    return sorted(str(p.relative_to(ROOT)) for p in (ROOT / folder).rglob("*") if p.suffix in (".h", ".cpp"))


class Tests:
    """What runs of one program, in tiers from cheap to dear, and how much processor time that takes."""

    def __init__(self, tiers, seconds):
        self.tiers, self.seconds = tiers, seconds


class Tree:
    """A copy of the tree with its build."""

    def __init__(self, folder, options):
        self.folder = folder
        self.flags = options.flag
        self.most = options.most
        self.tests = {}
        names = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True,
                               text=True, check=True)
        for name in names.stdout.splitlines():
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            if (ROOT / name).is_file() and not self.is_same(ROOT / name, target):
                shutil.copy(ROOT / name, target)  # as of now: what was built from the file before is out of date
        for name in sources(options.folder):
            if (folder / name).read_text() != source_of(name):
                (folder / name).write_text(source_of(name))
        self.environment = dict(os.environ, CCACHE_BASEDIR=str(folder), CCACHE_NOHASHDIR="1")
        if shutil.which("ccache"):
            self.environment["CMAKE_CXX_COMPILER_LAUNCHER"] = "ccache"

    @staticmethod
    def is_same(source, target):
        return target.is_file() and source.read_bytes() == target.read_bytes()

    def run(self, command, seconds=None, wall=None):
        def limit():
            os.nice(10)
            if seconds:
                resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds) + 1))
                resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))

        try:
            return subprocess.run(command, cwd=self.folder, env=self.environment, preexec_fn=limit, timeout=wall,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
        except subprocess.TimeoutExpired:
            return None

    def configure(self):
        self.must(["cmake", "--preset", "default", "-DONCEOVER_TESTS=ON", "-DONCEOVER_PRECOMPILE=OFF", *self.flags])

    def build(self, target):
        return self.run(["cmake", "--build", "build/default", "-j2", "--target", target])

    def must(self, command):
        done = self.run(command)
        if done.returncode != 0:
            sys.exit(f"{' '.join(map(str, command))} failed:\n{done.stdout[-3000:]}")
        return done.stdout

    def program(self, name):
        return str(self.folder / "build/default/tests" / name)

    def measure(self, name):
        """Builds and runs what isn't changed, and remembers how long each test case takes."""
        if self.build(name).returncode != 0:
            sys.exit(f"{name} doesn't build")
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        out = self.must([self.program(name), "~[slow]", "-d", "yes"])
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cases = [(float(m[1]), m[2]) for m in re.finditer(r"^([\d.]+) s: (.*)$", out, re.M)]
        total = sum(seconds for seconds, _ in cases)
        share = min(1, (after.ru_utime - before.ru_utime) / max(total, 0.01))  # the machine may have more to do
        tiers = [[], [], [], []]
        for seconds, case in cases:
            if seconds * share <= self.most:
                tiers[sum(seconds * share > bound for bound in (0.05, 0.5, 2))].append(case)
        self.tests[name] = Tests([tier for tier in tiers if tier], total * share)
        for tier in self.tests[name].tiers:
            with self.listed(tier) as file:
                found = self.run([self.program(name), "--list-test-names-only", "--input-file", file.name])
            if len(found.stdout.splitlines()) != len(tier):
                sys.exit(f"{name}: not every test case is found by its name")

    @staticmethod
    def listed(cases):
        """A file that names test cases as Catch2 reads it."""
        file = tempfile.NamedTemporaryFile("w", suffix=".txt")
        file.write("".join(re.sub(r"([,\\\[\]])", r"\\\1", case) + "\n" for case in cases))
        file.flush()
        return file

    def fails(self, name):
        """Why the test program fails, or nothing."""
        if name not in self.tests:
            raise KeyError(name)
        tests = self.tests[name]
        for tier in tests.tiers:
            with self.listed(tier) as file:
                done = self.run([self.program(name), "--abort", "--input-file", file.name],
                                seconds=20 + 4 * tests.seconds, wall=1800)
            if done is None or done.returncode in (-9, -24):
                return "time"
            if done.returncode != 0:
                return "a failed test" if done.returncode > 0 else "a crash"
        return None


@dataclasses.dataclass
class Result:
    mutant: Mutant
    outcome: str  # "caught", "survived", "doesn't compile"
    why: str = ""


def judge(tree, mutant, stages):
    path = tree.folder / mutant.file
    source = source_of(mutant.file)
    path.write_text(mutant.apply(source))
    try:
        for name in stages:
            if tree.build(name).returncode != 0:
                return Result(mutant, "doesn't compile")
            why = tree.fails(name)
            if why:
                return Result(mutant, "caught", f"{name}: {why}")
        return Result(mutant, "survived")
    finally:
        path.write_text(source)


def work(trees, mutant, stages):
    tree = trees.get()
    try:
        return judge(tree, mutant, stages)
    finally:
        trees.put(tree)


def parsed():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", choices=sorted(STAGES), default="verifier", help="whose sources are changed")
    parser.add_argument("--count", type=int, default=150, help="mutants to draw")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--skip", type=int, default=0, help="of those drawn, leave out the first: to go on later")
    parser.add_argument("--jobs", type=int, default=1, help="copies of the tree that are at work")
    parser.add_argument("--tests", help="test programs to run, with commas; default: all that concern the folder")
    parser.add_argument("--most", type=float, default=float("inf"), metavar="SECONDS",
                        help="leave out the test cases that take more processor time: a quick first look")
    parser.add_argument("--only", action="append", default=[], help="FILE:LINE, or FILE: only the mutants there")
    parser.add_argument("--files", default=".*", metavar="REGEX", help="only the mutants in files of such a name")
    parser.add_argument("--work", type=pathlib.Path, help="where the copies are, and stay; default: a temporary folder")
    parser.add_argument("--flag", action="append", default=[], help="for CMake")
    parser.add_argument("--least", type=float, default=95, help="percent that must be caught")
    parser.add_argument("--list", action="store_true", help="print the mutants and do nothing")
    return parser.parse_args()


def drawn(options):
    mutants = [m for file in sources(options.folder) if re.search(options.files, file) for m in mutants_of(file)]
    if options.only:
        return [m for m in mutants if m.file in options.only or f"{m.file}:{m.line}" in options.only]
    return random.Random(options.seed).sample(mutants, min(options.count, len(mutants)))[options.skip :]


def main():
    options = parsed()
    mutants = drawn(options)
    told = {m: m.told(source_of(m.file)) for m in mutants}
    if options.list:
        for m in mutants:
            print(told[m])
        return 0
    stages = options.tests.split(",") if options.tests else STAGES[options.folder]
    with tempfile.TemporaryDirectory() as temporary:
        return run(options, mutants, told, stages, options.work or pathlib.Path(temporary))


def run(options, mutants, told, stages, folder):
    trees = queue.Queue()
    first = None
    for tree in [Tree(folder / f"tree-{k}", options) for k in range(min(options.jobs, len(mutants)))]:
        tree.configure()
        for name in stages:
            if first is None:
                tree.measure(name)
            elif tree.build(name).returncode != 0:
                sys.exit(f"{name} doesn't build")
        if first is None:
            first = tree
        tree.tests = first.tests
        trees.put(tree)
    counts = {"caught": 0, "survived": 0, "doesn't compile": 0}
    kinds = {}
    pool = concurrent.futures.ThreadPoolExecutor(options.jobs)
    try:
        for done in concurrent.futures.as_completed([pool.submit(work, trees, m, stages) for m in mutants]):
            result = done.result()
            counts[result.outcome] += 1
            kinds.setdefault(result.mutant.kind, dict.fromkeys(counts, 0))[result.outcome] += 1
            mark = "SURVIVED" if result.outcome == "survived" else result.outcome
            print(f"{mark}{' by ' + result.why if result.why else ''}: {told[result.mutant]}", flush=True)
    except KeyboardInterrupt:
        print("interrupted: the rest isn't counted")
    finally:
        pool.shutdown(cancel_futures=True)
    print()
    for kind in sorted(kinds):
        print(f"{kind:20} caught {kinds[kind]['caught']:4}  survived {kinds[kind]['survived']:4}")
    counted = counts["caught"] + counts["survived"]
    uncounted = counts["doesn't compile"]
    percent = 100 * counts["caught"] / max(counted, 1)
    print(f"{options.folder}, seed {options.seed}: {counted} mutants, {counts['caught']} caught, "
          f"{counts['survived']} survived: {percent:.1f} %; {uncounted} more don't compile")
    return 0 if percent >= options.least else 1


if __name__ == "__main__":
    sys.exit(main())
