# tests/dump/core_writer.py - writes a core file of a process that stands, as the kernel would.
#
# The system's own core files depend on settings of the whole machine (core_pattern, limits). This one
# needs none of them, and its process lives on, so that it can be compared with what is read of that.
# The registers are those that /proc shows of a blocked thread: where it is, and its system call.
#
# SPDX-License-Identifier: Apache-2.0
"""Core files of processes whose threads are all blocked."""

import collections
import os
import platform
import struct

PAGE = 4096
PT_LOAD, PT_NOTE = 1, 4
NT_PRSTATUS, NT_PRPSINFO, NT_AUXV, NT_SIGINFO, NT_FILE, NT_ARM_SYSTEM_CALL = 1, 3, 6, 0x53494749, 0x46494C45, 0x404
MACHINES = {"x86_64": 62, "aarch64": 183}

Mapping = collections.namedtuple("Mapping", "start end rights offset name")


def mappings_of(pid):
    found = []
    for line in open("/proc/%d/maps" % pid):
        words = line.rstrip("\n").split(None, 5)
        start, end = (int(word, 16) for word in words[0].split("-"))
        found.append(Mapping(start, end, words[1], int(words[2], 16), words[5] if len(words) > 5 else ""))
    return [mapping for mapping in found if mapping.name not in ("[vvar]", "[vvar_vclock]", "[vsyscall]")]


def kept_bytes(mapping):
    """How much of it the kernel writes with the default filter: of a file that is only read, its first page."""
    if mapping.rights[:2] == "--":
        return 0
    if not mapping.name.startswith("/") or "w" in mapping.rights:
        return mapping.end - mapping.start
    return PAGE if mapping.offset == 0 else 0


def read_memory(memory, address, length):
    """With zeros where there is nothing, as behind the end of a mapped file."""
    try:
        memory.seek(address)
        return memory.read(length)
    except OSError:
        return bytes(length) if length <= PAGE else b"".join(read_memory(memory, address + done, PAGE) for done in range(0, length, PAGE))


def note(kind, description, name=b"CORE\0"):
    padded = (len(name) + 3) // 4 * 4, (len(description) + 3) // 4 * 4
    return struct.pack("<III", len(name), len(description), kind) + name.ljust(padded[0], b"\0") + description.ljust(padded[1], b"\0")


def registers_of(pid, tid):
    """As struct user_regs_struct has them."""
    words = open("/proc/%d/task/%d/syscall" % (pid, tid)).read().split()
    assert len(words) == 9, "thread %d is not blocked in a system call: %s" % (tid, words)
    number = int(words[0])
    arguments = [int(word, 16) for word in words[1:7]]
    stack, place = int(words[7], 16), int(words[8], 16)
    if platform.machine() == "x86_64":
        rdi, rsi, rdx, r10, r8, r9 = arguments
        return struct.pack("<27Q", 0, 0, 0, 0, 0, 0, 0, r10, r9, r8, 2**64 - 512, 0, rdx, rsi, rdi, number, place, 0x33, 0x246, stack, 0x2B, *[0] * 6)
    return struct.pack("<34Q", *arguments, 0, 0, number, *[0] * 22, stack, place - 4, 0)  # the call is to be made again


def thread_notes(pid, tid, signal):
    status = struct.pack("<iiihxxQQiiii8Q", signal, 0, 0, signal, 0, 0, tid, 1, pid, pid, 0, 250000, 0, 0, 0, 0, 0, 0) + registers_of(pid, tid) + struct.pack("<iI", 0, 0)
    notes = note(NT_PRSTATUS, status)
    if platform.machine() == "aarch64":
        notes += note(NT_ARM_SYSTEM_CALL, struct.pack("<i", -1), b"LINUX\0")
    return notes


def process_notes(pid, signal, code, detail):
    command = open("/proc/%d/cmdline" % pid, "rb").read().replace(b"\0", b" ")[:79]
    name = open("/proc/%d/comm" % pid, "rb").read().strip()
    info = struct.pack("<4bxxxxQIIiiii", 0, ord("S"), 0, 0, 0, 0, 0, pid, 1, pid, pid) + name.ljust(16, b"\0") + command.ljust(80, b"\0")
    notes = note(NT_PRPSINFO, info)
    if signal:
        notes += note(NT_SIGINFO, struct.pack("<iii4xQ", signal, 0, code, detail).ljust(128, b"\0"))
    return notes + note(NT_AUXV, open("/proc/%d/auxv" % pid, "rb").read())


def files_note(mappings, rename):
    files = [mapping for mapping in mappings if mapping.name.startswith("/")]
    words = struct.pack("<QQ", len(files), PAGE)
    words += b"".join(struct.pack("<QQQ", mapping.start, mapping.end, mapping.offset // PAGE) for mapping in files)
    return note(NT_FILE, words + b"".join(rename(mapping.name).encode() + b"\0" for mapping in files))


def write_core(pid, path, signal=0, code=0, detail=0, first=None, rename=lambda name: name, change=lambda mapping, page: page):
    """`first`: the thread that the signal met. `change` is given the bytes of each mapping's first page."""
    mappings = mappings_of(pid)
    tids = sorted(map(int, os.listdir("/proc/%d/task" % pid)), key=lambda tid: tid != (first or pid))
    notes = thread_notes(pid, tids[0], signal) + process_notes(pid, signal, code, detail) + files_note(mappings, rename)
    notes += b"".join(thread_notes(pid, tid, signal) for tid in tids[1:])
    head_bytes = 64 + 56 * (len(mappings) + 1)
    offset = (head_bytes + len(notes) + PAGE - 1) // PAGE * PAGE
    headers = struct.pack("<IIQQQQQQ", PT_NOTE, 0, head_bytes, 0, 0, len(notes), 0, 4)
    pieces = []
    for mapping in mappings:
        kept = kept_bytes(mapping)
        rights = sum(flag for letter, flag in zip("rwx", (4, 2, 1)) if letter in mapping.rights)
        headers += struct.pack("<IIQQQQQQ", PT_LOAD, rights, offset, mapping.start, 0, kept, mapping.end - mapping.start, PAGE)
        pieces.append((offset, mapping, kept))
        offset += kept
    identity = b"\x7fELF\x02\x01\x01" + bytes(9)
    head = identity + struct.pack("<HHIQQQIHHHHHH", 4, MACHINES[platform.machine()], 1, 0, 64, 0, 0, 64, 56, len(mappings) + 1, 0, 0, 0)
    with open(path, "wb") as core, open("/proc/%d/mem" % pid, "rb", 0) as memory:
        core.write(head + headers + notes)
        for at, mapping, kept in pieces:
            for done in range(0, kept, 1 << 20):
                part = read_memory(memory, mapping.start + done, min(kept - done, 1 << 20))
                core.seek(at + done)
                if done == 0:
                    part = change(mapping, part[:PAGE]) + part[PAGE:]
                if part.strip(b"\0"):  # else a hole
                    core.write(part)
        core.truncate(offset)
    return len(head) + len(headers) + len(notes)
