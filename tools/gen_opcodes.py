#!/usr/bin/env python3
"""Writes src/cpython/opcode_data.c from the opcode numbers of the CPython versions it is given.

    tools/gen_opcodes.py INCLUDE... > src/cpython/opcode_data.c

INCLUDE is as for tools/gen_layout.py; ",t" changes nothing here, as both builds have the same opcodes.
Specialised and instrumented opcodes have their numbers in opcode.h (3.11, 3.12) or opcode_ids.h (3.13
and later). A call opcode of unknown kind is an error, so that a new version is looked at by a person.

SPDX-License-Identifier: Apache-2.0
"""

import os
import re
import sys

GENERIC = {"CALL", "CALL_KW", "CALL_FUNCTION", "CALL_FUNCTION_KW", "CALL_FUNCTION_EX",
           "CALL_METHOD", "CALL_ADAPTIVE", "PRECALL", "PRECALL_ADAPTIVE"}
# of a with statement: they call __enter__ and __exit__ (3.14 uses CALL for that)
GENERIC |= {"SETUP_WITH", "BEFORE_WITH", "BEFORE_ASYNC_WITH", "WITH_CLEANUP_START",
            "WITH_EXCEPT_START"}
NO_CALL = {"CALL_FINALLY", "CALL_INTRINSIC_1", "CALL_INTRINSIC_2"}
PYTHON = re.compile(r"_PY(_|$)|_PYFUNC$|_BOUND_METHOD(_|$)|_ALLOC_AND_ENTER_INIT$")
NATIVE = re.compile(r"_BUILTIN_|_METHOD_DESCRIPTOR_|_LEN$|_ISINSTANCE$|_LIST_APPEND$"
                    r"|_(STR|TUPLE|TYPE)_1$")


def kind(name):
    """The enumerator of enum sc_opcode_kind without its prefix, None for no call."""
    if name.startswith("INSTRUMENTED_"):
        name = name[len("INSTRUMENTED_"):]
    if name in GENERIC:
        return "CALL"
    if name in NO_CALL or not re.match(r"(PRE)?CALL(_|$)", name):
        return None
    if "_NON_PY" in name:  # classes and objects with __call__ in Python too
        return "CALL"
    if PYTHON.search(name):
        return "CALL_PYTHON"
    if NATIVE.search(name):
        return "CALL_NATIVE"
    sys.exit("call opcode of unknown kind: " + name)


def read(path):
    if not os.path.exists(path):
        return ""
    with open(path, encoding="utf-8") as file:
        return file.read()


def version_of(include):
    text = read(os.path.join(include, "patchlevel.h"))
    numbers = [int(re.search(r"#define\s+PY_%s_VERSION\s+(\d+)" % part, text).group(1))
               for part in ("MAJOR", "MINOR", "MICRO")]
    return numbers[0] << 8 | numbers[1], ".".join(map(str, numbers))


def calls_of(include):
    """{opcode: (name, kind)}"""
    text = read(os.path.join(include, "opcode.h")) + read(os.path.join(include, "opcode_ids.h"))
    found = {}
    for name, number in re.findall(r"^#define\s+([A-Z][A-Z0-9_]*)\s+(\d+)\s*$", text, re.M):
        if kind(name) and int(number) < 256:  # larger numbers are used only inside the compiler
            found[int(number)] = (name, kind(name))
    if not found:
        sys.exit("no opcodes in " + include)
    return found


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    tables = {}
    names = []
    for argument in sys.argv[1:]:
        include = argument.partition(",")[0]
        version, text = version_of(include)
        if text not in names:
            names.append(text)
        calls = calls_of(include)
        if tables.setdefault(version, calls) != calls:
            sys.exit("two releases of %x have different opcodes" % version)
    print("""/*
 * cpython/opcode_data.c - generated numbers: the opcodes that call, per version of CPython.
 *
 * Written by "tools/gen_opcodes.py INCLUDE..." from the headers of CPython
 * %s. Do not edit.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cpython/opcode_data.h"

/* One opcode per line, with its name. */
/* clang-format off */

const uint8_t sc_opcode_kinds[SC_PY_NEWEST - SC_PY_OLDEST + 1][256] = {""" % ", ".join(names))
    for version in sorted(tables):
        print("    [0x%04x - SC_PY_OLDEST] = {" % version)
        for opcode, (name, group) in sorted(tables[version].items()):
            print("        [%d] = SC_OPCODE_%s, /* %s */" % (opcode, group, name))
        print("    },")
    print("};")


if __name__ == "__main__":
    main()
