"""The page has every function that its sources call of those that it leaves out: seen without a compiler for it.

Usage: check_absent.py SOURCE_FOLDER
"""

import pathlib
import re
import sys

source = pathlib.Path(sys.argv[1]).resolve()
lists = (source / "web/CMakeLists.txt").read_text()
absent = set(re.search(r"set\(absent\n(.*?)\)", lists, re.DOTALL)[1].split())
rooms = re.findall(r"^batch_of\((\w+)", lists, re.MULTILINE)
free_function = re.compile(r"^(?:\[\[\w+\]\] )?[A-Za-z][\w:<>&*, ]*[ &*](\w+)\(", re.MULTILINE)


def texts(paths):
    return "\n".join(path.read_text() for path in paths)


declared = {name for part in absent if (source / f"{part}.h").exists() for name in free_function.findall((source / f"{part}.h").read_text())}
kept = texts(path for room in rooms for path in (source / room).rglob("*.cpp") if str(path.relative_to(source))[:-4] not in absent)
# Names that the kept sources define, too, may be called for those.
called = {name for name in declared if re.search(rf"\b{name}\(", kept) and not re.search(rf"^\S.* [&*]?{name}\(.*[{{,]$", kept, re.MULTILINE)}
module = texts((source / "web/module").glob("*.cpp"))
missing = sorted(name for name in called if not re.search(rf"\b{name}\(", module))
assert len(called) > 5, f"too few to be believed: {called}"
assert not missing, f"web/module/absent.cpp lacks functions that the page's sources call: {missing}"
print(f"{len(called)} functions of {len(absent)} sources that the page leaves out are in its module")
