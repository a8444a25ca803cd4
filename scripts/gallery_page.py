#!/usr/bin/env python3
"""Prints one page with every figure of docs/gallery.md and the pages of drawing at its own width, to look at in light and dark.

Usage: scripts/gallery_page.py >gallery.html
"""

import base64
import html
import pathlib
import re

docs = pathlib.Path(__file__).resolve().parent.parent / "docs"
heading_or_figure = re.compile(r"^(#{1,3}) (.+)$|!\[([^\]]*)\]\((figures/[\w-]+\.svg)\)", re.MULTILINE)
style = """:root { color-scheme: light dark; font-family: serif }
figure { display: inline-block; margin: 8px; vertical-align: top } figcaption { max-width: 32em }"""


def shown(level, title, caption, figure):
    if level:
        return f"<h{len(level)}>{html.escape(title)}</h{len(level)}>"
    picture = base64.b64encode((docs / figure).read_bytes()).decode()
    caption = html.escape(" ".join(caption.split()))
    return f'<figure><img src="data:image/svg+xml;base64,{picture}" alt="{caption}"><figcaption>{caption}</figcaption></figure>'


print(f'<!DOCTYPE html>\n<html lang="en"><meta charset="utf-8"><title>Gallery</title><style>{style}</style>')
for page in ("gallery.md", "drawing.md", "drawing-programs.md"):
    for match in heading_or_figure.findall((docs / page).read_text()):
        print(shown(*match))
