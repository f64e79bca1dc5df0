#!/usr/bin/env python3
# tools/check_includes.py - compares the #include lines of src/ with the table in ARCHITECTURE.md.
#
# A folder may include its own headers, those its row names (a folder, or one header of it), and in
# angle brackets: libc, Linux, and the library headers its row names. So the picture in that
# document stays true, and a new dependency is a visible change of its table.
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
    """{folder: set of what it may include} from the one table with a column 'may include'."""
    rows = {}
    column = None
    for line in text.splitlines():
        if not line.startswith("|"):
            column = None
            continue
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if "may include" in cells:
            column = cells.index("may include")
        elif column is not None and (folder := re.match(r"`src/(\w+)`", cells[0])):
            rows[folder[1]] = set(re.findall(r"`([^`]+)`", cells[column]))
    return rows


def complaints(rows, folder, name):
    """Why a file of folder may not include name ('<x.h>' or 'folder/x.h'), or None."""
    allowed = rows[folder]
    if name.startswith("<"):
        if SYSTEM.fullmatch(name[1:-1]) or name in allowed:
            return None
        return f"{name} is not in the row of src/{folder}"
    other = name.split("/")[0]
    if "/" not in name:
        return f'"{name}" does not name its folder'
    if other == folder or other in allowed or name in allowed:
        return None
    return f"src/{folder} may not include {name}"


def main():
    rows = read_table((ROOT / "ARCHITECTURE.md").read_text())
    bad = []
    files = sorted((ROOT / "src").rglob("*.[ch]"))
    for path in files:
        folder = path.relative_to(ROOT / "src").parts[0]
        if folder not in rows:
            bad.append(f"{path.relative_to(ROOT)}: src/{folder} has no row in the table")
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if match := re.match(r'\s*#\s*include\s+(?:"([^"]+)"|(<[^>]+>))', line):
                if why := complaints(rows, folder, match[1] or match[2]):
                    bad.append(f"{path.relative_to(ROOT)}:{number}: {why}")
    print("\n".join(bad) or f"{len(files)} files include only what their folder may")
    return 1 if bad or not files else 0


if __name__ == "__main__":
    sys.exit(main())
