#!/usr/bin/env python3
# tools/gen_seeds.py BUILD [PYTHON] - writes the seeds of the fuzz target `records` anew, from records of the agent of that build in real runs.
#
# To be used when src/channel/format.h has changed: seeds of another layout are rejected at their first record. A small
# program stops its observer for a moment, works, and copies its own ring. Addresses are changed to ones that the target maps
# into its own code. What no program here can cause (devices) is made up.
#
# SPDX-License-Identifier: Apache-2.0
"""Seeds for tests/fuzz/records_fuzz.c."""

import os
import re
import struct
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SEEDS = os.path.join(ROOT, "tests", "fuzz", "corpus", "records")

# As in records_fuzz.c.
HEAD, MEMORY, GPU, NATIVE, BEGUN, VIRTUAL = 1, 2, 4, 8, 16, 32
SEED_BYTES = 6000  # a seed is a unit test, too, and is read in reviews

PROGRAM = r"""
import ctypes, os, re, signal, struct, subprocess, sys, threading, time
RING = 1 << 23
with open("/proc/self/maps") as stream:
    start, end = re.search(r"^(\w+)-(\w+) .*/memfd:scalene\b", stream.read(), re.M).groups()
start = int(start, 16)
size = struct.unpack("<I", ctypes.string_at(start + 12, 4))[0]

def number(at):
    return struct.unpack("<Q", ctypes.string_at(start + at, 8))[0]

def deep(count, seconds):
    if count > 0:
        return deep(count - 1, seconds)
    end = time.process_time() + seconds
    while time.process_time() < end:
        sum(map(abs, range(1000)))

def allocate():
    kept = [bytearray(3 << 20) for _ in range(3)]
    copy = bytes(kept[0])
    del kept[1:]
    return [kept, copy, [str(i) for i in range(20000)]]

def samples():
    deep(5, 0.08)

def kept():
    for count in (40, 40, 45, 3):
        deep(count, 0.05)

def memory():
    allocate()

def labels():
    agent = profile.__self__
    for name in ("outer", "inner"):
        span = agent.enter(name)
        deep(1, 0.02)
        kept = allocate()
        if name == "inner":
            agent.leave(span)

def tree():
    thread = threading.Thread(target=deep, args=(1, 0.02), name="worker")
    thread.start()
    thread.join()
    subprocess.run(["true"])
    deep(0, 0.02)

time.sleep(0.3)
os.kill(os.getppid(), signal.SIGSTOP)
try:
    first = number(64) # head
    globals()[sys.argv[1]]()
    last = number(64)
    ring = ctypes.string_at(start + size - RING, RING)
    head = ctypes.string_at(start, size - RING)
finally:
    os.kill(os.getppid(), signal.SIGCONT)
assert last % RING > first % RING, "the ring was wrapped"
with open(sys.argv[2], "wb") as stream:
    stream.write(struct.pack("<II", len(head), 0) + head + ring[first % RING:last % RING])
"""


def kinds_of_records():
    with open(os.path.join(ROOT, "src", "channel", "format.h"), encoding="utf-8") as stream:
        names = ["NONE", "PAD", *re.findall(r"^    X\(([A-Z_]+), [a-z_]+, [a-z_]+, [a-z_]+, [a-z_]+\)", stream.read(), re.M)]
    return {name: number for number, name in enumerate(names)}


KIND = kinds_of_records()


def record(kind, body):
    body += bytes(-len(body) % 8)
    return struct.pack("<II", KIND[kind] << 24 | len(body) + 8, 0) + body


def moved(address):
    """The address as one that the target maps into its own code; bit 63, the mark of the loop, is kept."""
    return 0xF0 << 56 | (address >> 63) << 32 | (address & 0xFFFF)


def without_addresses_of(text):
    """A record of a real run, with addresses that the target maps into its own code."""
    kind = struct.unpack("<I", text[:4])[0] >> 24
    at = {KIND["SAMPLE"]: 56, KIND["STACK"]: 24}.get(kind)
    if at is None:
        return text
    frames, addresses = struct.unpack("<II" if kind == KIND["SAMPLE"] else "<IH", text[32:40] if kind == KIND["SAMPLE"] else text[16:22])
    at += frames * 16
    values = struct.unpack("<%dQ" % addresses, text[at:at + 8 * addresses])
    return text[:at] + struct.pack("<%dQ" % addresses, *map(moved, values)) + text[at + 8 * addresses:]


def run(build, python, what):
    """The head of the segment, and the records of one part of the program."""
    with tempfile.TemporaryDirectory() as folder:
        program, result = os.path.join(folder, "seed.py"), os.path.join(folder, "ring")
        with open(program, "w", encoding="utf-8") as stream:
            stream.write(PROGRAM)
        command = [os.path.join(build, "src", "cli", "scalene"), "run", "--memory", "--python", python, "-o", os.path.join(folder, "profile.json")]
        subprocess.run([*command, "---", program, what, result], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=60)
        with open(result, "rb") as stream:
            text = stream.read()
    length = struct.unpack("<I", text[:4])[0]
    head, ring = text[8:8 + length], text[8 + length:]
    records = []
    while len(ring) >= 8:
        size = struct.unpack("<I", ring[:4])[0] & 0xFFFFFF
        if size == 0:
            break
        records.append(without_addresses_of(ring[:size]))
        ring = ring[size:]
    return head, records


def shortened(records):
    """The first records, as many as a seed holds, with the name of the home folder replaced."""
    text = b""
    for one in records:
        if len(text) + len(one) <= SEED_BYTES:
            text += one.replace(os.path.expanduser("~").encode(), b"/" + b"h" * (len(os.path.expanduser("~")) - 1))
    return text


def of_devices():
    key, time_ns = 77, 1999000000000
    frames = struct.pack("<QiI", 5, 2, 0)
    return b"".join((
        record("CODE", struct.pack("<QIIIIQ", 5, 1, 6, 1, 2, 0) + b"/g.py" + b"x" + b"f" + b"\x02\x01"),
        record("STACK", struct.pack("<QIHH", key, 1, 0, 0) + frames),
        record("GPU_STATE", struct.pack("<QII", time_ns, 0, 12090)),
        record("GPU_ALLOCATION", struct.pack("<QQQQQ", time_ns, key, 0x7F0000000000, 1 << 20, 1)),
        record("GPU_WORK", struct.pack("<QQQII", key, 5000000, 4096, 0, 3)),
        record("GPU_WORK", struct.pack("<QQQII", key, 1000000, 1 << 20, 1, 1)),
        record("GPU_SPAN", struct.pack("<QQII", time_ns, time_ns + 6000000, 0, 0)),
        record("GPU_FREE", struct.pack("<QQQ", time_ns + 7000000, 0x7F0000000000, 0)),
        record("GPU_FREE", struct.pack("<QQQ", time_ns + 8000000, 0, 1))))


def write(name, choice, text):
    with open(os.path.join(SEEDS, name), "wb") as stream:
        stream.write(bytes([choice]) + text)


def main():
    build = os.path.abspath(sys.argv[1])
    python = sys.argv[2] if len(sys.argv) > 2 else sys.executable
    for name in os.listdir(SEEDS):
        os.unlink(os.path.join(SEEDS, name))
    head, records = run(build, python, "samples")
    samples = shortened(records)
    write("not-begun", 0, samples)
    write("virtual", BEGUN | NATIVE | VIRTUAL, samples)
    # the segment from its field `pace`, at byte 24, up to the ring
    write("head", HEAD | BEGUN, head[24:] + samples)
    write("kept", BEGUN | NATIVE, shortened(run(build, python, "kept")[1]))
    memory = shortened(run(build, python, "memory")[1])
    write("memory", BEGUN | MEMORY, memory)
    write("memory-native", BEGUN | MEMORY | NATIVE, memory)
    write("labels", BEGUN | MEMORY, shortened(run(build, python, "labels")[1]))
    write("tree", BEGUN, shortened(run(build, python, "tree")[1]))
    write("gpu", BEGUN | GPU, of_devices())
    write("zeros", 0, bytes(64))
    sample = struct.pack("<QQIHHII", 1999000000000, 1000000, 7, 2 | 4, 83, 1, 0) + struct.pack("<IIIIQ", 2**32 - 1, 0, 0, 0, 0)
    write("eval-without-address", BEGUN | NATIVE, record("SAMPLE", sample + struct.pack("<QiI", 5, 0, 0)))


main()
