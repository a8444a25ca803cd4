#!/usr/bin/env bash
# Makes the wheel of a build, and uses it as a new user does: in an environment of its own, without a network and without
# Debian's numpy. Usage: wheel_test.sh BUILD SOURCE
set -eu
build=$1
source=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

wheel=$(/usr/bin/python3 -B "$source/python/build_backend.py" "$scratch" "$build")
# The pip that Python would copy into the environment, which takes seconds.
pip=$(echo /usr/share/python-wheels/pip-*.whl)/pip
/usr/bin/python3 -m venv --without-pip "$scratch/venv"
"$scratch/venv/bin/python" "$pip" install --no-index --quiet --disable-pip-version-check "$scratch"/onceover-*.whl
test -e "$wheel"
cd "$scratch"
cat >wrong.py <<'END'
import pathlib
import onceover
from onceover import Schedule, catalogue, contention, prove, verify

assert "site-packages" in onceover.__file__, onceover.__file__
assert verify(catalogue.swing(p=7)) and prove("r xor pow2(s)")

s = Schedule("allreduce", 4, 1)
with s.step("to the left"):
    for rank in range(4):
        s.send(rank, (rank - 1) % 4, 0, "reduce")
with s.step("to the left again"):
    for rank in range(4):
        s.send(rank, (rank - 1) % 4, 0, "reduce")
report = verify(s)
print(report)
report.draw().save("wrong.svg")
assert pathlib.Path("wrong.svg").read_text().rstrip().endswith("</svg>")
try:
    contention(s).loads
    raise SystemExit("there is a numpy here")
except onceover.errors.Error:
    pass
END
env -u PYTHONPATH -u LD_LIBRARY_PATH venv/bin/python wrong.py >out
grep -q '^fail' out
grep -q 'to the left again' out

# All that it has from this machine are the C and C++ runtimes.
ldd venv/lib/python3*/site-packages/onceover/_onceover*.so | awk '$2 == "=>" && $3 !~ /site-packages/ { print $1 }' |
  grep -vE '^(libc|libm|libstdc\+\+|libgcc_s)\.so' && { echo "the wheel lacks these libraries" >&2; exit 1; }
du -k "$wheel" | awk '{ exit $1 > 40000 }'
