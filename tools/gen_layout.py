#!/usr/bin/env python3
"""Writes src/cpython/layout_data.c from the headers of the CPython versions it is given.

    tools/gen_layout.py INCLUDE... > src/cpython/layout_data.c

INCLUDE is a folder with Python.h and internal/ (python3-config --includes names it). An INCLUDE with
",t" behind it is compiled as a free-threaded build. For every one tools/layout_probe.c is compiled and run.

SPDX-License-Identifier: Apache-2.0
"""

import os
import re
import subprocess
import sys
import tempfile
import textwrap

HERE = os.path.dirname(os.path.abspath(__file__))
HEADER = os.path.join(HERE, "..", "src", "cpython", "layout.h")
DATA_HEADER = os.path.join(HERE, "..", "src", "cpython", "layout_data.h")


def probe(argument, source="layout_probe.c"):
    """Returns {"python": [text, number], "field": {...}, "flag": {...}, "debug": {...}}."""
    include, _, threads = argument.partition(",")
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "probe")
        command = [os.environ.get("CC", "cc"), "-w", "-std=gnu17", "-DPy_BUILD_CORE"]
        if threads == "t":
            command.append("-DPy_GIL_DISABLED=1")
        # distributions keep pyconfig.h in a folder per processor beside the one given
        command += ["-I" + include, "-I" + os.path.join(include, "internal"),
                    "-idirafter", os.path.dirname(include.rstrip("/")),
                    os.path.join(HERE, source), "-o", program]
        subprocess.run(command, check=True)
        text = subprocess.run([program], check=True, stdout=subprocess.PIPE, text=True).stdout
    facts = {"field": {}, "flag": {}, "debug": {}}
    for line in text.splitlines():
        kind, name, number = line.split()
        if kind == "python":
            facts["python"] = [name, int(number)]
        else:
            facts[kind][name] = int(number)
    return facts


def names_of(header, macro):
    """The names in the list of X(...) that the macro is, joined by "_"."""
    with open(header, encoding="utf-8") as file:
        text = file.read()
    body = re.search(r"#define %s\(X\)((?:.*\\\n)*.*)" % macro, text).group(1)
    body = re.sub(r"/\*.*?\*/", "", body)
    return ["_".join(part.strip() for part in item.split(","))
            for item in re.findall(r"X\(([^)]*)\)", body)]


def checked(found, known, what):
    unknown = set(found) - set(known)
    if unknown:
        sys.exit("the probe printed a %s that the header does not have: %s" % (what, unknown))


def packed(facts, members):
    """One initialiser, as many members on a line as fit."""
    lines = textwrap.wrap(", ".join(m.replace(" = ", "\0=\0") for m in members), 95,
                          break_long_words=False, break_on_hyphens=False)
    return "    /* CPython %s */\n    {%s}," % (
        facts["python"][0], "\n     ".join(lines).replace("\0", " "))


def layout(facts, fields):
    minor = facts["python"][1] >> 16
    flags = dict(facts["flag"])
    members = [".version = 0x%04x" % minor,
               ".free_threaded = %s" % ("true" if flags.pop("free_threaded") else "false")]
    units = "LASTI_BYTES" if minor < 0x030a else "LASTI_UNITS" if minor < 0x030b else "POINTER"
    table = "LNOTAB" if minor < 0x030a else "PEP626" if minor < 0x030b else "LOCATION"
    members.append(".instruction_kind = SC_INSTRUCTION_" + units)
    members.append(".line_table_kind = SC_LINE_TABLE_" + table)
    flags["instruction_may_lag"] = "true" if flags["instruction_may_lag"] else "false"
    members += [".%s = %s" % item for item in sorted(flags.items())]
    checked(facts["field"], fields, "field")
    members += [".%s = %d" % (name, facts["field"].get(name, -1)) for name in fields]
    return packed(facts, members)


def positions(facts, names):
    checked(facts["debug"], names, "position")
    members = [".%s = %d" % (name, facts["debug"].get(name, -1)) for name in names]
    return packed(facts, [".python = 0x%04x" % (facts["python"][1] >> 16)] + members)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    found = [probe(argument) for argument in sys.argv[1:]]
    fields = names_of(HEADER, "SC_LAYOUT_FIELDS")
    names = names_of(DATA_HEADER, "SC_DEBUG_POSITIONS")
    versions = ", ".join(f["python"][0] + ("t" if f["flag"]["free_threaded"] else "")
                         for f in found)
    text = """/*
 * cpython/layout_data.c - generated numbers: where CPython's fields are, per version.
 *
 * Written by "tools/gen_layout.py INCLUDE..." from the headers of CPython
 * %s
 * (t: free-threaded), compiled for %s. Do not edit.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cpython/layout_data.h"

/* One name per line would be 700 lines. */
/* clang-format off */

""" % (textwrap.fill(versions, 95, subsequent_indent=" * "), os.uname().machine)
    text += "const struct sc_layout sc_layouts[] = {\n"
    text += "\n".join(layout(facts, fields) for facts in found)
    text += "\n};\n\nconst size_t sc_layouts_count = sizeof(sc_layouts) / sizeof(sc_layouts[0]);\n\n"
    text += "const struct sc_debug_positions sc_debug_positions[] = {\n"
    published = {}
    for facts in found:
        if facts["debug"]:
            first = published.setdefault(facts["python"][1] >> 16, facts)
            if first["debug"] != facts["debug"]:
                sys.exit("_Py_DebugOffsets differs between %s and %s" % (
                    first["python"][0], facts["python"][0]))
    text += "\n".join(positions(published[minor], names) for minor in sorted(published))
    text += "\n};\n\nconst size_t sc_debug_positions_count =\n"
    text += "    sizeof(sc_debug_positions) / sizeof(sc_debug_positions[0]);\n"
    sys.stdout.write(text)


if __name__ == "__main__":
    main()
