"""The stand-in of the library nccl: small algorithms use it and are right, need the slots that they say, and no mutant of
the stand-in gets by.

Ends with 77, which CTest takes as skipped, where SimGrid isn't there.

Usage: nccl_stand_in.py VERIFY SOURCE [--mutants]
"""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

verify, source = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
library, checkout = source / "libraries/nccl", source / "tests/code/nccl"
if not shutil.which("smpicc"):
    print("skipped: apt-get install libsimgrid-dev")
    sys.exit(77)

PRIMITIVES, THREADS, ADAPTER = "stand-in/shim_primitives.h", "stand-in/shim_threads.h", "adapter.cpp"

# An algorithm of tests/code/nccl: its calls, too few slots, and enough of them.
RING = ("allreduce/ring", ["--p", "2,4", "--non-commutative", "--set", "channels=2", "--set", "grains=1", "--set", "slice=16", "--set", "order=1"], 6, 8)
RING_LL = ("allreduce/ring_ll", ["--p", "3", "--set", "channels=1", "--set", "grains=1", "--set", "slice=64", "--set", "order=0"], 1, 2)
TREE = ("allreduce/tree", ["--p", "2,6", "--set", "channels=1,2", "--set", "grains=1", "--set", "slice=64", "--set", "order=0,1"], 0, 1)
GATHER = ("allgather/pat", ["--p", "2,4", "--set", "channels=1", "--set", "grains=1", "--set", "slice=300", "--set", "order=0"], 2, 3)
SCATTER = ("reduce_scatter/pat", ["--p", "2,4", "--set", "channels=1", "--set", "grains=1", "--set", "slice=300", "--set", "order=0"], 2, 3)


# A file, a piece of it, what takes its place, and what shows it.
MUTANTS = [
    (PRIMITIVES, "while (each.open.size() >= slots) finish_oldest(each);", ";", RING),
    (PRIMITIVES, "each.open.size() >= slots", "each.open.size() > slots", RING),
    (PRIMITIVES, "SETTING(steps) / steps", "SETTING(steps)", RING),
    (PRIMITIVES, "MPI_Issend(", "MPI_Isend(", RING),
    (PRIMITIVES, "while (!each.open.empty()) finish_oldest(each);", ";", RING),
    (PRIMITIVES, "for (int k = 0; k < slices; ++k)", "for (int k = 0; k < 1; ++k)", RING),
    (PRIMITIVES, "offset += m;", "offset += slice;", RING),
    (PRIMITIVES, "(at + offset, to + offset, m, steps)", "(at, to, m, steps)", RING),
    (PRIMITIVES, "MPI_Reduce_local(sum, got, n, current.type, current.op)",
     "(MPI_Reduce_local(got, sum, n, current.type, current.op), memcpy(got, sum, (size_t)n * sizeof(T)))", RING),
    (PRIMITIVES, "if (sum != nullptr) MPI_Reduce_local(sum, got, n, current.type, current.op);", "", RING),
    (PRIMITIVES, "(from == Input ? input_ : output_)", "output_", RING),
    (PRIMITIVES, "if (into != None) memcpy((into == Input ? input_ : output_)", "if (into != None) memcpy(input_", RING),
    (PRIMITIVES, "data, n, current.type, to_[k].peer", "data, n - (n > 0), current.type, to_[k].peer", RING),
    (PRIMITIVES, "to_[k].peer, ncclShmem.channelId", "to_[k].peer, 0", RING),
    (PRIMITIVES, "(at, to, n, 1)", "(at, to, n, 2)", RING_LL),
    (PRIMITIVES, "k < Fan::MaxRecv && receive", "k < 1 && receive", TREE),
    (PRIMITIVES, "k < Fan::MaxSend && send", "k < 1 && send", TREE),
    (PRIMITIVES, "receives && k < from_.size()", "receives && k < std::min<size_t>(from_.size(), 1)", TREE),
    (THREADS, "if (each.state == Thread::receives) {", "if (each.state == Thread::receives && requests.empty()) {", TREE),
    (THREADS, "waiting[(size_t)which]->state", "waiting[0]->state", TREE),
    (THREADS, "enter_block((*threads)[next].block);", "", TREE),
    (THREADS, "run_thread((*threads)[running].block, (*threads)[running].index * 32);", "run_thread((*threads)[running].block, 0);", TREE),
    (THREADS, "(int)there.size() + 1 < warps", "(int)there.size() + 2 < warps", GATHER),
    (ADAPTER, "const int k = block.channelId % 2;", "const int k = (block.channelId + block.comm.rank) % 2;", TREE),
    (ADAPTER, "work.cbd.countHi = channels == 1 ? 0 :", "work.cbd.countHi = true ? 0 :", RING),
    (ADAPTER, "children[] = {first[k], second[k]}", "children[] = {first[k], first[k]}", TREE),
    (ADAPTER, "ring.next = ranks[1];", "ring.next = ranks[p - 1];", RING),
    (PRIMITIVES, "slot >= to.freed + SETTING(steps)", "false", GATHER),
    (PRIMITIVES, "slot >= to.freed + SETTING(steps)", "slot > to.freed + SETTING(steps)", GATHER),
    (PRIMITIVES, "from.posted <= slot", "from.posted < slot", GATHER),
    (PRIMITIVES, "const long slot = from->freed + step->stepOffset;", "const long slot = from->freed;", GATHER),
    (PRIMITIVES, "if (frees) give_free(", "if (frees && posts) give_free(", GATHER),
    (PRIMITIVES, "const int n = step.sendOffset + std::max(step.nelem, 0);", "const int n = std::max(step.nelem, 0);", GATHER),
    (PRIMITIVES, "is_above = is_receiver == (mode_ == primsModePatRs)", "is_above = is_receiver", GATHER),
    (PRIMITIVES, "for (T* each : {into, result})", "for (T* each : {into})", GATHER),
    (PRIMITIVES, "const long slot = to->posted + step->stepOffset;", "const long slot = to->posted;", SCATTER),
    (PRIMITIVES, "const bool is_new = written < reached;", "const bool is_new = true;", SCATTER),
    (PRIMITIVES, "const T* own = is_new ? input_ + step->inpIx : into;", "const T* own = input_;", SCATTER),
    (PRIMITIVES, "if (came != nullptr) MPI_Reduce_local(", "if (false) MPI_Reduce_local(", SCATTER),
    (PRIMITIVES, "await_slot(*from, step->recvDim, from->freed);", "", SCATTER),
    (PRIMITIVES, "if (posts) count_on(slots.to->posted, slots.posted);", "", SCATTER),
]


def run(own, algorithm, *options):
    done = subprocess.run([verify, "code", "--library", str(own) + "/", "--checkout", checkout, "--algo", algorithm, "--quick", "--count",
                           "300", "--call-time-limit", "5s", *options], capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout + done.stderr


def is_right(own, case):
    """Are all calls right that have enough slots, and does one get stuck that has fewer? The report must say so."""
    algorithm, options, few, enough = case
    steps = f"{few},{enough}" if few > 0 else str(enough)
    code, said = run(own, algorithm, *options, "--set", f"steps={steps}", "--json")
    assert code in (0, 1), f"{algorithm} isn't judged: {code}\n{said}"
    runs = json.loads(said)["runs"]
    has_enough = [each["verdict"] for each in runs if f"steps={enough}" in each["subject"]["setting"]]
    is_stuck = any("deadlock" in json.dumps(each) for each in runs if f"steps={few}" in each["subject"]["setting"])
    return set(has_enough) == {"pass"} and (few == 0 or is_stuck), said



right, said = is_right(library, RING)
assert right, said
code, said = run(library, "allreduce/ring", "--p", "1")
assert code == 2 and "is meant for p two or more" in said, said
if "--mutants" in sys.argv:
    for case in (RING_LL, TREE, GATHER, SCATTER):
        right, said = is_right(library, case)
        assert right, (case, said)
    code, said = run(library, "allreduce/ring", "--p", "2", "--set", "slice=15", "--set", "grains=1")
    assert code == 1 and "a slice is longer than its slots" in said, said
    code, said = run(library, "allreduce/ring", "--p", "3", "--digits", "int")
    assert code == 0, said
    for file, old, new, case in MUTANTS:
        with tempfile.TemporaryDirectory() as folder:
            mutant = pathlib.Path(folder) / "nccl"
            shutil.copytree(library, mutant)
            text = (mutant / file).read_text()
            assert old in text, old
            (mutant / file).write_text(text.replace(old, new))
            right, said = is_right(mutant, case)
            assert not right, f"a mutant passes: {old} -> {new}\n{said}"
print("the stand-in for NCCL's primitives does what is asked of it")
