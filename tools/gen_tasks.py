#!/usr/bin/env python3
"""Writes src/cpython/task_layout_data.c from the headers of the CPython versions it is given.

    tools/gen_tasks.py INCLUDE... > src/cpython/task_layout_data.c

INCLUDE is as for tools/gen_layout.py. For every one tools/task_probe.c is compiled and run.

SPDX-License-Identifier: Apache-2.0
"""

import os
import sys
import textwrap

import gen_layout

HEADER = os.path.join(gen_layout.HERE, "..", "src", "cpython", "task_layout.h")
INSTANCES = ("DICT", "BESIDE", "TAGGED", "INLINE")


def layout(facts, fields):
    flags = dict({"published_modules": 0, "suspended_first": 0, "suspended_last": 0, "awaiting_first": 127},
                 **facts["flag"])
    members = [".version = 0x%04x" % (facts["python"][1] >> 16),
               ".free_threaded = %s" % ("true" if flags.pop("free_threaded") else "false"),
               ".instance_kind = SC_INSTANCE_%s" % INSTANCES[flags.pop("instance_kind")]]
    members += [".%s = %d" % item for item in sorted(flags.items())]
    gen_layout.checked(facts["field"], fields, "field")
    members += [".%s = %d" % (name, facts["field"].get(name, -1)) for name in fields]
    return gen_layout.packed(facts, members)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    found = [gen_layout.probe(argument, "task_probe.c") for argument in sys.argv[1:]]
    fields = gen_layout.names_of(HEADER, "SC_TASK_FIELDS")
    versions = ", ".join(f["python"][0] + ("t" if f["flag"]["free_threaded"] else "") for f in found)
    text = """/*
 * cpython/task_layout_data.c - generated numbers: where CPython keeps asyncio's tasks, per version.
 *
 * Written by "tools/gen_tasks.py INCLUDE..." from the headers of CPython
 * %s
 * (t: free-threaded), compiled for %s. Do not edit.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cpython/task_layout.h"

/* One name per line would be 500 lines. */
/* clang-format off */

""" % (textwrap.fill(versions, 95, subsequent_indent=" * "), os.uname().machine)
    text += "const struct sc_task_layout sc_task_layouts[] = {\n"
    text += "\n".join(layout(facts, fields) for facts in found)
    text += "\n};\n\nconst size_t sc_task_layouts_count =\n"
    text += "    sizeof(sc_task_layouts) / sizeof(sc_task_layouts[0]);\n"
    sys.stdout.write(text)


if __name__ == "__main__":
    main()
