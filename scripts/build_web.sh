#!/usr/bin/env bash
# Builds the playground, a page that needs no server, and the package for npm, and prints where they are:
# scripts/build_web.sh
# It needs no network but for Debian's packages, where they are missing.
set -eu
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/setup.sh"
folder=$root/build/web
headers=$folder/headers
log=$folder.log

# Debian has expat as a library for its own machines; its source is a package, too, of the same
# places. The lists of sources stay here.
fetch_expat() {
  local apt=$folder/apt
  local options=(-o Dir::Etc::SourceList=/dev/null -o "Dir::Etc::SourceParts=$apt" -o "Dir::State::Lists=$apt/lists")
  mkdir -p "$apt/lists/partial"
  local list
  for list in /etc/apt/sources.list.d/*.sources; do
    [ ! -e "$list" ] || sed 's/^Types:.*/Types: deb-src/' "$list" >"$apt/$(basename "$list")"
  done
  cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null | sed -n 's/^deb /deb-src /p' >"$apt/more.list"
  (cd "$apt" && apt-get "${options[@]}" update && apt-get "${options[@]}" source --download-only --tar-only expat &&
    tar -xf expat_*.orig.tar.* --wildcards --strip-components=2 '*/expat/lib/*.[ch]') && mv "$apt/lib" "$headers/expat" &&
    : >"$headers/expat/expat_config.h"
}

# The headers of libraries that are headers only, beside nothing of Debian's C library.
link_headers() {
  mkdir -p "$headers"
  local name
  for name in CLI boost fmt nlohmann tl toml++; do
    ln -sfn "/usr/include/$name" "$headers/$name"
  done
  [ -e "$headers/expat" ] || fetch_expat
}

compile() {
  # Where Node isn't Debian's, it needs the path of Debian's packages for it.
  export NODE_PATH=/usr/share/nodejs
  cmake -S "$root/web" -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE=Release "-DONCEOVER_HEADERS=$headers" \
    -DCMAKE_TOOLCHAIN_FILE=/usr/share/emscripten/cmake/Modules/Platform/Emscripten.cmake || return
  # Ninja doesn't know that the precompiled header is made of this list.
  local list=$folder/CMakeFiles/verify.dir/cmake_pch.hxx
  [ ! "$list" -nt "$list.pch" ] || rm -f "$list.pch"
  cmake --build "$folder" --parallel "$(nproc)"
}

install_packages build web
mkdir -p "$folder"
: >"$log"
logged "$log" link_headers
logged "$log" compile
printf '%s\n' "$folder/page/index.html" "$folder/npm"
