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
    assert value(page, "ways") == "0" and shown(page) == 1
    # It has steps 0 to 2; the next counterexample, of a property that isn't required, has step 1.
    for step, why in [(2, "exactly-once"), (1, "order-preserving"), (0, "exactly-once")]:
        page.click("#way-on")
        assert shown(page) == step and f"Why {why} fails" in told(page), (step, told(page))
    page.click("#clear")
    assert not marked(page, "way") and value(page, "ways") == ""


def follows_one_direction(page):
    """Of an exchange's two heads only the one of the followed block's direction stands out."""
    page.click(".step.current .rank-5")
    choose(page, "block", 7)
    # At step 0 rank 1 sends block 7 to rank 5 below it, as half of an exchange.
    assert marked(page) == {"from-1-to-5"}, marked(page)
    heads = page.run("""[...document.querySelectorAll(".step.current .chosen polygon")]
        .filter((head) => getComputedStyle(head).opacity === "1").map((head) => {
            const middle = (box) => box.y + box.height / 2;
            const rank = (r) => middle(document.querySelector(`.step.current .rank-${r}`).getBoundingClientRect());
            const at = middle(head.getBoundingClientRect());
            return [Math.abs(at - rank(5)), Math.abs(at - rank(1))];
        })""")
    assert len(heads) == 1 and heads[0][0] < heads[0][1], heads
    page.press("Escape")


def choose(page, id, value):
    page.run(f"""(() => {{ const input = document.getElementById("{id}"); input.value = {json.dumps(value)};
                           input.dispatchEvent(new Event("change")); }})()""")


def follows_a_link(page, path):
    page.open(f"{path}#step=3&rank=5&block=7")
    assert (shown(page), value(page, "rank"), value(page, "block")) == (3, "5", "7")
    page.press("ArrowRight")
    wait(page, "location.hash === '#step=4&rank=5&block=7'")
    page.open(f"{path}#step=99&rank=5&block=999")
    assert (shown(page), value(page, "rank"), value(page, "block")) == (0, "5", "")


def wait(page, condition):
    for _ in range(100):
        if page.run(condition):
            return
        page.run("new Promise((done) => setTimeout(done, 20))")
    assert False, (condition, page.run("location.hash"))


def says_what_a_step_does(page):
    does = page.run("document.querySelector('#does[aria-live=polite]').textContent")
    assert does == "Step 0: reduce. 16 ranks send to 16: 64 messages of 8 blocks each.", does
    load = page.run("document.getElementById('load').textContent")
    assert load == ("On torus 4x4: rank 0 -> rank 4 carries most, 8 blocks in 1 message. 64 of 64 links are used; "
                    "messages cross 1 link on average."), load
    labels = page.run("[...document.querySelectorAll('.step svg')].map((svg) => svg.getAttribute('aria-label'))")
    assert labels[4] == "swing allreduce, torus 4x4, step 4: copy" and len(set(labels)) == 8, labels


def zooms(page):
    def measures():
        return page.run("""(() => { const frame = document.querySelector(".figures");
            return [document.querySelector(".step.current svg").clientWidth, frame.scrollLeft, frame.scrollTop]; })()""")
    plain = measures()[0]
    page.click("#larger")
    page.press("+")
    page.press("+")
    wide, left, top = measures()
    assert abs(wide - plain * 1.5 ** 3) < 3 and left > 0 and top > 0, (plain, wide, left, top)
    page.run("""(() => { const frame = document.querySelector(".figures");
        const at = (kind, x, y) => frame.dispatchEvent(new PointerEvent(kind, { clientX: x, clientY: y, buttons: 1 }));
        at("pointerdown", 300, 300); at("pointermove", 280, 290); at("pointerup", 280, 290); })()""")
    assert measures()[1:] == [left + 20, top + 10], measures()
    for _ in range(3):
        page.press("-")
    assert measures() == [plain, 0, 0], measures()


def fits(page, width):
    page.send("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
    assert page.run("document.documentElement.scrollWidth") <= width
    page.send("Emulation.clearDeviceMetricsOverride")


def shows_two_schedules(page):
    does = page.run("document.getElementById('does').textContent")
    assert does.endswith("Beside recursive-doubling allreduce, torus 4x4: 0 the same, 16 with other blocks or operation, "
                         "0 only here, 0 only there."), does
    for _ in range(3):
        page.press("ArrowRight")
    page.click(".step.current .rank-5:not(.beside)")
    followed = page.run("""[...document.querySelectorAll(".step.current .chosen.message")]
        .map((line) => [line.classList.contains("beside"), line.classList[2]])""")
    assert [f[0] for f in followed] == [False, True] and {f[1] for f in followed} <= {
        "from-5-to-6", "from-6-to-5", "from-5-to-7", "from-7-to-5"}, followed
    for _ in range(3):
        page.press("ArrowRight")
    assert shown(page) == 6, "the schedule with more steps goes on"
    rows = page.run("[...document.querySelectorAll('#beside tr')].map((row) => row.innerText)")
    assert "steps\t8\t4\tdiffers" in rows and "verdict\tpass\tpass\t" in rows, rows[:12]


def plays_a_program(page):
    page.click(".step.current .rank-0")
    assert "sends 1 chunk to 1" in told(page) and page.run("document.getElementById('block').checkVisibility()") is False
    assert value(page, "rank") == "0"
    # What races is a send and a receive of step 0; what was written last is the receive on rank 1.
    assert marked(page, "way") == {"from-0-to-1", "from-1-to-0"}, marked(page, "way")
    assert "rank 0, thread block 1, step 0 (line 7): see step 0" in told(page), told(page)
    page.click("#way-on")
    assert "Why exactly-once fails" in told(page) and marked(page, "way") == {"from-0-to-1"}, told(page)
    wait(page, "location.hash === '#step=0&rank=0&counterexample=exactly-once'")


def names_the_places(page):
    assert "way 1: its own, held from the start" in told(page), told(page)
    assert "rank 0 (node 0, gpu 0) → 2 (node 1, gpu 0) at step 1" in told(page), told(page)
    choose(page, "rank", 3)
    assert "Rank 3 (node 1, gpu 1), step by step" in told(page) and "to 2 (node 1, gpu 0): reduce" in told(page), told(page)
    assert page.run("document.querySelector('#rank option:checked').textContent") == "3 (node 1, gpu 1)"
    assert page.run("document.querySelector('#matrix tbody td').title").startswith("rank 0 (node 0, gpu 0), block 0: ")


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
    for check in [matches_the_schedule, says_what_a_step_does, follows_one_direction, zooms]:
        check(page)
    fits(page, 400)
    fits(page, 1280)
    assert page.run("getComputedStyle(document.body).backgroundColor") != "rgb(255, 255, 255)"
    page.send("Emulation.setEmulatedMedia", media="print")
    assert page.run("""[...document.querySelectorAll("figure.step")]
        .every((figure) => getComputedStyle(figure).visibility === "visible")"""), "paper shows all steps"
    page.send("Emulation.setEmulatedMedia", media="screen")

    wrong = write(folder, "wrong.html", source / "examples" / "swing-latency-6.json", code=1)
    page.open(wrong)
    plays_the_counterexample(page)
    follows_a_link(page, torus)

    both = write(folder, "both.html", "--algo", "swing", "--torus", "4x4", "--beside", "recursive-doubling")
    page.open(both)
    shows_two_schedules(page)

    program = write(folder, "program.html", source / "examples" / "hasty.xml", code=1)
    page.open(program)
    plays_a_program(page)

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

    leaders = write(folder, "leaders.html", source / "examples/leaders-3x2.json", code=1)
    page.open(leaders)
    names_the_places(page)

    is_quiet(page, [line, torus, wrong, torus, both, program, hostile, large, leaders])
    size = write(folder, "64.html", "--algo", "swing", "--torus", "8x8", "--lanes", "all").stat().st_size
    assert size < 5_000_000, size
print("reports work in Chromium")
