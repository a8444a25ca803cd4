"""The template of the playground, opened in Chromium as it lies in the checkout, says only how the page is built.

Usage: check_unbuilt.py SOURCE_FOLDER
"""

import pathlib
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "report"))
from browser import Browser

source = pathlib.Path(sys.argv[1]).resolve()
with Browser() as browser:
    browser.open(source / "web/page/index.html")
    text = browser.run("document.body.innerText").strip()
    assert text.startswith("This file is only a template."), text
    assert "\n" not in text and "{{" not in text, text
    (script,) = re.findall(r"scripts/\w+[.]sh", text)
    assert (source / script).exists() and "build/web/page/index.html" in text, text
    (page,) = browser.run("[...document.querySelectorAll('#unbuilt a')].map((a) => a.getAttribute('href'))")
    assert (source / "web/page" / page).exists(), page
print(text)
