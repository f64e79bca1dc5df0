#!/usr/bin/env python3
# tools/check_headers.py [COMPILER] - every header of src/ compiles alone, so includes can stand in any order.
#
# SPDX-License-Identifier: Apache-2.0
"""Compiles each header by itself."""

import concurrent.futures
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def compile_alone(compiler, header):
    """The compiler's complaints about a file that includes only this header."""
    name = header.relative_to(ROOT / "src").as_posix()
    done = subprocess.run(
        [compiler, "-std=c17", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-I", ROOT / "src"]
        + ["-x", "c", "-"],
        input=f'#include "{name}"\n',
        text=True,
        capture_output=True,
        check=False,
    )
    return done.stderr if done.returncode else ""


def main():
    compiler = sys.argv[1] if len(sys.argv) > 1 else "cc"
    headers = sorted((ROOT / "src").rglob("*.h"))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        bad = [text for text in pool.map(lambda header: compile_alone(compiler, header), headers) if text]
    print("".join(bad) or f"{len(headers)} headers compile alone")
    return 1 if bad or not headers else 0


if __name__ == "__main__":
    sys.exit(main())
