"""The stand-in of the library nccl: a chain of sums uses it and is right, needs the slots that it says, and no mutant of
the stand-in gets by.

Ends with 77, which CTest takes as skipped, where SimGrid isn't there.

Usage: nccl_stand_in.py VERIFY SOURCE [--mutants]
"""

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

# A piece of shim_primitives.h, and what takes its place.
MUTANTS = [
    ("while (each.open.size() >= slots) finish_oldest(each);", ";"),
    ("each.open.size() >= slots", "each.open.size() > slots"),
    ("SETTING(steps) / Proto::StepPerSlice", "SETTING(steps)"),
    ("MPI_Issend(", "MPI_Isend("),
    ("while (!each.open.empty()) finish_oldest(each);", ";"),
    ("for (int k = 0; k < Proto::SlicePerChunk; ++k)", "for (int k = 0; k < 1; ++k)"),
    ("offset += m;", "offset += slice;"),
    ("one_slice<receives, sends, from, into>(at + offset, to + offset, m);", "one_slice<receives, sends, from, into>(at, to, m);"),
    ("MPI_Reduce_local(sum, got, n, current.type, current.op)", "(MPI_Reduce_local(got, sum, n, current.type, current.op), memcpy(got, sum, (size_t)n * sizeof(T)))"),
    ("if (sum != nullptr) MPI_Reduce_local(sum, got, n, current.type, current.op);", ""),
    ("(from == Input ? input_ : output_)", "output_"),
    ("if (into != None) memcpy((into == Input ? input_ : output_)", "if (into != None) memcpy(input_"),
    ("data, n, current.type, to_[k].peer", "data, n - (n > 0), current.type, to_[k].peer"),
]


def judge(own, steps):
    return subprocess.run([verify, "code", "--library", str(own) + "/", "--checkout", checkout, "--algo", "allreduce/ring",
                           "--p", "2,4", "--count", "1,1000", "--both-operators", "--quick", "--set", "channels=1,3", "--set", "grains=1",
                           "--set", f"steps={steps}", "--call-time-limit", "5s"], capture_output=True, text=True, timeout=300)


def is_right(own):
    """Right with slots for two chunks, and stuck with one slot less."""
    enough, few = judge(own, 8), judge(own, 6)
    assert {enough.returncode, few.returncode} <= {0, 1}, enough.stderr + few.stderr  # both are judged
    return (enough.returncode, few.returncode) == (0, 1) and "deadlock" in few.stdout, enough.stdout + enough.stderr + few.stdout


right, said = is_right(library)
assert right, said
if "--mutants" in sys.argv:
    for old, new in MUTANTS:
        with tempfile.TemporaryDirectory() as folder:
            mutant = pathlib.Path(folder) / "nccl"
            shutil.copytree(library, mutant)
            header = mutant / "stand-in/shim_primitives.h"
            text = header.read_text()
            assert old in text, old
            header.write_text(text.replace(old, new))
            right, said = is_right(mutant)
            assert not right, f"a mutant passes: {old} -> {new}\n{said}"
print("the stand-in for NCCL's primitives does what is asked of it")
