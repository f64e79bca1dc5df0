#!/usr/bin/env python3
# tools/check_musl.py BUILD|WHEEL - the program and the agents call no function that musl 1.2.0 does not have.
#
# A wheel for musllinux_1_2 must run with that musl, but zig links it to a newer one, and musl's functions have no versions
# by which auditwheel could tell. What is built for musl, as a wheel is that is named, also needs no library but musl itself.
#
# SPDX-License-Identifier: Apache-2.0
"""Checks what a build needs of musl."""

import pathlib
import subprocess
import sys
import tempfile
import zipfile

LATER = {
    "_Fork": "1.2.2",
    "gettid": "1.2.2",
    "reallocarray": "1.2.2",
    "pthread_getname_np": "1.2.3",
    "qsort_r": "1.2.3",
    "tcgetwinsize": "1.2.2",
    "tcsetwinsize": "1.2.2",
    "preadv2": "1.2.5",
    "pwritev2": "1.2.5",
    "statx": "1.2.5",
    "posix_getdents": "1.2.6",
    "renameat2": "1.2.6",
}


def output(*command):
    return subprocess.run(command, text=True, capture_output=True, check=True).stdout


def check(file, is_for_musl):
    """One program or library; true when it is right. A build that is not known to be for musl may need the libraries of glibc."""
    names = {line.split()[-1].split("@")[0] for line in output("nm", "-D", "--undefined-only", file).splitlines()}
    bad = ["needs %s, which musl has from %s on" % (name, LATER[name]) for name in sorted(names & set(LATER))]
    lines = output("objdump", "-p", file).splitlines()
    libraries = {line.split()[1] for line in lines if line.split()[:1] == ["NEEDED"]}
    if is_for_musl or "libc.so.6" not in libraries:
        bad += ["needs the library " + name for name in sorted(libraries - {"libc.so"})]
    print(file.name + ": " + ("; ".join(bad) or "right"))
    return not bad


def check_all(folder, is_for_musl):
    files = [file for pattern in ("*/scalene", "libscalene*.so") for file in sorted(folder.rglob(pattern)) if file.is_file()]
    right = [check(file, is_for_musl) for file in files]
    return len(right) == 3 and all(right)


def main():
    what = pathlib.Path(sys.argv[1])
    if what.suffix != ".whl":
        return 0 if check_all(what / "src", False) else 1
    with tempfile.TemporaryDirectory() as folder:
        zipfile.ZipFile(what).extractall(folder)
        return 0 if check_all(pathlib.Path(folder), True) else 1


if __name__ == "__main__":
    sys.exit(main())
