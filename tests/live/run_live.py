"""verify-mpi under one MPI: python3 run_live.py MPI VERIFY VERIFY_MPI SOURCE_FOLDER [--all].

Each day every collective is called and some of each list of cases are tried, with --all everything.

Small numbers of ranks and counts, since ranks that wait keep a core busy: the whole sweep is a command of docs/live-results.md.
"""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

mpi, verify, program, source = sys.argv[1:5]
compiler = f"mpicc.{mpi}" if mpi != "default" else "mpicc"
tries_all = "--all" in sys.argv
os.environ["OMPI_MCA_odls_base_sigkill_timeout"] = "0"  # mpirun's wait, of a second, before it kills the other ranks
failures = []


def some(cases, number):
    """The first cases each day, all of them with --all."""
    return cases if tries_all else cases[:number]


def check(what, holds, told=""):
    if not holds:
        failures.append(what)
        print(f"FAILED {what}\n{told}")


def run(arguments, settings=None):
    done = subprocess.run([verify, "live", "--mpi", mpi, *arguments], capture_output=True, text=True,
                          env={**os.environ, **(settings or {})})
    return done


def document(arguments, settings=None):
    done = run([*arguments, "--json"], settings)
    try:
        return done.returncode, json.loads(done.stdout)
    except json.JSONDecodeError:
        check(f"JSON of {arguments}", False, done.stdout + done.stderr)
        return done.returncode, {"runs": []}


def validate(what, data, name):
    import jsonschema
    schema = json.loads((pathlib.Path(source) / "docs/schema" / name).read_text())
    try:
        jsonschema.validate(data, schema)
    except jsonschema.ValidationError as error:
        check(what, False, str(error)[:2000])


# Everything that there is, blocking and not, on a few ranks.
# Open MPI 4.1: a rank whose counts are all 0 takes no part in an ialltoallv in place, and the next nonblocking call never ends.
NAMES = ["allreduce", "reduce", "reduce-scatter", "reduce-scatter-block", "scan", "exscan", "bcast", "allgather", "allgatherv",
         "gather", "gatherv", "scatter", "scatterv", "alltoall", "alltoallv"]
loses = "ialltoallv" if mpi in ("openmpi", "default") else ""
WITHOUT = ",".join(name for name in NAMES + ["i" + name for name in NAMES] if name != loses)


def all_of(arguments):
    """Every collective; that which Open MPI gets wrong without the layout that it gets wrong."""
    code, data = document([*arguments, "--collective", WITHOUT])
    if loses:
        more, rest = document([*arguments, "--collective", loses, "--layout", "uneven,scattered,even"])
        code, data["runs"] = max(code, more), data["runs"] + rest["runs"]
        data["summary"] = {key: data["summary"][key] + rest["summary"][key] for key in data["summary"]}
    return code, data


if loses and tries_all:
    done = run(["--p", "3", "--count", "1", "--collective", loses, "--in-place", "--layout", "one,even", "--call-time-limit", "2s"])
    check("what Open MPI gets wrong is told, if it still does", done.returncode == 0 or
          (done.returncode == 1 and "ialltoallv of 3 ranks, count 1 doesn't return within 2 s" in done.stderr), done.stdout + done.stderr)
code, data = all_of(["--p", "3", "--count", "0,1,p+1"] if tries_all else ["--p", "2", "--count", "p+1"])
check("all collectives pass", code == 0, json.dumps(data["runs"])[:3000])
check("all collectives are there", len({run["subject"]["collective"] for run in data["runs"]}) == 30)
validate("the document follows its schema", data, "live.schema.json")
code, data = all_of(["--p", "4" if tries_all else "2", "--count", "3", "--in-place", "--root", "1", "--quick"])
check("in place and with another root", code == 0, json.dumps(data["runs"])[:3000])

# What the library runs, by name.
if mpi == "openmpi":
    names = {4: "ring", 3: "recursive-doubling", 6: "rabenseifner"}
    for ranks in some([5, 4], 1):
        for number, name in some(list(names.items()), 1):
            settings = {"OMPI_MCA_coll_tuned_use_dynamic_rules": "1", "OMPI_MCA_coll_tuned_allreduce_algorithm": str(number)}
            code, data = document(["--p", str(ranks), "--collective", "allreduce", "--count", "2p+1", "--match", "--quick"], settings)
            # With 4 ranks, other algorithms have the same sums.
            named = [[m["algorithm"] for m in run["match"]["matches"]][:None if ranks == 4 else 1] for run in data["runs"]]
            check(f"{name} is named at p = {ranks}", len(named) == 1 and name in named[0], json.dumps(data["runs"]))

with tempfile.TemporaryDirectory() as folder:
    # An allreduce of one's own, interposed.
    for name in ("right", "wrong"):
        library = f"{folder}/{name}.so"
        subprocess.run([compiler, "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o", library,
                        f"{source}/examples/live/allreduce_{name}.c"], check=True)
    allreduce = ["--collective", "allreduce", "--count", "0,1,5", "--quick"]
    for ranks in some([3, 5, 1, 6], 1):
        done = run(["--p", str(ranks), "--preload", f"{folder}/right.so", "--both-operators", *allreduce])
        check(f"the right one passes at p = {ranks}", done.returncode == 0, done.stdout + done.stderr)
    if tries_all:
        done = run(["--p", "6", "--preload", f"{folder}/right.so", "--match", *allreduce])
        check("the right one is recursive doubling", "match: recursive-doubling (remainder=fold-neighbours)" in done.stdout, done.stdout)
    if tries_all:
        code, data = document(["--p", "4", "--preload", f"{folder}/wrong.so", *allreduce])
        check("the wrong one passes at p = 4", code == 0)
    code, data = document(["--p", "6", "--preload", f"{folder}/wrong.so", *allreduce])
    found = {p["id"]: p for run in data["runs"] for p in run["properties"] if p["verdict"] == "fail"}
    check("the wrong one loses a contribution at p = 6",
          code == 1 and found.get("exactly-once", {}).get("counterexample", {}).get("kind") == "missing", json.dumps(found))
    if tries_all:
        code, data = document(["--p", "8", "--preload", f"{folder}/wrong.so", *allreduce])
        failed = [p["id"] for p in data["runs"][1]["properties"] if p["required"] and p["verdict"] == "fail"] if data["runs"] else []
        check("the wrong one has different bits at p = 8", code == 1 and failed == ["bitwise-reproducible"], json.dumps(failed))

    # A library that hangs or crashes is a finding, and nothing is left running.
    for name, body in some([("crash", "if (count == 1) raise(SIGSEGV);"), ("kill", "if (count == 1) raise(SIGKILL);"),
                            ("hang", "if (count == 1) for (;;) pause();"), ("exit", "if (count == 1) exit(0);"),
                            ("abort", "if (count == 1) MPI_Abort(comm, 0);")], 2):
        code_file = pathlib.Path(folder) / f"{name}.c"
        code_file.write_text(f"""#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
int MPI_Allreduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {{
  {body}
  return PMPI_Allreduce(in, out, count, type, op, comm);
}}
""")
        subprocess.run([compiler, "-shared", "-fPIC", "-o", f"{folder}/{name}.so", str(code_file)], check=True)
        done = run(["--p", "2", "--preload", f"{folder}/{name}.so", *(["--call-time-limit", "2s"] if name == "hang" else []), *allreduce])
        code, words = {"hang": (1, "doesn't return within 2 s"), "crash": (1, "the library crashes in allreduce of 2 ranks, count 1"),
                       "exit": (1, "the library ends the program in allreduce of 2 ranks, count 1"),
                       "abort": (4, "without a verdict"), "kill": (4, "without a verdict")}[name]
        check(f"a {name} is told", done.returncode == code and words in done.stderr, f"{done.returncode} {done.stderr}")

    # Libraries that are right but for one thing.
    def liar(name, function, parameters, body):
        code_file = pathlib.Path(folder) / f"{name}.c"
        code_file.write_text(f"""#include <mpi.h>
#include <stdlib.h>
#include <string.h>
int {function}({parameters}) {{
  static char *kept[2000];
  int rank, size;
  char *last;
  MPI_Comm_rank(comm, &rank);
  MPI_Type_size(type, &size);
  (void)kept, (void)last;
  {body}
}}
""")
        subprocess.run([compiler, "-shared", "-fPIC", "-o", f"{folder}/{name}.so", str(code_file)], check=True)
        names = {"MPI_Allreduce": "allreduce", "MPI_Bcast": "bcast"}
        return run(["--p", "3", "--preload", f"{folder}/{name}.so", "--collective", names.get(function, "allreduce"), "--count", "0,4", "--quick"])

    reduces = "const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm"
    whole = "int code = PMPI_Allreduce(in, out, count, type, op, comm); last = (char *)out + (count - 1) * size;"
    for name, body, words in some([
            ("honest", f"{whole} return code;", None),
            ("unwritten", f"{whole} if (rank == 2 && count) memset(last, 0, size); return code;", "ends with nothing in element 3"),
            ("stale", f"{whole} if (!kept[count]) {{ kept[count] = malloc(count * size + 1); memcpy(kept[count], out, count * size); }}"
                      " memcpy(out, kept[count], count * size); return code;", "result is garbled"),
            ("short", f"{whole} if (rank == 1 && count) memset(last + size - 4, 0, 4); return code;", "element 3 of rank 1's result is garbled"),
            ("swapped", f"{whole} if (rank == 1 && count) memcpy(last, last - size, size); return code;", "of element 2"),
            ("early", f"{whole} if (rank == 1) ((char *)out)[-1] = 0; return code;", "memory before or after the result was written"),
            ("late", f"{whole} if (rank == 1) ((char *)out)[count * size] = 0; return code;",
             "memory before or after the result was written"),
            ("send", f"{whole} if (rank == 1 && count) ((char *)in)[0] ^= 1; return code;", "the send buffer was changed"),
            ("error", f"{whole} return rank == 2 ? MPI_ERR_OTHER : code;", "the call returns an error")], 2):
        done = liar(name, "MPI_Allreduce", reduces, body)
        wanted = done.returncode == 0 if words is None else done.returncode == 1 and words in done.stdout
        check(f"a library, {name}, is judged", wanted, done.stdout + done.stderr)
    done = liar("cut", "MPI_Bcast", "void *data, int count, MPI_Datatype type, int root, MPI_Comm comm",
                "return count ? PMPI_Bcast(data, count * size - 8, MPI_BYTE, root, comm) : MPI_SUCCESS;")
    check("a broadcast that loses the last bytes is told", done.returncode == 1 and "element 3 of rank" in done.stdout and "result is garbled" in done.stdout,
          done.stdout + done.stderr)

    # What would judge another library than the one that is meant.
    check("it is said who defines a collective", f"MPI_Bcast of {folder}/cut.so" in done.stdout, done.stdout)
    done = liar("other", "unrelated", "MPI_Comm comm, MPI_Datatype type", "return rank + size;")
    for what in some(["other.so", "missing.so"], 1):
        done = run(["--p", "2", "--preload", f"{folder}/{what}", *allreduce])
        check(f"{what} isn't what is judged", done.returncode == 2 and "--preload" in done.stderr and "pass" not in done.stdout,
              done.stdout + done.stderr)
    done = run(["--sweep", mpi, "--preload", f"{folder}/cut.so"])
    check("sweeps take no library", done.returncode == 2, done.stderr)

    # Slips that show in one way alone, which the default tries.
    only = {"long": "count > 1000", "place": "in == MPI_IN_PLACE && count > 0", "order": "count > 0 && !commutes", "five": "count > 0 && p == 5"}
    for name, when in some(list(only.items()), 1):
        code_file = pathlib.Path(folder) / f"{name}.c"
        code_file.write_text(f"""#include <mpi.h>
#include <string.h>
int MPI_Allreduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {{
  int p, rank, size, commutes;
  MPI_Comm_size(comm, &p);
  MPI_Comm_rank(comm, &rank);
  MPI_Type_size(type, &size);
  MPI_Op_commutative(op, &commutes);
  const int is_wrong = {when};
  const int error = PMPI_Allreduce(in, out, count, type, op, comm);
  if (is_wrong && rank == p - 1) memset(out, 0, (size_t)size);
  return error;
}}
""")
        subprocess.run([compiler, "-shared", "-fPIC", "-o", f"{folder}/{name}.so", str(code_file)], check=True)
        ranks = "5" if name == "five" else "2"
        found = run(["--p", ranks, "--preload", f"{folder}/{name}.so", "--collective", "allreduce"])
        check(f"an allreduce that is wrong only where {when} fails", found.returncode == 1 and
              found.stdout.splitlines()[-1].startswith("fail  exactly-once"), found.stdout + found.stderr)
        if name == "long":
            quick = run(["--p", "2", "--preload", f"{folder}/{name}.so", "--collective", "allreduce", "--quick"])
            check("--quick says what it leaves out", quick.returncode == 0 and "not tried: in place; operators that don't commute; other counts" in
                  quick.stdout and quick.stdout.splitlines()[-1].startswith("pass  every element"), quick.stdout + quick.stderr)

    # A schedule's terms.
    subprocess.run([verify, "export", "--algo", "ring", "--p", "3", "--to", "json", "-o", f"{folder}/ring.json"], check=True)
    done = run(["--p", "3", "--preload", f"{folder}/right.so", "--schedule", f"{folder}/ring.json", "--collective", "allreduce",
                "--count", "5", "--quick"])
    check("other terms than a schedule's fail", done.returncode == 1 and "the terms are not those of" in done.stdout, done.stdout)
    subprocess.run([verify, "export", "--algo", "recursive-doubling", "--set", "remainder=fold-neighbours", "--p", "3",
                    "--to", "json", "-o", f"{folder}/doubling.json"], check=True)
    if tries_all or mpi == "openmpi":
        done = run(["--p", "3", "--preload", f"{folder}/right.so", "--schedule", f"{folder}/doubling.json", *allreduce])
        check("the schedule's terms pass", done.returncode == 0, done.stdout + done.stderr)

    pathlib.Path(f"{folder}/root.json").write_text(
        '{"format":"onceover-schedule","version":1,"collective":"reduce","ranks":2,"blocks":1,"root":1,'
        '"steps":[[{"src":0,"dst":1,"blocks":[0],"op":"reduce"}]]}')
    to_root = ["--p", "2", "--schedule", f"{folder}/root.json", "--collective", "reduce", "--quick"]
    done = run([*to_root, "--root", "1"])
    check("a schedule with this root passes", done.returncode == 0, done.stdout + done.stderr)
    done = run(to_root)
    check("a schedule with another root is refused", done.returncode == 2 and "the root of" in done.stderr, done.stderr)

    # A sweep.
    if mpi != "default":
        done = run(["--sweep", mpi, "--p", "2,3" if tries_all else "3", "--collective", "scatter", "--count", "1,4", "--json-out", f"{folder}/s.json"])
        table = json.loads(pathlib.Path(f"{folder}/s.json").read_text())
        validate("the sweep follows its schema", table, "live-sweep.schema.json")
        check("the sweep passes", done.returncode == 0, done.stdout + done.stderr)
        right = [row for row in table["rows"] if row["ranks"] == 3 and row["verdict"] == "pass"]
        again = subprocess.run(right[-1]["command"], shell=True, capture_output=True, text=True)
        check("a row's command runs", again.returncode == 0 and "scatter, p = 3" in again.stdout, again.stdout + again.stderr)

# A vector that is too short to tell a part of an algorithm is no difference from it.
if mpi == "mpich" and tries_all:
    one = ["--p", "7", "--collective", "reduce-scatter", "--count", "1", "--match", "--quick"]
    done = run(one)
    check("too few elements to tell", "count 1 is too few to tell: they would be in " in done.stdout and "has nothing" not in done.stdout,
          done.stdout)
    code, data = document(one)
    validate("such a document follows its schema", data, "live.schema.json")

# An interrupt of a sweep tells the rows that were run, and a limit on time does; no process is left. Each day under Open MPI alone.
if mpi == "openmpi" or (mpi != "default" and tries_all):
    command = [verify, "live", "--sweep", mpi, "--p", "2..6", "--count", "1", "--collective", "allgather,allreduce"]
    starter = f"mpirun.{mpi}"
    with tempfile.TemporaryDirectory() as folder:
        # Each start of an MPI is written down: at the second one row is there. All of it takes many seconds.
        calls, wrapper = pathlib.Path(folder) / "calls", pathlib.Path(folder) / starter
        calls.touch()
        wrapper.write_text(f'#!/bin/sh\necho >>{calls}\nexec {shutil.which(starter)} "$@"\n')
        wrapper.chmod(0o755)
        ended = []
        for more, code in some([([], 130), (["--time-limit", "5s"], 4)], 1):  # a start may take seconds where others work
            process = subprocess.Popen([*command, *more], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                       env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"})
            if code == 130:
                before = calls.stat().st_size
                while calls.stat().st_size < before + 2 and process.poll() is None:
                    time.sleep(0.05)
                process.send_signal(signal.SIGINT)
            ended.append((process, code, *process.communicate()))
    for process, code, out, errors in ended:
        check(f"a sweep that ends with {code} tells what was run", process.returncode == code and out.startswith("collective")
              and "not all was run: " in out and out.endswith("unknown\n"), f"{process.returncode} {out} {errors}")
    left = subprocess.run(["pgrep", "-P", "1", "-f", f"verify-mpi-{mpi}.*--call-time-limit 20s"], capture_output=True, text=True)
    check("no rank is left", left.stdout == "", left.stdout)

# Standard input holds the schedule.
ring = subprocess.run([verify, "export", "--algo", "ring", "--p", "3", "--to", "json"], capture_output=True, text=True).stdout
done = subprocess.run([verify, "live", "--mpi", mpi, "--p", "3", "--schedule", "-", "--collective", "allreduce", "--count", "5"],
                      input=ring, capture_output=True, text=True)
check("a schedule comes on standard input", done.returncode in (0, 1) and "allreduce, p = 3" in done.stdout, done.stdout + done.stderr)

# Usage.
done = run(["--p", "2", "--collective", "alreduce"])
check("a wrong name is refused", done.returncode == 2 and "did you mean 'allreduce'" in done.stderr, done.stderr)

done = run(["--p", "2", "--collective", "all", "--count", "16777216"])
check("what is too long is refused", done.returncode == 2 and "MiB" in done.stderr, done.stderr)
if mpi != "default":
    for wrong in (["--count", "x"], ["--count", "1;true"], ["--collective", ""]):
        done = run(["--sweep", mpi, "--p", "2", *wrong])
        check(f"a sweep of {wrong} is refused", done.returncode == 2, done.stdout + done.stderr)

sys.exit(1 if failures else 0)
