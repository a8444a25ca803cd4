"""Checks every relative link of the documentation: the file is there, and so is the heading that an anchor names.

Takes the links and pictures of all .md files, in Markdown and as src or href, but for those inside code. Headings
become anchors as on GitHub; `<a id="..">` is one, too.

Usage: check_links.py SOURCE_FOLDER
"""

import pathlib
import re
import sys
import urllib.parse

source = pathlib.Path(sys.argv[1]).resolve()
CODE = re.compile(r"^```.*?^```$|`[^`\n]+`", flags=re.M | re.S)
LINK = re.compile(r"""\]\(([^)\s]+)(?:\s+"[^"]*")?\)|\b(?:src|href)="([^"]+)\"""")


def anchors(page):
    text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.M | re.S)
    names, seen = set(re.findall(r'<a id="([\w-]+)">', text)), {}
    for heading in re.findall(r"^#+ +(.+?) *#*$", text, flags=re.M):
        heading = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading)
        name = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        count = seen.get(name, 0)
        seen[name] = count + 1
        names.add(f"{name}-{count}" if count else name)
    return names


pages = [p for p in source.rglob("*.md") if not {"build", ".git"} & set(p.relative_to(source).parts)]
checked, broken = 0, []
for page in pages:
    for groups in LINK.findall(CODE.sub("", page.read_text())):
        link = groups[0] or groups[1]
        if re.match(r"[a-z]+:", link):
            continue
        checked += 1
        path, _, anchor = urllib.parse.unquote(link).partition("#")
        target = (page.parent / path).resolve() if path else page
        where = f"{page.relative_to(source)}: {link}"
        if not target.exists():
            broken.append(f"{where}: no such file")
        elif not target.is_relative_to(source):
            broken.append(f"{where}: outside of the repository")
        elif anchor and target.suffix == ".md" and anchor not in anchors(target):
            broken.append(f"{where}: no such heading or anchor")

assert checked >= 50, checked
assert not broken, "\n\n" + "\n".join(broken)
print(f"{checked} links of {len(pages)} pages lead somewhere")
