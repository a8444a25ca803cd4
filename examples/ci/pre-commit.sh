#!/bin/sh
# Lets a commit go on if the gate passes. As a hook of pre-commit (.pre-commit-hooks.yaml), or by itself:
#   ln -s ../../examples/ci/pre-commit.sh .git/hooks/pre-commit
# GATE names the gate file [gate.toml], VERIFY the program [verify].
exec "${VERIFY:-verify}" gate "${GATE:-gate.toml}" "$@"
