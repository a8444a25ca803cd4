"""The program `verify`, with which the package is compared."""

import json
import os
import pathlib
import subprocess
import tempfile

VERIFY = os.environ["ONCEOVER_VERIFY"]
SOURCE = pathlib.Path(__file__).resolve().parents[2]


def run(*arguments):
    """(exit code, standard output, standard error)"""
    done = subprocess.run([VERIFY, *map(str, arguments)], capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout, done.stderr


def json_of(*arguments):
    """What it prints as JSON."""
    code, out, err = run(*arguments, "--json")
    assert out, (arguments, code, err)
    return json.loads(out)


def runs_of_texts(texts, *arguments):
    """The runs of schedule files with these texts, by one call."""
    with tempfile.TemporaryDirectory() as folder:
        files = [pathlib.Path(folder) / f"{k}.json" for k in range(len(texts))]
        for file, text in zip(files, texts):
            file.write_text(text)
        return json_of(*files, *arguments)["runs"]


def run_of_text(text, *arguments):
    """The run of a schedule file with this text."""
    return runs_of_texts([text], *arguments)[0]


def without_subject(run):
    """What was found, whatever the subject is called."""
    return {key: value for key, value in run.items() if key not in ("subject", "theorem", "not_the_theorem")}
