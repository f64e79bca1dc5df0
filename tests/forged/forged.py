# tests/forged/forged.py - records of an agent that never ran (src/channel/format.h), what the observer sees of its process
# when it looks, and the profile that is made of them.
#
# Clocks, stacks and sizes are chosen, so every number of the profile is known, and is the same on any machine.
#
# SPDX-License-Identifier: Apache-2.0
"""Records, in the order in which a process would write them."""

import json
import os
import re
import struct
import subprocess

from conftest import BUILD, ROOT

PROFILE_OF = os.path.join(BUILD, "tests", "forged", "profile_of")
MS = 1_000_000
BEGUN_NS = 5_000 * MS

MEMORY, NATIVE, BEGUN, OUTSIDE, INTERIM = 2, 8, 16, 128, 256  # enum records_choice
IN_SYSTEM_CALL, REACHED_EVAL, HAS_CODE_UNIT, COLLECTING = 1, 2, 4, 8  # enum sc_sample_flags
CALL_LEN = 78  # PRECALL_NO_KW_LEN of 3.11: a call of native code
KEPT_NOWHERE = 2**32 - 1
NO_SLOT = 2**32 - 1
RUNS, READS, SLEEPS, WAITS_FOR_LOCK, WAITS_FOR_GIL = range(5)  # looks.c
FIELD_BYTES = 256
MAIN = 1 << 22  # the process's own number

IN_LOOP = 0xF0 << 56 | 1 << 32  # profile_of makes addresses of these
IN_LIBRARY = 0xF1 << 56


def _kinds():
    with open(os.path.join(ROOT, "src", "channel", "format.h"), encoding="utf-8") as stream:
        names = re.findall(r"^    X\(([A-Z_]+), [a-z_]+, [a-z_]+, [a-z_]+, [a-z_]+\)", stream.read(), re.M)
    return {name: number for number, name in enumerate(["NONE", "PAD", *names])}


KIND = _kinds()


class Forged:
    """One process of CPython 3.11, whose program lies in a folder."""

    def __init__(self, folder, choice=BEGUN):
        self.folder = str(folder)
        self.choice = choice
        self.text = b""  # records since the last look
        self.life = b""  # what came before
        self.now_ns = BEGUN_NS
        self.cpu_ns = {}  # tid ->
        self.ended_ns = 0  # CPU time of threads that have ended
        self.turns = {}
        self.delay_ns = {}
        self.codes = {}  # (file, function) -> (key, first line, what names it in the interpreter's memory)
        self.stacks = {}
        self.slots = 0
        self.spans = 0

    def record(self, kind, form, *values, tail=b""):
        body = struct.pack("<" + form, *values) + tail
        body += bytes(-len(body) % 8)
        self.text += struct.pack("<II", KIND[kind] << 24 | len(body) + 8, 0) + body

    def code(self, file, function, first, last):
        """A function whose instruction 2 * n belongs to line first + n."""
        no_columns = 13 << 3 | 0x80  # entries of one instruction, Objects/locations.md of CPython
        table = bytes([no_columns, 0]) + bytes([no_columns, 2]) * (last - first)
        path = os.path.join(self.folder, file).encode()
        fields = b"".join(text.ljust(FIELD_BYTES, b"\0") for text in (path, function.encode(), table))
        assert len(fields) == 3 * FIELD_BYTES
        self.codes[file, function] = len(self.codes) + 1, first, (len(table), fields)
        words = len(self.codes), first, len(path), len(function), len(table), 0
        self.record("CODE", "QIIIIQ", *words, tail=path + function.encode() + table)

    def mark(self, file, function):
        """With @profile."""
        self.record("MARK", "Q", self.codes[file, function][0])

    def _frames(self, stack):
        """stack: (file, function, line) of each frame, the outermost first."""
        text = b""
        for file, function, line in reversed(stack):
            key, first, _ = self.codes[file, function]
            text += struct.pack("<QiI", key, 2 * (line - first), 0)
        return text

    def thread(self, tid, name="", is_main=False, is_pythons=True):
        self.cpu_ns[tid] = self.turns[tid] = self.delay_ns[tid] = 0
        self.record("THREAD_START", "QQIHHII64s", self.now_ns, tid << 12, tid, is_main, is_pythons, MAIN, 0, name.encode())

    def thread_end(self, tid, ms=0):
        """It is in no look any more."""
        self.now_ns += ms * MS
        cpu_ns = self.cpu_ns.pop(tid)
        self.ended_ns += cpu_ns
        self.record("THREAD_END", "QQII", self.now_ns, cpu_ns, tid, 0)

    def _process_cpu_ns(self):
        return self.ended_ns + sum(self.cpu_ns.values())

    def sample(self, stack, ms=10, cpu_ms=None, tid=MAIN, addresses=(), flags=0, opcode=0):
        """A tick: since the last one of any thread ms have passed, in which the thread used cpu_ms (all of them, when None)."""
        self.now_ns += ms * MS
        self.cpu_ns[tid] += (ms if cpu_ms is None else cpu_ms) * MS
        self.turns[tid] += 1
        flags |= (REACHED_EVAL if addresses else 0) | (HAS_CODE_UNIT if opcode else 0)
        self.record(
            "SAMPLE", "QQIHHIIIIIIQ", self.now_ns, self.cpu_ns[tid], tid, flags, opcode, len(stack), len(addresses),
            KEPT_NOWHERE, 0, 0, 0, 0, tail=self._frames(stack) + struct.pack("<%dQ" % len(addresses), *addresses),
        )

    def _stack(self, stack):
        key = self.stacks.get(tuple(stack))
        if key is None:
            key = self.stacks[tuple(stack)] = len(self.stacks) + 1
            self.record("STACK", "QIHH", key, len(stack), 0, 0, tail=self._frames(stack))
        return key

    def allocate(self, stack, size, weight=None, points=0, tid=MAIN):
        """Returns what free() takes. With points, the block stands for more than itself."""
        key = self._stack(stack)
        self.slots += 1
        exact = 0 if points else 2
        address = 0x7F0000000000 + (self.slots << 32)
        self.record("ALLOCATION", "QQQQQQIHHII", self.now_ns, key, address, size, 0, size if weight is None else weight, self.slots, exact, points, tid, 0)
        return self.slots

    def free(self, slot):
        self.record("FREE", "QII", self.now_ns, slot, 0)

    def copy(self, stack, weight, points=0, tid=MAIN):
        key = self._stack(stack)
        self.record("COPY", "QQQII", self.now_ns, key, weight, points, tid)

    def enter(self, name, tid=MAIN, ms=0, cpu_ms=0):
        """A label, ms after what came before. Returns what leave() takes."""
        self.spans += 1
        self._label(self.spans, name.encode(), False, tid, ms, cpu_ms)
        return self.spans

    def leave(self, span, tid=MAIN, ms=0, cpu_ms=0):
        self._label(span, b"", True, tid, ms, cpu_ms)

    def _label(self, span, name, is_left, tid, ms, cpu_ms):
        self.now_ns += ms * MS
        clock_ns = self.cpu_ns[tid] + cpu_ms * MS  # since the thread's last sample
        self.record("LABEL", "QQQIHH", self.now_ns, clock_ns, span, tid, len(name), is_left, tail=name)

    def look(self, blocked=None, ms=0, delayed=MAIN, delay_ms=0):
        """The observer looks ms later, of which a thread lacked a CPU for delay_ms. blocked: thread -> (what it waits for, its stack);
        the others run."""
        self.now_ns += ms * MS
        self.delay_ns[delayed] += delay_ms * MS
        self._live(self._threads(blocked), len(self.cpu_ns), self.now_ns)

    def lack(self, delay_ms, tid=MAIN):
        """A thread has lacked a CPU for so long, which no look finds any more."""
        self.delay_ns[tid] += delay_ms * MS
        self._live(self._threads(), len(self.cpu_ns))

    def _threads(self, blocked=None):
        threads = b""
        for tid, cpu_ns in self.cpu_ns.items():
            does, stack = (blocked or {}).get(tid, (RUNS, ()))
            threads += struct.pack("<6Q", tid, cpu_ns, self.delay_ns[tid], self.turns[tid], does, len(stack))
            for file, function, line in stack:
                _, first, (table_bytes, fields) = self.codes[file, function]
                threads += struct.pack("<3Q", first, line, table_bytes) + fields
        return threads

    def _live(self, threads=b"", count=0, looked_ns=0):
        self.life += struct.pack("<4Q", len(self.text), looked_ns, self._process_cpu_ns(), count) + self.text + threads
        self.text = b""

    def profile(self):
        """The JSON. What ends is the process: no thread has used more CPU time than its last sample says.

        Profiles that are written while it runs change none of its numbers."""
        self._live()
        once, again = (self._profile(self.choice | more) for more in (0, INTERIM))
        assert again == once
        return once

    def _profile(self, choice):
        head = struct.pack("<QQQQ", choice, BEGUN_NS, self.now_ns, self._process_cpu_ns())
        done = subprocess.run([PROFILE_OF, self.folder], input=head + self.life, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        assert done.returncode == 0, (done.returncode, done.stderr)
        return json.loads(done.stdout)
