"""The stand-in of the library mpich: algorithms of our own use all of it and check what it does, and hardly any mutant of it
gets by.

Ends with 77, which CTest takes as skipped, where SimGrid isn't there.

Usage: mpich_stand_in.py VERIFY SOURCE [--mutants]
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile

verify, source = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
options = sys.argv[3:]
library, checkout = source / "libraries/mpich", source / "tests/code/mpich"
if not shutil.which("smpicc"):
    print("skipped: apt-get install libsimgrid-dev")
    sys.exit(77)
EVERYTHING, SCHEDULE = "allreduce/everything", "iallreduce/sched_everything"
LINEAR = ["bcast", "reduce", "gather", "scatter", "allgather", "allgatherv", "alltoallv", "reduce_scatter"]

# A file, a piece of its text and what takes its place, and the algorithm that must not pass then.
MUTANTS = [
    ("stand-in/mpiimpl.h", "if (error) goto fn_fail;", "(void)(error);", EVERYTHING),
    ("stand-in/mpiimpl.h", "    (error) = (kind);                         \\\n", "", EVERYTHING),
    ("stand-in/mpiimpl.h", "if (condition) MPIR_ERR_SETANDJUMP", "if (!(condition)) MPIR_ERR_SETANDJUMP", EVERYTHING),
    ("stand-in/mpiimpl.h", "#define MPL_MAX(a, b) ((a) > (b)", "#define MPL_MAX(a, b) ((a) < (b)", EVERYTHING),
    ("stand-in/mpiimpl.h", "(r) = (in)->rank;", "(r) = (in)->local_rank;", EVERYTHING),
    ("stand-in/mpiimpl.h", "(p) = (in)->local_size;", "(p) = (in)->num_external;", EVERYTHING),
    ("stand-in/mpiimpl.h", "in->internode_table[r] == in->external_rank ?", "in->internode_table[r] != in->external_rank ?", EVERYTHING),
    ("stand-in/mpiimpl.h", "in->next_tag++ % 10000", "in->next_tag % 10000", EVERYTHING),
    ("stand-in/mpiimpl.h", "#define MPIC_Recv(at, n, type, from, tag, in, status) MPI_Recv(at, (int)(n), type, from, tag,",
     "#define MPIC_Recv(at, n, type, from, tag, in, status) MPI_Recv(at, (int)(n), type, from, MPI_ANY_TAG,", EVERYTHING),
    ("stand-in/mpiimpl.h", "MPI_Sendrecv(given, (int)(ngiven), giventype, to,", "MPI_Sendrecv(given, (int)(ngot), giventype, to,", EVERYTHING),
    ("stand-in/mpiimpl.h", "  MPI_Isend(at, (int)(n), type, to, tag, (in)->comm, &(*(made) = shim_new_request(false))->request)",
     "  ((*(made) = shim_new_request(false)), MPI_SUCCESS)", EVERYTHING),
    ("stand-in/mpiimpl.h", "for (int shim_k = 0; shim_k < (n); ++shim_k)", "for (int shim_k = 1; shim_k < (n); ++shim_k)", EVERYTHING),
    ("stand-in/mpiimpl.h", "&shim_to[shim_k]", "&shim_to[0]", EVERYTHING),
    ("stand-in/mpiimpl.h", "MPI_Reduce_local(from, into, (int)(n), type, op)", "MPI_Reduce_local(from, into, (int)(n) - 1, type, op)", EVERYTHING),
    ("stand-in/mpiimpl.h", "MPI_Op_commutative(op, &commutes);", "commutes = 1;", EVERYTHING),
    ("stand-in/mpiimpl.h", "(*(is_contig) = shim_extent(type) == shim_size(type))", "(*(is_contig) = 1)", EVERYTHING),
    ("stand-in/mpiimpl.h", "*n = count;", "*n = count + 1;", EVERYTHING),
    ("shim.c", "  found->is_complete = false;\n", "", EVERYTHING),
    ("shim.c", "  if (!request->is_complete) {\n    error", "  if (false) {\n    error", EVERYTHING),
    ("shim.c", "*status = request->status;", "(void)status;", EVERYTHING),
    ("shim.c", "  if (is_complete) return true;", "  return true;", EVERYTHING),
    ("shim.c", "if (is_complete) completed(request);", "completed(request);", EVERYTHING),
    ("shim.c", "in->local_rank == 0 ? 0 : MPI_UNDEFINED", "0", EVERYTHING),
    ("shim.c", "if (in->num_local > 1) in->node_comm", "if (in->num_local > 2) in->node_comm", EVERYTHING),
    ("shim.c", "all[3 * r + 2]", "all[3 * r + 1]", EVERYTHING),
    ("shim.c", "if (given > room) return MPI_ERR_TRUNCATE;", "", EVERYTHING),
    ("shim.c", "(const char*)from + low, (size_t)given", "(const char*)from + low, (size_t)room", EVERYTHING),
    ("shim.c", "given / shim_size(gottype), gottype", "1, gottype", EVERYTHING),
    ("shim.c", "(int)length, begins_in", "(int)n, begins_in", EVERYTHING),
    ("shim.c", "entry->later == NULL ? entry->n : *entry->later", "entry->n", SCHEDULE),
    ("shim.c", "  for (int k = 0; k <= sched->count; ++k) {", "  for (int k = 0; k < sched->count; ++k) {", SCHEDULE),
    ("shim.c", "    for (; waited < k; ++waited) {", "    for (; waited + 1 < k; ++waited) {", SCHEDULE),
    ("shim.c", "entry->status == NULL ? MPI_STATUS_IGNORE : entry->status", "MPI_STATUS_IGNORE", SCHEDULE),
    ("shim.c", "case is_reduce: return MPIR_Reduce_local", "case is_reduce: return MPI_SUCCESS; return MPIR_Reduce_local", SCHEDULE),
    ("shim.c", "entry->call2(sched->in, sched->tag, entry->state, entry->state2)", "MPI_ERR_OTHER", SCHEDULE),
    ("shim.c", "case is_copy: return MPIR_Localcopy", "case is_copy: return MPI_SUCCESS; return MPIR_Localcopy", SCHEDULE),
    ("adapter.c", "all[k] = numbers[k];", "all[k] = numbers[0];", "allgatherv/linear"),
    ("adapter.c", "RUN(from, long_n, long_at, type, to, long_m, long_to_at, into);",
     "RUN(from, long_n, long_to_at, type, to, long_m, long_at, into);", "alltoallv/linear"),
    ("adapter.c", "RUN(buffer, n, type, root);", "RUN(buffer, n, type, 0);", "bcast/linear"),
    ("adapter.c", "if (numbers[k] != 0) return false;", "if (numbers[k] != 1) return false;", "reduce_scatter/linear"),
]


def judge(algo, own=library, *arguments):
    return subprocess.run([verify, "code", "--library", str(own) + "/", "--checkout", checkout, "--algo", algo, *arguments],
                          capture_output=True, text=True, timeout=300)


def check_right(*cases):
    for algo, hosts in cases:
        done = judge(algo, library, "--p", "2,4", "--count", "1,p+1", *hosts)
        assert done.returncode == 0 and "\npass" in done.stdout, done.stdout + done.stderr


def check_adapters():
    for collective in LINEAR:
        done = judge(f"{collective}/linear", library, "--p", "2,4", "--count", "1,p+1")
        assert done.returncode == 0 and "\npass" in done.stdout, done.stdout + done.stderr


def check_mutants(mutants):
    for file, old, new, algo in mutants:
        with tempfile.TemporaryDirectory() as folder:
            mutant = pathlib.Path(folder) / "mpich"
            shutil.copytree(library, mutant)
            text = (mutant / file).read_text()
            assert text.count(old) >= 1, f"{file} has no {old!r}"
            (mutant / file).write_text(text.replace(old, new))
            hosts = ["--hosts", "1,p-1"] if algo == EVERYTHING else []
            done = judge(algo, mutant, "--p", "3,4", "--count", "1,p,p+1", *hosts, "--call-time-limit", "5s")
            # 1: it is judged. Any other, as where it doesn't compile, says nothing.
            assert done.returncode == 1, f"a mutant isn't found wrong: {file}: {old} -> {new}\n{done.stdout}{done.stderr}"


if "--mutants" in options:
    check_right((EVERYTHING, ["--quick", "--both-operators"]), (SCHEDULE, ["--quick"]))
    check_adapters()
    check_mutants(MUTANTS)
    print(f"{len(MUTANTS)} mutants of the stand-in don't pass")
else:
    check_right((EVERYTHING, ["--hosts", "1,p-1"]), (SCHEDULE, ["--hosts", "2"]))
    print("the stand-in does what is asked of it")
