#!/usr/bin/env python3
"""verify-kernel answers files as `verify` does: the catalogue's, those of the tests, and bad ones of every kind, which it refuses with
file, line and column, what it expected and what it found. One file is cut off at each fifth length, with --all at every length.

Usage: kernel_test.py VERIFY VERIFY_KERNEL SOURCE [--all]
"""
import glob
import os
import resource
import subprocess
import sys
import tempfile

verify, kernel, source = sys.argv[1:4]
tries_all = "--all" in sys.argv

HEAD = '{"format":"onceover-schedule","version":1,"collective":"allreduce","ranks":2,"blocks":2'
MOVE = '{"src":0,"dst":1,"blocks":[0],"op":"copy"}'


def with_steps(steps, head=HEAD):
    return f'{head},"steps":{steps}}}'


def with_move(move):
    return with_steps(f"[[{move}]]")


def with_key(key, value):
    return with_steps("[]", f'{HEAD},"{key}":{value}')


def of(collective, more=""):
    return with_steps("[]", HEAD.replace("allreduce", collective) + more)


def of_version_2(text):
    return text.replace('"version":1', '"version":2')


# A text, the column (in line 1) at which it is refused, and why.
REFUSED = [
    ("", 1, 'expected an object {"format":"onceover-schedule", ..}, found the end of the file'),
    ("[]", 1, 'expected an object {"format":"onceover-schedule", ..}, found a list'),
    ("12", 1, 'expected an object {"format":"onceover-schedule", ..}, found 12'),
    ("{}", 2, 'the key "format" is missing here'),
    (HEAD, 88, "expected ',' or '}', found the end of the file"),
    (HEAD + "}", 88, 'the key "steps" is missing here'),
    (HEAD + ",", 89, "expected a key, found the end of the file"),
    (HEAD + ",}", 89, "expected a key, found '}'"),
    (with_steps("[]") + "x", 100, "expected the end of the file, found x"),
    (with_steps("[]") + "\0", 100, "expected the end of the file, found byte 0"),
    (with_steps("[],"), 100, "expected a key, found '}'"),
    (with_key("rot", 0), 89, 'unknown key "rot"'),
    (with_key("$schema", 1), 99, "expected a name, found 1"),
    (with_key("ranks", 2), 89, 'the key "ranks" stands twice'),
    (with_key("r\\u0061nks", 2), 89, 'the key "ranks" stands twice'),
    (with_key("root", 0), 96, "allreduce has no root"),
    (of("broadcast", ',"root":2'), 96, "expected a rank from 0 to 1, found 2"),
    (of("broadcast", ',"root":-1'), 96, "expected a rank from 0 to 1, found -1"),
    (of("gossip"), 56, 'expected a collective, found "gossip"'),
    (of("alltoall"), 86, "an alltoall of 2 ranks has a multiple of 4 blocks"),
    (of("allgather", ',"owners":[0]'), 98, "expected 2 owners, one a block, found 1"),
    (of("allgather", ',"owners":[0,2]'), 101, "expected a rank from 0 to 1, found 2"),
    (with_key("shape", "[3]"), 97, "the sides multiply to 3, but there are 2 ranks"),
    (with_key("shape", "[2" + ",1" * 16 + "]"), 97, "expected at most 16 sides"),
    (with_key("algorithm", '"a\\nb"'), 101, "expected a name of at most 256 printable bytes"),
    (with_key("algorithm", '"' + "a" * 257 + '"'), 101, "expected a name of at most 256 printable bytes"),
    (with_key("algorithm", '"\x01"'), 102, "a control character in a text"),
    (with_key("algorithm", '"\\q"'), 102, "no escape of JSON"),
    (with_key("algorithm", '"\\ud800"'), 102, "half a letter"),
    (with_key("algorithm", '"\\u12x4"'), 106, "expected four hexadecimal digits"),
    (HEAD + ',"algorithm":"a', 103, "expected '\"', found the end of the file"),
    (with_key("version", 3).replace('"version":1,', "", 1), 87, "expected a version from 1 to 2, found 3"),
    (with_key("scratch", 1), 99, 'the key "scratch" needs "version":2'),
    (with_move(MOVE.replace("}", ',"into":[0]}')), 148, 'the key "into" needs "version":2'),
    (of_version_2(with_key("scratch", -1)), 99, "expected a number of scratch blocks from 0 to 2097150, found -1"),
    (of_version_2(with_key("scratch", 268435455)), 99, "expected a number of scratch blocks from 0 to 2097150, found 268435455"),
    (of_version_2(with_move(MOVE.replace("[0]", "[0,0]"))), 125, "block 0 is in this list twice"),
    (of_version_2(with_move(MOVE.replace("[0]", '[0,0],"into":[1,1]'))), 138, "block 1 is in this list twice"),
    (of_version_2(with_move(MOVE.replace("[0]", '[[0,1]],"into":[1]'))), 140, 'expected 2 blocks, as many as in "blocks", found 1'),
    (of_version_2(with_move(MOVE.replace("[0]", '[0],"into":[2]'))), 137, "expected a block or a run [first,last], a block from 0 to 1, found 2"),
    (of_version_2(with_move(MOVE.replace("[0]", '[0,1,1],"into":[[2,4]]'))).replace("]]}", ']],"scratch":2}'), 144,
     "expected the run's last block from 2 to 3, found 4"),
    (of_version_2(of("allgather", ',"scratch":1,"owners":[0,1,0]')), 110, "expected 2 owners, one a block, found 3"),
    (HEAD.replace('"ranks":2', '"ranks":0'), 76, "expected a number of ranks from 1 to 16777216, found 0"),
    (HEAD.replace('"ranks":2', '"ranks":16777217'), 76, "expected a number of ranks from 1 to 16777216, found 16777217"),
    (HEAD.replace('"ranks":2', '"ranks":4611686018427387905'), 76,
     "expected a number of ranks from 1 to 16777216, found 4611686018427387905"),
    (HEAD.replace('"ranks":2', '"ranks":' + "9" * 70), 76, "expected a number of ranks from 1 to 16777216, found " + "9" * 60),
    (HEAD.replace('"ranks":2', '"ranks":2.0'), 76, "expected a number of ranks from 1 to 16777216, found 2.0"),
    (HEAD.replace('"ranks":2', '"ranks":1e1'), 76, "expected a number of ranks from 1 to 16777216, found 1e1"),
    (HEAD.replace('"ranks":2', '"ranks":02'), 76, "expected a number of ranks from 1 to 16777216, found 02"),
    (HEAD.replace('"ranks":2', '"ranks":"2"'), 76, "expected a number of ranks from 1 to 16777216, found a text"),
    (HEAD.replace('"ranks":2', '"ranks":null'), 76, "expected a number of ranks from 1 to 16777216, found null"),
    (HEAD + ',"steps":' + "[" * 100000, 99, 'expected a transfer {"src":.., "dst":.., "blocks":[..], "op":..}, found a list'),
    (with_steps("{}"), 97, "expected a list of steps, each a list of transfers, found an object"),
    (with_steps("[1]"), 98, "expected a step, a list of transfers, found 1"),
    (with_move("1"), 99, 'expected a transfer {"src":.., "dst":.., "blocks":[..], "op":..}, found 1'),
    (with_move(MOVE + MOVE), 141, "expected ',' or ']', found an object"),
    (with_move(MOVE.replace("src", "sorc")), 100, 'unknown key "sorc"'),
    (with_move(MOVE.replace("}", ',"op":"copy"}')), 141, 'the key "op" stands twice'),
    (with_move(MOVE.replace(',"op":"copy"', "")), 128, 'the key "op" is missing here'),
    (with_move(MOVE.replace("copy", "move")), 134, 'expected "reduce" or "copy", found "move"'),
    (with_move(MOVE.replace('"dst":1', '"dst":2')), 114, "expected a rank from 0 to 1, found 2"),
    (with_move(MOVE.replace("[0]", "0")), 125, "expected a list of blocks and [first,last] runs, found 0"),
    (with_move(MOVE.replace("[0]", "[]")), 125, "expected a list of blocks, found an empty list"),
    (with_move(MOVE.replace("[0]", "[2]")), 126, "expected a block or a run [first,last], a block from 0 to 1, found 2"),
    (with_move(MOVE.replace("[0]", "[[1,0]]")), 129, "expected the run's last block from 1 to 1, found 0"),
    (with_move(MOVE.replace("[0]", "[[0]]")), 128, "expected ',', found ']'"),
    (with_move(MOVE.replace("[0]", "[[0,1,1]]")), 130, "expected ']' after the run's first and last block, found ','"),
    (with_move(MOVE.replace("[0]", "[1,[0,1]]")), 125, "block 1 is in this list twice"),
    (with_move(MOVE.replace("}", ',"lane":1024}')), 148, "expected a lane from 0 to 1023, found 1024"),
]

# Not in UTF-8, which only one of the texts can be
RAW = [(b'\xff', b'\xc0\x80', b'\xed\xa0\x80', b'\xf4\x90\x80\x80', b'\xe2\x82')]

# These are read, by both, though they look odd.
READ = [
    with_steps("[]", "\ufeff" + HEAD),
    with_key("algorithm", '"\\u00e9\\ud83d\\ude00 \u00e9"'),
    with_key("$schema", '"./schedule-file.schema.json"'),
    with_move(MOVE.replace(":0,", ":-0,")),
    with_move(MOVE.replace("[0]", "[1,0]")),
    '{"steps":[[' + MOVE + ',{"src":1,"dst":0,"blocks":[1],"op":"copy"}]],"owners":[0,1],' + HEAD[1:].replace("allreduce", "allgather") + "}",
    '{"steps":[[{"src":2,"dst":1,"blocks":[3],"op":"copy"}]],' + HEAD[1:] + "}",
    "\n\t" + with_steps("[ [ ] , [\r\n] ]"),
    of("reduce", ',"root":1'),
]

# Names of ranks and steps, which both read.
NAMED = [
    with_key("grid", '[["node",1],["g\\u0070u \u00e9",2]]'),
    with_key("phases", "[]"),
    '{"phases":[["a",0],["",2]],"steps":[[],[],[]],' + HEAD[1:] + "}",
]

# Names that neither reads.
UNNAMED = [
    with_key("grid", '[["node",2],["node",1]]'),
    with_key("grid", '[["node",3]]'),
    with_key("grid", '[["",2]]'),
    with_key("grid", '[["node"]]'),
    with_key("grid", '[["node",2,1]]'),
    with_key("grid", '[[2,"node"]]'),
    with_key("grid", '{"node":2}'),
    with_key("grid", "[" + ",".join(f'["a{k}",{1 + (k == 0)}]' for k in range(17)) + "]"),
    with_key("grid", '[["' + 65 * "a" + '",2]]'),
    with_key("grid", '[["a\\u0007",2]]'),
    with_key("phases", '[["a",0]]'),
    with_key("phases", '[["a",1]]'),
    '{"phases":[["a",0],["b",3]],"steps":[[],[],[]],' + HEAD[1:] + "}",
    '{"phases":[["a",2],["b",2]],"steps":[[],[],[]],' + HEAD[1:] + "}",
    '{"phases":[["a",2],["b",1]],"steps":[[],[],[]],' + HEAD[1:] + "}",
    '{"phases":[["a",-1]],"steps":[[],[],[]],' + HEAD[1:] + "}",
    '{"phases":[[0,"a"]],"steps":[[],[],[]],' + HEAD[1:] + "}",
]


def run(arguments, **more):
    return subprocess.run(arguments, capture_output=True, text=True, errors="replace", **more)


def code_of(arguments):
    return run(arguments).returncode


def main():
    trouble = []

    def require(good, *what):
        if not good:
            trouble.append(what)

    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, "s.json")

        def written(text):
            with open(name, "wb") as out:
                out.write(text if isinstance(text, bytes) else text.encode())

        for text, column, why in REFUSED:
            written(text)
            ended = run([kernel, name])
            require(ended.returncode == 3 and ended.stdout == "", text[:200], ended)
            require(ended.stderr.splitlines()[0] == f"{name}:1:{column}: {why}", text[:200], ended.stderr)
        for letters in RAW[0]:
            written(with_key("algorithm", '"?"').encode().replace(b"?", letters))
            ended = run([kernel, name])
            require(ended.returncode == 3 and f"{name}:1:102: no UTF-8" in ended.stderr, letters, ended.stderr)
        # verify is given all of them at once.
        refused = [text.encode() if isinstance(text, str) else text for text, _, _ in REFUSED]
        refused += [with_key("algorithm", '"?"').encode().replace(b"?", letters) for letters in RAW[0]]
        refused += [text.encode() for text in UNNAMED]
        names = [os.path.join(folder, f"refused{k}.json") for k in range(len(refused))]
        for path, text in zip(names, refused):
            with open(path, "wb") as out:
                out.write(text)
        said = run([verify, *names])
        for path, text in zip(names, refused):
            require(f"{path} was not judged" in said.stdout + said.stderr, "verify reads", text[:200])
        for text in READ:
            written(text)
            require(code_of([kernel, name]) == code_of([verify, name]) != 2, text, run([kernel, name]), run([verify, name]))
        for text in NAMED:
            written(text)
            require(code_of([kernel, name]) == code_of([verify, name]) in (0, 1), text, run([kernel, name]), run([verify, name]))
        for text in UNNAMED:
            written(text)
            require(code_of([kernel, name]) == 3, text)
        written(with_steps("[]") + "\n\n  x\n")
        require(run([kernel, name]).stderr == f"{name}:3:3: expected the end of the file, found x\n    x\n    ^\n", run([kernel, name]).stderr)
        whole = with_move(MOVE)
        for length in range(0, len(whole), 1 if tries_all else 5):
            written(whole[:length])
            require(code_of([kernel, name]) == 3, "truncated", length)

        judged = [0, 0, 0, 0]
        files = glob.glob(f"{source}/tests/data/*.json") + glob.glob(f"{source}/examples/*.json")
        for algorithm in ["swing --p 7", "swing --torus 3x4 --lanes all", "ring --p 9", "recursive-doubling --p 32", "bruck --p 6 --collective allgather",
                          "binomial-tree --p 11 --collective reduce", "swing-latency --p 64", "rabenseifner --p 8"]:
            files.append(os.path.join(folder, f"{len(files)}.json"))
            subprocess.run([verify, "export", "--to", "json", "--algo", *algorithm.split(), "-o", files[-1]], check=True, capture_output=True)
        for file in files:
            code = code_of([kernel, file])
            judged[code] += 1
            require(code == code_of([verify, file]), file, run([kernel, file]))
            with open(file, encoding="utf-8") as text:
                require(run([kernel, "-"], stdin=text).returncode == code, "standard input", file)
        require(judged[0] >= 12 and judged[1] >= 8 and judged[3] >= 2 and judged[2] == 0, judged)

        wrong, right = f"{source}/tests/data/lost.json", files[-1]
        ended = run([kernel, right, wrong, f"{source}/tests/data/truncated.json"])
        require(ended.returncode == 3, ended)
        require(ended.stdout.splitlines()[0] == f"{right}: pass: each contribution once, in each of 8 blocks", ended.stdout)
        require(ended.stdout.splitlines()[1].startswith(f"{wrong}: fail: "), ended.stdout)
        require(code_of([kernel, right, wrong]) == 1 and code_of([kernel, right, right]) == 0, "several files")
        require(code_of([kernel]) == 2 and code_of([kernel, "--help"]) == 0, "usage")
        require(code_of([kernel, os.path.join(folder, "nowhere.json")]) == 2 and code_of([kernel, folder]) == 2, "unreadable")

        # 2^60 sums in 61 steps; 2^24 ranks; 2^28 block transfers, for which the memory doesn't suffice
        doubling = ",".join('[{"src":0,"dst":1,"blocks":[0],"op":"reduce"},{"src":1,"dst":0,"blocks":[0],"op":"reduce"}]' for _ in range(100))
        written(with_steps(f"[{doubling}]").replace('"blocks":2', '"blocks":1', 1))
        ended = run([kernel, name])
        require(ended.stdout == "fail: block 0: rank 0 ends with the contribution of 0 1000000000000 times or more\n", ended)
        large = HEAD.replace('"ranks":2', '"ranks":16777216').replace('"blocks":2', '"blocks":268435456')
        written(with_steps("[]", large))
        require(run([kernel, name]).stdout == "fail: block 0: rank 0 ends with the contribution of 1 0 times\n", run([kernel, name]))
        written(with_steps("[]", large.replace("16777216", "1")))
        ended = run([kernel, name])
        require(ended.returncode == 2 and "268435456 blocks of one rank are more than" in ended.stderr, ended)
        written(with_steps("[[" + MOVE.replace("[0]", "[[0,268435455]]") + "]]", large))

        def limited():
            resource.setrlimit(resource.RLIMIT_AS, (48 << 20, 48 << 20))

        ended = run([kernel, name], preexec_fn=limited)
        require(ended.returncode == 2 and "memory" in ended.stderr, ended)

    for what in trouble:
        print(*what)
    print(f"{len(REFUSED)} bad files refused, {sum(judged)} judged as by verify; {len(trouble)} troubles")
    return bool(trouble)


sys.exit(main())
