"""Checks the prose of README.md, CHANGELOG.md, CONTRIBUTING.md and docs/*.md by the rules of docs/style.md.

- No sentence has more than 35 words. A paragraph, a list item, a table cell, a heading and the text in place of a
  picture each begin a sentence anew; a piece of code counts as one word, and blocks of code aren't read.
- No page has more than 2,500 words, README.md 900, all that `wc -w` counts.
- Lines end at column 100, but for tables, pictures and the targets of links.
- Every word is known to hunspell (en_US) or is in words.txt beside this script: one word a line, sorted. A word with
  a capital is known as it is written there, any other also at the start of a sentence.
- Every term of docs/glossary.md occurs on another page.
- docs/README.md links to every other page of docs/ exactly once.
- Nothing occurs that a column "not" of docs/style.md or docs/glossary.md says to avoid. That holds for the comments and
  strings of the C++ sources, too, except for those of the tests, and for the names and texts of docs/schema. No word to
  avoid is a word of the glossary.

Usage: check_prose.py SOURCE_FOLDER [PAGE..]    (all pages without PAGE)
"""

import pathlib
import re
import subprocess
import sys

source = pathlib.Path(sys.argv[1]).resolve()
style = source / "docs" / "style.md"
glossary = source / "docs" / "glossary.md"
words = pathlib.Path(__file__).resolve().parent / "words.txt"
LONGEST_SENTENCE, LONGEST_PAGE, WIDTH = 35, 2500, 100
LONGEST = {"README.md": 900, "docs/findings.md": 3200}  # findings are a list, to look things up

CODE, GAP = "\x01", "\0"  # stand for a piece of code, and for what isn't read, such as the target of a link
END = "\x02"  # stands where code separates what is read in a source
PICTURE = re.compile(r'<img\b[^>]*?\balt="([^"]*)"[^>]*>|!\[([^]]*)\]\([^)]*\)', flags=re.S)
LITERAL = re.compile(r"""R"\w*\((.*?)\)\w*"|"((?:[^"\\\n]|\\.)*)"|'(?:\\[^'\n]+|[^'\\\n])'|//((?:[^\n]*\n[ \t]*//)*[^\n]*)|/\*(.*?)\*/""",
                     flags=re.S)
PRESCRIBED = {"reducescatter", "color", "ops"}  # names that RCCL, Graphviz and MSCCL++ have, which sources write
ABBREVIATION = re.compile(r"(?:\b(?:e\.g|i\.e|vs|cf|etc|et al|Fig|Eq|Sec))\Z")


def gap(text):
    return re.sub(r"[^\n]", GAP, text)


def blocks(text):
    """Yields (line, text) for each paragraph, list item, heading and table cell; a text keeps its line ends."""
    held, began, fence = [], 0, False
    text = re.sub(r"<!--.*?-->", lambda m: gap(m[0]), text, flags=re.S)
    for number, line in enumerate([*text.split("\n"), ""], 1):
        bare = line.strip().removeprefix("> ")
        if bare.startswith("```"):
            fence = not fence
        starts = re.match(r"(?:[-*+]|\d+\\?[.)]) +", bare)
        if fence or bare.startswith(("```", "#", "|")) or starts or not bare.strip(GAP):
            if held:
                yield began, "\n".join(held)
            held = []
        if fence or bare.startswith("```") or not bare.strip(GAP):
            continue
        if bare.startswith("|"):
            if not re.fullmatch(r"[|:\- ]+", bare):
                for cell in re.split(r"(?<!\\)\|", bare):
                    yield number, cell.replace("\\|", "|").strip()
        elif bare.startswith("#"):
            yield number, bare.lstrip("# ")
        else:
            if not held:
                began = number
            held.append(bare[starts.end():] if starts else bare)


def read(text):
    """The text as it is read: code, targets of links and pictures are replaced, at the same places."""
    text = re.sub(r"(`+)(?!`)(.+?)(?<!`)\1(?!`)", lambda m: CODE + gap(m[0][1:]), text, flags=re.S)
    text = PICTURE.sub(lambda m: gap(m[0]), text)
    text = re.sub(r"\]\([^)\s]*\)", lambda m: gap(m[0]), text)
    text = re.sub(r"<[/a-z][^>]*>|https?://[^\s)]+", lambda m: gap(m[0]), text)
    return re.sub(r"[\[*\\]", GAP, text)


def sentences(text):
    """Yields (place, sentence)."""
    start = 0
    for end in re.finditer(r"(?<!\.)[.?!](?![.\w])[)\"'\]_\0]*(?=\s)", text):
        if not ABBREVIATION.search(text[: end.start()]):
            yield start, text[start : end.end()]
            start = end.end()
    yield start, text[start:]


def units(page):
    """Yields (line, text) for everything on the page that is read, as read() gives it."""
    for line, text in blocks(page):
        yield line, read(text)
        for picture in PICTURE.finditer(text):
            yield line + text[: picture.start()].count("\n"), picture[1] or picture[2] or ""


def read_source(text):
    """The comments and strings of a C++ source, at the same places; adjacent lines or literals are one text."""
    text = re.sub(r"^#include.*", lambda m: gap(m[0]), text, flags=re.M)
    kept, end = [], 0
    for token in LITERAL.finditer(text):
        between, inside = text[end : token.start()], next((part for part in token.groups() if part is not None), "")
        kept.append(gap(between).replace(GAP, END, 1) if between.strip() else gap(between))
        before, after = token[0].split(inside, 1) if inside else (token[0], "")
        inside = re.sub(r"\n[ \t]*//+", lambda m: gap(m[0]), inside)
        kept.append(gap(before) + inside.replace("\\n", GAP * 2) + gap(after))
        end = token.end()
    return "".join(kept)


def occurrences(avoid, text):
    """Yields (place, phrase, what to say) for each phrase to avoid. Patterns are slow, and asked only of what occurs."""
    lower = re.sub(r"[\s\0]+", " ", text.lower())
    for pattern, phrase, say in avoid:
        if phrase.lower() in lower:
            for found in pattern.finditer(text):
                yield found.start(), phrase, say


def avoided():
    """Yields (pattern, phrase, what to say) from each table of the two pages with a column "not"; its first says what to say. A
    phrase is avoided with an s at its end, too."""
    head = None
    for line in (style.read_text() + "\n\n" + glossary.read_text()).split("\n"):
        cells = [cell.strip() for cell in line[1:].rstrip("| ").split("|")] if line.startswith("|") else None
        if cells is None or head is None:
            head = cells
        elif "not" in head and len(cells) == len(head) and cells[-1] and not re.fullmatch(r"[|:\- ]+", line):
            for phrase in cells[head.index("not")].split(", "):
                yield re.compile(r"(?<![\w-])" + re.escape(phrase).replace(r"\ ", r"[\s\0]+") + r"s?(?![\w-])", flags=re.I), phrase, cells[0]


def unknown(found):
    """Which of the words neither hunspell nor words.txt knows."""
    own = set(words.read_text().split())
    left = sorted(w for w in found if w not in own and not (w.lower() in own and w[0].isupper()))
    asked = subprocess.run(["hunspell", "-d", "en_US", "-l"], input="\n".join(left), capture_output=True, text=True, check=True)
    return set(asked.stdout.split())


every = [source / "README.md", source / "CHANGELOG.md", source / "CONTRIBUTING.md", *sorted((source / "docs").glob("*.md"))]
pages = [pathlib.Path(page).resolve() for page in sys.argv[2:]] or every
faults = []  # (page, line, what)
places = {}  # word: where it occurs
avoid = list(avoided())
assert len(avoid) >= 60, len(avoid)

for page in pages:
    text = page.read_text()
    name = page.relative_to(source)
    most = LONGEST.get(name.as_posix(), LONGEST_PAGE)
    if (count := len(text.split())) > most:
        faults.append((name, 1, f"the page has {count} words, {most} are allowed"))

    fence = False
    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith("```"):
            fence = not fence
        if not fence and not line.startswith("|") and "<img" not in line and len(re.sub(r"\]\([^)]*\)", "]", line)) > WIDTH:
            faults.append((name, number, f"the line has {len(line)} columns, {WIDTH} are allowed"))

    for began, unit in units(text):
        for place, sentence in sentences(unit):
            tokens = [t for t in sentence.replace(GAP, "").split() if re.search(rf"[^\W_]|{CODE}", t)]
            if len(tokens) > LONGEST_SENTENCE:
                place += len(sentence) - len(sentence.lstrip("\n \0"))
                opening = " ".join(tokens[:7]).replace(CODE, "`..`")
                faults.append((name, began + unit[:place].count("\n"),
                               f'a sentence of {len(tokens)} words, {LONGEST_SENTENCE} are allowed: "{opening} .."'))
        for token in re.finditer(r"[^\s\0\x01]+", unit):
            if re.search(r"\w\.\w|^--", token[0]):  # names of files and options
                continue
            for word in re.findall(r"[^\W_][\w'’]*", token[0]):
                word = re.sub(r"'s?$|'$", "", word.replace("’", "'"))
                if len(word) > 1 and not re.search(r"[\d_]", word):
                    places.setdefault(word, []).append((name, began + unit[: token.start()].count("\n")))
        if page not in (style, glossary):
            for place, phrase, say in occurrences(avoid, unit):
                faults.append((name, began + unit[:place].count("\n"), f'"{phrase}": say {say}'))

if not sys.argv[2:]:
    rooms = [room for room in source.iterdir() if room.is_dir() and room.name not in {"build", "tests"} and room.name[0] != "."]
    sources = sorted(path for room in rooms for path in room.rglob("*") if path.suffix in {".c", ".cpp", ".h"})
    assert len(sources) >= 300, len(sources)
    schemas = sorted((source / "docs" / "schema").glob("*.json"))
    assert len(schemas) >= 10, len(schemas)
    avoid_in_sources = [row for row in avoid if row[1] not in PRESCRIBED]
    for path in [*sources, *schemas]:
        text = path.read_text()
        text = text.replace("_", " ") if path in schemas else read_source(text)
        for place, phrase, say in occurrences(avoid_in_sources, text):
            faults.append((path.relative_to(source), text[:place].count("\n") + 1, f'"{phrase}": say {say}'))

for word in unknown(places):
    for name, line in places[word]:
        faults.append((name, line, f'"{word}" is in no dictionary; if it is right, add it to {words.name}'))

own = words.read_text().splitlines()
for before, after in zip(own, own[1:]):
    if not (before.lower(), before) < (after.lower(), after):
        faults.append((words.name, own.index(after) + 1, f'"{after}" must stand before "{before}"' if before != after else f'"{after}" twice'))

elsewhere = "\n".join(re.sub(r"\s+", " ", page.read_text()) for page in every if page != glossary)
terms = 0
for number, line in enumerate(glossary.read_text().split("\n"), 1):
    if row := re.match(r"\| *(?!word |-)([^|`]+?) *\|", line):
        for term in re.split(r", (?:or )?", row[1]):
            terms += 1
            if any(phrase.lower() == term.lower() for _, phrase, _ in avoid):
                faults.append((glossary.relative_to(source), number, f'"{term}" is a word to avoid, too'))
            if not re.search(rf"\b{re.escape(term)}", elsewhere, flags=re.I):
                faults.append((glossary.relative_to(source), number, f'"{term}" occurs on no other page'))
assert terms >= 20, terms

index = source / "docs" / "README.md"
linked = re.findall(r"\]\(([\w-]+\.md)\)", index.read_text())
for page in sorted((source / "docs").glob("*.md")):
    if page != index and linked.count(page.name) != 1:
        faults.append((index.relative_to(source), 1, f"{page.name} is linked {linked.count(page.name)} times, not once"))

faults.sort(key=lambda fault: (str(fault[0]), *fault[1:]))
for name, line, what in faults:
    print(f"{name}:{line}: {what}")
if faults:
    sys.exit(f"{len(faults)} faults")
print(f"{len(pages)} pages keep the rules of docs/style.md")
