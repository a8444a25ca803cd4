"""The libraries that verify brings, with checkouts of them: everything that is listed passes, but for what is known to be
wrong, and what is broken in a copy is found.

ONCEOVER_CHECKOUTS names a folder with the checkouts mpich, openmpi, ucc and nccl, or some of them. Ends with 77, which CTest takes
as skipped, where there is none, or no SimGrid.

Usage: checkouts.py VERIFY
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

verify = pathlib.Path(sys.argv[1]).resolve()
folder = os.environ.get("ONCEOVER_CHECKOUTS")
if not folder or not shutil.which("smpicc"):
    print("skipped: ONCEOVER_CHECKOUTS names no folder" if not folder else "skipped: apt-get install libsimgrid-dev")
    sys.exit(77)
checkouts = pathlib.Path(folder).resolve()
KNOWN_WRONG = [("mpich", "allreduce/tree")]  # docs/bugs.md


def run(library, *arguments, checkout=None):
    return subprocess.run([verify, "code", "--library", library, "--checkout", checkout or checkouts / library, *arguments],
                          capture_output=True, text=True, timeout=600)


def judged(library):
    done = run(library, "--list")
    assert done.returncode == 0, done.stderr
    names, is_judged = [], False
    for line in done.stdout.splitlines():
        if not line.startswith(" "):
            is_judged = line.startswith("judged")
        elif is_judged:
            names.append(line.split()[0])
    return names


def check(library, algo, ranks, code, *arguments, told="", checkout=None):
    done = run(library, "--algo", algo, "--p", ranks, "--quick", *arguments, checkout=checkout)
    assert done.returncode == code and re.search(told, done.stdout), f"{library} {algo} {ranks}: {done.stdout}{done.stderr}"


def check_all(library, at_least, ranks="2,4"):
    names = judged(library)
    assert len(names) >= at_least, names
    for name in names:
        if (library, name) not in KNOWN_WRONG:
            check(library, name, ranks, 0, told="\npass")


def check_broken(library, algo, file, *arguments, change, told, code=1):
    """What comes of a change of the algorithm's file in a copy of the checkout."""
    with tempfile.TemporaryDirectory() as copy:
        top = file.split("/")[0]
        shutil.copytree(checkouts / library / top, pathlib.Path(copy) / top, symlinks=True)
        text = (pathlib.Path(copy) / file).read_text()
        broken = change(text)
        assert broken != text, file
        (pathlib.Path(copy) / file).write_text(broken)
        check(library, algo, "3,4", code, *arguments, told=told, checkout=copy)


def without_hosts(text):
    """As if no two ranks shared a host."""
    return re.sub(r"(comm_ptr->)?node_comm != NULL", "false", text)


def check_mpich():
    for collective in ("bcast", "reduce", "allgather"):
        check("mpich", f"{collective}/circ_graph", "32,34", 0)
        check("mpich", f"{collective}/circ_graph", "33", 1, told="elements are wrong|deadlock")
    for algo in ("allreduce/smp", "reduce/smp", "scan/smp", "iscan/sched_smp"):
        collective, name = algo.split("/")
        check_broken("mpich", algo, f"src/mpi/coll/{collective}/{collective}_intra_{name}.c", change=without_hosts,
                     told="exactly-once|fault")
    check_all("mpich", 88)


def check_openmpi():
    # An algorithm that adds up in the wrong order is found, at a line of Open MPI's.
    check("openmpi", "allreduce/ring", "3", 1, "--non-commutative", told=r"sums are made at \S*/coll_base_allreduce.c:\d+")
    # So is one whose sums are lost.
    check_broken("openmpi", "allreduce/ring", "ompi/mca/coll/base/coll_base_allreduce.c", told="contribution is missing",
                 change=lambda text: text.replace("ompi_op_reduce(", "if (ompi_comm_rank(comm) > 0) ompi_op_reduce("))
    check_all("openmpi", 63)


def check_ucc():
    knomial, bcast = (f"src/components/tl/ucp/{name}.c" for name in ("allreduce/allreduce_knomial", "bcast/bcast_knomial"))
    # A team without topology has no ring: docs/bugs.md.
    check("ucc", "allgatherv/ring", "2", 1, "--count", "1", "--set", "rings=0", told="segmentation fault")
    # Sums in an order of the rank's own, a message that isn't sent, and one that is sent before it was received.
    check_broken("ucc", "allreduce/knomial", knomial, "--count", "p+1", told="bitwise-reproducible",
                 change=lambda text: text.replace("index = ucc_knomial_pattern_get_loop_index(p, peer)", "index = loop_step")
                 .replace("index = ucc_knomial_pattern_get_loop_index(p, rank)", "index = 0"))
    check_broken("ucc", "bcast/knomial", bcast, "--count", "p+1", told="deadlock",
                 change=lambda text: text.replace("i >= 1; i--", "i >= 2; i--"))
    check_broken("ucc", "bcast/knomial", bcast, "--count", "p+1", "--set", "radix=2", told="elements are wrong",
                 change=lambda text: text.replace("ucc_tl_ucp_test_recv(task)", "UCC_OK"))
    # A buffer that changes while it is sent: with short messages it was copied, with long ones that is seen.
    def changed(text):
        head, tail = text.split("UCC_KN_PHASE_LOOP:", 1)
        return head + "UCC_KN_PHASE_LOOP:" + tail.replace("ucc_tl_ucp_test(task)", "ucc_tl_ucp_test_recv(task)", 1)
    for eager, code, told in [("1048576", 0, "\npass"), ("0", 1, "Assertion|changes before")]:
        check_broken("ucc", "allreduce/knomial", knomial, "--count", "p+1", "--set", f"eager={eager}", "--set", "late=0", change=changed,
                     told=told, code=code)
    check_all("ucc", 29)


def check_graphs():
    """NCCL's rings and trees, and that a wrong one is found."""
    source, graph = pathlib.Path(__file__).resolve().parents[2], checkouts / "nccl/src/graph"
    example = source / "examples/code/nccl"
    with tempfile.TemporaryDirectory() as here:
        for old, new, code in [("", "", 0), ("up = (rank ^ bit);", "up = 0;", 1), ("rank - lowbit", "rank - 1", 1)]:
            trees = pathlib.Path(here) / "trees.cc"
            trees.write_text((graph / "trees.cc").read_text().replace(old, new))
            program = pathlib.Path(here) / "graphs"
            subprocess.run(["g++", "-std=c++17", "-O1", "-I", example / "graphs_shim", example / "graphs.cpp", graph / "rings.cc", trees,
                            "-o", program], check=True)
            done = subprocess.run([program, "10000" if code == 0 else "100"], capture_output=True, text=True)
            assert done.returncode == code, done.stdout + done.stderr


def check_nccl():
    check_all("nccl", 21, "2..5")
    # Of PAT's eight slots none is too many.
    check("nccl", "allgather/pat", "64", 1, "--count", "30", "--set", "steps=7", "--set", "grains=1", told="deadlock")
    check_graphs()
    # A chunk takes four steps, and a rank sends one before it takes one.
    check("nccl", "allreduce/ring", "3", 1, "--set", "steps=4", told="deadlock")


done = []
for library, its_check in [("mpich", check_mpich), ("openmpi", check_openmpi), ("ucc", check_ucc), ("nccl", check_nccl)]:
    if (checkouts / library).is_dir():
        its_check()
        done.append(library)
if not done:
    print(f"skipped: {folder} has no checkout")
    sys.exit(77)
print(f"judged: {', '.join(done)}")
