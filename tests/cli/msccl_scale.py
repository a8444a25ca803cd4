"""Large MSCCL files: a ring of 128 ranks, 16 ranks with 23,040 steps, and 16 ranks whose thread blocks share memory.

Checks the verdicts, and that the work and memory that they take stay near what they should be, with room for slow machines.

Usage: msccl_scale.py VERIFY
"""

import pathlib
import resource
import subprocess
import sys
import tempfile

verify = sys.argv[1]
NO_WAIT = (-1, -1, 0)


def step(number, kind, source, target, count=1, wait=NO_WAIT):
    return (f'<step s="{number}" type="{kind}" srcbuf="{source[0]}" srcoff="{source[1]}" dstbuf="{target[0]}" '
            f'dstoff="{target[1]}" cnt="{count}" depid="{wait[0]}" deps="{wait[1]}" hasdep="{wait[2]}"/>\n')


def document(ranks, chunks, scratch, thread_blocks):
    """`thread_blocks(rank)` yields (send, recv, channel, steps)."""
    parts = [f'<algo name="large" nchunksperloop="{chunks}" ngpus="{ranks}" coll="allreduce" inplace="1">\n']
    for rank in range(ranks):
        parts.append(f'<gpu id="{rank}" i_chunks="{chunks}" o_chunks="0" s_chunks="{scratch}">\n')
        for number, (send, recv, channel, steps) in enumerate(thread_blocks(rank)):
            parts.append(f'<tb id="{number}" send="{send}" recv="{recv}" chan="{channel}">\n{"".join(steps)}</tb>\n')
        parts.append("</gpu>\n")
    return "".join(parts) + "</algo>\n"


def ring(ranks, channels):
    def thread_blocks(rank):
        for channel in range(channels):
            steps = []
            for k in range(2 * (ranks - 1)):
                out = ("i", (rank - k) % ranks + channel * ranks)
                into = ("i", (rank - k - 1) % ranks + channel * ranks)
                steps.append(step(2 * k, "s", out, out))
                steps.append(step(2 * k + 1, "rrc" if k < ranks - 1 else "r", into, into))
            yield (rank + 1) % ranks, (rank - 1) % ranks, channel, steps

    return document(ranks, ranks * channels, 0, thread_blocks)


def pairs(ranks, chunks):
    """Every rank sends all it has to every other, and its first thread block adds up when all have it."""
    def thread_blocks(rank):
        others = [q for q in range(ranks) if q != rank]
        for number, q in enumerate(others):
            steps = [step(0, "s", ("i", 0), ("i", 0), chunks),
                     step(1, "r", ("i", 0), ("s", q * chunks), chunks, (-1, -1, 1))]
            if number == 0:
                for k in range(1, len(others)):
                    steps.append(step(len(steps), "nop", ("i", 0), ("i", 0), 1, (k, 1, 0)))
                for chunk in range(chunks):
                    for other in others:
                        steps.append(step(len(steps), "re", ("s", other * chunks + chunk), ("i", chunk)))
            yield q, q, 0, steps

    return document(ranks, chunks, ranks * chunks, thread_blocks)


with tempfile.TemporaryDirectory() as folder:
    for name, text, seconds in (("ring128", ring(128, 1), 2), ("ring16", ring(16, 24), 1), ("pairs16", pairs(16, 96), 1)):
        file = pathlib.Path(folder) / f"{name}.xml"
        file.write_text(text)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        ended = subprocess.run([verify, str(file)], capture_output=True, text=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        took = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        assert ended.returncode == 0, (name, ended.stdout, ended.stderr)
        print(f"{name}: {text.count('<step')} steps, {len(text) / 1e6:.1f} MB, {took:.2f} s of processors")
        assert took < 10 * seconds, (name, took)  # ten times what it should take, of processors: this machine may be slow
    memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"at most {memory:.0f} MiB")
    assert memory < 500, memory  # with sanitizers; 200 without
