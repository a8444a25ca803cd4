# Sourced by ./verify and ./run-tests: brings the machine and the build up to date, and does nothing when they are.
# Everything it prints goes to standard error; what the build prints goes to build/<preset>.log.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck disable=SC2207
sources=(CMakeLists.txt CMakePresets.json cmake scripts $(sed -n 's/^foreach(folder \(.*\))$/\1/p' "$root/CMakeLists.txt"))

say() { printf 'onceover: %s\n' "$*" >&2; }

# packages STEP..: the packages that these steps need, one a line.
packages() {
  local step
  for step in "$@"; do
    awk -v step="$step" '!/^#/ && $2 == step { print $1 }' "$root/scripts/packages.txt"
  done
}

missing_packages() {
  local needed
  needed=$(packages "$@")
  # shellcheck disable=SC2086
  dpkg-query -W -f='${Package} ${Status}\n' $needed 2>/dev/null |
    sed -n 's/ install ok installed$//p' | grep -vxFf - <(printf '%s\n' "$needed") || true
}

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

# install_packages STEP..: installs what is missing, where there is an apt-get to do it.
install_packages() {
  if ! command -v apt-get >/dev/null; then
    command -v cmake >/dev/null && command -v ninja >/dev/null && return 0
    say "this system has no apt-get; please install what these Debian packages hold, then try again:"
    packages "$@" | sed 's/^/  /' >&2
    return 1
  fi
  local missing
  missing=$(missing_packages "$@")
  [ -z "$missing" ] && return 0
  say "installing" $missing
  # shellcheck disable=SC2086
  { as_root apt-get update && as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing; } >&2
}

# logged LOG COMMAND..: runs quietly; if the command fails, shows the end of its output.
logged() {
  local log=$1
  shift
  "$@" >>"$log" 2>&1 && return 0
  tail -n 60 "$log" >&2
  say "failed: $*"
  if ! command -v apt-get >/dev/null; then
    say "this system has no apt-get; the build needs what these Debian packages hold:"
    packages build kernel python test | sed 's/^/  /' >&2
  fi
  return 1
}

# is_fresh STAMP SOURCE..: was everything older than the stamp when it was written?
is_fresh() {
  local stamp=$1
  shift
  [ -e "$stamp" ] && [ -z "$(cd "$root" && find "$@" -newer "$stamp" -print -quit 2>/dev/null)" ]
}

# is_configured PRESET: was the build folder configured, and for this checkout? One that was moved or copied has a folder
# of another place.
is_configured() {
  local cache=$root/build/$1/CMakeCache.txt home
  [ -e "$cache" ] || return 1
  home=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$cache")
  [ "$(readlink -f "$home")" = "$(readlink -f "$root")" ]
}

# build PRESET STAMP TARGET [CMAKE OPTION..]: configures and builds, one call at a time.
build() {
  local preset=$1 stamp=$2 target=$3 log=$root/build/$1.log
  shift 3
  mkdir -p "$root/build/$preset"
  exec 9>"$root/build/$preset.lock"
  flock 9
  : >"$log"
  if [ -e "$root/build/$preset/CMakeCache.txt" ] && ! is_configured "$preset"; then
    say "build/$preset is another folder's; configuring anew"
    rm -rf "${root:?}/build/$preset"
    mkdir "$root/build/$preset"
  fi
  touch "$stamp.begun"
  say "building ($preset); the log is in build/$preset.log"
  (
    cd "$root" || exit 1
    logged "$log" cmake --preset "$preset" "$@" && logged "$log" cmake --build --preset "$preset" --target "$target"
  ) || return 1
  mv "$stamp.begun" "$stamp"
  exec 9>&-
}
