#!/usr/bin/env python3
"""The playground in Chromium, from disk: what it says is what the program says, and links bring it back.
check_page.py PROGRAM ROOT [FOLDER for screenshots]
With ONCEOVER_Z3_SOLVER, the folder of npm's z3-solver, the page is also served, and proves."""

import base64
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "report"))
from browser import Browser

PATIENCE = 60  # seconds


def wait_for(browser, expression):
    end = time.monotonic() + PATIENCE
    while not browser.run(expression):
        assert time.monotonic() < end, (expression, browser.messages)
        time.sleep(0.02)


def settled(browser):
    wait_for(browser, "/^(\\d+ ms|stopped)$/.test(document.getElementById('state').textContent)")


def set_value(browser, name, value):
    browser.run(f"(() => {{ const e = document.getElementById({json.dumps(name)}); e.value = {json.dumps(value)}; "
                "e.dispatchEvent(new Event('input', {bubbles: true})); })()")


def choose(browser, kind):
    browser.click(f"input[name=kind][value={kind}]")


def press_check(browser):
    browser.run("document.getElementById('state').textContent = ''")
    browser.click("#check")
    settled(browser)


def text_of(browser, selector):
    return browser.run(f"document.querySelector({json.dumps(selector)}).textContent")


def printed_by(program, words, folder):
    end = subprocess.run([program, *words], cwd=folder, capture_output=True, text=True)
    return end.stdout + end.stderr


def screenshot(browser, folder, name, width, scheme):
    if folder is None:
        return
    browser.send("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 600)
    browser.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
    time.sleep(0.3)
    picture = browser.send("Page.captureScreenshot", captureBeyondViewport=True)["data"]
    (pathlib.Path(folder) / f"{name}-{scheme}-{width}.png").write_bytes(base64.b64decode(picture))
    browser.send("Emulation.clearDeviceMetricsOverride")


def check_formula(browser, program, folder):
    for formula, p in [("r xor pow2(s)", "8"), ("r xor pow2(s)", "7"), ("r + 1", "5"), ("r +", "4"), ("r xor pow2(s)", "2..9")]:
        set_value(browser, "peer", formula)
        set_value(browser, "ranks", p)
        press_check(browser)
        assert text_of(browser, "#printed") == printed_by(program, ["--peer", formula, "--p", p], folder), (formula, p)


def check_algorithm(browser, program, folder):
    choose(browser, "algo")
    set_value(browser, "algo", "swing")
    set_value(browser, "ranks", "4x4")
    press_check(browser)
    assert text_of(browser, "#printed") == printed_by(program, ["--algo", "swing", "--torus", "4x4"], folder)
    assert text_of(browser, "#verdict") == "pass"
    browser.click("#contention summary")
    wait_for(browser, "document.querySelector('#contention .answer pre') !== null")
    assert text_of(browser, "#contention .answer pre") == printed_by(program, ["contention", "--algo", "swing", "--torus", "4x4"], folder)
    browser.click("#contention summary")


def check_link(browser, page, program, root):
    """A wrong schedule file travels in the address: the page of that address alone shows its counterexample."""
    schedule = json.loads(subprocess.run([program, "export", "--algo", "swing", "--p", "6", "--to", "json"], capture_output=True).stdout)
    schedule["steps"][1][0]["dst"] = (schedule["steps"][1][0]["dst"] + 1) % 6
    text = json.dumps(schedule)
    choose(browser, "file")
    set_value(browser, "text", text)
    press_check(browser)
    drawn = "document.getElementById('picture').innerHTML.includes('<path')"
    wait_for(browser, drawn)
    said, picture = text_of(browser, "#printed"), browser.run("document.getElementById('picture').innerHTML")
    assert text_of(browser, "#verdict") == "fail" and "<path" in picture, said
    link = browser.run("location.href")
    browser.run("location.href = 'about:blank'")
    time.sleep(0.2)
    browser.open(link.removeprefix("file://"))
    settled(browser)
    wait_for(browser, drawn)
    assert text_of(browser, "#printed") == said and browser.run("document.getElementById('text').value") == text
    assert browser.run("document.getElementById('picture').innerHTML") == picture
    folder = pathlib.Path(root) / "build/web"
    (folder / "input").write_text(text)
    assert said == printed_by(program, ["input"], folder)


def proof_of(browser, kind, name, value):
    """What the page says when its proof is opened."""
    choose(browser, kind)
    set_value(browser, name, value)
    set_value(browser, "ranks", "8")
    press_check(browser)
    browser.click("#proof summary")
    wait_for(browser, "document.querySelector('#proof .answer pre') !== null")
    said = text_of(browser, "#proof .answer pre")
    browser.click("#proof summary")
    return said


def check_proof(browser, program, folder):
    """Coq's theorems need no solver; a formula does, and a page from disk has none."""
    assert proof_of(browser, "algo", "algo", "binomial-tree") == printed_by(program, ["prove", "--algo", "binomial-tree"], folder)
    said = proof_of(browser, "peer", "peer", "r xor pow2(s)")
    assert said.endswith("unknown\n") and "this page has no Z3" in said, said


def check_proof_with_z3(browser, root, z3):
    folder = pathlib.Path(root) / "build/web/page"
    link = folder / "z3"
    link.unlink(missing_ok=True)
    link.symlink_to(pathlib.Path(z3) / "build")
    server = subprocess.Popen([pathlib.Path(root) / "web/serve.py", folder], stdout=subprocess.PIPE, text=True)
    try:
        browser.visit(server.stdout.readline().strip())
        wait_for(browser, "document.getElementById('algo').options.length > 10")
        said = proof_of(browser, "peer", "peer", "even(r) ? r + rho(s) : r - rho(s)")
        assert "\nproved   for every p" in said and "trusted: Z3 " in said, said
        said = proof_of(browser, "peer", "peer", "r xor 1")
        assert "\nfails    " in said, said
    finally:
        server.kill()
        link.unlink()


def check_report(browser):
    browser.click("#report summary")
    wait_for(browser, "document.querySelector('#report iframe') !== null")
    browser.click("#report summary")


def check_stop(browser):
    """A question that takes long is stopped, and the next one is answered."""
    choose(browser, "peer")
    set_value(browser, "peer", "r xor pow2(s)")
    set_value(browser, "ranks", "2..4096")
    browser.run("document.getElementById('state').textContent = ''")
    browser.click("#check")
    wait_for(browser, "!document.getElementById('stop').disabled")
    browser.click("#stop")
    wait_for(browser, "document.getElementById('state').textContent === 'stopped'")
    set_value(browser, "ranks", "8")
    press_check(browser)
    assert text_of(browser, "#verdict") == "pass"


def main(program, root, shots=None):
    page = pathlib.Path(root) / "build/web/page/index.html"
    if not shutil.which("em++") or not page.exists() or not shutil.which("chromium"):
        return 77
    with Browser() as browser:
        browser.open(page)
        wait_for(browser, "document.getElementById('algo').options.length > 10")
        screenshot(browser, shots, "start", 1280, "light")
        check_formula(browser, program, root)
        check_algorithm(browser, program, root)
        check_link(browser, page, program, root)
        for width in [400, 1280]:
            for scheme in ["light", "dark"]:
                screenshot(browser, shots, "wrong", width, scheme)
        check_report(browser)
        if shots:
            browser.run("document.querySelector('#report').open = true")
            time.sleep(2)
            screenshot(browser, shots, "report", 1280, "light")
        check_proof(browser, program, root)
        check_stop(browser)
        width = browser.run("document.documentElement.scrollWidth <= innerWidth")
        assert width, "the page is wider than its window"
        assert all(url.startswith(("file:", "blob:", "data:", "about:")) for url in browser.requests), browser.requests
        errors = [m for m in browser.messages if m.get("type") == "error" or "exceptionDetails" in m or m.get("entry", {}).get("level") == "error"]
        assert not errors, errors
        if z3 := os.environ.get("ONCEOVER_Z3_SOLVER"):
            check_proof_with_z3(browser, root, z3)
    return 0


sys.exit(main(*sys.argv[1:]))
