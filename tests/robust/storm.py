# tests/robust/storm.py - a program whose agent has gone mad: whatever can be written into the shared segment, by a seed.
#
# SPDX-License-Identifier: Apache-2.0
"""Text of a hostile program, to stand behind test_hostile.ATTACK and HELLO; its argument is the seed."""

STORM = r"""
random.seed(int(sys.argv[1]))
take_over()
put(KIND["MARK"], bytes(8))
assert is_read() # it is known before it is bent
libc = ctypes.CDLL(None)
with open("/proc/self/maps") as stream:
    code = [(int(one[0], 16), int(one[1], 16)) for one in re.findall(r"^(\w+)-(\w+) r-xp", stream.read(), re.M)]
known = [random.getrandbits(64) for _ in range(12)] # keys, of code and of stacks
tids = [os.getpid(), os.getpid() + 1, 1, 0, 2 ** 22]
NAMES = (b"/proc/self/mem", b"/dev/zero", b".", b"", b"<string>", b"../" * 600, b"\xff\x00\x1b[31m", b"/tmp/ipykernel_1/2.py", sys.argv[0].encode())


def word():
    "A number that may mean something."
    return random.choice((
        lambda: random.choice((0, 1, 2, 7, 8, 255, 4096, 2 ** 20, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1, 2 ** 63 - 1, 2 ** 63, 2 ** 64 - 1)),
        lambda: random.getrandbits(64),
        lambda: random.getrandbits(random.randrange(1, 64)),
        lambda: random.choice(known),
        lambda: int(time.monotonic() * 1e9) + random.randrange(-10 ** 9, 10 ** 9),
        lambda: id(known) + random.randrange(-64, 64),
        lambda: random.randrange(*random.choice(code)) | random.choice((0, 0, 2 ** 63)),
        lambda: random.randrange(start, end)))()


def half():
    return word() & 0xffffffff


def frames(count):
    return b"".join(struct.pack("<QiI", random.choice(known), random.randrange(-2, 400), random.randrange(3)) for _ in range(count))


def addresses(count):
    return struct.pack("<%dQ" % count, *(word() for _ in range(count)))


def count_of(most):
    return random.choice((0, 1, 2, random.randrange(most)))


def text(length):
    return random.choice(NAMES)[:length]


def padded(body):
    return body + bytes(-len(body) % 8)


def sample():
    frame_count, address_count = count_of(40), count_of(20)
    kept = random.choice((KEPT_NOWHERE, struct.pack("<IIII", random.randrange(8), count_of(60), random.randrange(5), count_of(5))))
    return struct.pack("<QQIHHII", word(), word(), random.choice(tids), random.getrandbits(10), random.getrandbits(16), frame_count, address_count) + kept + struct.pack("<Q", word()) \
        + frames(frame_count) + addresses(address_count)


def code_record():
    file, name, table = text(2048), text(2048), bytes(random.getrandbits(8) for _ in range(count_of(60)))
    return padded(struct.pack("<QIIIIQ", random.choice(known), half(), len(file), len(name), len(table), random.choice((0, 0, word()))) + file + name + table)


def stack():
    frame_count, address_count = count_of(40), count_of(20)
    return struct.pack("<QIHH", random.choice(known), frame_count, address_count, random.getrandbits(8)) + frames(frame_count) + addresses(address_count)


def exec_record():
    name = text(2048)
    return padded(struct.pack("<IIII", len(name), random.randrange(2), random.choice(tids), random.randrange(2)) + name)


def directory():
    name = text(2048)
    return padded(struct.pack("<II", len(name), half()) + name)


def label():
    name = text(256)
    return padded(struct.pack("<QQQIHH", word(), word(), random.choice(known), random.choice(tids), len(name), random.randrange(2)) + name)


def other(shape, *values):
    return lambda: struct.pack(shape, *(value() for value in values))


def tid():
    return random.choice(tids)


def key():
    return random.choice(known)


def slot():
    return random.choice((half(), random.randrange(20)))


def few():
    return random.randrange(4)


RECORDS = {
    "SAMPLE": sample, "CODE": code_record, "STACK": stack, "EXEC": exec_record, "DIRECTORY": directory, "LABEL": label,
    "THREAD_START": other("<QQIHHII64s", word, word, tid, few, few, tid, half, lambda: bytes(random.getrandbits(8) for _ in range(64))),
    "THREAD_END": other("<QQII", word, word, tid, half),
    "ALLOCATION": other("<QQQQQQIHHII", word, key, word, word, word, word, slot, lambda: random.randrange(32), lambda: random.getrandbits(16), tid, half),
    "FREE": other("<QII", word, slot, half),
    "CUT": other("<QQQII", word, word, word, slot, slot),
    "COPY": other("<QQQII", word, key, word, half, tid),
    "PROCESS_END": other("<QQQII", word, word, word, half, half),
    "MARK": other("<Q", key),
    "CHILD_END": other("<QII", word, tid, half),
    "GPU_STATE": other("<QII", word, few, half),
    "GPU_WORK": other("<QQQII", key, word, word, lambda: random.randrange(5), half),
    "GPU_SPAN": other("<QQII", word, word, lambda: random.randrange(70), half),
    "GPU_ALLOCATION": other("<QQQQQ", word, key, word, word, word),
    "GPU_FREE": other("<QQQ", word, word, word),
}
assert set(RECORDS) == set(SIZE)
LONGER = {"SAMPLE", "CODE", "STACK", "EXEC", "DIRECTORY", "LABEL"} # by what stands behind them
for kind, make in RECORDS.items():
    length = 8 + len(make())
    assert length >= SIZE[kind] if kind in LONGER else length == SIZE[kind], kind


def good_record():
    kind = random.choice(("SAMPLE", "SAMPLE", "CODE", "CODE", "STACK", "ALLOCATION", "FREE") + tuple(RECORDS))
    if kind == "CHILD_END" and is_young: # which may be our own, and then nothing more is read
        kind = "SAMPLE"
    put(KIND[kind], RECORDS[kind]())


def bent_record():
    kind = random.choice(tuple(RECORDS))
    body = bytearray(RECORDS[kind]())
    for _ in range(random.randrange(4)):
        at = random.randrange(len(body))
        body[at:at + 4] = struct.pack("<I", half())[:len(body) - at]
    put(random.choice((KIND[kind], KIND[kind], random.randrange(256))), bytes(body[:random.choice((len(body), len(body) // 16 * 8))]))


def bent_header():
    ctypes.memmove(ring + number(head) % RING // 8 * 8, struct.pack("<II", half(), half()), 8)


def bent_head():
    "Facts, what is published of the interpreter, switches, counters."
    at = random.choice((random.randrange(start + 24, head, 8), random.randrange(tail + 8, ring, 8)))
    ctypes.memmove(at, struct.pack("<Q", word()), 8)


def garbage():
    length = random.choice((8, 64, 512))
    at = random.randrange(ring, ring + RING - length, 8)
    ctypes.memmove(at, bytes(random.getrandbits(8) for _ in range(length)), length)


def bend(copy):
    for _ in range(random.randrange(6)):
        at = random.randrange(24, len(copy) - 8, 8)
        copy[at:at + 8] = struct.pack("<Q", word())


def child():
    "Has a segment of its own, bent from its beginning, besides that of its agent."
    pid = os.fork()
    if pid != 0:
        return pid
    take_over(bend)
    for _ in range(60):
        random.choice((good_record, good_record, bent_record, bent_head))()
    os._exit(random.randrange(3))


def other_descriptors():
    "Of what is no segment."
    fd = libc.memfd_create(b"none", 2)
    os.ftruncate(fd, random.choice((0, 4096, size)))
    libc.fcntl(fd, 1033, random.choice((7, 0, 2)))
    hello(fd, name=random.choice(("", "/nowhere", "x" * 2000)), status=random.randrange(9))
    os.close(fd)


def bent_ends():
    ctypes.memmove(random.choice((head, tail)), struct.pack("<Q", word()), 8)


# Nothing more is read of a ring once it makes no sense: most storms write what does, in form.
ACTIONS = [good_record] * 60 + [bent_head] * 3
is_bent = random.random() < 0.3
if is_bent:
    ACTIONS += [bent_record] * 20 + [bent_header, bent_ends] + [garbage] * 2
children = []
is_young = True
stop = time.monotonic() + 0.4
for i in range(3000):
    if i % 500 == 100:
        random.choice((other_descriptors, lambda: children.append(child())))()
    if i % 50 == 0:
        time.sleep(0.004)
    if i == 60:
        assert is_bent or is_read()
        is_young = False
    random.choice(ACTIONS)()
    if time.monotonic() > stop:
        break
for pid in children:
    os.waitpid(pid, 0)
busy(0.03)
os._exit(7)
"""
