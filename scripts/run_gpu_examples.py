#!/usr/bin/env python3
"""Runs the GPU examples and their seeded bugs on a GPU, and counts wrong elements: a column beside what verify finds.

Ranks share one GPU and have a stream each. Calls follow one another without the host waiting, so that one rank's next
input may be written while others still run. Every other call has whole numbers, whose sums are exact in any order:
each element is compared. The calls between have fractions, and ranks' results are compared with each other, bit by bit.

  scripts/run_gpu_examples.py [--p 8] [--calls 600] [NAME..]     NAME: one_shot, or one_shot-7 for its bug 7

It prints a table in Markdown. It needs Python 3.11 and an NVIDIA driver; examples with multicast need several GPUs and
are left out. With --check it resolves all launches and, where ptxas is, assembles the examples' PTX (--all: and that of
the bugs), without a GPU. Exit code 77: there is no GPU.
"""

import argparse
import array
import ctypes
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import tomllib

examples = pathlib.Path(__file__).resolve().parent.parent / "examples" / "gpu"
SIZES = {"f32": 4, "u32": 4, "u64": 8}
FORMATS = {"f32": "<f", "u32": "<I", "u64": "<Q"}
BATCH = 20  # calls that are under way at a time


# Descriptions

def number(formula, names):
    """The value of a formula of the examples: whole numbers, names, operators and one condition."""
    if isinstance(formula, int):
        return formula
    condition = re.fullmatch(r"(.*)\?(.*):(.*)", formula)
    if condition:
        test, then, otherwise = condition.groups()
        return number(then if number(test, names) else otherwise, names)
    text = re.sub(r"ceil\(([^/()]*)/([^()]*)\)", r"(-(-(\1) // (\2)))", formula)
    text = re.sub(r"(?<!/)/(?!/)", "//", text)
    return int(eval(text, {"__builtins__": {}}, names))


def names_of(description, p, n, r, k):
    names = {"p": p, "n": n, "r": r, "k": k}
    for name, formula in description.get("let", {}).items():
        names[name] = number(formula, names)
    return names


def items(text, names):
    """The items that one text stands for: itself, or one for each q."""
    repeated = re.fullmatch(r"(.*) for q in (.*)\.\.(.*)", text) if isinstance(text, str) else None
    if not repeated:
        return [(text, names)]
    item, first, end = repeated.groups()
    return [(item, names | {"q": q}) for q in range(number(first, names), number(end, names))]


def packed(item, names, bytes_of_number, addresses):
    """The bytes of an item: an address, a number with its type, or one of the argument's size."""
    if isinstance(item, str) and "@" in item:
        name, rank = item.split("@")
        return struct.pack("<Q", addresses[name, number(rank, names)])
    if isinstance(item, str) and item.split()[0] in FORMATS:
        kind, value = item.split(maxsplit=1)
        return struct.pack(FORMATS[kind], float(value) if kind == "f32" else number(value, names))
    return number(item, names).to_bytes(bytes_of_number, "little", signed=False)


def argument(value, names, size, addresses):
    if not isinstance(value, dict):
        return packed(value, names, size, addresses)
    whole = bytearray(size)
    for offset, texts in value.items():
        for text in texts if isinstance(texts, list) else [texts]:
            for item, inner in items(text, names):
                data = packed(item, inner, 8, addresses)
                at = number(offset, inner)
                whole[at:at + len(data)] = data
    return bytes(whole)


def parameter_sizes(ptx, entry):
    text = re.search(r"\.entry " + re.escape(entry) + r"\s*\((.*?)\)", ptx, re.S).group(1)
    sizes = []
    declared = r"\.param\s+(?:\.align\s+\d+\s+)?\.[a-z](\d+)\s+(?:\.ptr[^,]*?)?[\w$]+(?:\[(\d+)\])?"
    for kind, count in re.findall(declared, text):
        sizes.append(int(kind) // 8 * int(count or 1))
    return sizes


def entry_of(ptx, name, p):
    name = name.replace("{p}", str(p))
    entries = re.findall(r"\.entry (\w+)", ptx)
    fitting = [entry for entry in entries if entry == name] or [entry for entry in entries if name in entry]
    if len(fitting) != 1:
        sys.exit(f"{name} is not one entry of {entries}")
    return fitting[0]


def rows(description, role):
    return [(name, row) for name, row in description["buffer"].items() if row["role"] == role]


class Case:
    """An example, or one of its bugs, on p ranks."""

    def __init__(self, name, p):
        example = re.sub(r"-\d+$", "", name)
        self.name, self.p = name, p
        self.description = tomllib.loads((examples / f"{example}.toml").read_text())
        kept = f"bugs/{name}.ptx" if name != example else self.description["ptx"].removeprefix("ptx/")
        self.path = examples / "ptx" / kept
        self.ptx = self.path.read_text()
        sizes = self.description["n"]
        self.n = sizes if isinstance(sizes, int) else sizes[-1] if name != example else sizes[0]
        self.kernels = self.description.get("kernel") or [self.description]
        for kernel in self.kernels:
            kernel["entry"] = entry_of(self.ptx, kernel["entry"], p)
            kernel["sizes"] = parameter_sizes(self.ptx, kernel["entry"])

    def count(self, row):
        return number(row["count"], names_of(self.description, self.p, self.n, 0, 0))

    def launches(self, r, k, addresses):
        """Of each kernel of call k on rank r: its entry, grid, block and arguments."""
        names = names_of(self.description, self.p, self.n, r, k)
        for kernel in self.kernels:
            given = kernel["arguments"]
            arguments = [argument(given[str(at)], names, size, addresses) for at, size in enumerate(kernel["sizes"])]
            yield kernel["entry"], number(kernel["grid"], names), number(kernel["block"], names), arguments

    def tables(self, r, addresses):
        """The bytes of each table of rank r."""
        names = names_of(self.description, self.p, self.n, r, 0)
        for name, texts in self.description.get("table", {}).items():
            texts = texts if isinstance(texts, list) else [texts]
            all_items = [each for text in texts for each in items(text, names)]
            yield name, b"".join(packed(item, inner, 8, addresses) for item, inner in all_items)

    def expected(self, inputs):
        """What each rank's output must hold, from the inputs of all ranks."""
        p, n = self.p, self.n
        promise = self.description["expect"]["out"]
        kind = promise.split("(")[0]
        if kind == "allgather":
            return [[value for values in inputs for value in values]] * p
        if kind == "broadcast":
            return [inputs[number("root", names_of(self.description, p, n, 0, 0))]] * p
        sums = [sum(values) for values in zip(*inputs)]
        if kind == "allreduce":
            return [sums] * p
        if kind == "reduce-scatter":
            return [sums[r * n:(r + 1) * n] for r in range(p)]
        sys.exit(f"{self.name}: no rule for {promise}")


def cases(wanted):
    bugs = tomllib.loads((examples / "bugs.toml").read_text())["bug"]
    names = sorted(path.stem for path in examples.glob("*.cu")) + [row["name"] for row in bugs]
    chosen = [name for name in names if not wanted or name in wanted or re.sub(r"-\d+$", "", name) in wanted]
    unknown = set(wanted) - set(names)
    if unknown:
        sys.exit(f"no such example: {', '.join(sorted(unknown))}")
    return [name for name in chosen if not name.startswith("multimem")], {row["name"]: row for row in bugs}


# The driver

class Driver:
    def __init__(self, library):
        self.cuda = ctypes.CDLL(library)
        self.call("cuInit", 0)
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        name = ctypes.create_string_buffer(100)
        self.call("cuDeviceGetName", name, 100, device)
        self.name = name.value.decode()
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxSetCurrent", context)

    def call(self, function, *arguments):
        error = getattr(self.cuda, function)(*arguments)
        if error:
            text = ctypes.c_char_p()
            self.cuda.cuGetErrorName(error, ctypes.byref(text))
            raise RuntimeError(f"{function}: {(text.value or b'?').decode()}")

    def memory(self, size):
        pointer = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(max(size, 16)))
        return pointer.value

    def fill(self, address, data):
        self.call("cuMemcpyHtoD_v2", ctypes.c_uint64(address), data, ctypes.c_size_t(len(data)))

    def host_memory(self, size):
        pointer = ctypes.c_void_p()
        self.call("cuMemAllocHost_v2", ctypes.byref(pointer), ctypes.c_size_t(size))
        return pointer.value

    def stream(self):
        stream = ctypes.c_void_p()
        self.call("cuStreamCreate", ctypes.byref(stream), 1)  # doesn't wait for the default stream
        return stream

    def is_busy(self, stream):
        error = self.cuda.cuStreamQuery(stream)
        if error not in (0, 600):  # success, not ready
            raise RuntimeError(f"a kernel fails with error {error}")
        return error == 600


def run_case(case, calls, driver):
    """Counts over all calls; a dictionary, or a word for what went wrong."""
    module = ctypes.c_void_p()
    driver.call("cuModuleLoadData", ctypes.byref(module), case.ptx.encode() + b"\0")
    functions = {}
    for kernel in case.kernels:
        functions[kernel["entry"]] = ctypes.c_void_p()
        driver.call("cuModuleGetFunction", ctypes.byref(functions[kernel["entry"]]), module, kernel["entry"].encode())
    addresses = {}
    for r in range(case.p):
        for name, row in case.description["buffer"].items():
            size = case.count(row) * SIZES[row["type"]]
            addresses[name, r] = driver.memory(size)
            fill = struct.pack(FORMATS[row["type"]], row["fill"]) if "fill" in row else b"\xa5" * SIZES[row["type"]]
            driver.fill(addresses[name, r], fill * case.count(row))
    for r in range(case.p):
        for name, data in case.tables(r, addresses):
            addresses[name, r] = driver.memory(len(data))
            driver.fill(addresses[name, r], data)
    streams = [driver.stream() for _ in range(case.p)]
    in_bytes = 4 * case.count(rows(case.description, "input")[0][1])
    out_bytes = 4 * case.count(rows(case.description, "output")[0][1])
    held_in = driver.host_memory(BATCH * case.p * in_bytes)
    held_out = driver.host_memory(BATCH * case.p * out_bytes)
    result = {"calls": 0, "wrong calls": 0, "wrong elements": 0, "calls with other bits": 0}
    for first in range(0, calls, BATCH):
        inputs = []
        for k in range(first, min(first + BATCH, calls)):
            inputs.append([input_of(k, r, in_bytes // 4) for r in range(case.p)])
            for r in range(case.p):
                ctypes.memmove(held_in + ((k - first) * case.p + r) * in_bytes, inputs[-1][r].tobytes(), in_bytes)
        for k in range(first, first + len(inputs)):
            for r in range(case.p):
                enqueue(case, driver, functions, addresses, streams[r], r, k,
                        (held_in + ((k - first) * case.p + r) * in_bytes, in_bytes),
                        (held_out + ((k - first) * case.p + r) * out_bytes, out_bytes))
        deadline = time.monotonic() + 20
        while any(driver.is_busy(stream) for stream in streams):
            if time.monotonic() > deadline:
                return "hangs"
            time.sleep(0.001)
        for at, given in enumerate(inputs):
            outputs = [ctypes.string_at(held_out + (at * case.p + r) * out_bytes, out_bytes) for r in range(case.p)]
            compare(case, first + at, given, outputs, result)
    return result


def input_of(k, r, count):
    """Whole numbers in every other call, fractions in the calls between; never zero."""
    unit = 1 if k % 2 == 0 else 1 / 3
    return array.array("f", (((i * 7 + k * 13 + r * 101) % 1021 + 1) * unit for i in range(count)))


def enqueue(case, driver, functions, addresses, stream, r, k, source, target):
    in_name, out_name = rows(case.description, "input")[0][0], rows(case.description, "output")[0][0]
    driver.call("cuMemcpyHtoDAsync_v2", ctypes.c_uint64(addresses[in_name, r]), ctypes.c_void_p(source[0]),
                ctypes.c_size_t(source[1]), stream)
    driver.call("cuMemsetD8Async", ctypes.c_uint64(addresses[out_name, r]), ctypes.c_ubyte(0xFF),
                ctypes.c_size_t(target[1]), stream)
    for entry, grid, block, arguments in case.launches(r, k, addresses):
        held = [ctypes.create_string_buffer(data, len(data)) for data in arguments]
        pointers = (ctypes.c_void_p * len(held))(*(ctypes.addressof(data) for data in held))
        driver.call("cuLaunchKernel", functions[entry], grid, 1, 1, block, 1, 1, 0, stream, pointers, None)
    driver.call("cuMemcpyDtoHAsync_v2", ctypes.c_void_p(target[0]), ctypes.c_uint64(addresses[out_name, r]),
                ctypes.c_size_t(target[1]), stream)


def compare(case, k, inputs, outputs, result):
    result["calls"] += 1
    if k % 2 == 1:
        of_all = case.description["expect"]["out"].split("(")[0] != "reduce-scatter"
        result["calls with other bits"] += of_all and len(set(outputs)) > 1
        return
    wrong = 0
    for out, expected in zip(outputs, case.expected(inputs)):
        awaited = array.array("f", expected)
        if out != awaited.tobytes():
            wrong += sum(a != b for a, b in zip(array.array("f", out), awaited))
    result["wrong elements"] += wrong
    result["wrong calls"] += wrong > 0


# Commands

def check(names, assemble_bugs):
    """Resolves all launches, and assembles PTX where ptxas is."""
    ptxas = shutil.which("ptxas", path=os.environ["PATH"] + os.pathsep + "/usr/local/cuda/bin")
    assembled = 0
    for name in names:
        for p in (2, 8):
            case = Case(name, p)
            addresses = {(buffer, r): 0x1000 for buffer in case.description["buffer"] for r in range(p)}
            for r in range(p):
                addresses |= {(table, r): 0x2000 for table, _ in case.tables(r, addresses)}
                for _, grid, block, arguments in case.launches(r, 3, addresses):
                    sizes = [len(data) for data in arguments]
                    if grid < 1 or block < 1 or sizes not in [kernel["sizes"] for kernel in case.kernels]:
                        sys.exit(f"{name}: no launch: {grid} blocks of {block}, arguments of {sizes} bytes")
            given = [[1.0] * case.count(rows(case.description, "input")[0][1])] * p
            for values in case.expected(given):
                if len(values) != case.count(rows(case.description, "output")[0][1]):
                    sys.exit(f"{name}: {len(values)} elements are expected, which isn't the output's size")
        if ptxas and (assemble_bugs or "-" not in name):
            with tempfile.NamedTemporaryFile() as cubin:
                subprocess.run([ptxas, "-arch=sm_90", case.path, "-o", cubin.name], check=True)
            assembled += 1
    print(f"{len(names)} launches are resolved, {assembled} programs assembled" + ("" if ptxas else ": no ptxas here"))


def run_one(name, p, calls, library):
    print(json.dumps(run_case(Case(name, p), calls, Driver(library))), flush=True)
    os._exit(0)  # a kernel that hangs would keep an ordinary exit waiting


def run_apart(name, options):
    """Runs a case in a process of its own: one that hangs spoils nothing else."""
    command = [sys.executable, __file__, "--one", name, "--p", str(options.p), "--calls", str(options.calls),
               "--driver", options.driver]
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=600)
    except subprocess.TimeoutExpired:
        return "hangs"
    return json.loads(run.stdout) if run.returncode == 0 and run.stdout else f"fails: {run.stderr.strip()[-200:]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--p", type=int, default=8, choices=[2, 3, 4, 8])
    parser.add_argument("--calls", type=int, default=600)
    parser.add_argument("--driver", default="libcuda.so.1", help="the driver's library")
    parser.add_argument("--check", action="store_true", help="resolve all launches, run nothing")
    parser.add_argument("--all", action="store_true", help="with --check: assemble the bugs, too")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    names, bugs = cases(options.names)
    if options.check:
        return check(names, options.all)
    if options.one:
        return run_one(options.one, options.p, options.calls, options.driver)
    try:
        driver = Driver(options.driver)
    except (OSError, RuntimeError) as why:
        print(f"There is no GPU to run on: {why}. An NVIDIA driver ({options.driver}) and its GPU are needed.",
              file=sys.stderr)
        sys.exit(77)
    print(f"{driver.name}, {options.p} ranks on one GPU, {options.calls} calls: every other one with whole numbers\n")
    print("| example | mistake | `verify` | calls with wrong elements | wrong elements | calls with other bits |")
    print("|---|---|---|--:|--:|--:|")
    for name in names:
        row = bugs.get(name, {"what": "none", "property": "pass"})
        found = run_apart(name, options)
        counts = [found, "", ""]
        if isinstance(found, dict):
            counts = [found["wrong calls"], found["wrong elements"], found["calls with other bits"]]
        print(f"| {name} | {row['what']} | {row['property']} | " + " | ".join(map(str, counts)) + " |", flush=True)


if __name__ == "__main__":
    main()
