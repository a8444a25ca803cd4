"""Looks at pictures as PDF, EPS and PNG: the words of a PDF are those of the SVG, at their places, and none is cut off;
what is drawn lies inside the edges of each, and all are equally large.

SVG is tested against the list of shapes (rendered_test.cpp), and librsvg makes the others from it.

Usage: check_pages.py VERIFY [--all]
"""

import html
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import zlib

VERIFY = pathlib.Path(sys.argv[1]).resolve()
ASCENT = 0.891  # of Liberation Serif and Sans alike, nearly: from the top of a word's box to its baseline, in its size
DPI = 60
VIEWS = ["steps", "time", "tree", "vectors", "matrix", "term", "contention", "heat-map", "cut", "deadlock"]


def cases():
    if "--all" not in sys.argv:
        subject = "--algo swing --p 8"
        return [f"{subject} --view {view}" for view in ("steps --counts", "time --transpose", "heat-map", "deadlock")]
    subjects = [f"--algo {algo} --{shape}" for algo in ("swing", "ring", "recursive-doubling", "bruck", "pat")
                for shape in ("p 2", "p 7", "p 16", "p 64")]
    subjects += [f"--algo {algo} --torus {torus}" for algo in ("swing", "bucket") for torus in ("4x4", "8x8", "2x3x4")]
    options = {"steps": ["", "--counts"], "time": ["", "--transpose", "--bytes 1Mi"], "contention": ["", "--counts"]}
    drawn = [f"{subject} --view {view} {option} --width {width}" for subject in subjects for view in VIEWS
             for option in options.get(view, [""]) for width in ("3.3in", "7in")]
    return drawn + ["examples/swing-latency-6.json --view counterexample", "examples/hasty.xml --view happens-before"]


def draw(case, path):
    """False if verify refuses to draw it so."""
    ran = subprocess.run([VERIFY, "draw", *case.split(), "--dpi", str(DPI), "-o", path], capture_output=True, text=True,
                         stdin=subprocess.DEVNULL)
    assert ran.returncode in (0, 2), f"{case}: {ran.stderr}"
    return ran.returncode == 0


class Line:
    """A line of text: where it stands, reckoned along its baseline and across."""

    def __init__(self, words, along, across, anchor, size):
        self.words, self.along, self.across, self.anchor, self.size = words, along, across, anchor, size


def lines_of(svg):
    """The lines of an SVG, those that read onward and those that read upward."""
    left, top = (float(n) for n in re.search(r'viewBox="(\S+) (\S+)', svg).groups())
    onward, upward = [], []
    for attributes, words in re.findall(r"<text ([^>]*)>([^<]*)</text>", svg):
        words = html.unescape(words).replace("\u00a0", " ").strip()
        if not words:
            continue
        size = float(re.search(r'font-size="([^"]*)"', attributes)[1])
        anchor = re.search(r'text-anchor="([^"]*)"', attributes)
        anchor = anchor[1] if anchor else "middle"
        if turned := re.search(r"translate\(([^,]*),([^)]*)\) rotate", attributes):
            x, y = (float(n) for n in turned.groups())
            upward.append(Line(words, -(y - top), x - left, anchor, size))
        else:
            x, y = (float(re.search(rf'\b{name}="([^"]*)"', attributes)[1]) for name in "xy")
            onward.append(Line(words, x - left, y - top, anchor, size))
    return onward, upward


def words_of(pdf):
    """The words of a PDF with their boxes, and the size of its page."""
    text = subprocess.run(["pdftotext", "-bbox", pdf, "-"], capture_output=True, text=True, check=True).stdout
    page = tuple(float(n) for n in re.search(r'<page width="([^"]*)" height="([^"]*)"', text).groups())
    found = re.findall(r'<word xMin="([^"]*)" yMin="([^"]*)" xMax="([^"]*)" yMax="([^"]*)">([^<]*)</word>', text)
    return [(html.unescape(word), *(float(n) for n in box)) for *box, word in found], page


def is_at(line, run):
    """Does a run of boxes begin, end, or have its middle where the line does?"""
    first, last = run[0][1], run[-1][2]
    place = {"start": first, "end": last, "middle": (first + last) / 2}[line.anchor]
    return abs(place - line.along) < 0.8


def take(line, boxes):
    """Removes the words of a line from those on its baseline; False if they aren't there."""
    wanted = "".join(line.words.split())
    beside = sorted((b for b in boxes if abs(b[3] - line.across) < 0.08 * line.size + 0.3), key=lambda b: b[1])
    for k in range(len(beside)):
        said = ""
        for end in range(k, len(beside)):
            said += "".join(beside[end][0].split())
            if said == wanted and is_at(line, beside[k:end + 1]):
                for box in beside[k:end + 1]:
                    boxes.remove(box)
                return True
            if not wanted.startswith(said):
                break
    return False


def faults_of_pdf(svg, pdf):
    onward, upward = lines_of(svg)
    words, (width, height) = words_of(pdf)
    faults = [f"'{w}' leaves the page" for w, x0, y0, x1, y1 in words if x0 < -0.6 or y0 < -0.6 or x1 > width + 0.6 or y1 > height + 0.6]
    across = [(w, x0, x1, y0 + ASCENT / 1.107 * (y1 - y0)) for w, x0, y0, x1, y1 in words]
    faults += [f"'{line.words}' isn't at its place" for line in onward if not take(line, across)]
    left = {box[0]: 0 for box in across}
    down = [(w, -y1, -y0, x0 + ASCENT / 1.107 * (x1 - x0)) for w, x0, y0, x1, y1 in words if w in left]
    faults += [f"'{line.words}', upright, isn't at its place" for line in upward if not take(line, down)]
    if len(across) > sum(len(line.words.split()) for line in upward):
        faults.append(f"nobody wrote {[box[0] for box in across]}")
    return faults


def pixels(png):
    """The rows of a PNG of eight bits a channel, and how many bytes a pixel has."""
    data = png.read_bytes()
    width, height, depth, kind, _, _, interlaced = struct.unpack(">IIBBBBB", data[16:29])
    assert depth == 8 and not interlaced, png
    channels = {0: 1, 2: 3, 4: 2, 6: 4}[kind]
    packed, at = b"", 8
    while at < len(data):
        length, name = struct.unpack(">I4s", data[at:at + 8])
        packed += data[at + 8:at + 8 + length] if name == b"IDAT" else b""
        at += 12 + length
    raw, stride = zlib.decompress(packed), width * channels
    rows, above = [], bytearray(stride)
    for y in range(height):
        how, row = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        for k in range(stride if how else 0):
            a, b = row[k - channels] if k >= channels else 0, above[k]
            c = above[k - channels] if k >= channels else 0
            nearest = min((abs(b - c), 0, a), (abs(a - c), 1, b), (abs(a + b - 2 * c), 2, c))[2]
            row[k] = row[k] + (0, a, b, (a + b) // 2, nearest)[how] & 255
        rows.append(row)
        above = row
    return rows, channels


def ink_at_edges(rows, channels):
    # A pixel is more than a point wide. What ends just before the edge leaves a little grey, what is cut off much ink.
    is_ink = lambda pixel: any(c < 128 for c in pixel[:3]) and pixel[-1] > 128
    edges = {"top": rows[0], "bottom": rows[-1], "left": b"".join(bytes(r[:channels]) for r in rows),
             "right": b"".join(bytes(r[-channels:]) for r in rows)}
    return [f"ink at the {name}" for name, row in edges.items()
            if any(is_ink(row[k:k + channels]) for k in range(0, len(row), channels))]


def faults_of_png(png, width, height):
    rows, channels = pixels(png)
    across = len(rows[0]) // channels
    faults = [] if abs(across - width * DPI / 72) < 2 and abs(len(rows) - height * DPI / 72) < 2 else ["another size"]
    faults += ink_at_edges(rows, channels)
    if all(row == rows[0] for row in rows):
        faults.append("nothing is drawn")
    return faults


def faults_of_eps(eps, width, height):
    x0, y0, x1, y1 = (int(n) for n in re.search(rb"%%BoundingBox: (\S+) (\S+) (\S+) (\S+)", eps.read_bytes()).groups())
    fits = x0 >= 0 and y0 >= 0 and x1 <= width + 1 and y1 <= height + 1 and x1 - x0 > 10 and y1 - y0 > 10
    return [] if fits else [f"a bounding box of {x0} {y0} {x1} {y1}"]


def faults_of(case, folder):
    """None if verify refuses to draw it."""
    paths = {format: folder / f"x.{format}" for format in ("svg", "pdf", "png", "eps")}
    if not draw(case, paths["svg"]):
        return None
    assert all([draw(case, path) for path in paths.values()])
    _, (width, height) = words_of(paths["pdf"])
    faults = {"pdf": faults_of_pdf(paths["svg"].read_text(), paths["pdf"]), "png": faults_of_png(paths["png"], width, height),
              "eps": faults_of_eps(paths["eps"], width, height)}
    return [f"{case}: {format}: {fault}" for format, all in faults.items() for fault in all]


def check_that_slips_are_seen(folder):
    """Words that a PDF lacks, has elsewhere, or has too many of; a PNG whose left part is cut off within its words."""
    case = cases()[0]
    draw(case, folder / "x.svg")
    draw(case, folder / "x.pdf")
    svg = (folder / "x.svg").read_text()
    assert not faults_of_pdf(svg, folder / "x.pdf")
    text = re.search(r'<text x="([^"]*)"[^>]*>[^<]*</text>', svg)
    moved = text[0].replace(f'x="{text[1]}"', f'x="{float(text[1]) + 2}"')
    for slip in (svg.replace(text[0], moved, 1), svg.replace(text[0], "", 1), svg.replace(text[0], text[0] * 2, 1)):
        assert faults_of_pdf(slip, folder / "x.pdf"), "a slip isn't seen"
    draw(case, folder / "x.png")
    rows, channels = pixels(folder / "x.png")
    assert not ink_at_edges(rows, channels)
    columns = range(len(rows[0]) // channels)
    assert any(ink_at_edges([row[k * channels:] for row in rows], channels) for k in columns), "a cut isn't seen"


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        check_that_slips_are_seen(folder)
        looked, faults = 0, []
        for case in cases():
            found = faults_of(case, folder)
            looked += found is not None
            faults += found or []
    assert not faults, "\n".join(faults[:40])
    assert looked * 3 > len(cases()), f"only {looked} of {len(cases())} were drawn"
    print(f"{looked} pictures have their words, and no ink at their edges")


main()
