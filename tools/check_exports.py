#!/usr/bin/env python3
# tools/check_exports.py BUILD - the two agents export what src/agent/exports.def lists, and need no more libraries and bytes than allowed.
#
# SPDX-License-Identifier: Apache-2.0
"""Checks the agent's dynamic symbols, libraries and size."""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIST = ROOT / "src" / "agent" / "exports.def"
LIBRARIES = {"libc.so.6", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1", "libc.so"}  # the last is musl's
CODE_BYTES_MAX = 192 * 1024  # code, constants and initialised variables; gcc 14 makes 4 % more of the same source than gcc 12
ZERO_BYTES_MAX = 25 * 256 * 1024  # scratch space, which takes memory only where it is touched


def output(*command):
    return subprocess.run(command, text=True, capture_output=True, check=True).stdout


def exports(agent):
    """One sorted line per name, versions left out."""
    names = (line.split() for line in output("nm", "-D", "--defined-only", agent).splitlines())
    return sorted({fields[-1].split("@")[0] for fields in names if len(fields) >= 2 and fields[-2] != "A"})


def libraries(agent):
    lines = output("objdump", "-p", agent).splitlines()
    return {line.split()[1] for line in lines if line.split()[:1] == ["NEEDED"]}


def sizes(agent):
    """Bytes that come from the file when it is loaded, and bytes that begin as zero."""
    text, data, bss = (int(field) for field in output("size", agent).splitlines()[1].split()[:3])
    return text + data, bss


def expected(agent):
    """The names that exports.def has for this library."""
    kinds = {"HOOK", "ENTRY"} | ({"MEMORY_HOOK"} if agent.stem == "libscalene-memory" else set())
    return {name for kind, name in re.findall(r"^(\w+)\((\w+)\)$", LIST.read_text(), re.MULTILINE) if kind in kinds}


def check(agent):
    """One agent; true when it is right."""
    found, wanted = exports(agent), expected(agent)
    bad = [f"exports {name}, which is not in exports.def" for name in found if name not in wanted]
    bad += [f"does not export {name}" for name in sorted(wanted.difference(found))]
    bad += [f"needs the library {name}" for name in sorted(libraries(agent) - LIBRARIES)]
    code, zero = sizes(agent)
    if code > CODE_BYTES_MAX:
        bad.append(f"loads {code} bytes, more than {CODE_BYTES_MAX}")
    if zero > ZERO_BYTES_MAX:
        bad.append(f"reserves {zero} bytes, more than {ZERO_BYTES_MAX}")
    print(agent.name + ": " + ("; ".join(bad) or f"{len(found)} names exported, {code} bytes loaded, {zero} reserved"))
    return not bad and bool(found)


def main():
    agents = sorted(pathlib.Path(sys.argv[1], "src", "agent").glob("libscalene*.so"))
    right = [check(agent) for agent in agents]
    return 0 if len(right) == 2 and all(right) else 1


if __name__ == "__main__":
    sys.exit(main())
