"""Reads the recipes for Spack and containers as far as that goes without Spack or a registry: the recipe runs with the words of
Spack recorded, and depends on what the build needs; the image copies what is there.

Usage: recipes_test.py SOURCE_FOLDER
"""

import pathlib
import re
import sys
import types

source = pathlib.Path(sys.argv[1])

# What Debian calls a package, and what Spack does.
SPACK_NAMES = {"g++": "cxx", "cmake": "cmake", "ninja-build": "ninja", "libcli11-dev": "cli11", "libfmt-dev": "fmt",
               "libexpected-dev": "tl-expected", "nlohmann-json3-dev": "nlohmann-json", "libboost-graph-dev": "boost",
               "libtomlplusplus-dev": "tomlplusplus", "nettle-dev": "nettle", "libexpat1-dev": "expat", "libz3-dev": "z3"}


def spack_words():
    """A stand-in for `spack.package`: each directive writes down its arguments."""
    recorded = {}
    module = types.ModuleType("spack.package")

    def directive(name):
        return lambda *positional, **named: recorded.setdefault(name, []).append((positional, named))

    for name in ("version", "license", "variant", "depends_on", "conflicts", "generator"):
        setattr(module, name, directive(name))
    module.CMakePackage = type("CMakePackage", (), {"define": lambda self, name, value: f"-D{name}:BOOL={'ON' if value else 'OFF'}"})
    sys.modules["spack"], sys.modules["spack.package"] = types.ModuleType("spack"), module
    return recorded


def check_spack():
    recorded = spack_words()
    path = source / "packaging/spack/packages/onceover/package.py"
    names = {}
    exec(compile(path.read_text(), str(path), "exec"), names)
    specs = [positional[0] for positional, _ in recorded["depends_on"]]
    packages = {re.match(r"[a-z0-9-]+", spec)[0] for spec in specs}
    needed = re.findall(r"^(\S+) +build ", (source / "scripts/packages.txt").read_text(), flags=re.M)
    assert sorted(SPACK_NAMES) == sorted(needed), "another package is needed: name Spack's here and in its recipe"
    assert packages == {*SPACK_NAMES.values(), "graphviz", "librsvg"}, packages
    (define,) = names["Onceover"]().cmake_args()
    option = re.match(r"-D(\w+):BOOL=OFF", define)[1]
    assert f"option({option} " in (source / "CMakeLists.txt").read_text(), option
    least = re.search(r"cmake_minimum_required\(VERSION ([\d.]+)\)", (source / "CMakeLists.txt").read_text())[1]
    assert f"cmake@{least}:" in specs, specs


def check_container():
    lines = (source / "packaging/Containerfile").read_text().splitlines()
    instructions = [line.split(maxsplit=1) for line in lines if line and not line.startswith("#")]
    assert {word for word, _ in instructions} <= {"FROM", "COPY", "RUN", "WORKDIR", "ENTRYPOINT"}, instructions
    (script,) = [what for word, what in instructions if word == "RUN" and "apt-get" not in what]
    script = source / script.removeprefix("/onceover/")
    assert script.exists(), script
    made = re.search(r'"\$root/(build/portable)"', script.read_text())[1]
    assert any(f"/onceover/{made}/verify " in what for word, what in instructions if word == "COPY"), instructions
    assert "build" in (source / ".dockerignore").read_text().split(), "the image must not copy another machine's build"


check_spack()
check_container()
print("the recipes name what the build needs")
