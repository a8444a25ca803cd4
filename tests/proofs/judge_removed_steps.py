#!/usr/bin/env python3
"""`verify`, verify-check and verify-kernel agree that folding is right for every P up to a limit and every number of removed steps.

Usage: judge_removed_steps.py VERIFY VERIFY_CHECK VERIFY_KERNEL LIMIT
"""
import concurrent.futures
import os
import subprocess
import sys
import tempfile

verify, check, kernel, limit = *sys.argv[1:4], int(sys.argv[4])


def run(*command):
    return subprocess.run(command, capture_output=True, text=True)


def judge(p, removed, folder):
    """What is wrong, if anything."""
    name = os.path.join(folder, f"{p}-{removed}")
    row = ["--algo", "generalized", "--p", str(p), "--set", f"removed-steps={removed}", "--ports", "1"]
    ended = [run(verify, *row, "--certify", f"{name}.cert"), run(verify, "export", *row[:6], "--to", "json", "-o", f"{name}.json")]
    ended += [run(verify, f"{name}.json"), run(check, f"{name}.json", f"{name}.cert"), run(kernel, f"{name}.json")]
    for suffix in (".json", ".cert"):
        if os.path.exists(name + suffix):
            os.remove(name + suffix)
    return [f"p = {p}, r = {removed}: {end.args[0]} ends with {end.returncode}: {end.stdout}{end.stderr}" for end in ended if end.returncode != 0]


def main():
    cases = [(p, r) for p in range(2, limit + 1) for r in range((p - 1).bit_length() + 1)]
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        wrong = [line for lines in pool.map(lambda case: judge(*case, folder), cases) for line in lines]
    print(*wrong[:20], sep="\n")
    print(f"{len(cases)} schedules, {len(wrong)} times not passed")
    return bool(wrong) or not cases


sys.exit(main())
