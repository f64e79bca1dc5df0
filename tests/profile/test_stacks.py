# tests/profile/test_stacks.py - call stacks of Python and native frames, and their timeline.
#
# Truth: a library that is compiled here, without frame pointers, whose functions burn a known share of the
# time below known lines and call back into Python.
#
# SPDX-License-Identifier: Apache-2.0
"""stacks, combined_stacks and combined_stacks_timeline."""

import os
import shutil
import subprocess

import calls
import pytest
from conftest import BUSY

C_SOURCE = r"""
#include <math.h>
#define KEEP __attribute__((noinline, noclone, visibility("default")))
static volatile double sink;
static inline __attribute__((always_inline)) double inner_part(double x) { return sqrt(x) + sin(x); }
KEEP double burn_inner(long rounds)
{
    double sum = 0;
    for (long i = 0; i < rounds; i++)
        sum += inner_part(sum + (double)i);
    sink = sum;
    return sum;
}
KEEP double burn_outer(long rounds) { double sum = burn_inner(rounds); sink = sum; return sum + 1; }
KEEP void call_back(void (*function)(void)) { function(); sink = 2; }
"""

CXX_SOURCE = r"""
namespace field { struct Corn { static void grow(long rounds); }; }
static volatile double soil;
__attribute__((noinline)) void field::Corn::grow(long rounds)
{
    double sum = 1;
    for (long i = 0; i < rounds; i++)
        sum = sum * 1.0000001 + 1 / (sum + (double)i);
    soil = sum;
}
extern "C" void plough(long rounds) { field::Corn::grow(rounds); soil = 3; }
"""

PROGRAM = BUSY + """
import ctypes, sys

library = ctypes.CDLL(sys.argv[1])
library.burn_outer.restype = ctypes.c_double
Callback = ctypes.CFUNCTYPE(None)

def python_leaf():
    busy(0.5)

def through_c():
    library.call_back(Callback(python_leaf))

def native_leaf():
    end = time.process_time() + 0.5
    while time.process_time() < end:
        library.burn_outer(200000)

def waiting():
    time.sleep(0.5)

through_c()
native_leaf()
waiting()
"""


def compile_library(tmp_path, source, suffix, *words):
    compiler = shutil.which("c++" if suffix == "cc" else "cc")
    if compiler is None:
        pytest.skip("no compiler")
    text = tmp_path / ("burn." + suffix)
    text.write_text(source)
    library = tmp_path / ("libburn-%s.so" % suffix)
    command = [compiler, "-O2", "-fomit-frame-pointer", "-fno-optimize-sibling-calls", "-shared", "-fPIC"]
    subprocess.run(command + [*words, str(text), "-o", str(library), "-lm"], check=True)
    return str(library)


def names(frames):
    return [frame["display_name"] for frame in frames]


def share(profile, wanted):
    """The share of all counts that stacks have for which wanted(frames) holds."""
    stacks = calls.hits(profile.data)
    assert stacks, profile.own.get("notes")
    return sum(hits for frames, hits in stacks if wanted(frames)) / sum(hits for _, hits in stacks)


def in_order(frames, *wanted):
    """Whether the wanted names are among the frames, in this order."""
    rest = iter(names(frames))
    return all(name in rest for name in wanted)


def check_shape(profile):
    stacks = profile.data["combined_stacks"]
    for frames, hits in stacks:
        assert hits >= 1 and frames
        for frame in frames:
            is_native = frame["kind"] == "native"
            assert sorted(frame) == ["display_name", "filename_or_module", "ip", "kind", "line", "offset"]
            assert (frame["line"] is None) == is_native
            assert (frame["ip"] is None) == (frame["offset"] is None) == (not is_native)
            assert frame["display_name"] and frame["filename_or_module"]
    events = profile.data["combined_stacks_timeline"]
    assert events and events[0]["t_sec"] == 0
    assert [event["t_sec"] for event in events] == sorted(event["t_sec"] for event in events)
    assert all(event["stack_index"] < len(stacks) for event in events)
    assert sum(stats["cpu_samples"] for _, stats in profile.data["stacks"]) <= 1.001
    assert 0 < profile.own["stacks_percent"] <= 100.001


@pytest.mark.statistical
def test_frames_stand_in_the_order_of_calls(profile, python, tmp_path):
    library = compile_library(tmp_path, C_SOURCE, "c", "-g")
    ended = profile(PROGRAM, python, args=[library]).expect(0)
    result = ended.profile
    check_shape(result)
    # C called from Python, Python called from C
    there = share(result, lambda f: in_order(f, "through_c"))
    assert there > 0.15
    assert share(result, lambda f: in_order(f, "through_c", "call_back", "python_leaf", "busy")) > 0.9 * there
    # C called from Python, with what was inlined
    there = share(result, lambda f: in_order(f, "native_leaf"))
    leaf = share(result, lambda f: in_order(f, "native_leaf", "burn_outer", "burn_inner"))
    assert there > 0.15 and leaf > 0.9 * there
    assert share(result, lambda f: in_order(f, "burn_outer", "burn_inner", "inner_part")) > 0.5 * leaf
    # waiting has its place
    asleep = result.own["time_s"]["sleep"] / result.total_s
    assert share(result, lambda f: in_order(f, "waiting")) == pytest.approx(asleep, abs=0.03)
    for frames, _ in calls.stacks(result.data):
        frames = [frame for frame in frames if frame.get("role") != "plumbing"]
        assert not any("PyEval_EvalFrame" in name or "Vectorcall" in name for name in names(frames)), frames
    python_only = {tuple(frames): stats for frames, stats in result.data["stacks"]}
    leaf_time = sum(s["c_time"] for f, s in python_only.items() if " native_leaf:" in f[-1])
    assert leaf_time == pytest.approx(leaf, abs=0.05)
    # the phases follow each other
    middles = []
    for function in ("through_c", "native_leaf", "waiting"):
        events = [event for event in result.data["combined_stacks_timeline"]
                  if in_order(result.data["combined_stacks"][event["stack_index"]][0], function)]
        weight = sum(event["count"] for event in events)
        middles.append(sum(event["t_sec"] * event["count"] for event in events) / weight)
    assert middles == sorted(middles)


NAP_SOURCE = r"""
#include <time.h>
#define KEEP __attribute__((noinline, noclone, visibility("default")))
static volatile int naps;
KEEP int nap_inner(long milliseconds)
{
    struct timespec span = {0, milliseconds * 1000000};
    naps += nanosleep(&span, 0) == 0;
    return naps;
}
KEEP int nap_outer(long milliseconds) { int before = naps; return nap_inner(milliseconds) - before; }
"""

WAITS = """
import ctypes, os, socket, subprocess, sys, threading, time

library = ctypes.CDLL(sys.argv[1])

def later(work):
    threading.Timer(0.4, work).start()

def asleep():
    time.sleep(0.4)

def reading():
    ends = os.pipe()
    later(lambda: os.write(ends[1], b"x"))
    os.read(ends[0], 1)

def receiving():
    ours, theirs = socket.socketpair()
    later(lambda: theirs.send(b"x"))
    ours.recv(1)

def child():
    subprocess.call(["sleep", "0.4"])

def locked():
    lock = threading.Lock()
    lock.acquire()
    later(lock.release)
    lock.acquire()

def napping():
    library.nap_outer(400)

for wait in (asleep, reading, receiving, child, locked, napping):
    wait()
"""

# functions of libc; where its symbols are stripped, some of them have no name
CALLS = {
    "asleep": ("clock_nanosleep", "select"), "reading": ("read",), "receiving": ("recv",), "child": ("wait4",), "locked": ("futex", "sem_"),
    "napping": ("nanosleep",),
}


def is_in_libc(frame):
    return os.path.basename(frame["filename_or_module"]).startswith(("libc.so", "libpthread.so"))


def stacks_of(profile, function):
    """Frames inside function and counts, of the stacks that have it."""
    for frames, count in calls.hits(profile.data):
        if function in names(frames):
            yield frames[names(frames).index(function) + 1 :], count


@pytest.mark.statistical
def test_waits_end_in_the_call_that_blocks(profile, python, tmp_path):
    library = compile_library(tmp_path, NAP_SOURCE, "c")
    ended = profile(WAITS, python, args=[library], options=["--profile-all"]).expect(0)
    for function, names_of_calls in CALLS.items():
        hits = {True: 0, False: 0}
        for inside, count in stacks_of(ended.profile, function):
            waits = [i for i, frame in enumerate(inside) if is_in_libc(frame)]
            callers = inside[: waits[0]] if waits else []
            hits[
                bool(waits)
                and inside[-1]["display_name"] == "[kernel]"
                and waits == list(range(waits[0], len(inside) - 1))
                and any(name in inside[i]["display_name"] for i in waits for name in (*names_of_calls, "+0x"))
                # the C function of Python's that has called libc
                and any(frame["kind"] == "native" for frame in callers)
                and (function != "napping" or in_order(callers, "nap_outer", "nap_inner"))
            ] += count
        # what a function does before it waits is little
        assert hits[True] > 10 and hits[True] >= 0.8 * sum(hits.values()), (function, hits)


@pytest.mark.few_pythons
@pytest.mark.statistical
def test_waits_below_frame_pointers(profile, python, tmp_path):
    """What such functions have in the register is not to be had; nothing wrong may stand in its place."""
    library = compile_library(tmp_path, NAP_SOURCE, "c", "-fno-omit-frame-pointer")
    ended = profile(WAITS, python, args=[library], options=["--profile-all"]).expect(0)
    found = {"nap_inner": 0, "nap_outer": 0, "": 0}
    for inside, count in stacks_of(ended.profile, "napping"):
        if inside and inside[-1]["display_name"] == "[kernel]":
            mine = [frame["display_name"] for frame in inside if frame["filename_or_module"] == library]
            found[mine[0] if mine else ""] += count
            assert mine in ([], ["nap_inner"], ["nap_outer", "nap_inner"]), inside
    assert sum(found.values()) > 10, found


@pytest.mark.few_pythons
def test_names_of_cxx_and_of_nothing(profile, python, tmp_path):
    program = """
        import ctypes, sys, time
        library = ctypes.CDLL(sys.argv[1])
        end = time.process_time() + 0.5
        while time.process_time() < end:
            library.plough(200000)
        """
    for stripped in (False, True):
        library = compile_library(tmp_path, CXX_SOURCE, "cc", *(["-s"] if stripped else []))
        ended = profile(program, python, args=[library]).expect(0)
        frames = [f for stack, _ in ended.profile.data["combined_stacks"] for f in stack if f["filename_or_module"] == library]
        found = {frame["display_name"] for frame in frames}
        if not stripped:
            assert {"plough", "field::Corn::grow(long)"} <= found
        else:
            # exported names are all that is left
            assert "field::Corn::grow(long)" in found or any(name.startswith(os.path.basename(library) + "+0x") for name in found), found


BUILT_AGAIN = """
import _ctypes, ctypes, os, sys, time

def work(name):
    os.replace(sys.argv[1] + name, sys.argv[1])
    library = ctypes.CDLL(sys.argv[1])
    end = time.process_time() + 0.5
    while time.process_time() < end:
        library[name](200000)
    _ctypes.dlclose(library._handle)

def before():
    work("alpha")

def after():
    work("beta")

before()
after()
"""


@pytest.mark.few_pythons
@pytest.mark.statistical
def test_a_library_that_is_built_again_has_its_own_names(profile, python, tmp_path):
    """It comes to the place of the old one, in memory too."""
    for name in ("alpha", "beta"):
        source = "int %s(int n) { volatile int x = 0; while (n--) x += n; return x; }" % name
        library = compile_library(tmp_path, source, "c")
        os.rename(library, library + name)
    found = profile(BUILT_AGAIN, python, args=[library]).expect(0).profile
    for function, name in (("before", "alpha"), ("after", "beta")):
        assert share(found, lambda frames: function in names(frames) and names(frames)[-1] == name) > 0.3
    assert share(found, lambda frames: "after" in names(frames) and "alpha" in names(frames)) < 0.02


LEAVES = """
import json, re, sqlite3, sys, time, zlib

def for_a_while(work):
    end = time.process_time() + 0.6
    while time.process_time() < end:
        work()

data = bytes(range(256)) * 4000
text = json.dumps([{"name": str(i), "value": i * 0.5} for i in range(3000)])
pattern = re.compile("(a+)+b|[0-9]+c")
words = "aaaaaaaaaaaaaaaa 123 " * 300
base = sqlite3.connect(":memory:")
base.execute("create table t (a integer, b text)")
base.executemany("insert into t values (?, ?)", [(i, str(i)) for i in range(20000)])

def compress():
    zlib.compress(data, 6)

def parse():
    json.loads(text)

def search():
    pattern.findall(words[:2000])

def query():
    base.execute("select count(*) from t where b like '%77%' or a % 7 = 3").fetchall()

for work in (compress, parse, search, query):
    for_a_while(work)
"""

# parts of the names of the files that the work is done in; some modules are part of the interpreter
LIBRARIES = {"compress": ("libz",), "parse": ("_json", "python"), "search": ("_sre", "python"), "query": ("sqlite3",)}


@pytest.mark.few_pythons
@pytest.mark.statistical
def test_samples_end_in_the_library_that_works(profile, python):
    ended = profile(LEAVES, python, options=["--cpu-sampling-rate", "0.004"]).expect(0)
    for function, libraries in LIBRARIES.items():
        hits = {True: 0, False: 0}
        for frames, count in ended.profile.data["combined_stacks"]:
            if function in names(frames) and frames[-1]["kind"] == "native":
                files = [os.path.basename(f["filename_or_module"]) for f in frames if f["kind"] == "native"]
                hits[any(part in name for name in files for part in libraries)] += count
        assert sum(hits.values()) > 50 and hits[True] >= 0.95 * sum(hits.values()), (function, hits)


@pytest.mark.few_pythons
@pytest.mark.statistical
def test_numpy_ends_in_its_libraries(profile, python):
    if not python.has_numpy:
        pytest.skip("this interpreter has no numpy")
    program = """
        import time
        import numpy
        left = numpy.random.rand(500, 500)
        end = time.process_time() + 1
        while time.process_time() < end:
            left @ left
        """
    ended = profile(program, python).expect(0)
    modules = ("blas", "multiarray", "umath")
    hits = {True: 0, False: 0}
    for frames, count in ended.profile.data["combined_stacks"]:
        if frames[0]["kind"] == "py" and frames[0]["line"] == 6:
            hits[any(m in f["filename_or_module"] for f in frames for m in modules)] += count
    assert hits[True] >= 0.95 * sum(hits.values()) > 0, hits


@pytest.mark.few_pythons
def test_without_stacks(profile, python):
    ended = profile("sum(range(10**7))\n", python, options=["--no-stacks"]).expect(0)
    assert ended.profile.data["combined_stacks"] == []
    assert ended.profile.data["combined_stacks_timeline"] == []
    assert ended.profile.data["stacks"] == []
