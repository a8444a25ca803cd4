"""Checks what `verify gate` writes: JSON against docs/schema, SARIF against the rules of its public schema and of those
who show it, JUnit's structure against what its public schemas have in common.

Usage: check_outputs.py VERIFY SOURCE_FOLDER
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.parse
import xml.etree.ElementTree as ET

import jsonschema

verify, source = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()

# What SARIF 2.1.0 (OASIS) asks of the parts that we write, and GitHub's code scanning besides.
TEXT = {"type": "object", "required": ["text"], "properties": {"text": {"type": "string", "minLength": 1},
                                                               "markdown": {"type": "string"}},
        "additionalProperties": False}
LOCATION = {
    "type": "object", "required": ["physicalLocation"], "additionalProperties": False,
    "properties": {"physicalLocation": {
        "type": "object", "required": ["artifactLocation", "region"], "additionalProperties": False,
        "properties": {
            "artifactLocation": {"type": "object", "required": ["uri"], "additionalProperties": False,
                                 "properties": {"uri": {"type": "string", "pattern": r"^[A-Za-z0-9\-._~/%:]+$"}}},
            "region": {"type": "object", "required": ["startLine"], "additionalProperties": False,
                       "properties": {"startLine": {"type": "integer", "minimum": 1}, "startColumn": {"type": "integer", "minimum": 1}}}}}}}
NUMBER = {"type": "integer", "minimum": 1}
# https://docs.oasis-open.org/sarif/sarif/v2.1.0, 3.36 to 3.38
STEP = {"type": "object", "required": ["physicalLocation", "message"], "additionalProperties": False,
        "properties": {**LOCATION["properties"], "message": TEXT}}
FLOW = {
    "type": "object", "required": ["threadFlows"], "additionalProperties": False,
    "properties": {"threadFlows": {"type": "array", "minItems": 1, "items": {
        "type": "object", "required": ["locations"], "additionalProperties": False,
        "properties": {"locations": {"type": "array", "minItems": 1, "items": {
            "type": "object", "required": ["location"], "additionalProperties": False, "properties": {"location": STEP}}}}}}}}
FIX = {
    "type": "object", "required": ["description", "artifactChanges"], "additionalProperties": False,
    "properties": {
        "description": TEXT,
        "artifactChanges": {"type": "array", "minItems": 1, "items": {
            "type": "object", "required": ["artifactLocation", "replacements"], "additionalProperties": False,
            "properties": {
                "artifactLocation": LOCATION["properties"]["physicalLocation"]["properties"]["artifactLocation"],
                "replacements": {"type": "array", "minItems": 1, "items": {
                    "type": "object", "required": ["deletedRegion"], "additionalProperties": False,
                    "properties": {
                        "deletedRegion": {"type": "object", "additionalProperties": False,
                                          "required": ["startLine", "startColumn", "endLine", "endColumn"],
                                          "properties": {"startLine": NUMBER, "startColumn": NUMBER, "endLine": NUMBER,
                                                         "endColumn": NUMBER}},
                        "insertedContent": {"type": "object", "required": ["text"], "additionalProperties": False,
                                            "properties": {"text": {"type": "string"}}}}}}}}}}}
SARIF = {
    "type": "object", "required": ["$schema", "version", "runs"], "additionalProperties": False,
    "properties": {
        "$schema": {"type": "string", "pattern": "^https://.*sarif.*2.1.0"},
        "version": {"const": "2.1.0"},
        "runs": {"type": "array", "minItems": 1, "items": {
            "type": "object", "required": ["tool", "results"], "additionalProperties": False,
            "properties": {
                "tool": {"type": "object", "required": ["driver"], "additionalProperties": False, "properties": {
                    "driver": {"type": "object", "required": ["name"], "additionalProperties": False, "properties": {
                        "name": {"type": "string"}, "version": {"type": "string"},
                        "rules": {"type": "array", "uniqueItems": True, "items": {
                            "type": "object", "required": ["id", "shortDescription", "help"],
                            "additionalProperties": False,
                            "properties": {"id": {"type": "string"}, "shortDescription": TEXT, "help": TEXT}}}}}}},
                "automationDetails": {"type": "object", "required": ["id"], "additionalProperties": False,
                                      "properties": {"id": {"type": "string", "pattern": "/$"}}},
                "results": {"type": "array", "items": {
                    "type": "object", "additionalProperties": False,
                    "required": ["ruleId", "ruleIndex", "level", "message", "locations", "partialFingerprints"],
                    "properties": {
                        "ruleId": {"type": "string"}, "ruleIndex": {"type": "integer", "minimum": 0},
                        "level": {"enum": ["error", "warning"]}, "message": TEXT,
                        "locations": {"type": "array", "minItems": 1, "items": LOCATION},
                        "codeFlows": {"type": "array", "minItems": 1, "items": FLOW},
                        "relatedLocations": {"type": "array", "minItems": 1, "items": STEP},
                        "fixes": {"type": "array", "minItems": 1, "items": FIX},
                        "partialFingerprints": {"type": "object", "minProperties": 1,
                                                "additionalProperties": {"type": "string"}}}}}}}}}}


def run(folder, *arguments):
    return subprocess.run([verify, "gate", "--no-cache", "--json-out", "o.json", "--junit-out", "o.xml", "--sarif-out",
                           "o.sarif", "--markdown-out", "o.md", *arguments], cwd=folder, text=True, errors="replace",
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def check_sarif(folder, causes):
    sarif = json.loads((folder / "o.sarif").read_text())
    jsonschema.validate(sarif, SARIF)
    (one_run,) = sarif["runs"]
    rules = one_run["tool"]["driver"]["rules"]
    prints = [r["partialFingerprints"]["onceoverUnit/v1"] for r in one_run["results"]]
    assert len(set(prints)) == len(prints) == causes, (len(prints), causes)
    for result in one_run["results"]:
        rule = rules[result["ruleIndex"]]
        assert rule["id"] == result["ruleId"], result
        known = subprocess.run([verify, "explain", rule["id"]], text=True, stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL)
        if known.returncode == 0:
            assert rule["help"]["text"] == known.stdout, rule["id"]
        else:
            assert rule["id"] in ("limit", "baseline", "subject", "fault"), rule["id"]
        place = result["locations"][0]["physicalLocation"]
        file = urllib.parse.unquote(place["artifactLocation"]["uri"])
        lines = (folder / file).read_text(errors="replace").count("\n") + 1
        assert place["region"]["startLine"] <= lines, place
    return sorted(prints)


def check_junit(folder, document):
    root = ET.parse(folder / "o.xml").getroot()
    assert root.tag == "testsuites" and set(root.attrib) == {"name", "tests", "failures", "errors"}
    seen = {"tests": 0, "failures": 0, "errors": 0}
    names = set()
    for suite in root:
        assert suite.tag == "testsuite", suite.tag
        assert set(suite.attrib) == {"name", "tests", "failures", "errors", "skipped"}, suite.attrib
        cases = list(suite)
        for case in cases:
            where = {"file", "line"} if case.find("system-out") is None and len(case) and suite.get("name") != "baseline/gone" else set()
            assert case.tag == "testcase" and set(case.attrib) == {"name", "classname"} | where, case.attrib
            assert not where or 1 <= int(case.get("line")) <= len((folder / case.get("file")).read_text(
                errors="replace").split("\n")), case.attrib
        here = {"tests": len(cases), "failures": len(suite.findall("testcase/failure")),
                "errors": len(suite.findall("testcase/error"))}
        for key, count in here.items():
            assert int(suite.get(key)) == count, (key, suite.attrib)
            seen[key] += count
        for case in cases:
            names.add((case.get("classname"), case.get("name")))
            assert len(case) <= 1
            for outcome in case:
                if outcome.tag == "system-out":
                    assert not outcome.attrib and outcome.text.startswith("not tried: "), outcome.text
                    continue
                assert outcome.tag in ("failure", "error") and set(outcome.attrib) == {"type", "message"}
                assert outcome.text.strip()
    for key, count in seen.items():
        assert int(root.get(key)) == count, (key, root.attrib)
    assert len(names) == seen["tests"], "names are unique"
    untried = [unit["not_tried"] for unit in document["units"] if unit["verdict"] == "pass" and "not_tried" in unit]
    assert ["not tried: " + "; ".join(list) for list in untried] == [out.text for out in root.iter("system-out")]
    sarif = json.loads((folder / "o.sarif").read_text())["runs"][0]
    assert list(sarif.get("properties", {"not_tried": {}})["not_tried"].values()) == untried, sarif.get("properties")
    summary = document["summary"]
    gone = len(document["vanished"])
    assert seen == {"tests": len(document["units"]) + gone, "failures": summary["fail"] + gone,
                    "errors": summary["unknown"]}


def check(folder, code, *arguments):
    ended = run(folder, *arguments)
    assert ended.returncode == code, (code, ended)
    document = json.loads((folder / "o.json").read_text())
    jsonschema.validate(document, json.loads((source / "docs/schema/gate.schema.json").read_text()))
    assert sum(document["summary"].values()) == len(document["units"])
    causes = sum(len(unit["causes"]) for unit in document["units"]) + len(document["vanished"])
    prints = check_sarif(folder, causes)
    check_junit(folder, document)
    assert (folder / "o.md").read_text().startswith(f"## Onceover: {document['verdict']}")
    return prints


def offset(text, line, column):
    return sum(len(each) for each in text.splitlines(keepends=True)[: line - 1]) + column - 1


def apply(folder, fix):
    """Changes the file as a viewer of SARIF would."""
    (change,) = fix["artifactChanges"]
    path = folder / urllib.parse.unquote(change["artifactLocation"]["uri"])
    text = path.read_text()
    regions = [(offset(text, r["deletedRegion"]["startLine"], r["deletedRegion"]["startColumn"]),
                offset(text, r["deletedRegion"]["endLine"], r["deletedRegion"]["endColumn"]),
                r.get("insertedContent", {"text": ""})["text"]) for r in change["replacements"]]
    for begin, end, inserted in reversed(regions):
        text = text[:begin] + inserted + text[end:]
    path.write_text(text)


def check_fixes(folder):
    """A message with another block, one to another rank, one too few, one too many: each with a fix that makes it pass."""
    subprocess.run([verify, "export", "--algo", "ring", "--p", "4", "--to", "json", "-o", "right.json"], cwd=folder, check=True)
    right = json.loads((folder / "right.json").read_text())

    def block(steps):
        steps[1][2]["blocks"] = [(steps[1][2]["blocks"][0] + 1) % 4]

    def peer(steps):
        steps[2][0]["dst"] = (steps[2][0]["dst"] + 1) % 4

    def too_few(steps):
        del steps[4][1]

    def too_many(steps):
        steps[0].append({**next(t for t in steps[0] if t["src"] == 0), "dst": 2})

    def last_too_many(steps):
        steps[5] += [{"src": 3, "dst": 1, "blocks": [2], "op": "reduce"}]

    (folder / "gate.toml").write_text('[[check]]\nname = "wrong"\nfile = "wrong.json"\n')
    for change in (block, peer, too_few, too_many, last_too_many):
        for layout in ({"separators": (",", ":")}, {"indent": 2}):
            wrong = json.loads(json.dumps(right))
            change(wrong["steps"])
            (folder / "wrong.json").write_text(json.dumps(wrong, **layout))
            check(folder, 1)
            (result,) = json.loads((folder / "o.sarif").read_text())["runs"][0]["results"]
            assert "\nrepair: " in result["message"]["text"], result
            assert "repair: " in (folder / "o.md").read_text()
            (fix,) = result["fixes"]
            (cause,) = json.loads((folder / "o.json").read_text())["units"][0]["causes"]
            assert len(cause["fix"]) == len(fix["artifactChanges"][0]["replacements"])
            apply(folder, fix)
            assert run(folder).returncode == 0, (change, (folder / "wrong.json").read_text())
    # A row of the catalogue has no file to change, only words.
    (folder / "gate.toml").write_text('[[check]]\nname = "row"\nalgo = "bruck-as-printed"\np = 7\n')
    check(folder, 1)
    (result,) = json.loads((folder / "o.sarif").read_text())["runs"][0]["results"]
    assert "fixes" not in result and "repair: " in result["message"]["text"], result


def check_flows(folder):
    """Each way of a counterexample goes from message to message in the file; a circle of operations from line to line."""
    right = json.loads(subprocess.run([verify, "export", "--algo", "ring", "--p", "4", "--to", "json"], check=True,
                                      capture_output=True, text=True).stdout)
    right["steps"][3].append({**right["steps"][3][0], "dst": 2})  # a contribution goes two ways, or a copy comes twice
    right["steps"][0][0]["blocks"] = [1]
    (folder / "wrong.json").write_text(json.dumps(right, indent=1).replace("{\n    ", "{ "))
    (folder / "latency.json").write_text((source / "examples/swing-latency-6.json").read_text())
    twice = {"src": 0, "dst": 1, "blocks": [0], "op": "reduce"}
    (folder / "twice.json").write_text(json.dumps({
        "format": "onceover-schedule", "version": 1, "collective": "allreduce", "ranks": 2, "blocks": 1,
        "steps": [[twice, {**twice, "lane": 1}], [{**twice, "src": 1, "dst": 0, "op": "copy"}]]}, indent=1))
    (folder / "leaders.json").write_text((source / "examples/leaders-3x2.json").read_text())
    (folder / "circle.goal").write_text((source / "examples/circle.goal").read_text())
    (folder / "gate.toml").write_text('[[check]]\nname = "w"\nfiles = ["wrong.json", "latency.json", "circle.goal", "twice.json", "leaders.json"]\n')
    check(folder, 1)
    seen = {}
    lines = set()  # of the ways through the message that is there twice
    for result in json.loads((folder / "o.sarif").read_text())["runs"][0]["results"]:
        for flow in result.get("codeFlows", []):
            for thread in flow["threadFlows"]:
                at = None
                for step in (each["location"] for each in thread["locations"]):
                    place = step["physicalLocation"]
                    file = place["artifactLocation"]["uri"]
                    text = (folder / file).read_text()
                    seen[file] = seen.get(file, 0) + 1
                    if file == "twice.json":
                        lines.add(place["region"]["startLine"])
                    begin = offset(text, place["region"]["startLine"], place["region"].get("startColumn", 1))
                    assert step["message"]["text"], step
                    if not file.endswith(".json"):
                        continue
                    number, src, dst = map(int, re.fullmatch(r"step (\d+)[^:]*: rank (\d+)[^>]* -> (\d+).*", step["message"]["text"]).groups())
                    message, _ = json.JSONDecoder().raw_decode(text, begin)
                    assert (message["src"], message["dst"]) == (src, dst), (step, message)
                    steps = json.loads(text)["steps"]
                    assert message in steps[number] and (at is None or at == src), (step, at)
                    at = dst
                    if file == "leaders.json":
                        assert step["message"]["text"] == (f"step {number} (exchange across nodes): rank {src} (node {src // 2}, gpu 0) -> "
                                                           f"{dst} (node {dst // 2}, gpu 0)"), step
    assert seen["leaders.json"] >= 2, seen
    assert seen["latency.json"] == 4 and seen["wrong.json"] >= 2 and seen["circle.goal"] >= 2, seen
    assert len(lines) >= 2, lines


def check_launches(folder):
    """Both accesses of a race are places in files: of the source if it is there, else of the PTX."""
    names = ("race", "lost-flag", "wrong", "deadlock")
    for name in names:
        text = (source / f"tests/data/gpu/{name}.toml").read_text()
        ptx = re.search('ptx = "(.*)"', text)[1]
        (folder / f"{name}.ptx").write_text((source / "tests/data/gpu" / ptx).read_text())
        (folder / f"{name}.toml").write_text(text.replace(ptx, f"{name}.ptx"))
    for file in ("one_shot.cu", "collective.cuh"):
        (folder / file).write_text((source / "examples/gpu" / file).read_text())
    (folder / "gate.toml").write_text('[[check]]\nname = "kernels"\ngpu = [%s]\n' % ", ".join(f'"{name}.toml"' for name in names))
    check(folder, 1)
    seen = set()
    for result in json.loads((folder / "o.sarif").read_text())["runs"][0]["results"]:
        for step in result.get("relatedLocations", []):
            place = step["physicalLocation"]
            file, line = place["artifactLocation"]["uri"], place["region"]["startLine"]
            text = (folder / file).read_text().splitlines()[line - 1]
            assert not file.endswith(".ptx") or step["message"]["text"].split(": ")[1].split(" ")[0] in text, (step, text)
            seen.add((result["ruleId"], pathlib.Path(file).suffix))
    assert {("race-free", ".cu"), ("race-free", ".toml"), ("race-free", ".cuh"), ("deadlock-free", ".ptx")} <= seen, seen


GATE = """
[defaults]
p = "2..9"

[[check]]
name = "catalogue & <more>"
algo = ["swing", "ring"]
limit = ["steps <= 2*ceil(log2(p))", "congestion <= 1.2"]

[[check]]
name = "formula"
peer = "even(r) ? r + delta(s) : r - delta(s)"

[[check]]
name = "file"
file = "a file \u00e9 100%.json"

[[check]]
name = "xml"
file = "hasty.xml"

[[check]]
name = "broken"
file = "broken.json"

[[check]]
name = "exec"
exec = "printf '\\\\033\\\\377<&]]>' >&2; exit {p}"
p = 3
"""

with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    (folder / "a file \u00e9 100%.json").write_text((source / "examples/swing-latency-6.json").read_text())
    (folder / "hasty.xml").write_text((source / "examples/hasty.xml").read_text())
    (folder / "broken.json").write_text('{"format":')
    (folder / "gate.toml").write_text(GATE)
    check_launches(folder)
    (folder / "gate.toml").write_text(GATE)
    first = check(folder, 1)
    # Fingerprints stay when lines move.
    (folder / "gate.toml").write_text("\n\n# moved\n" + GATE)
    sarif = folder / "o.sarif"
    before = sarif.read_text()
    assert check(folder, 1) == first
    assert sarif.read_text() != before, "lines moved"
    (folder / "gate.toml").write_text('[[check]]\nname = "fine"\nalgo = "swing"\np = "2..4"\n')
    assert check(folder, 0) == []
    # Recorded units that are gone are in every output.
    assert run(folder, "--baseline", "b.json", "--update-baseline").returncode == 0
    (folder / "gate.toml").write_text('[[check]]\nname = "fine"\nalgo = "swing"\np = "4..5"\n')
    gone = check(folder, 1, "--baseline", "b.json")
    assert len(gone) == 2 and json.loads((folder / "o.json").read_text())["vanished"] == [
        "fine/swing/allreduce/p=2", "fine/swing/allreduce/p=3"]
with tempfile.TemporaryDirectory() as name:
    check_fixes(pathlib.Path(name))
with tempfile.TemporaryDirectory() as name:
    check_flows(pathlib.Path(name))
print("outputs are as their schemas say")
