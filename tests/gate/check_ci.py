"""Runs the pieces for CI as far as they go without a service: the scripts on a gate that passes, one that fails and one
that is no gate; what the YAML files name; the function for CMake in a project of its own.

Usage: check_ci.py VERIFY SOURCE_FOLDER
"""

import hashlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

verify, source = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
pieces, action = source / "examples/ci", source / "action"
OUTPUTS = ["gate.json", "gate.junit.xml", "gate.md", "gate.sarif"]

PASSES = '[[check]]\nname = "fine"\nalgo = "swing"\np = "2..4"\n'
FAILS = PASSES + '[[check]]\nname = "slow"\nalgo = "ring"\np = "2..9"\nlimit = ["steps <= ceil(log2(p))"]\n'
WRONG = "[[check]\n"


def run(folder, *command, **variables):
    environment = {**os.environ, "VERIFY": str(verify), "XDG_CACHE_HOME": str(folder / "cache"), **variables}
    return subprocess.run(command, cwd=folder, env=environment, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)


def action_command():
    """What the action runs, as GitHub would: the line behind `run:`, with the inputs in variables."""
    text = (action / "action.yml").read_text()
    inputs = dict(re.findall(r"^        ([A-Z]+): \$\{\{ inputs\.([a-z0-9]+) \}\}$", text, flags=re.M))
    named = re.findall(r"^  ([a-z0-9]+):\n    description: ", text, flags=re.M)
    assert sorted(inputs.values()) == sorted(named), "every input is used"
    used = (action / "gate.sh").read_text()
    assert all(f"${{{name}:-" in used or name == "OUT" for name in inputs), "gate.sh reads every variable"
    (line,) = re.findall(r"^      run: (.*)$", text, flags=re.M)
    assert "${{" not in line, "inputs come as variables, so that they are no code"
    return line


def check_action(folder, **variables):
    """The action with the program by its path, and downloaded; a download that isn't the file that was meant is refused."""
    line = action_command()
    given = {"GITHUB_ACTION_PATH": str(action), "GATE": "gate.toml", "OPTIONS": "--jobs 1", "OUT": "gate-results", **variables}
    check_script(folder, ["sh", "-c", line], **given)
    (folder / "gate.toml").write_text(PASSES)
    (folder / "ring").mkdir()  # patterns are the gate's
    ended = run(folder, "sh", "-c", line, **{**given, "OPTIONS": "--filter *"})
    assert ended.returncode == 0 and "(filter '*' of" in ended.stdout, ended
    digest = hashlib.sha256(verify.read_bytes()).hexdigest()
    there = {**given, "VERIFY": "verify", "URL": verify.as_uri(), "RUNNER_TEMP": str(folder)}
    for more, code, words in (({"DIGEST": digest}, 0, "pass  3 units"), ({"DIGEST": "0" * 64}, 2, "is another file"),
                              ({}, 2, "url needs sha256"), ({"DIGEST": digest, "URL": "file:///nowhere/verify"}, 2, "cannot download"),
                              ({"URL": "", "VERIFY": "/nowhere/verify"}, 2, "no program '/nowhere/verify'")):
        ended = run(folder, "sh", "-c", line, **{**there, **more})
        assert ended.returncode == code and words in ended.stdout, (more, ended)


def check_script(folder, command, **variables):
    summary = folder / "summary.md"
    for text, code in ((PASSES, 0), (FAILS, 1), (WRONG, 2)):
        (folder / "gate.toml").write_text(text)
        summary.write_text("before\n")
        ended = run(folder, *command, GITHUB_STEP_SUMMARY=str(summary), **variables)
        assert ended.returncode == code, (code, ended)
        there = sorted(p.name for p in (folder / "gate-results").iterdir())
        assert there == (OUTPUTS if code < 2 else []), there
        told = summary.read_text()
        assert told.startswith("before\n")
        expected = {0: "## Onceover: pass", 1: "## Onceover: fail", 2: ""}[code]
        assert expected in told and (code != 2 or told == "before\n"), told
        if code == 1:
            assert "ring allreduce, p = 2" in told and "`limit`" in told, told


def check_hook(folder):
    hooks = (source / ".pre-commit-hooks.yaml").read_text()
    (entry,) = re.findall(r"^  entry: (.*)$", hooks, flags=re.M)
    assert os.access(source / entry, os.X_OK), entry
    for text, code in ((PASSES, 0), (FAILS, 1)):
        (folder / "gate.toml").write_text(text)
        assert run(folder, str(source / entry)).returncode == code


def check_cmake(folder):
    (folder / "fine.toml").write_text(PASSES)
    (folder / "bad.toml").write_text(FAILS)
    (folder / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(mine LANGUAGES NONE)\nenable_testing()\n"
        f'include("{source}/cmake/onceover_add_check.cmake")\n'
        f'onceover_add_check("gate: fine" fine.toml VERIFY "{verify}" LABELS gate)\n'
        f'onceover_add_check("gate: bad" bad.toml VERIFY "{verify}" OPTIONS --filter slow)\n')
    assert run(folder, "cmake", "-S", ".", "-B", "build").returncode == 0
    ended = run(folder, "ctest", "--test-dir", "build")
    assert ended.returncode != 0
    assert re.search(r"gate: fine \.+ +Passed", ended.stdout) and re.search(r"gate: bad \.+\*+Failed", ended.stdout), ended
    (folder / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(mine LANGUAGES NONE)\n"
        f'include("{source}/cmake/onceover_add_check.cmake")\nonceover_add_check(missing no-such.toml)\n')
    assert run(folder, "cmake", "-S", ".", "-B", "build2").returncode != 0


def filled_in(text, values):
    """A text of a service's file with its variables replaced: ${{ name }} or $NAME."""
    return re.sub(r"\$\{\{ *([a-z_.]+) *\}\}|\$([A-Z_]+)", lambda found: values[found[1] or found[2]], text)


def check_caches(workflow, gitlab):
    """What one branch keeps, another neither reads nor writes over; pull requests from forks keep nothing."""
    (key,) = re.findall(r"^ +key: (.*)$", workflow, flags=re.M)
    (restore,) = re.findall(r"^ +restore-keys: '(.*)'$", workflow, flags=re.M)
    refs = ["refs/heads/main", "refs/heads/main-2", "refs/heads/mai", "refs/pull/1/merge", "refs/pull/12/merge"]
    for here in refs:
        prefix = filled_in(restore, {"github.ref": here})
        readable = [ref for ref in refs if filled_in(key, {"github.ref": ref, "github.sha": "1"}).startswith(prefix)]
        assert readable == [here], (here, readable)
    step = workflow[workflow.index("actions/cache@"):workflow.index("key: ")]
    assert "github.event.pull_request.head.repo.full_name == github.repository" in step, "forks keep nothing"
    (key,) = re.findall(r"^ +key: (.*)$", gitlab, flags=re.M)
    branches = [("true", "", "main"), ("false", "", "main-2"), ("false", "7", "main"), ("false", "8", "main")]
    keys = {filled_in(key, {"CI_COMMIT_REF_PROTECTED": protected, "CI_MERGE_REQUEST_SOURCE_PROJECT_ID": project,
                            "CI_COMMIT_REF_SLUG": slug, "CI_NODE_INDEX": "1"})
            for protected, project, slug in branches}
    assert len(keys) == len(branches) and not any("/" in k for k in keys), keys


def check_services():
    """The YAML of the services names what is there."""
    workflow = (pieces / "workflow.yml").read_text()
    gitlab = (pieces / "gitlab-ci.yml").read_text()
    for name in ("gate.sarif",):
        assert f"gate-results/{name}" in workflow
    assert "gate-results/gate.junit.xml" in gitlab and "run-gate.sh" in gitlab
    check_caches(workflow, gitlab)
    try:
        import yaml
    except ImportError:
        return
    for piece in (*pieces.glob("*.yml"), action / "action.yml", source / ".pre-commit-hooks.yaml"):
        assert yaml.safe_load(piece.read_text()), piece


with tempfile.TemporaryDirectory() as name:
    base = pathlib.Path(name)
    for part in ("script", "action", "hook", "cmake"):
        (base / part).mkdir()
    check_script(base / "script", ["sh", str(pieces / "run-gate.sh")])
    check_action(base / "action")
    check_hook(base / "hook")
    check_cmake(base / "cmake")
check_services()
print("the pieces for CI work as far as they go here")
