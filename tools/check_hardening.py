#!/usr/bin/env python3
# tools/check_hardening.py BUILD - what BUILD has linked is hardened as meson.build asks for.
#
# Read from the files themselves: a flag that a compiler, a linker or an option of the build has dropped is seen here.
# The agent's libraries run in other people's programs and must not end those, so they have no stack protector and no
# fortified functions, and this is checked as well.
#
# SPDX-License-Identifier: Apache-2.0
"""Hardening of the built program and libraries."""

import pathlib
import platform
import re
import subprocess
import sys

# An instruction where an indirect jump may land: endbr64, or bti c and paciasp.
LANDINGS = {"x86_64": (b"\xf3\x0f\x1e\xfa",), "aarch64": (b"\x5f\x24\x03\xd5", b"\x3f\x23\x03\xd5")}
SOME = 20  # the start-up code linked into every program has a few of them
ENDS_A_PROGRAM = re.compile(r"\b(__\w+_chk|__stack_chk_fail)\b")


def readelf(path, *options):
    return subprocess.run(("readelf", "-W", *options, str(path)), stdout=subprocess.PIPE, text=True, check=True).stdout


def segment(headers, name):
    """The flags of a segment, or None."""
    found = re.search(rf"^ +{name} +(?:0x\w+ +){{5}}([RWE ]{{3}})", headers, re.MULTILINE)
    return found and found[1]


def faults_of_link(path):
    headers, dynamic = readelf(path, "-l"), readelf(path, "-d")
    if segment(headers, "GNU_RELRO") is None:
        yield "no segment is made read-only after it is linked (GNU_RELRO)"
    if not re.search(r"BIND_NOW|\bNOW\b", dynamic):
        yield "functions are bound when they are first called (no BIND_NOW)"
    if "E" in (segment(headers, "GNU_STACK") or "E"):
        yield "the stack is executable"
    if any("W" in flags and "E" in flags for flags in re.findall(r"^ +LOAD +(?:0x\w+ +){5}([RWE ]{3})", headers, re.MULTILINE)):
        yield "memory is writable and executable"
    if "TEXTREL" in dynamic:
        yield "code is changed when it is linked (TEXTREL)"
    landings = LANDINGS.get(platform.machine(), ())
    if landings and sum(map(path.read_bytes().count, landings)) < SOME:
        yield "functions do not begin with a place to land (no control-flow protection)"


def faults_of_program(path):
    yield from faults_of_link(path)
    imports = set(ENDS_A_PROGRAM.findall(readelf(path, "--dyn-syms")))
    if "PIE" not in readelf(path, "-d"):
        yield "it is always at the same address (no PIE)"
    if "__stack_chk_fail" not in imports:
        yield "no stack is protected"
    if len(imports - {"__stack_chk_fail"}) < 3:
        yield "no function is fortified"


def faults_of_library(path):
    yield from faults_of_link(path)
    symbols = (line.split() for line in readelf(path, "--dyn-syms").splitlines())
    for words in symbols:
        name = words[7].split("@")[0] if len(words) > 7 else ""
        if ENDS_A_PROGRAM.fullmatch(name) and words[6] == "UND":
            yield f"{name} would end the program it runs in"


def main(build):
    build = pathlib.Path(build)
    faults = {path: list(faults_of_program(path)) for path in (build / "src/cli/scalene",)}
    for path in (build / "src/agent/libscalene.so", build / "src/agent/libscalene-memory.so"):
        faults[path] = list(faults_of_library(path))
    for path, sentences in faults.items():
        for sentence in sentences:
            print(f"{path}: {sentence}")
    return 1 if any(faults.values()) else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: tools/check_hardening.py BUILD")
    sys.exit(main(sys.argv[1]))
