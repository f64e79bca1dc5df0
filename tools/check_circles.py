#!/usr/bin/env python3
# tools/check_circles.py - refuses circles of files in src/.
#
# A file is a .c and the .h of its name; it uses the files whose headers it includes. Where files use one another in a
# circle, none of them can be read, tested or changed without the others. What two of them share belongs into a third,
# below both.
#
# SPDX-License-Identifier: Apache-2.0
"""Checks that no files of src/ include one another in a circle."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def read_uses(source):
    """{file without its ending: the files that it uses}"""
    paths = sorted(source.rglob("*.[ch]"))
    names = {str(path.relative_to(source)): str(path.relative_to(source).with_suffix("")) for path in paths}
    uses = {name: set() for name in names.values()}
    for path in paths:
        own = names[str(path.relative_to(source))]
        for header in re.findall(r'^\s*#\s*include\s+"([^"]+)"', path.read_text(), re.MULTILINE):
            if header in names and names[header] != own:
                uses[own].add(names[header])
    return uses


def find_circles(uses):
    """The strongly connected parts with more than one file (R. Tarjan, SIAM Journal on Computing 1 (2), 1972)."""
    number, lowest, stack, circles = {}, {}, [], []

    def visit(name):
        number[name] = lowest[name] = len(number)
        stack.append(name)
        for other in sorted(uses[name]):
            if other not in number:
                visit(other)
                lowest[name] = min(lowest[name], lowest[other])
            elif other in stack:
                lowest[name] = min(lowest[name], number[other])
        if lowest[name] != number[name]:
            return
        part = stack[stack.index(name) :]
        del stack[stack.index(name) :]
        if len(part) > 1:
            circles.append(sorted(part))

    for name in sorted(uses):
        if name not in number:
            visit(name)
    return circles


def main():
    source = ROOT / "src" if len(sys.argv) < 2 else pathlib.Path(sys.argv[1])
    uses = read_uses(source)
    circles = find_circles(uses)
    for circle in circles:
        print(f"{len(circle)} files in a circle:")
        for name in circle:
            print(f"    {name} uses {', '.join(sorted(uses[name] & set(circle)))}")
    if not circles:
        print(f"{len(uses)} files, none in a circle")
    return 1 if circles or not uses else 0


if __name__ == "__main__":
    sys.exit(main())
