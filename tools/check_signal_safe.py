#!/usr/bin/env python3
# tools/check_signal_safe.py BUILD - the agent's signal handler reaches nothing that may not run there.
#
# Starts at the functions marked SC_SIGNAL_SAFE (src/unwind/signal_safe.h; they lie in a section of their
# own in the object files) and follows every direct call and jump of the finished libscalene.so, so
# what they call need not be marked to be seen. Fails where a path ends in a function of another
# library that is not listed here, and prints the path. Calls through a pointer are counted and
# shown: their targets (the memory reader, CPython's getter of the thread state) are chosen once,
# in normal context.
#
# SPDX-License-Identifier: Apache-2.0
"""Walks the call graph of the agent's handler."""

import collections
import pathlib
import re
import subprocess
import sys

SECTION = ".text.signal_safe"

# From the list in signal-safety(7), those that never wait for another thread and never allocate.
SAFE = {
    "clock_gettime", "close", "getpid", "memchr", "memcmp", "memcpy", "memmove", "memset", "raise", "read",
    "sigaction", "sigaddset", "sigdelset", "sigemptyset", "sigfillset", "sigismember", "sigprocmask", "strlen",
    "timer_settime", "write",
    # Not on that list, but safe in glibc for the reason given:
    "__errno_location",  # the address of a thread-local of libc itself
    "__memcpy_chk",  # memcpy with a length check
    "__memset_chk",
    "__stack_chk_fail",  # ends the process: reached only when the stack is already overwritten
    "_dl_find_object",  # lock-free by its contract, made for unwinding
    "getrusage",  # one system call
    "pthread_sigmask",  # one system call
    "syscall",  # the bare system call
}  # fmt: skip

# Patterns of objdump's lines: a function's start, and an instruction that leaves for a named place.
START = re.compile(r"^([0-9a-f]+) <([^>]+)>:$")
INSTRUCTION = re.compile(r"^\s*([0-9a-f]+):\s+(?:(?:bnd|notrack|rep|repz|repnz) )?([a-z][\w.]*)\s*(.*)$")
TARGET = re.compile(r"\b([0-9a-f]+) <([^>+]+)(?:\+0x([0-9a-f]+))?>")
BRANCHES = re.compile(r"call\w*|j\w+|bl|b|b\.\w+|cbn?z|tbn?z|bti")
INDIRECT = re.compile(r"blr|br|(?:call|jmp)\w*")


class Function:
    def __init__(self, name):
        self.name = name
        self.callees = set()  # start addresses in this library, or names of other libraries' functions
        self.indirect = 0


def output(*command):
    return subprocess.run(command, text=True, capture_output=True, check=True).stdout


def imported(symbol):
    """The plain name when symbol belongs to another library ('memcpy@plt', 'memcpy@GLIBC_2.14'), or None."""
    return symbol.split("@")[0] if "@" in symbol else None


def read_instruction(function, text, spans):
    match = INSTRUCTION.match(text)
    if not match:
        return
    mnemonic, operands = match[2], match[3]
    target = TARGET.search(operands)
    if target and (BRANCHES.fullmatch(mnemonic) or "@" in target[2]):
        # A call through the table of imported addresses names its entry in a comment.
        if name := imported(target[2]):
            if BRANCHES.fullmatch(mnemonic):
                function.callees.add(name)
        elif "(%rip)" not in operands:
            function.callees.add(spans[int(target[1], 16) - int(target[3] or "0", 16)])
    elif INDIRECT.fullmatch(mnemonic) and (operands.startswith("*") or mnemonic in ("blr", "br")):
        function.indirect += 1


def read_calls(library):
    """{start address: Function}. Linker stubs for imported functions are not functions of the library."""
    lines = output("objdump", "-d", "--no-show-raw-insn", "-w", library).splitlines()
    functions = {}
    for line in lines:
        if (start := START.match(line)) and not imported(start[2]):
            functions[int(start[1], 16)] = Function(start[2])
    spans = collections.defaultdict(lambda: "an address without a name", {address: address for address in functions})
    current = None
    for line in lines:
        if start := START.match(line):
            current = functions.get(int(start[1], 16))
        elif current:
            read_instruction(current, line, spans)
    return functions


def marked_names(build):
    """The functions that the agent's object files keep in the section for the handler."""
    names = set()
    for path in sorted(pathlib.Path(build, "src").rglob("*.o")):
        for line in output("objdump", "-t", str(path)).splitlines():
            fields = line.split()
            if SECTION in fields and "F" in fields:
                names.add(fields[-1])
    return names


def walk(functions, roots):
    """{what is reached: the function that reached it first}, for addresses and names."""
    reached = dict.fromkeys(roots)
    waiting = collections.deque(roots)
    while waiting:
        address = waiting.popleft()
        for callee in functions[address].callees:
            if callee not in reached:
                reached[callee] = address
                if callee in functions:
                    waiting.append(callee)
    return reached


def path_to(functions, reached, end):
    names = [end]
    step = reached[end]
    while step is not None:
        names.append(functions[step].name)
        step = reached[step]
    return " <- ".join(names)


def check(library, marked):
    """One agent; true when its handler and hooks reach nothing they may not."""
    functions = read_calls(str(library))
    roots = [address for address, function in functions.items() if function.name.split(".")[0] in marked]
    reached = walk(functions, roots)
    bad = [end for end in reached if end not in functions and end not in SAFE]
    for end in sorted(bad):
        print(path_to(functions, reached, end))
    own = [functions[address] for address in reached if address in functions]
    indirect = sorted(function.name for function in own if function.indirect)
    if not roots:
        print(f"no function of {library} lies in {SECTION}")
    elif not bad:
        used = " ".join(sorted(set(reached) & SAFE))
        print(f"{library.name}: {len(own)} functions from {len(roots)} marked ones; from libc: {used}")
        print(f"calls through pointers, and jump tables, in: {' '.join(indirect)}")
    return bool(roots) and not bad


def main():
    build = sys.argv[1]
    libraries = sorted(pathlib.Path(build, "src", "agent").glob("libscalene*.so"))
    if len(libraries) != 2:
        print(f"{build}/src/agent does not hold both agents: build first")
        return 1
    marked = marked_names(build)
    right = [check(library, marked) for library in libraries]
    return 0 if all(right) else 1


if __name__ == "__main__":
    sys.exit(main())
