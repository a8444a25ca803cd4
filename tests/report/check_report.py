"""Opens reports in headless Chromium and does what a reader does.

Usage: check_report.py VERIFY SOURCE_FOLDER
"""

import json
import pathlib
import subprocess
import sys
import tempfile

from browser import Browser

verify, source = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()


def write(folder, name, *arguments, code=0):
    path = pathlib.Path(folder) / name
    ended = subprocess.run([verify, "report", *map(str, arguments), "-o", path])
    assert ended.returncode == code, (arguments, ended.returncode)
    return path


def shown(page):
    """The step whose picture can be seen; there must be one."""
    steps = page.run("""[...document.querySelectorAll("figure.step")]
        .filter((figure) => getComputedStyle(figure).visibility === "visible").map((figure) => figure.dataset.step)""")
    assert len(steps) == 1, steps
    return int(steps[0])


def told(page):
    return page.run("document.getElementById('told').innerText")


def marked(page, how="chosen"):
    """The messages that stand out, as "from-0-to-1"; one may be several lines."""
    return set(page.run(f"[...document.querySelectorAll('.step.current .message.{how}')].map((m) => m.classList[2])"))


def value(page, id):
    return page.run(f"document.getElementById('{id}').value")


def slides(page):
    assert shown(page) == 0
    page.run("""(() => { const slider = document.getElementById("step"); slider.value = 3;
                         slider.dispatchEvent(new Event("input")); })()""")
    assert shown(page) == 3 and "4 of 8" in page.run("document.getElementById('where').textContent")


def steps_by_keys(page):
    page.run("document.getElementById('step').focus()")
    for key, step in [("ArrowRight", 4), ("ArrowLeft", 3), ("End", 7)]:
        page.press(key)
        assert shown(page) == step, (key, shown(page))
    page.run("document.activeElement.blur()")
    for key, step in [("ArrowRight", 7), ("ArrowLeft", 6), ("ArrowLeft", 5)]:
        page.press(key)
        assert shown(page) == step, (key, shown(page))
    page.click("#back")
    page.click("#back")
    assert shown(page) == 3
    page.press("Tab")
    outline = page.run("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid", f"what has the focus isn't seen: {outline}"


def plays(page):
    page.run("document.activeElement.blur()")
    page.run("window.times = []; const set = setInterval; setInterval = (f, ms) => (times.push(ms), set(f, 20))")
    page.click("#play")
    page.run("new Promise((done) => setTimeout(done, 600))")
    assert page.run("times") == [1000] and shown(page) == 7
    assert page.run("document.getElementById('play').textContent") == "Play", "it goes on after the last step"
    page.run("document.activeElement.blur()")
    page.press(" ")
    page.run("new Promise((done) => setTimeout(done, 600))")
    assert page.run("times.length") == 2 and shown(page) == 7, "the space bar doesn't play from the start"


def selects_a_rank(page):
    for _ in range(4):
        page.press("ArrowLeft")
    page.click(".step.current .rank-5")
    # At step 3 of Swing rank 5 exchanges with rank 10.
    assert marked(page) == {"from-10-to-5", "from-5-to-10"}, marked(page)
    assert value(page, "rank") == "5"
    assert "sends block 10 to 10: reduce" in told(page) and "receives block 5 from 10: reduce" in told(page), told(page)
    page.click(".step.current .rank-5")
    assert not marked(page) and value(page, "rank") == ""


def selects_a_block(page):
    page.click("#matrix td[data-block='7']")
    assert value(page, "block") == "7"
    carried = [m for m in data(page)["messages"] if m[0] == 3 and any(first <= 7 <= last for first, last in m[5])]
    assert marked(page) == {f"from-{m[1]}-to-{m[2]}" for m in carried}
    assert carried and f"{carried[0][1]} → {carried[0][2]}" in told(page), told(page)
    page.press("Escape")
    assert not marked(page) and value(page, "block") == ""


def data(page):
    return json.loads(page.run("document.getElementById('player-data').textContent"))


def matches_the_schedule(page):
    """Every message of every step has its line."""
    missing = page.run("""(() => {
        const data = JSON.parse(document.getElementById("player-data").textContent);
        return data.messages.filter(([step, src, dst, copies, lane]) =>
            !document.querySelector(`[data-step="${step}"] .message.from-${src}-to-${dst}.lane-${lane}`));
    })()""")
    assert missing == [], missing[:5]


def plays_the_counterexample(page):
    assert marked(page, "way") == {"from-0-to-1"}
    page.press("ArrowRight")
    assert marked(page, "way") == {"from-0-to-5", "from-1-to-2"}, marked(page, "way")
    assert "rank 2 ends with rank 0's contribution to block 0 twice" in told(page)
    page.click("#ways")
    assert not marked(page, "way")


def is_harmless(page, name):
    """Text is text: nothing of it became an element, and nothing ran."""
    assert page.run("document.querySelector('h1').textContent").count(name) == 1
    assert page.run("document.scripts.length") == 3 and page.run("window.hacked") is None
    assert page.run("JSON.parse(document.getElementById('run-data').textContent).runs[0].subject.algorithm") == name


def is_quiet(page, paths):
    assert page.messages == [], page.messages
    assert page.requests == [f"file://{path}" for path in paths], page.requests


hostile_name = "</script><script>window.hacked = 1</script><img src=x onerror='hacked=1'>&amp;\u00e9\""

with tempfile.TemporaryDirectory() as folder, Browser() as page:
    line = write(folder, "line.html", "--algo", "swing", "--p", "16")
    page.open(line)
    for check in [matches_the_schedule, slides, steps_by_keys, plays, selects_a_rank, selects_a_block]:
        check(page)

    torus = write(folder, "torus.html", "--algo", "swing", "--torus", "4x4", "--lanes", "all")
    page.open(torus, prefers_color_scheme="dark")
    matches_the_schedule(page)
    assert page.run("getComputedStyle(document.body).backgroundColor") != "rgb(255, 255, 255)"
    page.send("Emulation.setEmulatedMedia", media="print")
    assert page.run("""[...document.querySelectorAll("figure.step")]
        .every((figure) => getComputedStyle(figure).visibility === "visible")"""), "paper shows all steps"
    page.send("Emulation.setEmulatedMedia", media="screen")

    wrong = write(folder, "wrong.html", source / "examples" / "swing-latency-6.json", code=1)
    page.open(wrong)
    plays_the_counterexample(page)

    named = pathlib.Path(folder) / "named.json"
    schedule = json.loads((source / "examples" / "swing-latency-6.json").read_text())
    named.write_text(json.dumps(dict(schedule, algorithm=hostile_name)))
    hostile = write(folder, "hostile.html", named, code=1)
    page.open(hostile)
    is_harmless(page, hostile_name)

    large = write(folder, "large.html", "--algo", "swing", "--p", "1024")
    page.open(large)
    assert page.run("document.getElementById('player')") is None
    assert "too many to play" in page.run("document.getElementById('steps').innerText")
    assert page.run("document.querySelectorAll('svg.chart').length") == 1

    is_quiet(page, [line, torus, wrong, hostile, large])
    size = write(folder, "64.html", "--algo", "swing", "--torus", "8x8", "--lanes", "all").stat().st_size
    assert size < 5_000_000, size
print("reports work in Chromium")
