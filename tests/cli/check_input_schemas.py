"""Do the schemas of inputs say what the readers do? Every file of the examples and of the tests' data, and mutants of small
ones, are given to both. What a schema refuses the reader must refuse; what only the reader refuses must be something that
a schema can't say. Each day an eighth of the mutants is tried, with --all all of them.

Usage: check_input_schemas.py VERIFY SOURCE_FOLDER [--all]
"""

import copy
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import tomllib

import jsonschema

verify, source = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
SHARE = 1 if "--all" in sys.argv else 8

# What relates one number or text to another, or is a language of its own, or is lost when a file becomes values.
BEYOND_SCHEDULES = [r"expected (a rank|a block|the run's (first|last) block) from \d+ to", r"found \d+ owners|owners, one a block",
                    r"the (sides|axes) multiply to", r"two axes are called", r"the last phase begins", r"expected the phase's first step from",
                    r"block \d+ is in this list twice", r"has a multiple of", r"the key \"\w+\" stands twice",
                    r"found -?\d+\.\d+", r"printable bytes", r"as many as in"]
BEYOND_GATES = [r"there is another check", r"the range \S+ (is empty|goes from a power)", r"expected a stride", r"holds more than", r"expected a number of ranks",
                r"limit: (?!expected (?!a decimal)|the list)", r"(peer|peer-steps): (?!expected a text)", r"the defaults have both",
                r"is there twice|this is there twice", r"has more than \d+ ranks", r"is of one collective", r"collective: (no collective of MPI|expected the name of one collective of MPI)",
                r"expected sides like", r"exec-time-limit: expected a time from",
                r"sizes: expected bytes", r"files: no file matches",
                r"(number-type|digits|hosts|orders|communicators): (?!expected a (text|path))"]
BEYOND_BASELINES = []


def schema(name):
    rules = json.loads((source / f"docs/schema/{name}.schema.json").read_text())
    jsonschema.Draft7Validator.check_schema(rules)
    return jsonschema.Draft7Validator(rules)


def objects_of(rules, path=""):
    """The schemas of objects in a schema."""
    if isinstance(rules, list):
        for k, item in enumerate(rules):
            yield from objects_of(item, f"{path}/{k}")
    elif isinstance(rules, dict):
        if rules.get("type") == "object":
            yield path, rules
        for key, item in rules.items():
            yield from objects_of(item, f"{path}/{key}")


def check_strict(rules):
    """Unknown keys are refused, and every key is described."""
    for path, one in objects_of(rules.schema):
        assert "additionalProperties" in one, path
        for key, value in one.get("properties", {}).items():
            described = value if "description" in value else rules.schema["definitions"][value["$ref"].rsplit("/", 1)[1]]
            assert described.get("description") or key == "check", (path, key)


def toml_text(value):
    """A value as TOML, in line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=True).replace("\x7f", "\\u007f")
    if isinstance(value, list):
        return "[" + ", ".join(map(toml_text, value)) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(k)} = {toml_text(v)}" for k, v in value.items()) + "}"
    return repr(value)


class Input:
    """A kind of input: its schema, its reader, and its files."""

    def __init__(self, name, beyond, accepted, text):
        self.name, self.rules, self.beyond, self.accepted, self.text = name, schema(name), beyond, accepted, text
        self.seen = {"both accept": 0, "both refuse": 0, "only the reader refuses": 0}
        check_strict(self.rules)

    def compare(self, value, text, what):
        return self.compare_all([(value, text, what)])[0]

    def compare_all(self, cases):
        """The outcome of each (value, text, what it is)."""
        return [self.outcome(value, what, *said) for (value, _, what), said in zip(cases, self.accepted([text for _, text, _ in cases]), strict=True)]

    def outcome(self, value, what, accepted, message):
        errors = [e.message[:200] for e in self.rules.iter_errors(value)]
        if errors:
            assert not accepted, (self.name, what, "the reader accepts it, the schema does not", errors[:3])
        elif not accepted:
            assert any(re.search(pattern, message) for pattern in self.beyond), (self.name, what, message)
        outcome = "both refuse" if errors else "both accept" if accepted else "only the reader refuses"
        self.seen[outcome] += 1
        return outcome

    def mutants(self, value, count, chance):
        made = [changed(copy.deepcopy(value), chance) for _ in range(count)]
        self.compare_all([(mutant, self.text(mutant), (k, mutant)) for k, mutant in enumerate(made) if mutant is not None])


POOL = [True, 0, 1, 2, 3, -1, 7, 1024, 1 << 24, 1 << 28, 1 << 40, 1.5, "", "x", "1", "0", "all", "allreduce", "alltoall", "reduce",
        "swing", "2x2", "2..3", "3..2", "r xor 1", "steps <= 9", "6/5", "1/0", [], {}, [0], [1, 2], [2, 1], ["all"], ["x"],
        ["swing", "all"], ["allreduce", "reduce"], {"order": "near"}, {"x": 1}, {"x": []}]
KEYS = ["x", "p", "torus", "algo", "file", "exec", "peer", "peer-steps", "lanes", "set", "exec-time-limit", "fifo", "network-ports", "budget", "limit",
        "require", "collective", "name", "code", "function", "count", "in-place", "link", "hosts", "owners", "root", "shape", "lane", "src", "blocks", "$schema", "messages", "routing"]


def places(value):
    """All lists and objects in a value, itself included."""
    if isinstance(value, (list, dict)):
        yield value
        for item in value.values() if isinstance(value, dict) else value:
            yield from places(item)


def changed(value, chance):
    """The value with one thing in it changed, if there is something to change."""
    place = chance.choice(list(places(value)))
    new = copy.deepcopy(chance.choice(POOL))
    if isinstance(place, list):
        if not place or chance.random() < 0.3:
            place.insert(chance.randint(0, len(place)), chance.choice([new, *copy.deepcopy(place)]))
        else:
            k = chance.randrange(len(place))
            place[k:k + 1] = [] if chance.random() < 0.3 else [new]
        return value
    if not place or chance.random() < 0.4:
        place[chance.choice(KEYS)] = new
    elif chance.random() < 0.3:
        del place[chance.choice(list(place))]
    else:
        place[chance.choice(list(place))] = new
    return value


def reader(folder, name, command, refuses):
    """Whether verify reads each of some texts, and what it says if not."""

    def accepted(text):
        (folder / name).write_text(text)
        ended = subprocess.run([verify, *command], cwd=folder, capture_output=True, text=True, errors="replace")
        assert ended.returncode in (0, 1, 3, 4, *refuses), (ended, text)
        return ended.returncode not in refuses, ended.stderr

    return lambda texts: list(map(accepted, texts))


def schedule_reader(folder):
    """The same of schedules, by one call for all texts: verify judges those that it reads."""

    def accepted(texts):
        names = [f"{k}.json" for k in range(len(texts))] + ["none.json"]  # one file alone isn't told apart
        for name, text in zip(names, [*texts, "none"]):
            (folder / name).write_text(text)
        ended = subprocess.run([verify, *names, "--budget", "1000"], cwd=folder, capture_output=True, text=True, errors="replace")
        assert " none.json was not judged" in ended.stdout, ended
        messages = dict.fromkeys(names, "")
        for line in (ended.stdout + ended.stderr).splitlines():
            name = line.partition(":")[0]
            if name in messages:
                messages[name] += line
        return [(f" {name} was not judged" not in ended.stdout, messages[name]) for name in names[:-1]]

    return accepted


def files(pattern, *folders):
    found = [f for folder in folders for f in sorted((source / folder).glob(pattern))]
    assert found, (pattern, folders)
    return found


def check_files(kind, paths, parse):
    cases = []
    for path in paths:
        try:
            cases.append((parse(path.read_text()), path.read_text(), path))
        except (ValueError, UnicodeDecodeError):
            continue  # neither JSON nor TOML: no schema is asked
    kind.compare_all(cases)


def check_schedules(folder, chance):
    kind = Input("schedule-file", BEYOND_SCHEDULES, schedule_reader(folder), json.dumps)
    check_files(kind, [f for f in files("*.json", "examples", "tests/data", "tests/fuzz/certificates")
                       if "onceover-schedule" in f.read_text()], json.loads)
    small = {"format": "onceover-schedule", "version": 1, "collective": "reduce", "ranks": 2, "blocks": 2, "owners": [0, 1],
             "root": 1, "shape": [2], "algorithm": "mine",
             "steps": [[{"src": 0, "dst": 1, "blocks": [0, [1, 1]], "op": "reduce", "lane": 0}], []]}
    landed = {**small, "version": 2, "scratch": 1,
              "steps": [[{"src": 0, "dst": 0, "blocks": [0], "into": [2], "op": "copy"}],
                        [{"src": 0, "dst": 1, "blocks": [2, [0, 1]], "into": [0, 2, 1], "op": "copy"}]]}
    good = [small, landed, {**landed, "scratch": 3}, {**small, "version": 2}, {**small, "algorithm": ""}, {"$schema": "./schedule-file.schema.json", **small},
            {**small, "ranks": 1, "shape": [], "root": 0, "owners": [0, 0], "steps": []}]
    bad = [{**landed, "version": 1}, {**landed, "version": 3}, {**small, "scratch": 0},
           {**small, "collective": "allreduce"}, {**small, "collective": "alltoall", "blocks": 4}, {**small, "algorithm": "a\n"},
           {**small, "algorithm": "x" * 257}, {**small, "shape": [1] * 16 + [2]}, {**small, "$schema": 1}, {**small, "$schema": "x" * 257}, [small], None, 3]
    for values, wanted in (good, "both accept"), (bad, "both refuse"):
        outcomes = kind.compare_all([(value, json.dumps(value), value) for value in values])
        assert outcomes == len(values) * [wanted], list(zip(values, outcomes))
    kind.mutants(small, 250 // SHARE, chance)
    kind.mutants(landed, 250 // SHARE, random.Random(2))
    return kind


GATE = """
[defaults]
p = "2..4"
require = ["contiguous"]
[[check]]
name = "a"
algo = ["swing", "ring"]
torus = ["2x2"]
lanes = "all"
collective = "allreduce"
limit = ["steps <= 9", "congestion <= 2"]
topology = "torus"
routing = "ecmp"
network-ports = 2
budget = 1000
[[check]]
name = "b"
algo = "rabenseifner"
set = [{ order = "near" }, { order = "far" }]
[[check]]
name = "c"
file = "s.json"
fifo = 1
[[check]]
name = "plans"
files = ["plans/**/*.json", "p.json"]
ranks = "2,4"
sizes = "1Ki..1Mi"
[[check]]
name = "d"
exec = "make {p}"
exec-time-limit = "5s"
[[check]]
name = "e"
peer = "r xor 1"
peer-steps = "1"
p = 2
[[check]]
name = "f"
code = ["src/a_*.c", "b.c"]
function = "my_allreduce"
count = "p,1000"
repeat = 3
in-place = true
link = "c.c"
include = ["x", "y"]
flags = "-O2"
hosts = 2
no-buffering = false
quick = true
communicators = "world,backwards"
orders = 2
both-operators = true
number-type = ["value_t=MPI_INT", "int32_t"]
build = "make"
call-time-limit = "5s"
[[check]]
name = "g"
code = "b.cpp"
function = "f"
collective = "bcast"
root = 1
numbers = true
non-commutative = true
[[check]]
name = "libraries"
code = ["bcast/circ_graph", "reduce/circ_graph"]
library = "mpich"
checkout = "mpich"
values = ["chunk=512", "queue=2,8"]
p = "32..34"
[[check]]
name = "h"
gpu = ["kernels/*.toml", "a.toml"]
p = "2..4"
waive = "bitwise-reproducible"
"""


def check_gates(folder, chance):
    read = reader(folder, "g.toml", ["gate", "g.toml", "--print-config"], [2])
    kind = Input("gate-file", BEYOND_GATES, read, lambda value: "".join(f"{json.dumps(k)} = {toml_text(v)}\n" for k, v in value.items()))
    check_files(kind, files("*.toml", "examples/ci", "examples/code", "examples/plans", "tests/data/gate", "tests/fuzz/gates"), tomllib.loads)
    examples = re.findall(r"```toml\n(.*?)```", (source / "docs/gate.md").read_text(), re.S)
    assert examples
    for example in examples:
        assert kind.compare(tomllib.loads(example), example, "docs/gate.md") == "both accept"
    small = tomllib.loads(GATE)
    assert kind.compare(small, kind.text(small), GATE) == "both accept"
    check = {"name": "x", "algo": "swing", "p": 4}
    for name in kind.rules.schema["definitions"]["property"]["enum"]:
        value = {"check": [{**check, "require": name}]}
        assert kind.compare(value, kind.text(value), name) == "both accept", name
    bad = [{}, {"check": []}, {"check": [{"name": "x"}]}, {"check": [{"algo": "swing", "p": 4}]},
           {"check": [{**check, "torus": "2x2"}]}, {"check": [{**check, "peer": "r"}]}, {"check": [{**check, "p": 1 << 30}]},
           {"check": [{**check, "require": "staging"}]}, {"check": [{**check, "fifo": 1}]}, {"check": [{**check, "limts": []}]},
           {"check": [{"name": "x", "algo": "swing"}]}, {"check": [{"name": "x", "peer": "r"}]}, {"chekc": [check]},
           {"check": [{"name": "a/b", "algo": "swing", "p": 4}]}, {"check": [check], "defaults": {"name": "x"}},
           {"check": [{**check, "count": "p"}]}, {"check": [{"name": "x", "code": "a.c", "p": 4}]},
           {"check": [{"name": "x", "code": "a.c", "function": "f"}]}, {"check": [{"name": "x", "code": "a.c", "function": "1", "p": 4}]},
           {"check": [{"name": "x", "code": "a.c", "function": "f", "p": 4, "collective": "broadcast"}]},
           {"check": [{"name": "x", "code": "a.c", "function": "f", "p": 4, "in-place": 1}]},
           {"check": [{"name": "x", "gpu": "a.toml", "limit": "p <= 4"}]}, {"check": [{"name": "x", "gpu": "a.toml", "file": "b"}]},
           {"check": [{"name": "x", "gpu": "a.toml", "fifo": 1}]}, {"check": [{"name": "x", "gpu": []}]},
           {"check": [{"name": "x", "file": "s.json", "collective": "all"}]}, {"check": [{**check, "lanes": 2}]},
           {"check": [{**check, "set": {}}]}, {"check": [{**check, "p": "7,"}]}, {"check": [{**check, "algo": ["all", "ring"]}]}]
    for value in bad:
        assert kind.compare(value, kind.text(value), value) == "both refuse", value
    kind.mutants(small, 350 // SHARE, chance)
    return kind


def check_baselines(folder, chance):
    (folder / "fine.toml").write_text('[[check]]\nname = "fine"\nalgo = "swing"\np = "2..3"\n')
    read = reader(folder, "b.json", ["gate", "fine.toml", "--no-cache", "--baseline", "b.json"], [3])
    kind = Input("baseline", BEYOND_BASELINES, read, json.dumps)
    check_files(kind, [f for f in files("*.json", "tests/fuzz/records") if "onceover-baseline" in f.read_text()], json.loads)
    subprocess.run([verify, "gate", "fine.toml", "--baseline", "made.json", "--update-baseline"], cwd=folder, check=True,
                   stdout=subprocess.DEVNULL)
    made = json.loads((folder / "made.json").read_text())
    assert kind.compare(made, json.dumps(made), "made") == "both accept"
    named = {"$schema": "./baseline.schema.json", **made}
    assert kind.compare(named, json.dumps(named), "named") == "both accept"
    subprocess.run([verify, "gate", "fine.toml", "--baseline", "b.json", "--update-baseline"], cwd=folder, check=True,
                   stdout=subprocess.DEVNULL)
    assert json.loads((folder / "b.json").read_text()) == named, "an update keeps where the schema is"
    unit = "fine/swing/allreduce/p=2"
    for text in ("6/5", "-7", "007", "1/0", "1/00", "1.5", "x", "", "1" * 201, "1/-2"):
        value = {**made, "units": {unit: {"steps": text}}}
        kind.compare(value, json.dumps(value), text)
    for value in ({}, {**made, "extra": 1}, {**made, "$schema": 1}, {**made, "version": 2}, {**made, "units": []}, {**made, "units": {"x": {"stepz": "1"}}}):
        assert kind.compare(value, json.dumps(value), value) == "both refuse", value
    kind.mutants({**made, "units": {unit: {"steps": "2", "collective": "allreduce"}}}, 160 // SHARE, chance)
    return kind


def check_settings():
    """What the page of formats tells editors to do names schemas that there are."""
    blocks = re.findall(r"```json\n(.*?)```", (source / "docs/formats.md").read_text(), re.S)
    (settings,) = [json.loads(block) for block in blocks if "json.schemas" in block]
    named = [row["url"] for row in settings["json.schemas"]] + list(settings["evenBetterToml.schema.associations"].values())
    named += re.findall(r'"\$schema": "([^"]+)"', "".join(blocks)) + re.findall(r"#:schema (\S+)", (source / "docs/formats.md").read_text())
    assert len(named) == 5, named
    for url in named:
        assert (source / url[url.index("docs/schema/"):]).exists(), url
    (pattern,) = settings["evenBetterToml.schema.associations"]
    assert re.search(pattern, "/ci/gate.toml")


check_settings()
with tempfile.TemporaryDirectory() as name:
    for check in (check_schedules, check_gates, check_baselines):
        kind = check(pathlib.Path(name), random.Random(18))
        assert kind.seen["both accept"] >= (10 if SHARE == 1 else 5) and kind.seen["both refuse"] >= (50 if SHARE == 1 else 25), (kind.name, kind.seen)
        print(f"{kind.name}: " + ", ".join(f"{outcome} {count}" for outcome, count in kind.seen.items()))
