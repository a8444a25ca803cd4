#!/usr/bin/env python3
"""The rooms of the house, read from the sources.

    check_rooms.py SOURCE

- A folder includes headers only of the folders that docs/source-map.md lets it use.
- base/namespaces.h lets it call things of these folders by their names alone, of some or of all.
- A source's namespace is its folder's.
- No two headers of different folders define a type of one name.
- The walks of docs/walks.md have ten steps at most, and none opens a file twice. Each function that a walk names is
  defined in the file that it is said to be in.
"""
import collections
import pathlib
import re
import sys
import tempfile

NAMESPACES = 'base/namespaces.h'
MAP = 'docs/source-map.md'
WALKS = 'docs/walks.md'
NAMED = re.compile(r'((?:`[\w:]+`(?:,| and)\s+)*`[\w:]+`)\s+in\s+`([\w./]+)`')


def named_arrows(text):
    """Whose names each folder sees: {'verifier': {'schedules'}}."""
    blocks = re.findall(r'^namespace onceover::(\w+) \{(.*?)\}', text, re.M | re.S)
    return {room: set(re.findall(r'using namespace (\w+);', body)) for room, body in blocks}


def drawn_arrows(text):
    """What each folder may use, by the lines "`verifier` uses `schedules`" of the map."""
    drawn = {}
    for room, rest in re.findall(r'^- `(\w+)` uses (.*)$', text, re.M):
        drawn[room] = set(re.findall(r'`(\w+)`', rest))
    return drawn


def reachable(arrows, room):
    seen, todo = set(), [room]
    while todo:
        for used in arrows.get(todo.pop(), set()) - seen:
            seen.add(used)
            todo.append(used)
    return seen


def sources(root, rooms):
    for room in rooms:
        for path in sorted((root / room).rglob('*')):
            if path.suffix in ('.h', '.cpp'):
                yield room, path, path.read_text()


def is_defined(function, text):
    """Has the source a body of `f`, or of `Class::f`, which may stand in its class?"""
    owner, _, name = function.rpartition('::')
    type_and_name, body = r'\w[\w:<>,&* ]*[&* ]%s', r'\([^;]*?\)[^;{}]*\{'
    if re.search('^' + type_and_name % function + body, text, re.M):
        return True
    is_inside = owner and re.search(rf'^(?:class|struct) {owner}\b[^;]*?\{{', text, re.M)
    return bool(is_inside and re.search('^  ' + type_and_name % name + body, text, re.M))


def walk_faults(root):
    """Of sentences such as "`resolve` in `subjects/subject.cpp` turns options into subjects"."""
    walks = re.split(r'^### ', (root / WALKS).read_text().split('\n## ')[-1], flags=re.M)[1:]
    found = [] if walks else [f'{WALKS}: there are no walks']
    for walk in walks:
        title = walk.split('\n')[0]
        if not 0 < len(re.findall(r'^\d+\. ', walk, re.M)) <= 10:
            found.append(f'{WALKS}: {title}: expected one to ten steps')
        opened = collections.Counter(file for _, file in NAMED.findall(walk))
        found += [f'{WALKS}: {title}: opens {file} {times} times' for file, times in opened.items() if times > 1]
        for functions, file in NAMED.findall(walk):
            for function in re.findall(r'`([\w:]+)`', functions):
                if not (root / file).is_file() or not is_defined(function, (root / file).read_text()):
                    found.append(f'{WALKS}: {title}: {file} defines no {function}')
    return found


def faults(root):
    arrows = drawn_arrows((root / MAP).read_text())
    named = named_arrows((root / NAMESPACES).read_text())
    found = []
    if set(named) != set(arrows):
        found.append(f'{MAP} and {NAMESPACES}: only one has {" and ".join(sorted(set(named) ^ set(arrows)))}')
    for room, others in sorted(named.items()):
        for other in sorted(others - reachable(arrows, room)):
            found.append(f'{NAMESPACES}: {room} has the names of {other}, which it does not use')
    types = collections.defaultdict(dict)
    for room, path, text in sources(root, arrows):
        place = path.relative_to(root)
        allowed = reachable(arrows, room) | {room, 'base'}
        for used in re.findall(r'^#include "(\w+)/', text, re.M):
            if used not in allowed:
                found.append(f'{place}: includes a header of {used}, which {room} does not use')
        for namespace in re.findall(r'^namespace onceover(\S*)', text, re.M):
            if namespace.split('::')[1:2] != [room] and str(place) != NAMESPACES:
                found.append(f'{place}: namespace onceover{namespace} in the folder {room}')
        if path.suffix == '.h':
            for name in re.findall(r'^(?:class|struct|enum class)\s+(\w+)\b[^;]*?\{', text, re.M):
                types[name].setdefault(room, place)
    for name, places in sorted(types.items()):
        if len(places) > 1:
            found.append(f'{name} is a type of several folders: {", ".join(map(str, places.values()))}')
    return found + walk_faults(root)


def check_itself():
    """Each kind of fault is seen in a house that has it."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)

        def write(path, text):
            (root / path).parent.mkdir(exist_ok=True)
            (root / path).write_text(text)

        write(NAMESPACES, 'namespace onceover::base {}\nnamespace onceover::top {\nusing namespace base;\n}\n')
        write(MAP, '- `base` uses nobody\n- `top` uses `base`\n')
        write('base/a.h', 'namespace onceover::base {\nstruct A {};\n}\n')
        write('top/b.cpp', '#include "base/a.h"\nnamespace onceover::top {\nstruct A {};\n}\n')
        write('base/d.cpp', 'namespace onceover::base {\nint f() {\n  return g();\n}\nclass C {\n  int h() {}\n};\n}\n')
        walks = '## Walks\n### One\n1. `f` and `C::h`\nin `base/d.cpp` are called.\n%s'
        write(WALKS, walks % '')
        assert faults(root) == [], faults(root)
        write('top/b.h', 'namespace onceover::top {\nclass A final {\n};\n}\n')
        write('base/c.cpp', '#include "top/b.h"\nnamespace onceover::top {}\n')
        write(MAP, '- `base` uses nobody\n- `top` uses nobody\n')
        write(WALKS, walks % '2. `g` in `base/d.cpp`, then `f` in `base/e.cpp`.\n### Two\nNo steps.\n')
        assert len(faults(root)) == 8, faults(root)


check_itself()
all_faults = faults(pathlib.Path(sys.argv[1]))
print('\n'.join(all_faults) or 'all is well')
sys.exit(1 if all_faults else 0)
