"""Command lines, right and wrong, that the program and its module are to answer alike."""

import pathlib
import random

FORMULAS = ["r xor pow2(s)", "r + 1", "r - 1", "(r + pow2(s)) mod p", "r + pow2(s", "r xor", "q + 1", "p", "r / 0",
            "r xor pow2(L - 1 - s)", "r + (-1)^r * rho(s)", "if even(r) then r + 1 else r - 1", "0", "r", "-r - 1"]
FILES = ["examples/*.json", "examples/*.xml", "examples/*.goal", "tests/data/*.json", "tests/data/*.xml", "tests/data/*.goal",
         "tests/data/**/*.json", "tests/data/**/*.xml", "tests/data/**/*.goal"]
LARGEST = 60_000  # bytes of a file that is tried


def of_formulas():
    for formula in FORMULAS:
        for p in ["1", "2", "3", "5", "8", "12", "16", "2..9", "0", "64"]:
            yield ["--json", "--peer", formula, "--p", p], {}


def of_algorithms(names):
    for k, name in enumerate(names):
        for size in [["--p", "4"], ["--p", str(5 + k % 7)], ["--torus", "4x4"], ["--torus", "2x3", "--lanes", "all"]]:
            yield ["--json", "--algo", name, *size], {}
        yield ["--algo", name, "--p", "6", "--full", "--require", "order-preserving"], {}


def of_files(root):
    """Each file, cut, and with a letter changed: what is wrong must be said in the same words."""
    choose = random.Random(1)
    paths = sorted({path for pattern in FILES for path in root.glob(pattern) if path.stat().st_size <= LARGEST})
    for path in paths:
        text = path.read_bytes()
        yield ["--json", "input"], {"input": text}
        yield ["input", "--full"], {"input": text[:choose.randrange(len(text) + 1)]}
        place = choose.randrange(max(len(text), 1))
        yield ["--json", "input"], {"input": text[:place] + choose.choice([b"7", b"}", b"\"", b"<", b""]) + text[place + 1:]}


def of_other_commands():
    for words in ["list", "list swing", "list nothing", "explain ports", "help", "--version", "draw --help", "verfy", "",
                  "--algo swing", "--algo swng --p 7", "--algo swing --p 7 --requre ports",
                  "contention --algo swing --torus 4x4", "contention --algo ring --p 8 --topology fat-tree:radix=4 --json",
                  "cost --algo swing,ring --p 8 --bytes 1Mi", "cost --algo swing --torus 4x4 --lanes all --json",
                  "export --algo swing --p 6 --to json", "export --algo ring --p 4 --to mscclpp", "export --algo ring --p 4 --to goal",
                  "draw --view matrix --algo swing --p 5", "bound --torus 4x4", "--algo swing --p 2..20 --json",
                  "cost --algo swing --p 8 --bytes 0", "contention --algo swing --p 7 --step x", "prove", "prove --help", "prove nothing",
                  "prove --algo binomial-tree", "prove --peer r --algo ring"]:
        yield words.split(), {}


def all_cases(root, names):
    root = pathlib.Path(root)
    return [*of_formulas(), *of_algorithms(names), *of_files(root), *of_other_commands()]
