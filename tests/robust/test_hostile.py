# tests/robust/test_hostile.py - programs that attack their own profile: the observer goes on, and nothing hangs.
#
# SPDX-License-Identifier: Apache-2.0
"""Hostile programs."""

import os
import re
import socket
import struct
import subprocess
import sys
import time

import pytest

from conftest import ROOT
from storm import STORM

FORMAT = os.path.join(ROOT, "src", "channel", "format.h")


def kinds_of_records():
    """Their numbers by their names."""
    with open(FORMAT, encoding="utf-8") as stream:
        names = ["NONE", "PAD", *re.findall(r"^    X\(([A-Z_]+), [a-z_]+, [a-z_]+, [a-z_]+, [a-z_]+\)", stream.read(), re.M)]
    assert names[2] == "SAMPLE", names
    return {name: number for number, name in enumerate(names)}


def sizes_of_records():
    """The bytes of each kind, without what stands behind them, by its name: what the header of the format asserts."""
    with open(FORMAT, encoding="utf-8") as stream:
        sizes = re.findall(r"^static_assert\(sizeof\(struct sc_record_([a-z_]+)\) == (\d+),", stream.read(), re.M)
    sizes = {name.upper(): int(size) for name, size in sizes if name != "header"}
    assert set(sizes) == set(kinds_of_records()) - {"NONE", "PAD"}, sizes
    return sizes


# What an attacker needs: the segment among the mappings, and where its ring is.
ATTACK = "KIND = %r\nSIZE = %r\n" % (kinds_of_records(), sizes_of_records()) + r"""
import ctypes, mmap, os, random, re, signal, socket, struct, subprocess, sys, time

RING = 1 << 23

def mappings():
    with open("/proc/self/maps") as stream:
        return [(int(one[0], 16), int(one[1], 16)) for one in re.findall(r"^(\w+)-(\w+) \S+ \S+ \S+ \S+ +/memfd:scalene\b", stream.read(), re.M)]

start, end = mappings()[0]
version, size = struct.unpack("<II", ctypes.string_at(start + 8, 8))
ring, head, tail = start + size - RING, start + 64, start + 128

def number(address):
    return struct.unpack("<Q", ctypes.string_at(address, 8))[0]

def put(kind, body):
    "Writes one record as the agent does. A tick in between would put its own record into the same place."
    total = 8 + len(body)
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGURG])
    at = number(head)
    has_room = at + total - number(tail) <= RING and at % RING + total <= RING
    if has_room:
        ctypes.memmove(head, struct.pack("<Q", at + total), 8)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGURG])
    if not has_room:
        return False
    ctypes.memmove(ring + at % RING + 8, body, len(body))
    ctypes.memmove(ring + at % RING, struct.pack("<I", kind << 24 | total), 4)
    return True

met = None

def rendezvous():
    "Of our own observer, which is our parent; a child knows it from us."
    global met
    met = met or find_rendezvous()
    return met

def find_rendezvous():
    with open("/proc/net/unix") as stream:
        names = re.findall(r"@(scalene[0-9a-f]{32})$", stream.read(), re.M)
    for name in names:
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as client:
            try:
                client.connect("\0" + name)
            except OSError:
                continue
            if struct.unpack("3i", client.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0] == os.getppid():
                return name

KEPT_NOWHERE = struct.pack("<IIII", 2 ** 32 - 1, 0, 0, 0) # of a sample; then late_ns, its last own field

def busy(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        sum(range(1000))  #: busy
"""


HELLO = """
def hello(*descriptors, name="", status=0):
    message = struct.pack("<QIIII", 0x3143656e656c6163, version, status, os.getpid(), 0x030c0000) + name.encode()
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as client:
        client.connect("\\0" + rendezvous())
        client.sendmsg([message], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, struct.pack("%di" % len(descriptors), *descriptors))] if descriptors else [])

def memory_file():
    libc = ctypes.CDLL(None, use_errno=True)
    return libc.memfd_create(b"scalene", 2)

def take_over(bend=lambda head: None):
    "From now on the segment that is read is ours alone: our agent writes into another. Its head is what bend makes of ours."
    global start, end, ring, head, tail, own
    fd = ctypes.CDLL(None).memfd_create(b"other", 2)
    os.ftruncate(fd, size)
    copy = bytearray(ctypes.string_at(start, size - RING))
    bend(copy)
    copy[64:72] = copy[128:136] = bytes(8) # head and tail
    own = mmap.mmap(fd, size)
    own[:len(copy)] = copy
    ctypes.CDLL(None).fcntl(fd, 1033, 7) # F_ADD_SEALS: neither shrink nor grow, nor more of these
    hello(fd)
    start = ctypes.addressof(ctypes.c_char.from_buffer(own))
    end = start + size
    ring, head, tail = start + size - RING, start + 64, start + 128

def is_read():
    "Whether all that was written is taken in the end. Of a ring that makes no sense nothing is."
    written = number(head)
    stop = time.monotonic() + 200  # against a hang: a busy machine may keep the reader waiting
    while number(tail) < written and time.monotonic() < stop:
        padding = min(4096, RING - number(head) % RING) # read records are freed together, when there are enough
        if number(head) - written > RING // 16 or not put(1, bytes(padding - 8)):
            time.sleep(0.01)
    return number(tail) >= written
"""


def attack(profile, python, text, **how):
    """The program ends as it wants to, and the profile is there. What it says is what the program has made of it."""
    ended = profile(ATTACK + text, python, is_honest=False, **how).expect(7)
    return ended


@pytest.mark.few_pythons
def test_a_sample_without_addresses_is_not_in_the_loop(profile, python):
    attack(profile, python, HELLO + """
MONOTONIC = int(time.monotonic() * 1e9)
for i in range(200):
    # REACHED_EVAL and HAS_CODE_UNIT, one frame, no address
    put(KIND["SAMPLE"], struct.pack("<QQIHHII", MONOTONIC + i, 10**6 * i, os.getpid(), 2 | 4, 0x53, 1, 0) + KEPT_NOWHERE + struct.pack("<QQiI", 0, 1, 0, 0))
busy(0.4)
sys.exit(7 if is_read() else "what was written was not understood")
""")


@pytest.mark.one_python
def test_numbers_without_reason(profile, python):
    """Times to come, threads that cannot be, clocks and sizes without end, of every kind of record."""
    attack(profile, python, HELLO + """
take_over()
most = 2 ** 64 - 1
numbers = [0, 1, most, 2 ** 63, 2 ** 63 - 1, 2 ** 32 - 1, 2 ** 31, 2 ** 22, 131071, 131072, os.getpid()]
random.seed(3)
for round in range(40):
    for kind in SIZE:
        if kind == "EXEC": # after it the process counts as one that has become another
            continue
        body = bytearray().join(struct.pack("<Q", random.choice(numbers)) for _ in range(SIZE[kind] // 8 - 1))
        if kind == "SAMPLE":
            body[16:32] = struct.pack("<IHHII", random.choice((os.getpid(), 5, 2 ** 22)), random.randrange(128), 83, 0, 0)
            body[32:48] = random.choice((KEPT_NOWHERE, struct.pack("<IIII", random.randrange(8), random.choice((0, 1, 16384)), 1, 0)))
        if kind == "CODE":
            body[8:24] = struct.pack("<IIII", random.choice((1, 2 ** 31, 2 ** 32 - 1)), 0, 0, 0)
        if kind == "THREAD_START":
            body[16:24] = struct.pack("<II", random.choice((os.getpid(), 7)), 1)
        if kind == "THREAD_END":
            body[16:24] = struct.pack("<II", random.choice((os.getpid() + 1, 7)), 1)
        if kind == "STACK":
            body[8:16] = struct.pack("<IHH", 0, 0, 65535)
        if kind == "LABEL":
            body[24:32] = struct.pack("<IHH", random.choice((os.getpid(), 5, 2 ** 22)), 0, random.randrange(2))
        if kind == "DIRECTORY":
            body[:8] = bytes(8)
        if kind == "GPU_STATE":
            body[8:16] = struct.pack("<II", random.randrange(4), 1)
        if kind == "GPU_WORK":
            body[24:32] = struct.pack("<II", random.randrange(5), 2 ** 32 - 1)
        put(KIND[kind], bytes(body))
    time.sleep(0.01)
assert is_read()
busy(0.2)
sys.exit(7)
""", options=["--memory", "--gpu"])


@pytest.mark.one_python
@pytest.mark.parametrize("seed", range(3))
def test_garbage_in_the_whole_segment(profile, python, seed):
    attack(profile, python, """
random.seed(%d)
for i in range(200):
    length = random.choice((8, 64, 4096))
    at = random.randrange(ring, ring + RING - length) if random.random() < 0.5 else ring + number(head) %% RING
    length = min(length, ring + RING - at)
    ctypes.memmove(at, bytes(random.getrandbits(8) for _ in range(length)), length)
    if random.random() < 0.3: # a field of the head: facts, interval, counters
        ctypes.memmove(random.randrange(start + 16, ring, 8), struct.pack("<Q", random.getrandbits(64)), 8)
    busy(0.002)
sys.stdout.flush()
os._exit(7)
""" % seed)


@pytest.mark.one_python
def test_a_writer_without_end_delays_nobody(profile, python):
    """Other processes are looked at, and the end is seen."""
    attack(profile, python, """
if os.fork() == 0:
    start, end = mappings()[0]
    ring, head, tail = start + size - RING, start + 64, start + 128
    pads = struct.pack("<II", 1 << 24 | 8, 0) * (RING // 8)
    stop = time.monotonic() + 2
    while time.monotonic() < stop:
        ctypes.memmove(ring, pads, RING)
    os._exit(0)
busy(0.5)
sys.stdout.flush()
os._exit(7)
""")


@pytest.mark.one_python
def test_a_segment_that_is_cut_short(profile, python):
    attack(profile, python, HELLO + """
fd = memory_file()
os.ftruncate(fd, size)
own = mmap.mmap(fd, size)
own[:] = ctypes.string_at(start, size)
hello(fd)
busy(0.1)
own.close()
os.ftruncate(fd, 0)
busy(0.2)
sys.exit(7)
""")


@pytest.mark.one_python
def test_other_descriptors_than_a_segment(profile, python):
    attack(profile, python, HELLO + """
os.mkfifo("fifo")
own, other = socket.socketpair()
for fd in (os.open("fifo", os.O_RDWR), os.open(".", os.O_RDONLY), os.open("fifo", os.O_PATH), os.open("/dev/zero", os.O_RDWR), own.fileno(),
           os.open(sys.argv[0], os.O_RDONLY), memory_file(), os.pipe()[0], os.open("/proc/self/mem", os.O_RDONLY)):
    hello(fd)
    hello(fd, fd)
    hello(fd, fd, fd, status=4)
busy(0.4)
sys.exit(7)
""")


@pytest.mark.one_python
def test_what_is_executed_keeps_nobody_waiting(profile, python):
    """A FIFO, a script whose interpreter is one, a device, a folder, a file of a terabyte: the program gets its errors, we go on."""
    attack(profile, python, """
os.mkfifo("fifo", 0o700)
with open("script", "w") as stream:
    stream.write("#!%s/fifo\\n" % os.getcwd())
with open("large", "wb") as stream:
    stream.write(b"\\x7fELF\\x02\\x01\\x01".ljust(64, b"\\0"))
    stream.truncate(1 << 40)
os.mkfifo("tool", 0o700)
os.environ["PATH"] = os.getcwd() + ":" + os.environ["PATH"]
for name in ("script", "large"):
    os.chmod(name, 0o700)
for name in ("./fifo", os.path.abspath("fifo"), "./script", "./large", "/dev/zero", ".", "tool"):
    try:
        subprocess.run([name])
    except OSError as error:
        print(name.rpartition("/")[2], type(error).__name__)
sys.stdout.flush()
busy(0.3)
sys.exit(7)
""")


@pytest.mark.one_python
def test_a_source_that_is_no_file_keeps_nobody_waiting(profile, python):
    """Code says where it is from: a FIFO, a device, a socket."""
    attack(profile, python, """
os.mkfifo("source.py")
own = socket.socket(socket.AF_UNIX)
own.bind("socket.py")
for name in ("source.py", "socket.py", "/dev/zero", "/dev/tty", "/proc/kmsg", "."):
    exec(compile("def work():\\n    busy(0.05)\\nwork()\\n", os.path.abspath(name), "exec"), globals())
busy(0.2)
sys.exit(7)
""")


@pytest.mark.one_python
@pytest.mark.parametrize("seed", range(int(os.environ.get("SC_STORMS", "4"))))
def test_a_storm(profile, python, seed):
    """Records, headers, counters, facts and segments without sense, from a program, its children and processes that it makes up."""
    ended = attack(profile, python, HELLO + STORM, args=[str(seed)], options=["--memory", "--gpu", "--profile-interval", "0.2"])
    assert "Sanitizer" not in ended.stderr and "runtime error" not in ended.stderr, ended.stderr


FLOOD = """
import os, re, socket, struct, sys, time
stop = time.monotonic() + 6
kept = []
rounds = 0
while time.monotonic() < stop:
    client = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    client.setblocking(False)
    try:
        client.connect("\\0" + sys.argv[1])
        rounds += 1
        if rounds % 3:
            client.sendmsg([b"x" * 24], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, struct.pack("2i", 0, 0))])
    except BlockingIOError:
        pass
    except ConnectionRefusedError:
        break
    except OSError:
        pass
    kept.append(client)
    if len(kept) > 800:
        kept.clear()
print(rounds)
"""

CHILDREN = """
import os, time
time.sleep(1)
for i in range(60):
    if os.fork() == 0:
        end = time.process_time() + 0.02
        while time.process_time() < end:
            sum(range(1000))  #: child
        os._exit(0)
    os.wait()
"""


@pytest.mark.one_python
@pytest.mark.statistical
def test_another_user_at_the_rendezvous(profile, python):
    """No child is lost, nothing of the observer's is used up, however many come, say nothing or send descriptors."""
    if os.geteuid() != 0:
        pytest.skip("only root can be another user")
    floods, open_files = [], []

    def flood(process):
        name = None
        while name is None:
            time.sleep(0.05)
            name = name_of_rendezvous(process.pid)
        for _ in range(2):
            floods.append(subprocess.Popen([sys.executable, "-S", "-c", FLOOD, name], user=65534, stdout=subprocess.PIPE, text=True))
        while process.poll() is None:
            time.sleep(0.1)
            try:
                open_files.append(len(os.listdir("/proc/%d/fd" % process.pid)))
            except OSError:
                pass

    ended = profile(CHILDREN, python, act=flood).expect(0)
    came = [int(one.communicate()[0]) for one in floods]
    assert min(came) > 1000, came
    assert max(open_files) < 200, max(open_files)
    found = ended.profile
    assert found is not None, ended.stderr
    assert len(found.own["processes"]) == 61, len(found.own["processes"])
    assert abs(found.cpu_marked("child") - 1.2) < 0.4, found.hottest()


def name_of_rendezvous(observer):
    """The abstract name on which that process listens for agents, None when it does not yet."""
    with open("/proc/net/unix", encoding="utf-8") as stream:
        names = re.findall(r"@(scalene[0-9a-f]{32})$", stream.read(), re.M)
    for name in names:
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as client:
            client.settimeout(0.2)
            try:
                client.connect("\0" + name)
            except OSError:
                continue
            if struct.unpack("3i", client.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0] == observer:
                return name
    return None
