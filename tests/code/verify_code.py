"""`verify code` on the examples, on bugs seeded in them, and on code that misbehaves.

A bug counts as found with its place if the report names a line of the function that it is in, or a call of it.
Each call compiles, which takes most of a second. So each day some of each list of cases are tried, at few p, with --all everything.
Ends with 77, which CTest takes as skipped, where SimGrid isn't there.

Usage: verify_code.py VERIFY SOURCE [--all]
"""

import csv
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import jsonschema

verify, source = sys.argv[1], pathlib.Path(sys.argv[2])
tries_all = "--all" in sys.argv
examples = source / "examples/code"
WHAT = {"bruck.c": ["my_allgather", "--collective", "allgather"], "knomial.c": ["my_reduce", "--collective", "reduce"],
        "ring_double.c": ["my_allreduce", "--numbers"]}
failures = []
folder = tempfile.TemporaryDirectory()
here = pathlib.Path(folder.name)
(here / "temporary").mkdir()

if not shutil.which("smpicc"):
    print("skipped: apt-get install libsimgrid-dev")
    sys.exit(77)


def check(what, holds, said=""):
    if not holds:
        failures.append(what)
        print(f"FAILED {what}\n{said}")


def some(cases, number):
    """The first cases each day, all of them with --all."""
    return cases if tries_all else cases[:number]


def run(*arguments, **environment):
    done = subprocess.run([verify, "code", *arguments], capture_output=True, text=True, cwd=here,
                          env={**os.environ, "TMPDIR": str(here / "temporary"), **environment})
    done.said = done.stdout + done.stderr
    return done


def judge(path, *arguments):
    return run(path, "--function", *WHAT.get(pathlib.Path(path).name, ["my_allreduce"]), *arguments)


def code(name, text):
    (here / name).write_text("#include <mpi.h>\n#include <stdlib.h>\n#include <string.h>\n" + text)
    return name


def function_at(lines, line):
    """The first and last line of the function around a line, and its name; for a line outside any, that line."""
    starts = [k for k, text in enumerate(lines, 1) if re.match(r"[a-z].*\)? ?\{$|[a-z].*\(.*[,)]", text)]
    begin = max((k for k in starts if k <= line), default=line)
    end = next((k for k in range(line, len(lines) + 1) if lines[k - 1] == "}"), line)
    name = re.search(r"(\w+)\(", lines[begin - 1])
    return begin, end, name.group(1) if name else ""


def is_named(text, line, said, name):
    named = {int(k) for k in re.findall("(?:" + re.escape(name) + r":|line )(\d+)", said)}
    lines = text.splitlines()
    begin, end, function = function_at(lines, line)
    return any(begin <= k <= end or (function and f"{function}(" in lines[k - 1]) for k in named)


# Right examples, on hosts of one rank and of two. Each day one of them at one p; one passes a gate each day, too.
for path in some(sorted(examples.glob("*.c")), 1):
    required = path.name != "swing_latency.c"  # whose ranks end with different sums from 8 on
    for p, hosts, *quick in [("5,8", "2"), ("2..9", "each"), ("6", "one")] if tries_all else [("5", "2", "--quick")]:
        done = judge(path, "--p", p if required else {"2..9": "2..7", "5,8": "5,6"}.get(p, p), "--hosts", hosts, *quick)
        check(f"{path.name} passes for p = {p}, {hosts} of a host", done.returncode == 0, done.said)
done = judge(examples / "swing_latency.c", "--p", "8", "--count", "1")
check("Swing's sums differ from 8 ranks on", done.returncode == 1 and "fail bitwise-reproducible" in done.stdout, done.said)

# Each seeded bug is found, with its place.
with open(examples / "bugs.tsv", newline="") as table:
    bugs = list(csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE))
if not tries_all:  # of every fifth example, another number of each
    bugs = [bug for k, file in enumerate(sorted({bug["file"] for bug in bugs})) for bug in bugs
            if k % 5 == 0 and bug["file"] == file and int(bug["number"]) == k % 5 + 1]
found = 0
for bug in bugs:
    text = (examples / bug["file"]).read_text()
    line = text[:text.index(bug["text"])].count("\n") + 1
    (here / bug["file"]).write_text(text.replace(bug["text"], bug["becomes"]))
    p, count = bug["wrong at p, count"].split()
    done = judge(bug["file"], "--p", p, "--count", count, "--call-time-limit", "5s", "--quick")
    what = f"bug {bug['number']} of {bug['file']}, line {line}"
    check(f"{what} is found", done.returncode == 1, done.said)
    is_found = is_named((here / bug["file"]).read_text(), line, done.stdout, bug["file"])
    found += is_found
    if not is_found:
        print(f"{what}: {bug['what it does']}\n{done.stdout}")
    if not tries_all:
        continue
    p, count = bug["right at p, count"].split()
    done = judge(bug["file"], "--p", p, "--count", count, "--quick")
    check(f"{what} doesn't show at p = {p}, count {count}", done.returncode == 0, done.said)
check(f"the place of all but three bugs is named, found {found}", found >= len(bugs) - (3 if tries_all else 0))
print(f"{found} of {len(bugs)} bugs with their places")

# What is sent is a schedule with the same verdict.
schedule = here / "s.json"
for p in some([3, 8], 1):
    done = judge(examples / "ring.c", "--p", str(p), "--count", "1000", "--schedule-out", schedule)
    judged = subprocess.run([verify, schedule], capture_output=True, text=True)
    check(f"the ring's schedule at p = {p} passes", done.returncode == 0 == judged.returncode, judged.stdout + done.said)
    check(f"it has the ring's steps at p = {p}", f"{2 * (p - 1)} steps" in judged.stdout, judged.stdout)
if tries_all:  # the ring is recognised in PMPI_Sendrecv, below; a page of the documentation has code that prints schedules
    done = subprocess.run([verify, "--exec", f"{verify} code {examples}/ring.c --function my_allreduce --p {{p}} --count p "
                           "--schedule-out -", "--p", "2,3"], capture_output=True, text=True)
    check("code is a program that prints schedules", done.returncode == 0 and "2 schedules" in done.stdout, done.stdout + done.stderr)
    few = judge(examples / "ring.c", "--p", "3", "--quick", "--match", "--count", "1")
    check("--match with fewer elements than ranks", few.returncode == 0, few.said)
    done = judge(examples / "ring.c", "--p", "4,8,16", "--count", "p", "--family")
    check("the ring is recognised", "as the reduce-scatter of ring" in done.stdout and "ring_once" in done.stdout, done.said)
    done = judge(examples / "recursive_doubling.c", "--p", "4", "--match")
    check("--match names the row", "recursive-doubling" in done.stdout, done.said)
schema = json.loads((source / "docs/schema/live.schema.json").read_text())
(here / "wrong.c").write_text((examples / "ring.c").read_text().replace("(rank + 1 - sent + p)", "(rank - sent + p)"))
for path, passing in some([("wrong.c", 0), (examples / "ring.c", 5)], 1):
    also = judge(path, "--p", "3", "--count", "1,p-1,p,p+1,1000", "--quick", "--json-out", here / "out.json")
    document = json.loads((here / "out.json").read_text())
    jsonschema.validate(document, schema)
    if tries_all:
        done = judge(path, "--p", "3", "--count", "1,p-1,p,p+1,1000", "--quick", "--json")
        check("--json-out writes the same beside the text", json.loads(done.stdout) == document, also.said)
        plain = judge(path, "--p", "3", "--count", "1,p-1,p,p+1,1000", "--quick")
        check("the text is the same with --json-out", also.stdout == plain.stdout, also.said)
    check(f"the JSON has all runs of {path}", document["summary"] == {"pass": passing, "fail": 5 - passing, "unknown": 0}, also.said)
    check("a failure has its lines", passing or any("wrong.c:" in line for run in document["runs"] for line in run.get("notes", []) + run["faults"]), also.said)

# Code that misbehaves.
SHARED = "int f(const void* in, void* out, int n, MPI_Datatype t, MPI_Op op, MPI_Comm c) {\n  int r, p; MPI_Comm_rank(c, &r); MPI_Comm_size(c, &p);\n"
COPY = "  MPI_Aint lb, e; MPI_Type_get_extent(t, &lb, &e); memcpy(out, in, n * e);\n"
misbehaving = [
    ("deadlock.c", "  MPI_Recv(out, n, t, (r + 1) % p, 3, c, MPI_STATUS_IGNORE);\n  return 0;\n}\n",
     ["deadlock", "rank 0 waits for a message from rank 1 with tag 3 (deadlock.c:6"]),
    ("crash.c", "  if (r == 1) *(volatile int*)0 = 1;\n  return 0;\n}\n", ["crash: a segmentation fault", "on rank 1"]),
    ("aborts.c", "  if (r == 1) MPI_Abort(c, 3);\n  return 0;\n}\n", ["the code calls MPI_Abort with 3"]),
    ("exits.c", "  if (r == 1) exit(0);\n  return 0;\n}\n", ["fail"]),
    ("loops.c", "  for (volatile int k = 0; r == 1; ++k) {}\n  return 0;\n}\n", ["hang: it takes longer than 1 s"]),
    ("error.c", "  return 17;\n}\n", ["the function returns 17"]),
    ("nothing.c", "  return 0;\n}\n", ["fail exactly-once", "no rank sends a message of its own"]),
    ("beyond.c", COPY + "  memset((char*)out + n * e, 1, 8);\n  return 0;\n}\n", [" writes memory 0 bytes behind its result, at beyond.c:7"]),
    ("reads.c", COPY + "  if (r == 1) *(volatile long*)out = ((const long*)in)[n + 2];\n  return 0;\n}\n",
     ["rank 1 reads memory 16 bytes behind its send buffer, at reads.c:7"]),
    ("sends.c", COPY + "  MPI_Request q; MPI_Isend(in, n + 1, t, 1 - r, 9, c, &q);\n  return MPI_Wait(&q, MPI_STATUS_IGNORE);\n}\n",
     [" reads memory 0 bytes behind its send buffer, at sends.c:7"]),
    ("input.c", COPY + "  memset((void*)in, 0, e);\n  return 0;\n}\n", ["the send buffer was changed"]),
    ("left.c", COPY + "  if (r == 0) MPI_Send(out, n, t, 1, 9, c);\n  return 0;\n}\n",
     ["1 message nobody received: from rank 0 to rank 1 with tag 9, sent at left.c:7"]),
    ("changed.c", COPY + "  MPI_Request q; if (r == 0) { MPI_Isend(out, n, t, 1, 9, c, &q); memset(out, 0, e); MPI_Wait(&q, MPI_STATUS_IGNORE); }\n"
     "  if (r == 1) MPI_Recv(out, n, t, 0, 9, c, MPI_STATUS_IGNORE);\n  return 0;\n}\n",
     ["a buffer was changed before its send was complete: rank 0 -> rank 1, sent at changed.c:7"]),
    ("bytes.c", "  MPI_Allreduce(in, out, n, MPI_DOUBLE, MPI_SUM, c);\n  return 0;\n}\n", ["fail exactly-once"]),
]
for name, body, words in misbehaving:
    code(name, SHARED + body)
    if not tries_all and name not in ("deadlock.c", "loops.c", "beyond.c"):
        continue
    done = run(name, "--function", "f", "--p", "2", "--count", "2", *(["--call-time-limit", "1s"] if name == "loops.c" else []),
               *([] if tries_all else ["--quick"]))
    check(f"{name} fails", done.returncode == 1, done.said)
    for word in words:
        check(f"{name}: {word}", word in done.stdout, done.said)
buffered = SHARED + COPY + """  MPI_Sendrecv(in, n, t, 1 - r, 1, out, n, t, 1 - r, 1, c, MPI_STATUS_IGNORE);
  void* x = malloc(n * e); memcpy(x, in, n * e);
  MPI_Reduce_local(r ? out : x, r ? x : out, n, t, op); if (r) memcpy(out, x, n * e);
  MPI_Send(out, 1, t, 1 - r, 2, c); MPI_Recv(x, 1, t, 1 - r, 2, c, MPI_STATUS_IGNORE);
  free(x);
  return 0;
}
"""
done = run(code("buffers.c", buffered), "--function", "f", "--p", "2", "--count", "1")
check("who relies on buffering is told", done.returncode == 0 and "not required: unbuffered fails" in done.stdout
      and done.stdout.splitlines()[-1].startswith("pass  ") and "relies on buffering: buffers.c:10" in done.stdout.splitlines()[-1], done.said)
if tries_all:
    done = run("buffers.c", "--function", "f", "--p", "2", "--count", "1", "--require", "unbuffered")
    check("and fails where that is required", done.returncode == 1 and done.stdout.endswith("fail  unbuffered\n"), done.said)
    done = run("buffers.c", "--function", "f", "--p", "2", "--count", "1", "--no-buffering")
    check("--no-buffering finds who relies on that", "deadlock" in done.stdout and "buffers.c:10" in done.stdout, done.said)

# Code that adds up itself is told how it is judged.
code("own.c", """int f(const void* in, void* out, int n, MPI_Datatype t, MPI_Op op, MPI_Comm c) {
  const double* from = in;
  double* sum = out;
  double* got = malloc(n * sizeof(double) + 8);
  int r, p;
  MPI_Comm_rank(c, &r);
  MPI_Comm_size(c, &p);
  for (int i = 0; i < n; ++i) sum[i] = from[i];
  for (int k = 1; k < p; ++k) {
    MPI_Sendrecv(from, n, MPI_DOUBLE, (r + k) % p, 1, got, n, MPI_DOUBLE, (r - k + p) % p, 1, c, MPI_STATUS_IGNORE);
    for (int i = 0; i < n; ++i) sum[i] += got[i];
  }
  free(got);
  return 0;
}
""")
if tries_all:
    done = run("own.c", "--function", "f", "--p", "3", "--count", "1", "--quick")
    check("--numbers is named where no sum is made", done.returncode == 1 and "say --numbers, or --digits TYPE" in done.stdout, done.said)
    done = run("own.c", "--function", "f", "--p", "3", "--count", "1", "--quick", "--digits", "double")
    check("it passes by --digits", done.returncode == 0, done.said)

# After six crashes on a machine the rest isn't called.
code("crash.c", "int f(const void* in, void* out, int n, MPI_Datatype t, MPI_Op op, MPI_Comm c) {\n  *(volatile int*)0 = n;\n  return 0;\n}\n")
done = run("crash.c", "--function", "f", "--p", "2", "--count", "1,2,3,4,5,6,7,8", "--quick", "--json")
faults = [said for call in json.loads(done.stdout)["runs"] for said in call["faults"]]
check("six calls crash, and two aren't made", done.returncode == 1 and len(faults) == 8 and
      ["not called" in said for said in faults] == [False] * 6 + [True] * 2, done.said)

# What is tried besides what the user asks for. Each is wrong in one way alone.
def slip(name, old, new, text=None):
    text = ring if text is None else text
    assert text.count(old) == 1, old
    return code(name, text.replace(old, new))


ring = (examples / "ring.c").read_text()
COPIES = "  if (sendbuf != MPI_IN_PLACE) memcpy(recvbuf, sendbuf, (size_t)(count * v.extent));\n"
for name, new, quick, words in [
    ("place.c", COPIES + "  if (sendbuf == MPI_IN_PLACE && rank == 1) memset(recvbuf, 0, 8);\n", 0, ["in place", "garbled (zeros)"]),
    ("long.c", COPIES + "  if (count > 8000 && rank == 1) memcpy((char*)recvbuf + 8, recvbuf, 8);\n", 0, ["fail exactly-once"]),
    ("alone.c", COPIES + "  MPI_Comm host; int on, all; MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);\n"
     "  MPI_Comm_size(host, &on); MPI_Comm_free(&host); MPI_Allreduce(&on, &all, 1, MPI_INT, MPI_MAX, comm);\n"
     "  if (on == 1 && all > 1) memset(recvbuf, 0, 8);\n", 0, ["hosts 1,2"]),
    ("apart.c", COPIES.replace("if (sendbuf != MPI_IN_PLACE) ", ""), 0, []),
]:
    slip(name, COPIES, new)
    if not tries_all and name != "place.c":
        continue
    if tries_all:
        done = run(name, "--function", "my_allreduce", "--p", "3", "--quick")
        check(f"{name} passes by --quick", done.returncode == quick and "not tried: in place; messages above 64 KiB" in done.stdout, done.said)
    done = run(name, "--function", "my_allreduce", "--p", "3")
    check(f"{name} ends with {bool(words)}", done.returncode == bool(words), done.said)
    for word in words:
        check(f"{name}: {word}", word in done.stdout, done.said)
if tries_all:
    check("what takes MPI_IN_PLACE for a buffer isn't judged in place, and that is said",
          "not tried: in place (it takes MPI_IN_PLACE for a buffer at apart.c:" in done.stdout and "; not in place;" in done.stdout, done.said)
slip("both.c", COPIES, COPIES.replace("if (sendbuf != MPI_IN_PLACE) ", "if (sendbuf != MPI_IN_PLACE || count > 1) ") +
     "  if (sendbuf == MPI_IN_PLACE && count == 1 && rank == 1) memset(recvbuf, 0, 8);\n")
if tries_all:
    done = run("both.c", "--function", "my_allreduce", "--p", "3")
    check("what failed in place before such a call counts", done.returncode == 1 and "fail exactly-once" in done.stdout and "in place" in
          done.stdout, done.said)
    done = run("apart.c", "--function", "my_allreduce", "--p", "3", "--in-place")
    check("it fails if it is asked for", done.returncode == 1 and "takes MPI_IN_PLACE for a buffer, at apart.c:" in done.stdout, done.said)
if tries_all:  # a page of the documentation has it
    done = judge(examples / "ring.c")
    check("the verdict says what was tried", done.stdout.splitlines()[-1] == "pass  every element of every result is right, with "
          "the same bits on every rank (p = 2..8; counts 0, 1, p-1, p, p+1, 1000, 8193p; in place and not; an operator that commutes; on "
          "MPI_COMM_WORLD and in another order of ranks; hosts each, 1,p-1 and p-1,1; sends buffered and not)", done.said)
for hosts, p, words in some([("1,3", "5", "must sum to p"), ("0,4", "4", "expected one, each"), ("1,p-1,x", "4", "expected one, each")], 2):
    done = judge(examples / "ring.c", "--p", p, "--hosts", hosts)
    check(f"--hosts {hosts} for {p} ranks is refused", done.returncode == 2 and words in done.stderr, done.said)

# Where it first goes wrong.
SENT = "MPI_Sendrecv(at(v, out), size_of(v, out), v->type, right"
slip("offset.c", SENT, SENT.replace("at(v, out)", "(at(v, out) + (rank == 1 && v->count >= 3 * p ? v->extent : 0))"))
line = (here / "offset.c").read_text().split(SENT[:12] + "((at(v, out) + ")[0].count("\n") + 1
done = judge("offset.c", "--p", "3", "--count", "3p", "--quick")
check("a wrong offset is told at the send", done.returncode == 1 and f"sent and received at offset.c:{line}" in
      done.stdout.split("it first goes wrong where ")[-1].split("\n")[0], done.said)
HEAP = SHARED + COPY + """  char* own = malloc(n * e);
  if (r) memcpy(own, in, n * e);
  MPI_Allreduce(WHAT, out, n, t, op, c);
  free(own);
  return 0;
}
"""
for name, body, words in some([
    ("unwritten.c", HEAP.replace("WHAT", "own"), ["garbled (memory that nobody wrote)"]),
    ("behind.c", HEAP.replace("malloc(n * e)", "malloc(n * e / 4 * 2)").replace("WHAT", "in"), ["bytes behind its allocated memory, at behind.c:8"]),
    ("freed.c", HEAP.replace("WHAT", "in").replace("free(own);\n", "char* x = own; free(own); if (r) *(volatile char*)out = *x;\n"), ["reads memory that it has freed, at freed.c:10"]),
    ("halves.c", HEAP.replace("if (r) memcpy(own, in, n * e)", "memcpy(own, in, n * e); memmove(own + 4, own, n * e - 4)").replace("WHAT", "own"), ["garbled (parts of two elements)"]),
], 1):
    done = run(code(name, body), "--function", "f", "--p", "2", "--count", "64", "--quick")
    check(f"{name} fails", done.returncode == 1, done.said)
    for word in words:
        check(f"{name}: {word}", word in done.stdout, done.said)

# A deadlock inside MPI's own collectives, and on MPI_COMM_WORLD.
done = run(code("mixed.c", SHARED + COPY + "  MPI_Comm other; MPI_Comm_split(c, r % 2, r, &other);\n  if (r == 0) return MPI_Barrier(c);\n"
                "  return MPI_Bcast(out, n, t, 0, other);\n}\n"), "--function", "f", "--p", "4", "--count", "1", "--quick")
check("a deadlock in collectives names them, with their communicators", done.returncode == 1 and
      "rank 0 is in MPI_Barrier (mixed.c:8)" in done.stdout and "MPI_Bcast on a communicator of ranks 0, 2 (mixed.c:9)" in done.stdout, done.said)
chain = SHARED + COPY + """  char* x = malloc(n * e + 1);
  if (r > 0) { MPI_Recv(x, n, t, r - 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE); MPI_Reduce_local(x, out, n, t, op); }
  if (r + 1 < p) MPI_Send(out, n, t, r + 1, 5, MPI_COMM_WORLD);
  free(x);
  return MPI_Bcast(out, n, t, p - 1, c);
}
"""
if tries_all:
    done = run(code("chain.c", chain), "--function", "f", "--p", "3", "--count", "p+1")
    check("who waits on MPI_COMM_WORLD is told", done.returncode == 1 and
          "fault: the code uses MPI_COMM_WORLD, not the communicator that it was given, at chain.c:8" in done.stdout, done.said)

# An alltoall is a schedule, too.
exchange = """int f(const void* in, int n, MPI_Datatype s, void* out, int m, MPI_Datatype t, MPI_Comm c) {
  int r, p; MPI_Aint lb, e; MPI_Comm_rank(c, &r); MPI_Comm_size(c, &p); MPI_Type_get_extent(t, &lb, &e);
  memcpy((char*)out + r * m * e, (const char*)in + r * n * e, n * e);
  for (int d = 1; d < p; ++d)
    MPI_Sendrecv((const char*)in + (r + d) % p * n * e, n, s, (r + d) % p, 0, (char*)out + (r + p - d) % p * m * e, m, t,
                 (r + p - d) % p, 0, c, MPI_STATUS_IGNORE);
  return 0;
}
"""
if tries_all:
    done = run(code("exchange.c", exchange), "--function", "f", "--collective", "alltoall", "--p", "4", "--count", "3", "--quick",
               "--schedule-out", here / "a.json")
    judged = subprocess.run([verify, here / "a.json"], capture_output=True, text=True)
    check("an alltoall's schedule passes", done.returncode == 0 == judged.returncode and
          "3 steps, 12 messages, 12 block transfers" in judged.stdout, done.said + judged.stdout + judged.stderr)

# Memory before a buffer, which begins where pages end in the second call.
if tries_all:
    done = run(code("before.c", SHARED + COPY + "  ((char*)out)[-1] = 1;\n  return 0;\n}\n"), "--function", "f", "--p", "2", "--count", "512")
    check("a write before a buffer is told", "before the result was written" in done.stdout or "1 bytes before its result, at before.c:7" in done.stdout, done.said)

# Calls by MPI's second names are seen, too.
done = judge(code("ring.c", ring.replace("MPI_Sendrecv(", "PMPI_Sendrecv(")), "--p", "3", "--count", "p", "--family")
check("PMPI_Sendrecv is recorded", done.returncode == 0 and "reduce-scatter of ring" in done.stdout, done.said)

# Other communicators.
world = ring.replace("MPI_Comm_rank(comm,", "MPI_Comm_rank(MPI_COMM_WORLD,")
check("the text is there", world != ring)
code("world.c", world)
if tries_all:
    done = run("world.c", "--p", "4", "--function", "my_allreduce", "--quick")
    check("MPI_COMM_WORLD in place of the communicator passes on it", done.returncode == 0, done.said)
done = run("world.c", "--function", "my_allreduce", "--p", "4", *([] if tries_all else ["--count", "p"]))
check("and fails on another", done.returncode == 1 and "rank r is rank p-1-r of MPI_COMM_WORLD" in done.stdout, done.said)
if tries_all:
    done = judge(examples / "ring.c", "--p", "2..5", "--communicators", "world,copy,backwards", "--hosts", "2")
    check("the ring passes on all of them", done.returncode == 0, done.said)

# Roots: one that is taken for 0 passes with root 0 alone.
if tries_all:
    done = judge(examples / "knomial.c", "--p", "3,6", "--root", "all", "--count", "1,p", "--quick")
    check("all roots", done.returncode == 0 and "p = 3, 6: 18 calls" in done.stdout, done.said)
done = judge(code("knomial.c", (examples / "knomial.c").read_text().replace("root, MPI_Comm comm) {", "root, MPI_Comm comm) {\n  root = 0;")),
             "--p", "3", "--root", "0,p-1", "--count", "1")
check("roots are told apart", done.returncode == 1 and "root 0, count 1: pass" in done.stdout and "root 2, count 1: fail" in done.stdout, done.said)

# Elements in the place of a type of the code's own.
integers = (examples / "ring_double.c").read_text().replace("MPI_DOUBLE", "MPI_INT")
check("no double stays", "double" in integers)
own = code("own.c", "typedef int value_t;\n" + integers.replace("double", "value_t"))
if tries_all:
    done = run(own, "--function", "my_allreduce", "--p", "3,4", "--number-type", "value_t=MPI_INT")
    check("a typedef of int adds up elements", done.returncode == 0, done.said)
line = (here / own).read_text().split("mine[i] += incoming[i]")[0].count("\n") + 1
(here / "slip.c").write_text((here / own).read_text().replace("mine[i] += incoming[i]", "mine[i] = incoming[i]"))
done = run("slip.c", "--function", "my_allreduce", "--p", "2", "--number-type", "value_t=MPI_INT", *([] if tries_all else ["--quick"]))
check("a wrong sum of them is found", done.returncode == 1 and "rank 0 ends" in done.stdout, done.said)
(here / "fixed.c").write_text("#include <stdint.h>\n" + integers.replace("double", "int32_t").replace("MPI_INT", "MPI_INT32_T"))
if tries_all:
    done = run("fixed.c", "--function", "my_allreduce", "--p", "3", "--number-type", "int32_t")
    check("a type of stdint.h adds up elements", done.returncode == 0, done.said)

# Digits: code that can only do MPI_SUM.
SUM = "int f(const void* in, void* out, int n, MPI_Datatype t, MPI_Op op, MPI_Comm c) {\n  int r, p; MPI_Comm_rank(c, &r); MPI_Comm_size(c, &p);\n"
for kind, mpi in some([("double", "MPI_DOUBLE"), ("float", "MPI_FLOAT"), ("int", "MPI_INT"), ("int64", "MPI_INT64_T")], 1):
    code("sums.c", SUM + f"  return MPI_Allreduce(in, out, n, {mpi}, MPI_SUM, c);\n}}\n")
    done = run("sums.c", "--function", "f", "--p", "2,9", "--count", "0,1,100", "--digits", kind)
    check(f"sums of {kind} pass", done.returncode == 0 and "by digits: the order of sums isn't seen" in done.stdout, done.said)
twice = "  MPI_Allreduce(in, out, n, t, op, c);\n"
for what, more, words in some([
    ("one is lost", "  if (r == 8) memset((void*)in, 0, 0);\n  int own = 8 * n; void* x = calloc(n, 8); MPI_Allreduce(r == 8 ? x : in, out, n, t, op, c);\n", "rank 8's contribution is missing"),
    ("one comes twice", "  MPI_Allreduce(in, out, n, t, op, c);\n  if (r == 0) ((double*)out)[0] += ((const double*)in)[0];\n", "counts twice"),
    ("nine in place of one", "  double* x = malloc(8 * n); memcpy(x, in, 8 * n); if (r == 0) x[0] *= 9; if (r == 1) x[0] = 0;\n  MPI_Allreduce(x, out, n, t, op, c);\n", "fail exactly-once"),
    ("another position", "  double* x = malloc(8 * n); memcpy(x, in, 8 * n); if (n > 1) { x[0] = ((const double*)in)[1]; x[1] = ((const double*)in)[0]; }\n  MPI_Allreduce(x, out, n, t, op, c);\n", "fail exactly-once"),
], 1):
    done = run(code("digits.c", SUM + more + "  return 0;\n}\n"), "--function", "f", "--p", "9", "--count", "2", "--digits", "double")
    check(f"digits: {what}", done.returncode == 1 and words in done.stdout, done.said)

shifted = """  double* x = malloc(8 * n + 8); MPI_Allreduce(in, x, n, t, op, c);
  for (int i = 0; i < n; ++i) ((double*)out)[i] = x[(i + 64) % n];
  return 0;
}
"""
if tries_all:
    done = run(code("shifted.c", SUM + shifted), "--function", "f", "--p", "4", "--count", "256", "--digits", "double")
    check("digits: the block of another rank", done.returncode == 1 and "fail exactly-once" in done.stdout, done.said)

ADDS = SUM + """  MPI_Aint lb, e; MPI_Type_get_extent(t, &lb, &e); char* b = malloc((n > 0 ? n : 1) * e);
  MPI_Reduce_local(in, out, n, t, op);  /* what out holds, nobody set */
  for (int d = 1; d < p; d *= 2) {
    MPI_Sendrecv(out, n, t, r ^ d, d, b, n, t, r ^ d, d, c, MPI_STATUS_IGNORE);
    MPI_Reduce_local(b, out, n, t, op);
  }
  free(b);
  return 0;
}
"""
STALE = SUM + """  static char* left; static int length = -1;
  MPI_Aint lb, e; MPI_Type_get_extent(t, &lb, &e);
  if (length == n) { memcpy(out, left, n * e); return 0; }
  MPI_Allreduce(in, out, n, t, op, c);
  left = realloc(left, n * e + 1); memcpy(left, out, n * e); length = n;
  return 0;
}
"""
for kind in some(["int", "float", "double", "int64"], 1):
    digits = ["--function", "f", "--digits", kind]
    if tries_all:
        done = run(code("adds.c", ADDS), *digits, "--p", "2,4,8", "--count", "1")
        check(f"what a result held before is no sum of {kind}", done.returncode == 1 and "p = 2, 4, 8\n" in done.stdout, done.said)
    done = run(code("stale.c", STALE), *digits, "--p", "2,7", "--count", "1", "--orders", "2", "--repeat", "1")
    check(f"a result of {kind} of an earlier call fails", done.returncode == 1 and "p = 2, 7\n" in done.stdout, done.said)
for required in some(["order-preserving", "bitwise-reproducible", "deterministic"], 0):
    done = run("sums.c", "--function", "f", "--p", "2", "--digits", "int64", "--require", required)
    check(f"digits don't show whether code is {required}", done.returncode == 4 and f"unknown {required}" in done.stdout, done.said)

# Other orders of events: contributions are taken in the order in which they come, and that of the ranks is hoped for.
code("arrivals.c", """#include <mpi.h>
int f(const void* in, int n, MPI_Datatype s, void* out, int m, MPI_Datatype t, MPI_Comm c) {
  int p; MPI_Aint lb, e; MPI_Comm_size(c, &p); MPI_Type_get_extent(t, &lb, &e);
  MPI_Request q[16];
  for (int d = 0; d < p; ++d) MPI_Isend(in, n, s, d, 0, c, &q[d]);
  for (int k = 0; k < p; ++k) MPI_Recv((char*)out + k * m * e, m, t, MPI_ANY_SOURCE, 0, c, MPI_STATUS_IGNORE);
  return MPI_Waitall(p, q, MPI_STATUSES_IGNORE);
}
""")
once = ["arrivals.c", "--function", "f", "--collective", "allgather", "--p", "4", "--count", "1", "--repeat", "1", "--quick"]
check("ranks begin at once", not tries_all or run(*once).returncode == 0)
done = run(*once, "--orders", "3")
check("--orders finds who relies on that", done.returncode == 1 and "fail exactly-once" in done.stdout
      and "contribution is not due" in done.stdout, done.said)
check("--orders repeats itself", not tries_all or run(*once, "--orders", "3").stdout == done.stdout)

# Bad input.
for what, arguments, exit_code, words in [
    ("a file that isn't there", ["none.c", "--function", "f"], 2, ["none.c"]),
    ("code that doesn't compile", [code("bad.c", "int f(\n"), "--function", "f"], 3, ["bad.c doesn't compile", "bad.c:"]),
    ("a function that isn't there", ["error.c", "--function", "g"], 3, ["is there a function g"]),
    ("an unknown collective", ["error.c", "--function", "f", "--collective", "allreduc"], 2, ["did you mean 'allreduce'"]),
    ("hosts that are no number", ["error.c", "--function", "f", "--hosts", "many"], 2, ["expected one, each, a number of ranks"]),
    ("another signature", [code("other.c", "int f(void* in, void* out, long n,\n      MPI_Datatype t, MPI_Op op, MPI_Comm c) {\n  return 0;\n}\n"),
                           "--function", "f"], 3, ["f has another signature than MPI's allreduce", "other.c:4:5: error: conflicting types", "expected int f(const void *, void *, int"]),
    ("a type that is a loop counter, too", ["error.c", "--function", "f", "--number-type", "int=MPI_INT"], 2, ["typedef int value_t"]),
    ("a type without its datatype", ["error.c", "--function", "f", "--number-type", "value_t"], 2, ["value_t=MPI_INT"]),
    ("a type that isn't there", ["error.c", "--function", "f", "--number-type", "value_t=MPI_INT"], 2, ["no file has a type 'value_t'"]),
    ("a type that is a macro", [code("macro.c", "#define value_t int\n"), "--function", "f", "--number-type", "value_t=MPI_INT"], 3, ["make it a typedef", "macro.c:4"]),
    ("unknown digits", ["error.c", "--function", "f", "--digits", "dobule"], 2, ["did you mean 'double'"]),
    ("digits of a movement", ["error.c", "--function", "f", "--collective", "bcast", "--digits", "int"], 2, ["is for reductions"]),
    ("digits of an operator that doesn't commute", ["error.c", "--function", "f", "--digits", "int", "--non-commutative"], 2, ["--digits: MPI_SUM commutes"]),
    ("digits of both operators", ["error.c", "--function", "f", "--digits", "int", "--both-operators"], 2, ["--digits: MPI_SUM commutes"]),
    ("an unknown communicator", ["error.c", "--function", "f", "--communicators", "world,self"], 2, ["some of world, copy, backwards"]),
    ("a negative number of orders", ["error.c", "--function", "f", "--orders", "-1"], 2, ["--orders"]),
    ("a name that is no function", ["error.c", "--function", "f();"], 2, ["--function"]),
    ("what can't be a number", [code("div.c", SHARED + "  const double* x = in; ((double*)out)[0] = x[0] / 2;\n  return 0;\n}\n"),
                                "--function", "f", "--numbers"], 3, ["div.c:6"]),
    ("a build that fails", ["error.c", "--function", "f", "--build", "false"], 3, ["'false' fails"]),
]:
    compiles = exit_code == 3 or what == "a type that isn't there"
    if compiles and not tries_all and what not in ("code that doesn't compile", "another signature"):
        continue
    done = run(*arguments, "--p", "2")
    check(f"{what} ends with {exit_code}", done.returncode == exit_code, done.said)
    for word in words:
        check(f"{what}: {word}", word in done.said, done.said)
# A compiler that a signal stops says nothing of the code. The first call compiles what is ours.
stopped = here / "stopped"
stopped.mkdir()
smpicc = shutil.which("smpicc")
for end, signal in ("kill -9 $$", 9), ("exit 139", 11):
    (stopped / "smpicc").write_text(
        f'#!/bin/sh\ncase "$*" in *error.c*) {end};; esac\nPATH=\'{os.environ["PATH"]}\' exec {smpicc} "$@"\n')
    (stopped / "smpicc").chmod(0o755)
    done = run("error.c", "--function", "f", "--p", "2", PATH=f"{stopped}:{os.environ['PATH']}")
    check(f"a compiler that signal {signal} stops leaves the code unknown", done.returncode == 4 and
          f"error.c doesn't compile, since the compiler was killed by signal {signal}" in done.said, done.said)
    if not tries_all:
        break
# The build itself interrupts, where there is a folder by then; it would go on for long.
for name in some(["TERM", "INT", "HUP", "QUIT"], 1):
    build = f"ls {here}/temporary | grep -q . && kill -{name} $PPID; sleep 1000"
    done = run("error.c", "--function", "f", "--p", "2", "--build", build)
    check(f"{name} ends with 130", done.returncode == 130, done.said)
    left = list(here.glob("temporary/*"))
    check(f"no temporary folder stays after {name}", not left, left)
left = list(here.glob("temporary/*"))
check("no temporary folder stays", not left, left)
sys.exit(1 if failures else 0)
