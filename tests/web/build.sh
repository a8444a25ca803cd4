#!/usr/bin/env bash
# Builds the playground, where there is what it needs: build.sh ROOT
set -eu
command -v em++ >/dev/null || exit 77
"$1/scripts/build_web.sh"
