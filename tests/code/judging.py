"""Compiles an example of examples/code with judge.c for SMPI or Open MPI, and runs it.

A verdict is "pass", "fail" (a wrong result, a returned error or a crash), or "hang". It is "pass" only if rank 0 printed
so, since the simulator ends with 0 after a deadlock, too.
"""

import os
import pathlib
import shutil
import subprocess

here = pathlib.Path(__file__).resolve().parent
COMPILERS = {"simgrid": "smpicc", "openmpi": "mpicc.openmpi"}
KINDS = {"bruck.c": ["-DIS_ALLGATHER"], "knomial.c": ["-DIS_REDUCE"], "ring_double.c": ["-DIS_ALLREDUCE", "-DELEMENT=double"]}
CLUSTER = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><cluster id="c" prefix="n" suffix="" radical="0-63" speed="1Gf" bw="1GBps" lat="1us"/></platform>
"""
QUIET = ["--cfg=smpi/simulate-computation:no", "--cfg=smpi/host-speed:1Gf", "--log=root.thres:critical"]
SECONDS = 15  # a run takes a tenth of one on an idle machine
# New memory holds no zeros, so that a program that reads what it never wrote does the same under each MPI.
environment = os.environ | {"MALLOC_PERTURB_": "165", "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                            "OMPI_MCA_mpi_yield_when_idle": "1", "OMPI_MCA_odls_base_sigkill_timeout": "0"}


def is_there(mpi):
    return shutil.which(COMPILERS[mpi]) is not None


def compiled(mpi, source, program, name):
    """Does it compile, and link?"""
    options = ["-O1", "-w", "-include", here / "strict.h", *KINDS.get(name, ["-DIS_ALLREDUCE"])]
    done = subprocess.run([COMPILERS[mpi], *options, "-o", program, source, here / "judge.c"], capture_output=True)
    return done.returncode == 0


def is_c(source):
    compiler = next(compiler for mpi, compiler in COMPILERS.items() if is_there(mpi))
    return subprocess.run([compiler, "-w", "-fsyntax-only", source], capture_output=True).returncode == 0


def run(mpi, program, p, counts, ranks_per_host=1, seconds=SECONDS):
    """The verdict on a program, called by p ranks with each of the counts, and what it printed."""
    numbers = [str(count) for count in counts]
    if mpi == "openmpi":
        command = ["mpirun.openmpi", "--oversubscribe", "--bind-to", "none", "-n", str(p), program, *numbers]
    else:
        folder = pathlib.Path(program).parent
        platform, hosts = folder / "cluster.xml", folder / f"hosts{ranks_per_host}"
        if not hosts.exists():
            platform.write_text(CLUSTER)
            hosts.write_text("".join(f"n{rank // ranks_per_host}\n" for rank in range(64)))
        command = ["smpirun", "-np", str(p), "-platform", platform, "-hostfile", hosts, *QUIET, program, *numbers]
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", env=environment, timeout=seconds)
    except subprocess.TimeoutExpired as late:
        return "hang", (late.stdout or b"").decode(errors="replace")
    said = done.stdout + done.stderr
    if done.returncode == 0 and "judge: pass" in done.stdout.splitlines():
        return "pass", said
    return ("hang" if "Deadlock detected" in said else "fail"), said
