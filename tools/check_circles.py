#!/usr/bin/env python3
# tools/check_circles.py - refuses circles of files in src/.
#
#     tools/check_circles.py [BUILD]
#
# A file is a .c and the .h of its name; it uses the files whose headers it includes and, with the folder of a build,
# those that define the names it links to. Where files use one another in a circle, none of them can be read, tested or
# changed without the others. What two of them share belongs into a third, below both.
#
# Only our own names count: the agent defines functions of libc in front of libc's, and calls some of them itself.
#
# SPDX-License-Identifier: Apache-2.0
"""Checks that no files of src/ use one another in a circle."""

import os
import pathlib
import re
import subprocess
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


def sources_of_objects(source, build):
    """{object: the file that it is compiled from, without its ending}"""
    sources = [path.relative_to(source).with_suffix("") for path in source.rglob("*.c")]
    found = {}
    for folder in sorted({path.parts[0] for path in sources}):
        # as Meson names objects: the way from the folder of their library, slashes as underscores
        names = {os.path.relpath(path, folder).replace("/", "_"): str(path) for path in sources}
        for thing in (build / "src" / folder).rglob("*.c.o"):
            if (name := thing.name.removesuffix(".c.o")) in names:
                found[thing] = names[name]
    return found


def read_links(source, build):
    """{file without its ending: the files that define what it links to}"""
    objects = sources_of_objects(source, build)
    defined, wanted = {}, {}
    for thing, name in objects.items():
        listed = subprocess.run(["nm", thing], stdout=subprocess.PIPE, text=True, check=True).stdout
        for line in listed.splitlines():
            kind, symbol = line.split()[-2:]
            if symbol.startswith("sc_") and kind == "U":
                wanted.setdefault(name, set()).add(symbol)
            elif symbol.startswith("sc_") and kind in "TDBR":
                defined[symbol] = name
    uses = {name: {defined[symbol] for symbol in wanted.get(name, ()) if symbol in defined} for name in objects.values()}
    return {name: others - {name} for name, others in uses.items()}


def main():
    source = ROOT / "src"
    graphs = {"by what they include": read_uses(source)}
    if len(sys.argv) > 1:
        graphs["by what they link to"] = read_links(source, pathlib.Path(sys.argv[1]))
    found = 0
    for how, uses in graphs.items():
        for circle in find_circles(uses):
            found += 1
            print(f"{len(circle)} files in a circle, {how}:")
            for name in circle:
                print(f"    {name} uses {', '.join(sorted(uses[name] & set(circle)))}")
        if not uses:
            print(f"no files, {how}")
            return 1
    if found == 0:
        print(", ".join(f"{len(uses)} files {how}" for how, uses in graphs.items()) + ": none in a circle")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
