"""verify-mpi where one process holds all ranks, SimGrid's or Gloo's: python3 run_one_process.py LIBRARY VERIFY VERIFY_MPI SOURCE_FOLDER
[--all].

Each day with few ranks and without a sweep of SimGrid, with --all with both and 64 ranks, too.

What the libraries compute wrong is known, docs/live-results.md explains it, and so it tests the judge, too.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

library, verify, program, source = sys.argv[1:5]
tries_all = "--all" in sys.argv
failures = []


def check(what, holds, told=""):
    if not holds:
        failures.append(what)
        print(f"FAILED {what}\n{told}")


def run(*arguments):
    return subprocess.run([*map(str, arguments)], capture_output=True, text=True, timeout=120)


def live(*arguments):
    return run(verify, "live", *arguments)


def ends(what, done, code, words=""):
    said = done.stdout + done.stderr
    check(what, done.returncode == code and words in said, f"exit code {done.returncode}\n{said[:3000]}")


def validate(what, text, name):
    import jsonschema
    schema = json.loads((pathlib.Path(source) / "docs/schema" / name).read_text())
    try:
        jsonschema.validate(json.loads(text), schema)
    except (ValueError, jsonschema.ValidationError) as error:
        check(what, False, str(error)[:2000])


def sweep(collective, wrong, right):
    """A sweep has rows of the one and of the other kind, and the command of a wrong one repeats it."""
    with tempfile.TemporaryDirectory() as folder:
        done = live("--sweep", library, "--p", "3", "--collective", collective, "--count", "1", "--call-time-limit", "5s",
                    "--json-out", f"{folder}/s.json")
        ends("a sweep finds a wrong algorithm", done, 1, "contribution is missing")
        text = pathlib.Path(f"{folder}/s.json").read_text()
        validate("the sweep follows its schema", text, "live-sweep.schema.json")
        rows = {row["algorithm"]: row for row in json.loads(text)["rows"]}
        check("rows are judged", rows[wrong]["verdict"] == "fail" and rows[right]["verdict"] == "pass", text[:3000])
        again = subprocess.run(rows[wrong]["smallest"], shell=True, capture_output=True, text=True, timeout=60)
        ends("a row's command repeats it", again, 1, "contribution is missing")


def simgrid():
    # Where each rank has a block of its own, 65 elements for each of 64 ranks would take most of the time.
    whole = "allreduce,reduce,reduce-scatter,bcast"
    every = whole + ",reduce-scatter-block,allgather,allgatherv,alltoallv,gather,scatter"
    many = [(64, "1", every), (64, "p+1", whole)] if tries_all else [(17, "1", whole)]
    for p, counts, collectives in (1, "0,1,p+1", every), (6, "0,1,p+1", every), *many:
        ends(f"reductions and movements pass at p = {p}, count {counts}",
             live("--mpi", "simgrid", "--p", p, "--count", counts, "--collective", collectives, "--quick"), 0)
    ends("hosts, in place and another root",
         live("--mpi", "simgrid", "--p", "6", "--hosts", "4", "--in-place", "--root", "5", "--collective", "allreduce,reduce,bcast",
              "--count", "1,7", "--quick"), 0)
    ends("it is matched", live("--mpi", "simgrid", "--p", "6", "--collective", "allreduce", "--count", "1", "--match", "--quick"), 0,
         "match: recursive-doubling (remainder=fold-neighbours)")
    validate("the document follows its schema", live("--mpi", "simgrid", "--p", "3", "--json", *([] if tries_all else ["--quick"])).stdout, "live.schema.json")
    ends("a nonblocking reduction of a derived type is wrong",
         live("--mpi", "simgrid", "--p", "3", "--collective", "iallreduce", "--count", "1"), 1, "contribution is missing")
    ends("a scan in order is wrong",
         live("--mpi", "simgrid", "--p", "2", "--collective", "scan", "--count", "1", "--non-commutative"), 1, "is missing")
    allreduce = ["--collective", "allreduce", "--count", "1", "--quick"]
    ends("an algorithm is forced", run(program, "--p", "4", "--cfg=smpi/allreduce:smp_rsag", *allreduce), 1,
         "rank 1's contribution is missing")
    ends("which ranks share a host counts", run(program, "--p", "4", "--hosts", "one", "--cfg=smpi/allreduce:smp_rsag", *allreduce), 0)
    ends("a crash is told", run(program, "--p", "3", "--cfg=smpi/allreduce:ompi_ring_segmented", "--collective", "allreduce",
                                "--count", "0"), 1, "the library crashes in allreduce of 3 ranks, count 0")
    ends("wrong hosts are refused", live("--mpi", "simgrid", "--p", "3", "--hosts", "none", *allreduce), 2, "--hosts")
    ends("no library is loaded before", live("--mpi", "simgrid", "--preload", __file__, "--p", "3", *allreduce), 2, "--preload")
    if tries_all:
        sweep("allreduce", "smp_rsag", "rdb")


def gloo():
    # Without its reduce-scatter, which has a race.
    functions = "allreduce,reduce,bcast,allgather,allgatherv,alltoall,alltoallv,gather,scatter"
    for p in (1, 2, 5):
        ends(f"its functions pass at p = {p}", live("--mpi", "gloo", "--p", p, "--count", "1,p+1", "--collective", functions), 0)
    validate("the document follows its schema", live("--mpi", "gloo", "--p", "3", "--count", "1", "--json").stdout,
             "live.schema.json")
    allreduce = ["--collective", "allreduce", "--count", "1", "--quick"]
    ends("a class loses contributions", run(program, "--p", "6", "--algorithm", "AllreduceBcube", *allreduce), 1,
         "rank 4's contribution is missing")
    ends("a class adds up in another order on each rank", run(program, "--p", "3", "--algorithm=AllreduceRing", *allreduce), 1,
         "3 different sums over the ranks")
    ends("a right class", run(program, "--p", "6", "--algorithm", "AllreduceHalvingDoubling", *allreduce), 0)
    ends("a crash is told", run(program, "--p", "2", "--collective", "allgather", "--count", "0"), 1, "the library crashes")
    ends("an unknown algorithm is refused", run(program, "--p", "2", "--algorithm", "Bcub", *allreduce), 2, "Gloo has no 'Bcub'")
    sweep("allreduce", "AllreduceBcube", "ring")


{"simgrid": simgrid, "gloo": gloo}[library]()
sys.exit(1 if failures else 0)
