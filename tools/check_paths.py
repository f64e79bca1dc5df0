#!/usr/bin/env python3
# tools/check_paths.py - every file of the tree that a document or a comment names exists.
#
# SPDX-License-Identifier: Apache-2.0
"""Checks the names of files in documents and sources."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = "bench|docs|editor|examples|gui|python|src|tests|tools"
SUFFIXES = "build|c|def|h|md|py|roff|svg|toml|ts|txt"
NAMED = re.compile(rf"(?<![\w./-])((?:{FOLDERS})/(?:[\w.-]+/)*[\w-]+\.(?:{SUFFIXES}))\b")
READ = (".md", ".c", ".h", ".py", ".def", ".build", "")
MADE = re.compile(r"NNNN|/build/")  # examples of names, and files that a build makes


def texts():
    yield from sorted(ROOT.glob("*.md"))
    yield from (ROOT / name for name in ("meson.build", "meson_options.txt", "pyproject.toml"))
    for folder in FOLDERS.split("|"):
        for path in sorted((ROOT / folder).rglob("*")):
            parts = path.relative_to(ROOT).parts
            if path.is_file() and path.suffix in READ and not {"corpus", "node_modules", "golden", "data"} & set(parts):
                yield path


def main():
    bad = []
    count = 0
    for path in texts():
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            for name in NAMED.findall(line):
                count += 1
                if not MADE.search(name) and not (ROOT / name).exists():
                    bad.append(f"{path.relative_to(ROOT)}:{number}: {name} does not exist")
    print("\n".join(bad) or f"{count} names of files are right")
    return 1 if bad or not count else 0


if __name__ == "__main__":
    sys.exit(main())
