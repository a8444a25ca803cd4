"""verify --distributed under mpirun: python3 run_distributed.py VERIFY SOURCE_FOLDER [--all].

Exit code 77: there is no mpirun. Ranks that wait keep a core busy, so there are few; each day some of the subjects
are judged, with --all all.
"""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

verify, source = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
starter = shutil.which("mpirun.openmpi") or shutil.which("mpirun")
if not starter:
    sys.exit(77)
environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_mpi_yield_when_idle": "1", "OMPI_MCA_odls_base_sigkill_timeout": "0"}
settings = ["--oversubscribe", "--bind-to", "none"] if starter.endswith("openmpi") else []
failures = []


def check(what, holds, told=""):
    if not holds:
        failures.append(what)
        print(f"FAILED {what}\n{told}")


def together(arguments, folder, processes=3):
    return subprocess.run([starter, *settings, "-n", str(processes), str(verify), "--distributed", *arguments],
                          capture_output=True, text=True, env=environment, cwd=folder)


def alone(arguments, folder):
    return subprocess.run([str(verify), *arguments], capture_output=True, text=True, cwd=folder)


def processes_of(mark):
    """The ids of all processes of verify-distributed with this word on their command line."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0")
            if os.readlink(entry / "exe").endswith("/verify-distributed") and mark.encode() in words:
                found.append(int(entry.name))
        except (OSError, ValueError):
            continue
    return found


def same(arguments, folder):
    """The same bytes on standard output, and the same exit code."""
    one, all_of_them = alone(arguments, folder), together(arguments, folder)
    check(f"the same output: {arguments}", one.stdout == all_of_them.stdout,
          f"{one.stdout[-1500:]}\n--- and together\n{all_of_them.stdout[-1500:]}{all_of_them.stderr[-1500:]}")
    check(f"the same exit code: {arguments}", one.returncode == all_of_them.returncode,
          f"{one.returncode} and {all_of_them.returncode}")
    return one


# The large ones are shared out; the small ones every process judges whole.
subjects = [
    (0, ["--algo", "swing", "--p", "64"]),
    (0, ["--algo", "swing", "--torus", "16x16", "--lanes", "all"]),
    (1, ["--algo", "swing-keep-first", "--p", "510", "--symmetry"]),
    (0, ["--algo", "swing", "--torus", "24x24", "--lanes", "all"]),
    (1, ["--algo", "swing-keep-first", "--p", "1022", "--symmetry"]),
    (4, ["--algo", "swing", "--p", "2048", "--budget", "1000"]),
    (1, [str(source / "examples/swing-latency-6.json")]),
    (0, ["--algo", "swing", "--p", "500"]),
    (0, ["--algo", "swing", "--p", "2048"]),
    (0, ["--algo", "swing", "--p", "1300..1304"]),
][:None if "--all" in sys.argv else 3]

with tempfile.TemporaryDirectory() as folder:
    for code, arguments in subjects:
        check(f"exit code {code}: {arguments}", same([*arguments, "--json"], folder).returncode == code)

    # A process that isn't heard writes no files either, and what all refuse is said once.
    done = together(["--algo", "swing", "--p", "2048", "--json-out", "result.json"], folder)
    check("one file", done.returncode == 0 and os.listdir(folder) == ["result.json"], done.stderr)
    done = together(["--algo", "swin", "--p", "8"], folder)
    check("refused once", done.returncode == 2 and done.stderr.count("'swin'") == 1, done.stderr)
    # Only process 0 sees that the file can't be made; the others are already at work.
    done = together(["--algo", "swing", "--p", "2048", "--json-out", "nowhere/result.json"], folder)
    check("an unwritable file ends all", done.returncode == 2 and "nowhere" in done.stderr and not done.stdout, done.stderr)
    done = together(["--exec", "cat x.json"], folder)
    check("no generators", done.returncode == 2 and "--exec" in done.stderr, done.stderr)

    # Processes that judge different things would find nothing wrong in a mix of them.
    each = [["--algo", "swing", "--p", "2048"], ["--algo", "rabenseifner", "--p", "2048"]]
    parts = [["-n", "1", str(verify), "--distributed", *arguments] for arguments in each]
    done = subprocess.run([starter, *settings, *parts[0], ":", *parts[1]], capture_output=True, text=True,
                          env=environment, cwd=folder)
    check("different arguments", done.returncode == 2 and not done.stdout and "same arguments" in done.stderr, done.stderr)
    with tempfile.TemporaryDirectory() as others:
        for place, algorithm in ((folder, "swing"), (others, "rabenseifner")):
            subprocess.run([str(verify), "export", "--algo", algorithm, "--p", "64", "--to", "json", "-o", "s.json"],
                           check=True, capture_output=True, cwd=place)
        word = [str(verify), "--distributed", "s.json"]
        done = subprocess.run([starter, *settings, "-n", "1", "-wdir", folder, *word, ":", "-n", "1", "-wdir", others, *word],
                              capture_output=True, text=True, env=environment)
        check("different files", done.returncode == 2 and not done.stdout and "same file" in done.stderr, done.stderr)
        os.remove(pathlib.Path(others, "s.json"))
        done = subprocess.run([starter, *settings, "-n", "1", "-wdir", folder, *word, ":", "-n", "1", "-wdir", others, *word],
                              capture_output=True, text=True, env=environment)
        check("a file that one hasn't got", done.returncode == 2 and not done.stdout and "No such file" in done.stderr,
              done.stderr)
    os.remove(pathlib.Path(folder, "s.json"))

    # One process is killed: mpirun ends the others. The mark tells these processes from any others.
    mark = f"{folder}/killed.json"
    command = [starter, *settings, "-n", "3", str(verify), "--distributed", "--no-symmetry", "--algo", "ring", "--p", "16384",
               "--json-out", mark]
    started = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    deadline = time.monotonic() + 300  # on a busy machine
    while len(processes_of(mark)) < 3 and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(0.5)
    running = processes_of(mark)
    check("three processes run", len(running) == 3, str(running))
    if running:
        os.kill(max(running), signal.SIGKILL)
    try:
        out, err = started.communicate(timeout=300)
        check("a killed process fails the whole", started.returncode != 0 and not out, out + err)
    except subprocess.TimeoutExpired:
        started.terminate()
        check("a killed process ends the whole", False)
    deadline = time.monotonic() + 100
    while processes_of(mark) and time.monotonic() < deadline:
        time.sleep(0.1)
    check("no process is left", not processes_of(mark), str(processes_of(mark)))
    check("no file is left", os.listdir(folder) == ["result.json"], str(os.listdir(folder)))

sys.exit(1 if failures else 0)
