#!/usr/bin/env python3
# tools/embed_files.py OUT.c FILE... - writes files as texts in C (src/cli/programs.h).
#
# SPDX-License-Identifier: Apache-2.0
"""Makes programs in other languages a part of `scalene`."""

import pathlib
import sys


def main(arguments):
    if len(arguments) < 2:
        sys.exit("usage: tools/embed_files.py OUT.c FILE...")
    out = ['/* Written by tools/embed_files.py. */\n#include "cli/programs.h"\n#include <stddef.h>\n']
    rows = []
    for number, path in enumerate(sorted(map(pathlib.Path, arguments[1:]))):
        numbers = [str(byte) for byte in path.read_bytes() + b"\0"]
        lines = ",\n".join(",".join(numbers[at : at + 40]) for at in range(0, len(numbers), 40))
        out.append(f"static const char text_{number}[] = {{\n{lines}}};\n")
        rows.append(f'    {{"{path.name}", text_{number}}},\n')
    out.append("const struct sc_own_program sc_own_programs[] = {\n" + "".join(rows) + "    {NULL, NULL}};\n")
    pathlib.Path(arguments[0]).write_text("".join(out))


main(sys.argv[1:])
