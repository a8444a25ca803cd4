#!/usr/bin/env python3
"""Puts the module into the page and into the package for npm: pack.py BUILD VERSION"""

import base64
import gzip
import json
import pathlib
import shutil
import sys

here = pathlib.Path(__file__).resolve().parent
root = here.parent


def page_of(build, version):
    """The page with everything in it. A script of a page ends where '</script' stands, so no text may have that."""
    texts = {
        "style": (root / "viz/report/page.css").read_text() + (here / "page/playground.css").read_text(),
        "version": version,
        "module": "".join(path.read_text() + "\n" for path in [build / "verify.js", here / "module/questions.js", here / "module/run.js", here / "page/worker.js"]),
        "wasm": base64.b64encode(gzip.compress((build / "verify.wasm").read_bytes(), 9, mtime=0)).decode(),
        "script": (here / "module/questions.js").read_text() + (here / "page/playground.js").read_text(),
    }
    before, _, rest = (here / "page/index.html").read_text().partition("<!-- unbuilt -->")
    page = before + rest.partition("<!-- built -->\n")[2]
    for name, text in texts.items():
        assert "</script" not in text, name
        page = page.replace("{{" + name + "}}", text)
    assert "unbuilt" not in page
    return page


def write_package(build, version, folder):
    folder.mkdir(parents=True, exist_ok=True)
    description = json.loads((here / "npm/package.json").read_text())
    description["version"] = version
    (folder / "package.json").write_text(json.dumps(description, indent=2) + "\n")
    for name in ["index.js", "index.d.ts", "worker.js", "cli.js", "README.md"]:
        shutil.copy(here / "npm" / name, folder)
    for path in [build / "verify.js", build / "verify.wasm", here / "module/questions.js", here / "module/run.js", root / "LICENSE"]:
        shutil.copy(path, folder)


def main(build, version):
    build = pathlib.Path(build)
    (build / "page").mkdir(exist_ok=True)
    (build / "page/index.html").write_text(page_of(build, version))
    write_package(build, version, build / "npm")


main(*sys.argv[1:])
