"""Exports allreduces of the catalogue as C, with --all every one, compiles them with each MPI and runs them; their terms must be
`verify`'s. Each day the first MPI runs them all, and the last interposes one.

What is checked of a function: see driver.c. Of its terms: they are those that the verifier computes for the schedule,
rank by rank and block by block, up to the sides of sums; where the operator doesn't commute also in the order of the
ranks. Some are interposed, too, and judged by verify-mpi where that is beside VERIFY. Programs are found as Debian
names them, mpicc.openmpi and mpirun.openmpi, mpicc.mpich and mpirun.mpich. Ends with 77 where there is no MPI, which
CTest takes as skipped.

Usage: run_exported.py VERIFY PRINT_TERMS SOURCE_FOLDER P.. [--all]
"""

import concurrent.futures
import functools
import itertools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

verify, print_terms, source = (pathlib.Path(path).resolve() for path in sys.argv[1:4])
tries_all = "--all" in sys.argv
sizes = [int(p) for p in sys.argv[4:] if p != "--all"]
SHARE = 1 if tries_all else 8
here = source / "tests/export_mpi"
SANITIZE = "-fsanitize=undefined"
STRICT = ["-std=c99", "-O1", "-Wall", "-Wextra", "-pedantic", "-Werror", "-fPIC",
          SANITIZE, "-fno-sanitize-recover=undefined"]
MPIS = {"openmpi": ["--oversubscribe", "--mca", "mpi_yield_when_idle", "1", "--mca", "btl", "self,vader"],
        "mpich": ["-launcher", "fork"]}
SECONDS = 600  # for all functions of one p; a hang ends here

environment = os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def run(*command, **options):
    return subprocess.run([str(word) for word in command], text=True, capture_output=True, stdin=subprocess.DEVNULL,
                          env=environment, **options)


def must(*command, **options):
    ended = run(*command, **options)
    assert ended.returncode == 0, f"{command}\n{ended.stdout}{ended.stderr}"
    return ended.stdout


def settings(parameters, p):
    """All settings of a row: each choice of each parameter; of numbers and texts the preset and some others."""
    values = []
    for parameter in parameters:
        some = [parameter["default"], "1", "2"]
        if parameter["values"] == "any text":
            some = ["cyclic", "xor", *(f"{a}x{p // a}" for a in range(2, p) if p % a == 0)]
        elif not parameter["values"].startswith("a number"):
            some = parameter["values"].split(" or ")
        values.append([["--set", f"{parameter['name']}={value}"] for value in dict.fromkeys(some)])
    return [sum(chosen, []) for chosen in itertools.product(*values)]


def places(row, p):
    """A line, and where the row takes them the tori of two sides, with all lanes."""
    yield ["--p", p]
    for a in range(2, p):
        if row["tori"] and p % a == 0:
            yield ["--torus", f"{a}x{p // a}", *(["--lanes", "all"] if row["lanes"] else [])]


def subjects(p):
    """All allreduces of the catalogue for p ranks, also outside their domains, and a file; each with a name in C."""
    for row in json.loads(must(verify, "list", "--json")):
        if "allreduce" not in row["collectives"] or row["as_printed"]:
            continue
        for k, (place, chosen) in enumerate(itertools.product(places(row, p), settings(row["parameters"], p))):
            name = f"{row['name']}_{k}_p{p}".replace("-", "_")
            yield name, ["--algo", row["name"], "--collective", "allreduce", *place, *chosen]
    if p == 3:  # with blocks of one message on different sides, and several messages from rank to rank in one step
        yield "mixed_sides", [source / "tests/data/mixed-sides.json"]


def all_exports(folder, p):
    """Exports them, each day a share of them and the file; yields (name, blocks, keeps order, terms by rank and block, has scratch)."""
    chosen = list(subjects(p))
    for name, subject in [*chosen[:-1:SHARE], chosen[-1]]:
        ended = run(verify, "export", *subject, "--to", "mpi", "--name", name, "-o", folder / f"{name}.c")
        if ended.returncode == 2 and "not exported" not in ended.stderr:
            continue  # outside the row's domain
        assert ended.returncode == 0, f"{subject}\n{ended.stderr}"
        yield read_export(folder, name, subject)


def read_export(folder, name, subject):
    must(verify, "export", *subject, "--to", "json", "-o", folder / f"{name}.json")
    written = json.loads((folder / f"{name}.json").read_text())
    blocks = written["blocks"]
    judged = json.loads(must(verify, *subject, "--json"))["runs"][0]["properties"]
    in_order = [p["verdict"] == "pass" for p in judged if p["id"] == "order-preserving"] == [True]
    assert f"KEEPS_ORDER = {int(in_order)} " in (folder / f"{name}.c").read_text(), name
    terms = {}
    for line in must(print_terms, folder / f"{name}.json").splitlines():
        rank, block, term = line.split()
        terms[int(rank), int(block)] = term
    return name, blocks, in_order, terms, "scratch" in written


@functools.cache
def sorted_sides(term):
    """The term with the side that has the lower rank first, and that rank."""
    if term[0] != "(":
        return term, int(term)
    depth = 0
    for at, letter in enumerate(term):
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if letter == "+" and depth == 1:
            break
    (a, low), (b, other) = sorted_sides(term[1:at]), sorted_sides(term[at + 1:-1])
    return (f"({a}+{b})", low) if low < other else (f"({b}+{a})", other)


def block_of(count, blocks):
    """The block of each element: blocks differ by one element at most, the longer ones first."""
    return [b for b in range(blocks) for _ in range(count // blocks + (b < count % blocks))]


def check_terms(file, rank, p, exports):
    calls = {}
    for line in file.read_text().splitlines():
        name, count, declared, *runs = line.split(" ")
        got = [term for run in runs for times, term in [run.split("*")] for _ in range(int(times))]
        _, blocks, _, terms, _ = exports[name]
        wanted = [terms[rank, block] for block in block_of(int(count), blocks)]
        assert [sorted_sides(term)[0] for term in got] == wanted, f"{name}, count {count}, rank {rank}: {got} {wanted}"
        if declared == "n":
            for term in got:
                assert re.findall(r"\d+", term) == [str(r) for r in range(p)], f"{name}, rank {rank}: {term}"
        calls.setdefault(name, set()).add((int(count), declared))
    counts = {0, 1, 3, p, 1000}
    for name, (_, _, in_order, _, _) in exports.items():
        assert calls[name] == {(c, d) for c in counts for d in ("cn" if in_order else "c")}, (name, calls[name])


def registry(exports, interposed=False):
    text = '#include "exported.h"\n'
    for name in exports if not interposed else []:
        text += f"int {name}(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);\n"
    rows = ",\n".join(f'{{"{name}", {"MPI_Allreduce" if interposed else name}, {int(exports[name][2])}, '
                      f'{int(exports[name][4])}, {int(interposed)}}}'
                      for name in exports)
    return text + f"const struct exported exported[] = {{\n{rows}}};\nconst int exported_count = {len(exports)};\n"


def compile_all(mpi, folder, files, program, *link):
    """Two at a time, since each takes a moment."""
    built = folder / mpi
    built.mkdir(exist_ok=True)
    objects = [built / f"{file.stem}.o" for file in files]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        jobs = [pool.submit(must, f"mpicc.{mpi}", *STRICT, "-I", here, "-c", file, "-o", into)
                for file, into in zip(files, objects)]
        for job in jobs:
            job.result()
    must(f"mpicc.{mpi}", SANITIZE, *link, *objects, "-o", built / program)
    return built / program


def drive(mpi, p, program, folder, exports, *options):
    ended = run("timeout", SECONDS, f"mpirun.{mpi}", *MPIS[mpi], "-n", p, *options, program, folder)
    assert ended.returncode == 0, f"{mpi}, p = {p}: {ended.returncode}\n{ended.stdout}{ended.stderr}"
    for rank in range(p):
        check_terms(folder / f"terms.{rank}", rank, p, exports)
    for name, (_, _, in_order, _, _) in exports.items():
        refusals = sum(line.startswith(f"{name}: the operator doesn't commute") for line in ended.stderr.splitlines())
        assert refusals == (0 if in_order else 1), f"{name}: {refusals} refusals\n{ended.stderr}"


def check_size(p, mpis):
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        exports = {e[0]: e for e in all_exports(folder, p)}
        (folder / "registry.c").write_text(registry(exports))
        files = [folder / f"{name}.c" for name in exports] + [folder / "registry.c", here / "driver.c"]
        for mpi in mpis if tries_all else mpis[:1]:
            drive(mpi, p, compile_all(mpi, folder, files, "driver"), folder, exports)
        some = [next((e for e in exports.values() if e[2] == in_order), None) for in_order in ((False, True) if tries_all else (True,))]
        for mpi, export in itertools.product(mpis if tries_all else mpis[-1:], filter(None, some)):
            interpose(mpi, p, folder, export)
        return len(exports)


def interpose(mpi, p, folder, export):
    """Programs that know nothing of the schedule run it, and other communicators are left alone."""
    name = export[0]
    (folder / "interposed.c").write_text(registry({name: export}, interposed=True))
    program = compile_all(mpi, folder, [folder / "interposed.c", here / "driver.c"], "interposed")
    library = folder / mpi / f"{name}.so"
    must(f"mpicc.{mpi}", *STRICT, "-shared", "-DONCEOVER_INTERPOSE", folder / f"{name}.c", "-o", library)
    preload = ["-x", f"LD_PRELOAD={library}"] if mpi == "openmpi" else ["-genv", "LD_PRELOAD", library]
    drive(mpi, p, program, folder, {name: export}, *preload)
    if (verify_mpi := verify.parent / f"verify-mpi-{mpi}").exists():
        operators = ["--non-commutative"] if export[2] else []  # what isn't in order refuses them
        for place in [], ["--in-place"]:
            must("timeout", SECONDS, f"mpirun.{mpi}", *MPIS[mpi], "-n", p, *preload, verify_mpi, "--collective", "allreduce",
                 "--count", "0,1,3,p,1000", "--quick", *operators, *place, "--schedule", folder / f"{name}.json")


mpis = [mpi for mpi in MPIS if shutil.which(f"mpicc.{mpi}") and shutil.which(f"mpirun.{mpi}")]
if not mpis:
    print("skipped: no MPI found; install openmpi-bin libopenmpi-dev mpich libmpich-dev")
    sys.exit(77)
for p in sizes:
    print(f"p = {p}: {check_size(p, mpis)} exported allreduces run on {' and '.join(mpis)}", flush=True)
