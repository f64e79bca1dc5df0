#!/usr/bin/env python3
# tools/check_includes.py - compares the #include lines of src/ with the table in ARCHITECTURE.md.
#
# A folder may include its own headers, those its row names (a folder, or one header of it), and in
# angle brackets: libc, Linux, and the library headers its row names. Where a folder inside it has a
# row, too, that one names what it may use of its siblings. What a row names is used, too. So the
# picture in that document stays true, and a new dependency is a visible change of its tables.
#
# SPDX-License-Identifier: Apache-2.0
"""Checks who includes whom."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# What the C library, the kernel's interface and the compiler bring.
SYSTEM = re.compile(
    r"(sys|linux|asm|netinet|arpa|net)/\w+\.h|"
    r"(assert|cpuid|ctype|dirent|dlfcn|elf|errno|fcntl|fnmatch|getopt|glob|grp|inttypes|langinfo|libgen|limits|link|"
    r"locale|malloc|math|netdb|poll|pthread|pwd|regex|sched|semaphore|setjmp|signal|spawn|stdalign|stdarg|stdatomic|"
    r"stdbool|stddef|stdint|stdio|stdlib|stdnoreturn|string|strings|syscall|termios|threads|time|ucontext|unistd|"
    r"wchar|wctype)\.h"
)


def read_table(text):
    """{folder: set of what it may include} from the tables with a column 'may include'."""
    rows = {}
    column = None
    for line in text.splitlines():
        if not line.startswith("|"):
            column = None
            continue
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if "may include" in cells:
            column = cells.index("may include")
        elif column is not None and (folder := re.match(r"`src/([\w/]+)`", cells[0])):
            rows[folder[1]] = set(re.findall(r"`([^`]+)`", cells[column]))
    return rows


def complain_of_sibling(rows, within, name):
    """Why a file of the folder within (of src/) may not include name of the same folder of src/, or None."""
    folder, _, inner = within.partition("/")
    other = name.split("/")
    if within not in rows or not inner or other[0] != folder:
        return None
    if len(other) > 2 and (other[1] == inner or other[1] in rows[within]):
        return None
    return f"src/{within} may not include {name}"


def complaints(rows, within, name):
    """Why a file of the folder within (of src/) may not include name ('<x.h>' or 'folder/x.h'), or None."""
    folder = within.split("/")[0]
    allowed = rows[folder]
    if name.startswith("<"):
        if SYSTEM.fullmatch(name[1:-1]) or name in allowed:
            return None
        return f"{name} is not in the row of src/{folder}"
    other = name.split("/")[0]
    if "/" not in name:
        return f'"{name}" does not name its folder'
    if other == folder or other in allowed or name in allowed:
        return complain_of_sibling(rows, within, name)
    return f"src/{folder} may not include {name}"


def main():
    rows = read_table((ROOT / "ARCHITECTURE.md").read_text())
    bad = []
    unused = {folder: set(allowed) for folder, allowed in rows.items()}
    files = sorted((ROOT / "src").rglob("*.[ch]"))
    for path in files:
        within = path.parent.relative_to(ROOT / "src").as_posix()
        folder = within.split("/")[0]
        has_rooms = any(row.startswith(folder + "/") for row in rows)
        if folder not in rows or (has_rooms and within != folder and within not in rows):
            bad.append(f"{path.relative_to(ROOT)}: src/{within} has no row in the table")
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if match := re.match(r'\s*#\s*include\s+(?:"([^"]+)"|(<[^>]+>))', line):
                name = match[1] or match[2]
                if why := complaints(rows, within, name):
                    bad.append(f"{path.relative_to(ROOT)}:{number}: {why}")
                unused[folder] -= {name, name.split("/")[0]}
                if within in rows and name.startswith(folder + "/"):
                    unused[within].discard(name.split("/")[1])
    bad += [f"src/{folder} includes nothing of {name}" for folder, names in unused.items() for name in sorted(names)]
    print("\n".join(bad) or f"{len(files)} files include only what their folder may")
    return 1 if bad or not files else 0


if __name__ == "__main__":
    sys.exit(main())
