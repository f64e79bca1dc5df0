# tests/native/phases.py - a program of phases whose kind, Python or native, is known.
#
#     python phases.py SAMPLER JUDGE DIRECTORY SAMPLES [PHASE...]
#
# Runs each phase until the sampler library has taken so many samples in it, lets the judge classify
# them while the process still exists, and prints one JSON object: phase -> counts.
#
# SPDX-License-Identifier: Apache-2.0
import ctypes
import hashlib
import itertools
import json
import os
import random
import re
import subprocess
import sys
import time
import zlib

try:
    import numpy
except Exception:  # not there, or made for another interpreter
    numpy = None

# A phase ends after this much CPU time in any case.
LIMIT_S = 10

# Short: the end of what is read from it is Python's, and takes most of the time where other programs fill the caches.
DOCUMENT = json.dumps([{"a": i, "b": [1.5, "x" * 10, None], "c": {"d": True}} for i in range(50)])
BYTES = DOCUMENT.encode() * 60
NUMBERS = [i * 7919 % 100003 for i in range(50000)]
SHUFFLED = random.Random(3).sample(range(10**6), 50000)
WORDS = "hello world foo bar some more words " * 2000


class WithInit:
    def __init__(self, value):
        self.value = value

    def get(self):
        return self.value


class Plain:
    pass


class WithNew:
    def __new__(cls, value):
        made = object.__new__(cls)
        made.value = value
        return made


class Slotted:
    __slots__ = ("a", "b")

    def __init__(self, a, b):
        self.a = a
        self.b = b


class Derived(WithInit):
    def __init__(self, value):
        super().__init__(value)
        self.other = value


class Callable:
    def __call__(self, value):
        return value


def loop():
    total = 0
    for i in range(20000):
        total += i * 3 % 7
    return total


def while_floats():
    x = 1.0
    i = 0
    while i < 20000:
        x = x * 1.0000001 + 0.5
        i += 1
    return x


def fib(n=18):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def generator():
    def numbers(n):
        for i in range(n):
            yield i

    total = 0
    for i in numbers(20000):
        total += i
    return total


def attributes():
    thing = WithInit(1)
    for i in range(20000):
        thing.value = thing.value + i
    return thing


def strings():
    out = ""
    for i in range(5000):
        out = f"{i} and {i + 1}"
        out = "%d" % i + out
    return out


def lists():
    out = [0] * 100
    for i in range(20000):
        out[i % 100] = out[(i + 1) % 100] + 1
    return out


def create_with_init():
    for i in range(5000):
        WithInit(i)


def create_plain():
    for _ in range(5000):
        Plain()


def create_with_new():
    for i in range(5000):
        WithNew(i)


def create_slotted():
    for i in range(5000):
        Slotted(i, i)


def create_derived():
    for i in range(5000):
        Derived(i)


def create_and_keep():
    return [WithInit(i) for i in range(5000)]


def call_methods():
    thing = WithInit(1)
    total = 0
    for _ in range(10000):
        total += thing.get()
    return total


def call_bound():
    get = WithInit(1).get
    for _ in range(10000):
        get()


def call_keywords():
    def function(a, b=2, *rest, c=3, **more):
        return a

    for i in range(5000):
        function(i, c=4)
        function(i, 1, 2, 3, d=4)


def call_star():
    def function(a, b):
        return a

    pair = (1, 2)
    for _ in range(5000):
        function(*pair)


def call_callable():
    thing = Callable()
    for i in range(5000):
        thing(i)


def closures():
    def make(n):
        return lambda x: x + n

    for i in range(5000):
        make(i)(1)


def dealloc_storm():
    kept = [[i, i] for i in range(30000)]
    del kept


def sort():
    sorted(SHUFFLED)


def add_up():
    sum(NUMBERS)


def digest():
    hashlib.sha256(BYTES).digest()


def compress():
    zlib.compress(BYTES)


def load_json():
    json.loads(DOCUMENT)


def match():
    re.findall("w[a-z]+d", WORDS)


def join():
    ",".join(map(str, NUMBERS))


def make_list():
    list(itertools.repeat(None, 100000))


def find():
    WORDS.count("zzz")


def split():
    WORDS.split()


def numpy_add():
    matrix = numpy.ones((300, 300))
    for _ in range(50):
        matrix + matrix


def numpy_product():
    matrix = numpy.ones((150, 150))
    for _ in range(5):
        matrix @ matrix


def numpy_sort():
    numpy.sort(numpy.array(NUMBERS))


def append():
    out = []
    add = out.append
    for i in range(20000):
        add(i)


def c_iterator():
    for _ in zip(NUMBERS, NUMBERS):
        pass


PHASES = [loop, while_floats, fib, generator, attributes, strings, lists]
PHASES += [create_with_init, create_plain, create_with_new, create_slotted, create_derived]
PHASES += [create_and_keep, call_methods, call_bound, call_keywords, call_star, call_callable]
PHASES += [closures, dealloc_storm, c_iterator]
PHASES += [sort, add_up, digest, compress, load_json, match, join, make_list, find, split, append]
if numpy is not None:
    PHASES += [numpy_add, numpy_product, numpy_sort]


def run(sampler, judge, directory, samples, wanted):
    library = ctypes.PyDLL(sampler)
    classes = [ctypes.c_void_p(id(one)) for one in (WithInit, WithNew, Callable)]
    if library.sampler_start(*classes, ctypes.c_long(4000000)) != 0:
        sys.exit("the sampler does not start")
    chosen = [phase for phase in PHASES if not wanted or phase.__name__ in wanted]
    for number, phase in enumerate(chosen, 1):
        phase()  # specialised code, warm caches
        enough = library.sampler_count() + samples
        end = time.thread_time() + LIMIT_S
        library.sampler_phase(number)
        while library.sampler_count() < enough and time.thread_time() < end:
            phase()
        library.sampler_phase(0)
    path = os.path.join(directory, "samples")
    if library.sampler_stop(path.encode()) != 0:
        sys.exit("the samples cannot be written")
    command = [judge, path, str(os.getpid())]
    if os.environ.get("SHOW"):
        with open("/proc/self/maps") as maps, open(os.path.join(directory, "maps"), "w") as copy:
            copy.write(maps.read())
        subprocess.run(command + ["1"], check=True)
        return
    lines = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout.decode().splitlines()
    result = {}
    for line in lines:
        number, samples, python, native, kernel, reached = map(int, line.split())
        if number:
            result[chosen[number - 1].__name__] = dict(
                samples=samples, python=python, native=native, kernel=kernel, reached=reached
            )
    print(json.dumps(result))


if __name__ == "__main__":
    run(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), sys.argv[5:])
