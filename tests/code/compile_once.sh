#!/bin/sh
# Stands before the true smpicc on the path of tests. `verify code` compiles its runtime at each call, and the runtime has few texts:
# its objects are kept beside this script, for each text, command and compiler. Everything else is passed on.
others=
IFS=:
for folder in $PATH; do
  [ "$folder/smpicc" -ef "$0" ] || others=$others${others:+:}$folder
done
unset IFS
PATH=$others
case "$*" in
  *"-c harness.c probes.c recorder.c") ;;
  *) exec smpicc "$@" ;;
esac
compilers=$(stat -L -c '%n %s %Y' "$(command -v smpicc)" "$(command -v cc)")
kept=${0%/*}/$({ echo "$compilers" "$@"; cat -- *.c *.h; } | sha256sum | cut -c 1-32)
if [ ! -d "$kept" ]; then
  smpicc "$@" || exit
  mkdir -p "$kept.$$" && cp harness.o probes.o recorder.o "$kept.$$" && mv -T "$kept.$$" "$kept" 2>/dev/null || rm -rf "$kept.$$"
else
  cp "$kept/harness.o" "$kept/probes.o" "$kept/recorder.o" .
fi
