"""Opens reports in headless Chromium and does what a reader does.

Usage: check_report.py VERIFY SOURCE_FOLDER CORPUS_FOLDER
"""

import json
import pathlib
import subprocess
import sys
import tempfile

from browser import Browser
from reader import Reader, wait

verify, source = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
corpus = pathlib.Path(sys.argv[3])


def write(folder, name, *arguments, code=0):
    path = pathlib.Path(folder) / name
    ended = subprocess.run([verify, "report", *map(str, arguments), "-o", path], stderr=subprocess.DEVNULL)
    assert ended.returncode == code, (arguments, ended.returncode)
    return path


def slides(reader):
    assert reader.step == 0
    reader.set("step", 3, "input")
    assert reader.step == 3 and "4 of 8" in reader.text("where")


def steps_by_keys(page, reader):
    page.run("document.activeElement.blur()")
    for key, step in [("ArrowRight", 4), ("ArrowLeft", 3), ("End", 7), ("ArrowRight", 7), ("Home", 0), ("ArrowLeft", 0)]:
        page.press(key)
        assert reader.step == step, (key, reader.step)
    page.click("#forward")
    page.click("#forward")
    page.click("#back")
    assert reader.step == 1
    page.press("Tab")
    outline = page.run("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid", f"what has the focus isn't seen: {outline}"
    page.run("document.activeElement.blur()")
    for key, rank in [("ArrowDown", 0), ("ArrowDown", 1), ("ArrowUp", 0), ("Escape", None), ("ArrowUp", 15), ("Escape", None)]:
        page.press(key)
        assert reader.rank == rank, (key, reader.rank)


def plays(page, reader):
    """Its clock is replaced by one that the test turns."""
    page.run("""window.clock = []; window.setInterval = (f, ms) => (clock.push([f, ms]), clock.length);
                window.clearInterval = (n) => { if (n) clock[n - 1] = null; }; document.activeElement.blur()""")
    page.press("Home")
    page.click("#play")
    assert page.run("clock[0][1]") == 1000 and reader.text("play") == "Pause"
    for step in range(1, 8):
        page.run("clock[0][0]()")
        assert reader.step == step
    assert reader.text("play") == "Play" and page.run("clock[0]") is None, "it goes on after the last step"
    page.run("document.activeElement.blur()")
    page.press(" ")
    assert reader.step == 0 and page.run("clock.length") == 2, "the space bar doesn't play from the start"
    page.press(" ")
    assert page.run("clock[1]") is None and reader.text("play") == "Play"


def selects_in_the_pictures(page, reader):
    reader.set("step", 3, "input")
    reader.click_rank(5)
    # At step 3 of Swing rank 5 exchanges with rank 10.
    assert reader.rank == 5 and reader.value("rank") == "5"
    assert "sends block 10 to 10: reduce" in reader.told and "receives block 5 from 10: reduce" in reader.told, reader.told
    assert reader.followed() == [[5, 10], [10, 5]], reader.followed()
    reader.click_rank(5)
    assert reader.rank is None and reader.followed() == []
    reader.click_timeline(6, 9)
    assert (reader.step, reader.rank) == (6, 9)
    reader.point_at_timeline(3, 5)
    assert reader.text("hover") == "step 3, rank 5: sends block 10 to 10; receives block 5 from 10", reader.text("hover")


def selects_a_block(page, reader):
    page.press("Escape")
    reader.set("step", 3, "input")
    reader.click_matrix(block=7)
    assert reader.block == 7 and reader.value("block") == "7"
    carried = page.run("onceover.player.blockRun().moves[3].map(([, , , src, dst]) => [src, dst])")
    assert carried and f"{carried[0][0]} → {carried[0][1]}" in reader.told, reader.told
    assert reader.followed() == carried
    reader.click_matrix(block=7, rank=2)
    assert (reader.rank, reader.block) == (2, 7)
    assert "After step 3, rank 2 holds 1 of 16 contributions to block 7: that of rank 2." in reader.told, reader.told
    page.press("End")
    assert "After step 7, rank 2 holds 16 of 16 contributions to block 7: the sum of those of ranks 0-15." in reader.told, reader.told
    page.press("Escape")
    assert reader.block is None and reader.rank is None


def finds(page, reader):
    def find(text):
        page.press("/")
        page.run("document.getElementById('search').value = ''")
        page.type(text)
        page.press("Enter")
        page.run("document.activeElement.blur()")

    find("rank 11")
    assert reader.rank == 11
    find("b 4")
    assert reader.block == 4 and reader.rank == 11
    find("step 2")
    assert reader.step == 2
    find("3")
    assert reader.rank == 3
    find("rank 99")
    assert reader.text("found") == "There is no rank 99: they are 0 to 15." and reader.rank == 3
    find("elsewhere")
    assert "Nothing is called" in reader.text("found")
    page.press("Escape")


def zooms(page, reader):
    reader.set("rank", 9)
    for _ in range(3):
        page.press("+")
    view = reader.view()
    assert view[3] - view[2] < 16 and view[2] <= 9 < view[3], view
    page.click("#smaller")
    assert reader.view()[3] - reader.view()[2] > view[3] - view[2]
    before = reader.view()
    reader.drag("timeline", (300, 200), (300, 160))
    assert reader.view()[2] > before[2], "dragging up moves the tracks up"
    page.press("0")
    assert reader.view() == [0, 8, 0, 16]
    reader.wheel("network", -100)
    assert page.run("onceover.player.picture.zoomedBy") > 1
    reader.click_rank(14)
    assert reader.rank == 14, "a rank is where it is drawn"
    page.press("0")
    assert page.run("onceover.player.picture.zoomedBy") == 1, "keys are for the picture used last"
    page.press("Escape")


def shows_only_what_takes_part(page, reader):
    reader.set("rank", 5)
    page.press("o")
    partners = page.run("[...onceover.player.tracks]")
    assert 5 in partners and 1 < len(partners) < 16, partners
    assert reader.checked("only")
    page.press("o")
    assert page.run("onceover.player.tracks.length") == 16
    page.press("Escape")


def turns_dark(page):
    def paper():
        return page.run("getComputedStyle(document.body).backgroundColor")

    light = paper()
    page.press("t")
    dark = paper()
    assert light == "rgb(255, 255, 255)" and dark != light
    assert page.run("colours.paper !== '#ffffff'") and page.run("document.getElementById('theme').textContent") == "Light"
    page.click("#theme")
    assert paper() == light


def lists_its_keys(page, reader):
    page.press("?")
    assert page.run("document.getElementById('help').open") and "Space" in page.run("document.getElementById('help').innerText")
    page.press("ArrowRight")
    page.press("Escape")
    assert not page.run("document.getElementById('help').open")


def plays_the_counterexample(page, reader):
    assert reader.value("ways") == "0" and reader.step == 0 and reader.block == 0, "it opens there"
    legs = page.run("onceover.player.chosenWay().legs")
    assert sorted((leg["step"], leg["src"], leg["dst"]) for leg in legs) == [(0, 0, 1), (1, 0, 5), (1, 1, 2), (2, 5, 2)], legs
    assert page.run("onceover.player.chosenWay().marksAt(onceover.player.step)") == [0, 0]
    page.press("ArrowRight")
    assert page.run("onceover.player.chosenWay().marksAt(onceover.player.step)") == [1, 0]
    assert "rank 2 ends with rank 0's contribution to block 0 twice" in reader.told
    # It has steps 0 to 2; the next counterexample, of a property that isn't required, has step 1.
    for step, why in [(2, "exactly-once"), (1, "order-preserving"), (0, "exactly-once")]:
        page.click("#way-on")
        assert reader.step == step and f"Why {why} fails" in reader.told, (step, reader.told)
    reader.set("rank", 2)
    reader.set("step", 2, "input")
    assert "holds a contribution to block 0 twice" in reader.told, reader.told
    page.click("#clear")
    assert page.run("onceover.player.chosenWay().legs") == [] and reader.value("ways") == ""


def follows_a_link(page, path):
    page.open(f"{path}#step=3&rank=5&block=7")
    reader = Reader(page)
    assert (reader.step, reader.rank, reader.block) == (3, 5, 7)
    page.press("ArrowRight")
    wait(page, "location.hash === '#step=4&rank=5&block=7'")
    page.press("+")
    wait(page, "location.hash.includes('&view=')")
    page.run("onceover.player.picture.zoom(1.5, 10, 10)")
    wait(page, "location.hash.includes('&network=1.5%2C')")
    kept, view = page.run("location.hash"), reader.view()
    page.open("/dev/null")
    page.open(f"{path}{kept}")
    assert [round(x, 3) for x in reader.view()] == [round(x, 3) for x in view] and reader.step == 4
    assert page.run("onceover.player.picture.zoomedBy") == 1.5
    page.open("/dev/null")
    page.open(f"{path}#step=99&rank=5&block=999")
    assert (reader.step, reader.rank, reader.block) == (0, 5, None)


def says_what_a_step_does(page, reader):
    assert page.run("document.querySelector('#does[aria-live=polite]') !== null")
    assert reader.text("does") == "Step 0, reduce: 16 ranks send to 16: 64 messages of 8 blocks each.", reader.text("does")
    assert reader.text("load") == ("On torus 4x4: rank 0 -> rank 4 carries most, 8 blocks in 1 message. 64 of 64 links are used; "
                                   "messages cross 1 link on average."), reader.text("load")
    reader.set("step", 4, "input")
    label = page.run("document.getElementById('timeline').getAttribute('aria-label')")
    assert label.endswith("swing allreduce, torus 4x4, step 4"), label


def shows_one_lane(page, reader):
    reader.set("step", 0, "input")
    reader.set("lane", "2")
    assert reader.text("does") == "Step 0, lane 2, reduce: 16 ranks send to 16: 16 messages of 8 blocks each.", reader.text("does")
    assert page.run("onceover.player.messagesOf(0, 0).map(({ lane }) => lane)") == [2, 2]
    reader.set("lane", "")
    assert page.run("onceover.player.messages.at(0).count") == 64


def loads_are_those_of_contention(page, *subject):
    """The links of each step carry what `verify contention` says."""
    for step in range(page.run("onceover.player.messages.steps")):
        table = subprocess.run([verify, "contention", *subject, "--steps", str(step), "--csv-out", "-"], stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, check=True, text=True).stdout.splitlines()
        column = table[0].split(",").index("blocks")
        loads = sorted(float(row.split(",")[column]) for row in table[1:])
        shown = sorted(page.run(f"[...onceover.player.network.loadsAt({step})]"))
        assert loads == shown, (step, loads[:3], shown[:3])


def fits(page, width):
    page.send("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
    assert page.run("document.documentElement.scrollWidth") <= width
    page.send("Emulation.clearDeviceMetricsOverride")


def shows_two_schedules(page, reader):
    does = reader.text("does")
    assert does.endswith("Beside recursive-doubling allreduce, torus 4x4: 0 the same, 16 with other blocks or operation, "
                         "0 only here, 0 only there."), does
    assert page.run("onceover.player.messages.steps") == 8
    reader.set("step", 3, "input")
    reader.set("rank", 5)
    here = reader.followed()
    reader.set("shown", "1")
    assert page.run("onceover.player.messages.steps") == 4 and reader.step == 3 and reader.rank == 5
    assert reader.followed() != here and all(5 in message for message in reader.followed())
    rows = page.run("[...document.querySelectorAll('#beside tr')].map((row) => row.innerText)")
    assert "steps\t8\t4\tdiffers" in rows and "verdict\tpass\tpass\t" in rows, rows[:12]


def plays_a_program(page, reader):
    reader.click_rank(0)
    assert "sends 1 chunk to 1" in reader.told and not page.run("document.getElementById('block').checkVisibility()")
    # What races is a send and a receive of step 0; what was written last is the receive on rank 1.
    assert {(leg["src"], leg["dst"]) for leg in page.run("onceover.player.chosenWay().legs")} == {(0, 1), (1, 0)}
    assert "rank 0, thread block 1, step 0 (line 7): see step 0" in reader.told, reader.told
    page.click("#way-on")
    assert "Why exactly-once fails" in reader.told, reader.told
    wait(page, "location.hash === '#step=0&rank=0&counterexample=exactly-once'")


def plays_without_a_failure(page, reader, title):
    """A plan or a published program: its own name, the network of GPUs, and steps to go through."""
    heading = page.run("document.querySelector('h1').textContent")
    assert heading.startswith(title) and "/" not in heading, heading
    assert page.run("onceover.player.network.name").startswith("full network"), page.run("onceover.player.network.name")
    assert "eficiencies" not in page.run("document.getElementById('contention').innerText")
    steps = page.run("onceover.player.messages.steps")
    page.press("End")
    assert reader.step == steps - 1
    reader.set("rank", 1)
    assert "Rank 1" in reader.told
    page.press("Escape")


def plays_a_kernel(page, reader):
    """Its rows are blocks, and its messages flags."""
    assert page.run("document.querySelector('.banner').innerText").startswith("pass"), "its verdict is first"
    assert reader.text("does") == "Step 0, copy: 4 rows send to 4: 4 messages of 1 flag each.", reader.text("does")
    reader.click_timeline(1, 2)
    assert "Rank 1, block 0, step by step" in reader.told and "sends 1 flag to rank 0, block 0" in reader.told, reader.told
    page.press("/")
    page.type("rank 0, block 1")
    page.press("Enter")
    page.run("document.activeElement.blur()")
    assert reader.rank == 1
    page.press("+")
    assert reader.view() != [0, 6, 0, 4]
    page.press("End")
    assert reader.step == page.run("onceover.player.messages.steps") - 1
    assert page.run("document.querySelectorAll('#waits svg').length") == 1


def plays_a_deadlock(page, reader):
    assert page.run("document.querySelector('.banner').innerText").startswith("fail")
    assert "Why deadlock-free fails" in reader.told and " spins on " in reader.told, reader.told
    assert page.run("onceover.player.chosenWay().marks.length") > 0


def names_the_places(page, reader):
    assert "way 1: its own, held from the start" in reader.told, reader.told
    assert "rank 0 (node 0, gpu 0) → 2 (node 1, gpu 0) at step 1" in reader.told, reader.told
    reader.set("rank", 3)
    assert "Rank 3 (node 1, gpu 1), step by step" in reader.told and "to 2 (node 1, gpu 0): reduce" in reader.told, reader.told
    page.press("/")
    page.type("node 2, gpu 0")
    page.press("Enter")
    assert reader.rank == 4


def is_harmless(page, name):
    """Text is text: nothing of it became an element, and nothing ran."""
    assert page.run("document.querySelector('h1').textContent").count(name) == 1
    assert page.run("document.scripts.length") == 3 and page.run("window.hacked") is None
    assert page.run("JSON.parse(document.getElementById('run-data').textContent).runs[0].subject.algorithm") == name


hostile_name = "</script><script>window.hacked = 1</script><img src=x onerror='hacked=1'>&amp;\u00e9\""

with tempfile.TemporaryDirectory() as folder, Browser() as page:
    reader = Reader(page)
    page.send("Emulation.setDeviceMetricsOverride", width=1400, height=1000, deviceScaleFactor=1, mobile=False)
    page.open(write(folder, "line.html", "--algo", "swing", "--p", "16"), prefers_color_scheme="light")
    slides(reader)
    steps_by_keys(page, reader)
    selects_in_the_pictures(page, reader)
    selects_a_block(page, reader)
    finds(page, reader)
    zooms(page, reader)
    shows_only_what_takes_part(page, reader)
    turns_dark(page)
    lists_its_keys(page, reader)
    plays(page, reader)

    torus = write(folder, "torus.html", "--algo", "swing", "--torus", "4x4", "--lanes", "all")
    page.open(torus, prefers_color_scheme="dark")
    says_what_a_step_does(page, reader)
    shows_one_lane(page, reader)
    loads_are_those_of_contention(page, "--algo", "swing", "--torus", "4x4", "--lanes", "all")
    assert page.run("getComputedStyle(document.body).backgroundColor") != "rgb(255, 255, 255)"
    fits(page, 400)
    fits(page, 1280)

    page.open(write(folder, "wrong.html", source / "examples" / "swing-latency-6.json", code=1))
    assert page.run("document.querySelector('h1').textContent") == "swing-latency-6.json (swing-latency allreduce), p = 6"
    plays_the_counterexample(page, reader)
    follows_a_link(page, torus)

    page.open(write(folder, "both.html", "--algo", "swing", "--torus", "4x4", "--beside", "recursive-doubling"))
    shows_two_schedules(page, reader)

    page.open(write(folder, "program.html", source / "examples" / "hasty.xml", code=1))
    plays_a_program(page, reader)

    plan = next((source / "examples/plans/allreduce").glob("*.json"))
    page.open(write(folder, "plan.html", plan))
    plays_without_a_failure(page, reader, plan.name)

    kernel = pathlib.Path(folder) / "kernel.toml"
    text = (source / "tests/data/gpu/pass.toml").read_text()
    kernel.write_text(text.replace("../../../", f"{source}/").replace("blocks = 1\n", "blocks = 2\n").replace("calls = 2\n", "calls = 3\n"))
    page.open(write(folder, "kernel.html", kernel), prefers_color_scheme="light")
    plays_a_kernel(page, reader)
    page.open(write(folder, "deadlock.html", source / "tests/data/gpu/deadlock.toml", code=1))
    plays_a_deadlock(page, reader)

    if corpus.is_dir():
        name = "allgather-8n-0-8kb.xml"
        page.open(write(folder, "rccl.html", corpus / "ROCm+rccl" / name))
        plays_without_a_failure(page, reader, name)

    named = pathlib.Path(folder) / "named.json"
    schedule = json.loads((source / "examples" / "swing-latency-6.json").read_text())
    named.write_text(json.dumps(dict(schedule, algorithm=hostile_name)))
    page.open(write(folder, "hostile.html", named, code=1))
    is_harmless(page, hostile_name)

    page.open(write(folder, "leaders.html", source / "examples/leaders-3x2.json", code=1))
    names_the_places(page, reader)

    assert page.messages == [], page.messages
    pages = {f"file://{file}" for file in [*pathlib.Path(folder).glob("*.html"), "/dev/null"]}
    assert set(page.requests) <= pages, set(page.requests) - pages
print("reports work in Chromium")
