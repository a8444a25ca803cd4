"""Section 5 of the Swing paper: gains in our model of synchronous steps, beside those of the paper's simulator.

Sides are 2^k; a link takes 50 bytes a ns, and 400 ns. Of each step count the hottest link, what a rank sends on all its
ports, and the longest way.
"""

import collections
import math
import statistics

from recounts.common import Row, hold, log2_up, printed, say
from recounts.swing import in_turn, rho


def timed(link_bytes, rank_bytes, ports, hops):
    return max(link_bytes, rank_bytes / ports) / 50 + 400 * hops


def swing_time(shape, size, halves):
    ports, time = 2 * len(shape), 0
    for k, lanes in enumerate(zip(*(in_turn(shape, first) for first in range(len(shape))))):
        message = size / ports / (2 ** (k + 1) if halves else 1)
        links = collections.Counter()  # a plain and a mirrored lane together load both ways alike
        for dimension, s in lanes:
            links[dimension] += abs(rho(s)) * message
        time += timed(max(links.values()), ports * message, ports, max(abs(rho(s)) for _, s in lanes))
    return time * (2 if halves else 1)


def doubling_time(shape, size, halves):
    time = 0
    for k, (dimension, s) in enumerate(in_turn(shape, 0)):
        message = size / (2 ** (k + 1) if halves else 1)
        shared = 2 ** s / (2 if 2 ** (s + 1) == shape[dimension] else 1)
        time += timed(shared * message, message, 2 * len(shape), 2 ** s)
    return time * (2 if halves else 1)


def bucket_time(shape, size):
    time, left = 0, [size / (2 * len(shape))] * len(shape)
    steps = max(shape) - 1
    for phase in range(len(shape)):  # what a lane sends in it is spread over the steps
        sides = [shape[(lane + phase) % len(shape)] for lane in range(len(shape))]
        sent = max(part * (side - 1) / side for part, side in zip(left, sides))
        time += 2 * steps * timed(sent / steps, 0, 1, 1)
        left = [part / side for part, side in zip(left, sides)]
    return time


def ring_time(shape, size):
    """Along Hamiltonian cycles; the tori below have them unless they have three sides or more."""
    p = math.prod(shape)
    return 2 * (p - 1) * timed(size / 4 / p, 0, 1, 1) if len(shape) == 2 else math.inf


def gains(*shape):
    def gain(size):
        own = min(swing_time(shape, size, False), swing_time(shape, size, True))
        others = (doubling_time(shape, size, False), doubling_time(shape, size, True), bucket_time(shape, size),
                  ring_time(shape, size))
        return 100 * (min(others) / own - 1)
    return [gain(32 * 4 ** k) for k in range(13)]


squares = {side: max(gains(side, side)) for side in (8, 16, 32, 64, 128)}
say("swing-gain-with-size", f"between {min(squares.values()):.0f} and {max(squares.values()):.0f} %",
    "largest on {0}x{0}".format(max(squares, key=squares.get)))
hold("20 %", min(min(gains(side, side)) for side in squares) > -20)
hold("less than 3 % behind in 3D and 4D", -3 < min(gains(8, 8, 8)) < 0 and -3 < min(gains(8, 8, 8, 8)) < 0)
on_64x64 = gains(64, 64)
say("swing-figure-7-at-2-mib", f"gains {on_64x64[8]:.0f} %")
say("swing-figure-7-small", f"gains {on_64x64[0]:.0f} to {on_64x64[3]:.0f} %", f"gains {on_64x64[5]:.0f} %")
say("swing-figure-11-large", f"loses {-gains(256, 4)[12]:.0f} %")
say("swing-figure-7-large", f"loses {-on_64x64[12]:.0f} %")
middles = [statistics.median(gains(*shape)) for shape in ((64, 16), (128, 8), (256, 4))]
hold("medians grow", sorted(middles) == middles)
say("swing-median-on-rectangles", f"from {middles[0]:.0f} to {middles[2]:.0f} %")
say("swing-bucket-together", f"{2 * (63 + 15) * 0.4:.1f} us if no lane waits", f"else {bucket_time((64, 16), 32) / 1000:.0f} us")
say("swing-figure-12-twice", f"{max(gains(8, 8, 8)):.0f} and {max(gains(8, 8, 8, 8)):.0f} %")
rectangles = {shape: max(gains(*shape)) for shape in ((64, 16), (128, 8), (256, 4))}
best = max(rectangles, key=rectangles.get)
say("swing-gain-on-rectangles", "largest on {}x{}, {:.0f} %".format(*best, rectangles[best]))



def of_program(figure, network, size):
    tables = printed("cost", "--preset", f"swing-fig{figure}", "--json")["presets"]
    return next(round(100 * float(row["gain"])) for table in tables for row in table["rows"]
                if row["network"] == f"torus {network}" and float(row["bytes"]) == size and row["algorithm"] == "swing")


def ahead(of):
    """The first sizes in a row at which Swing gains, up to this many MiB."""
    last = next((k for k, gain in enumerate(of) if gain < 0), len(of)) - 1
    return 32 * 4 ** last / 2 ** 20


MIB = 2 ** 20
on_64x64, on_8x8 = gains(64, 64), gains(8, 8)
goodput = 2 * 512 * MIB / (4 * 50) * (4095 / 4096) / min(swing_time((64, 64), 512 * MIB, halves) for halves in (False, True))
ROWS = [
    Row("section 5.1", "MiB to which Swing is the fastest, 64x64", 32, ahead(on_64x64), claim="swing-figure-7-ahead"),
    Row("section 5.1", "gain at 2 MiB, per cent, 64x64", 120, round(on_64x64[8]), claim="swing-figure-7-at-2-mib",
        program=of_program(7, "64x64", 2 * MIB)),
    Row("section 5.1", "gain to 32 KiB, per cent: at most", ("<=", 50), round(max(on_64x64[:6])), claim="swing-figure-7-small",
        program=of_program(7, "64x64", 32 * 1024)),
    Row("section 5.1", "goodput at 512 MiB, per cent of peak", 77, round(100 * goodput), claim="swing-figure-7-goodput"),
    Row("section 5.1.1", "MiB to which Swing is the fastest, 8x8", 32, ahead(on_8x8), claim="swing-figure-8-ahead"),
    Row("section 5.1.1", "loss at 512 MiB, per cent, 64x64: at most", ("<=", 20), -round(on_64x64[12]),
        program=-of_program(7, "64x64", 512 * MIB)),
    Row("figure 7", "loss at 512 MiB, per cent, 64x64", 20, -round(on_64x64[12]), claim="swing-figure-7-large"),
    Row("section 5.1", "Swing's time over recursive doubling's at 2 MiB: less than half", ("<", "0.5"),
        swing_time((64, 64), 2 * MIB, True) / min(doubling_time((64, 64), 2 * MIB, halves) for halves in (False, True))),
    Row("section 5.1", "Swing's time over the ring's at 512 MiB: less than 1", ("<", 1),
        swing_time((64, 64), 512 * MIB, True) / ring_time((64, 64), 512 * MIB)),
    Row("section 5.2", "us of bucket on 64x16 at 32 B if no lane waits: not less", ("<=", "62.4"), bucket_time((64, 16), 32) / 1000, claim="swing-bucket-together"),
    Row("section 5.2", "MiB to which Swing is the fastest, 64x16", 32, ahead(gains(64, 16))),
    Row("section 5.2", "MiB to which Swing is the fastest, 256x4", 32, ahead(gains(256, 4))),
    Row("section 5.2", "largest gain on 128x8, per cent: three times", 200, round(max(gains(128, 8))), claim="swing-figure-11-three-times"),
    Row("section 5.3", "largest gain on 8x8x8, per cent: twice", 100, round(max(gains(8, 8, 8))), claim="swing-figure-12-twice",
        program=of_program(12, "8x8x8", 32 * 1024)),
    Row("section 5.5", "gain at 512 MiB on 256x4, per cent", -60, round(gains(256, 4)[12]), claim="swing-figure-11-large",
        program=of_program(11, "256x4", 512 * MIB)),
    Row("section 5.5", "median gain on 64x64, per cent: at most", ("<=", 50), round(statistics.median(on_64x64))),
]
