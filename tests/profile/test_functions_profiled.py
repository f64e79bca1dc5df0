# tests/profile/test_functions_profiled.py - do samples end in the right C function?
#
# Truth, for a library that is made here: it measures its own functions, which are 1 : 2 : 3 : 4. Of a stripped
# copy only offsets are known; they must lie in the same functions of the copy that is not stripped.
#
# Truth, for libraries of others: a signal handler in a run without the profiler that notes the interrupted instruction and nothing
# else. Which function an instruction is in, and what that is called, say readelf and nm.
#
# Error: both are samples. A share p of n samples is compared within 3 sqrt(2 p (1 - p) / n) and 3 points.
#
# SPDX-License-Identifier: Apache-2.0
"""Innermost native functions."""

import json
import math
import os
import shutil
import subprocess

import calls
import pytest

from elf_functions import functions_of

needs_tools = pytest.mark.skipif(
    not all(shutil.which(tool) for tool in ("cc", "strip", "readelf", "nm", "c++filt")), reason="no compiler or no binutils"
)

PARTS = r"""
#include <time.h>
#define PART __attribute__((noinline, noclone)) static
static volatile double sink;
static double spent_s[4];
static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}
#define BODY(operation)                           \
    double sum = 1;                               \
    for (long i = 1; i < rounds; i++)             \
        sum = operation;                          \
    sink = sum;
PART void alpha(long rounds) { BODY(sum * 1.0000001 + (double)i) }
PART void beta(long rounds) { BODY(sum / 1.0000001 + (double)i) }
PART void gamma_(long rounds) { BODY(sum + 1.0 / (double)i) }
PART void delta(long rounds) { BODY(sum - (double)(i % 7)) }
static void (*const parts[])(long) = {alpha, beta, gamma_, delta};
/* turns of 1 to 4 ms each, so that the shares are 1 : 2 : 3 : 4 */
void work(double seconds)
{
    double end = now() + seconds;
    double begin = now();
    while (begin < end) {
        for (int i = 0; i < 4; i++) {
            double until = begin + 0.001 * (i + 1);
            double at = begin;
            while (at < until) {
                parts[i](50000);
                at = now();
            }
            spent_s[i] += at - begin;
            begin = at;
        }
    }
}
double spent(int part) { return spent_s[part]; }
void outer(void (*back)(void)) { back(); sink = 4; }
void only_delta(long rounds) { delta(rounds); sink = 5; }
"""
NAMES = ("alpha", "beta", "gamma_", "delta")

PARTS_PROGRAM = """
import ctypes, json, sys, time
library = ctypes.CDLL(sys.argv[1])
library.spent.restype = ctypes.c_double
library.work.argtypes = [ctypes.c_double]

def back():
    end = time.thread_time() + 0.4
    while time.thread_time() < end:
        library.only_delta(500000)

def through_python():
    library.outer(ctypes.CFUNCTYPE(None)(back))

def in_c():
    library.work(2.0)

through_python()
in_c()
print(json.dumps([library.spent(i) for i in range(4)]))
"""


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    """(a library with its symbols, a copy without)."""
    folder = tmp_path_factory.mktemp("parts")
    source = folder / "parts.c"
    source.write_text(PARTS)
    whole, stripped = str(folder / "libwhole.so"), str(folder / "libstripped.so")
    command = ["cc", "-O2", "-fomit-frame-pointer", "-fno-optimize-sibling-calls", "-shared", "-fPIC", str(source), "-o", whole]
    subprocess.run(command, check=True)
    subprocess.run(["strip", "--strip-all", "-o", stripped, whole], check=True)
    return whole, stripped


def below(profile, function):
    """[(frames, hits)] of the stacks with that Python function in them."""
    return [
        (frames, hits)
        for frames, hits in calls.hits(profile.data)
        if any(frame["kind"] == "py" and frame["display_name"] == function for frame in frames)
    ]


def allowed(share, samples):
    return 3 * math.sqrt(2 * share * (1 - share) / samples) + 0.03


@needs_tools
@pytest.mark.few_pythons
@pytest.mark.parametrize("kind", ["whole", "stripped"])
@pytest.mark.statistical
def test_functions_of_known_shares(profile, python, parts, kind):
    whole, stripped = parts
    library = whole if kind == "whole" else stripped
    ended = profile(PARTS_PROGRAM, python, [library], ["--cpu-sampling-rate", "0.004"]).expect(0)
    truth = dict(zip(NAMES, ended.facts))
    found = dict.fromkeys(NAMES, 0)
    stacks = below(ended.profile, "in_c")
    samples = sum(hits for _, hits in stacks)
    for frames, hits in stacks:
        last = frames[-1]
        if last["filename_or_module"] != library:
            continue
        (name,) = functions_of(whole).names_at(last["ip"]) & {*NAMES, "work"}
        begin = functions_of(whole).start_of(last["ip"])
        # exported names are all that a stripped library has
        expected = name if kind == "whole" or name == "work" else "libstripped.so+0x%x" % begin
        assert last["display_name"] == expected and last["offset"] == last["ip"] - begin, (last, name)
        if name in found:
            found[name] += hits
    assert sum(found.values()) >= 0.95 * samples > 300, (found, samples)
    for name in NAMES:
        share = truth[name] / sum(truth.values())
        assert abs(found[name] / samples - share) <= allowed(share, samples), (name, found, truth)
    # C called from Python called from C
    place = "libstripped.so+0x%x" % functions_of(whole).start_of(last_of(below(ended.profile, "back"), library)["ip"])
    inner = "delta" if kind == "whole" else place
    hits = {True: 0, False: 0}
    for frames, count in below(ended.profile, "back"):
        names = iter(frame["display_name"] for frame in frames)
        hits[all(name in names for name in ("through_python", "outer", "back", "only_delta", inner))] += count
    assert hits[True] >= 0.9 * sum(hits.values()) > 30, hits


def last_of(stacks, library):
    """The innermost frame of the heaviest stack that ends in the library."""
    return next(frames[-1] for frames, _ in stacks if frames[-1]["filename_or_module"] == library)


# Notes the instruction that its signal interrupts. ITIMER_PROF ticks on the CPU time of the process.
WITNESS = r"""
#define _GNU_SOURCE
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/time.h>
#include <ucontext.h>
#define MAX 20000
static uint64_t places[MAX];
static volatile int count;
static void note(int number, siginfo_t *info, void *context)
{
    const ucontext_t *at = context;
    if (count >= MAX)
        return;
#ifdef __aarch64__
    places[count++] = at->uc_mcontext.pc;
#else
    places[count++] = (uint64_t)at->uc_mcontext.gregs[REG_RIP];
#endif
}
void witness_start(void)
{
    struct sigaction action = {.sa_sigaction = note, .sa_flags = SA_SIGINFO | SA_RESTART};
    struct itimerval timer = {{0, 4000}, {0, 4000}};
    sigaction(SIGPROF, &action, NULL);
    setitimer(ITIMER_PROF, &timer, NULL);
}
void witness_stop(void)
{
    struct itimerval timer = {{0, 0}, {0, 0}};
    setitimer(ITIMER_PROF, &timer, NULL);
}
int witness_count(void) { return count; }
uint64_t witness_place(int number) { return places[number]; }
"""

# Each library's work stands in a function of its name.
WORK = """
import ctypes, json, re, sqlite3, sys, time, zlib
try:
    import numpy
except ImportError:
    numpy = None

data = b"".join(str(i * i).encode() for i in range(30000))
text = json.dumps([{"name": str(i), "value": i * 0.5, "more": [i, None, True]} for i in range(2000)])
value = json.loads(text)
packed = zlib.compress(data)
letters = re.compile("([a-e]+)([f-k]*)z|[0-9]+c|(?:ab|ba)+d")
words = "abcdefghijk 123 abababc " * 200
base = sqlite3.connect(":memory:")
base.execute("create table t (a integer, b text)")
base.executemany("insert into t values (?, ?)", [(i, str(i)) for i in range(20000)])
matrix = numpy.random.rand(300, 300) if numpy else None

def in_zlib():
    zlib.compress(data, 6)
    zlib.decompress(packed)
    zlib.crc32(data)

def in_json():
    json.loads(text)
    json.dumps(value)

def in_re():
    letters.findall(words)

def in_sqlite():
    base.execute("select count(*), max(b) from t where b like '%77%' or a % 7 = 3 order by b").fetchall()

def in_numpy():
    matrix @ matrix
    numpy.sort(matrix, axis=1)
    matrix + matrix

work = globals()[sys.argv[1]]
witness = ctypes.CDLL(sys.argv[2]) if len(sys.argv) > 2 else None

def run():
    end = time.process_time() + 1.5
    while time.process_time() < end:
        work()

work()
if witness:
    witness.witness_start()
run()
if witness:
    witness.witness_stop()
    witness.witness_place.restype = ctypes.c_uint64
    maps = []
    for line in open("/proc/self/maps"):
        fields = line.split()
        if "x" in fields[1] and fields[-1].startswith("/"):
            start, end = (int(part, 16) for part in fields[0].split("-"))
            maps.append((start, end, int(fields[2], 16), fields[-1]))
    seen = []
    for number in range(witness.witness_count()):
        place = witness.witness_place(number)
        seen += [[path, place - start + offset, 1] for start, end, offset, path in maps if start <= place < end]
    print(json.dumps(seen))
"""

# Parts of the names of the files that the work is in. Modules may be part of the interpreter.
INSIDE = {
    "in_zlib": ("libz",), "in_json": ("_json", "python"), "in_re": ("_sre", "python"), "in_sqlite": ("libsqlite3",),
    "in_numpy": ("blas", "multiarray", "umath", "lapack"),
}
ENVIRONMENT = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


def shares(places, parts):
    """({(file, start of the function): share}, number of places) of those in the files."""
    counted = {}
    for path, offset, hits in places:
        if any(part in os.path.basename(path) for part in parts):
            key = (os.path.basename(path), functions_of(path).start_of(offset))
            counted[key] = counted.get(key, 0) + hits
    total = sum(counted.values())
    return {key: hits / total for key, hits in counted.items()}, total


def check_names(frames):
    """The name is the symbol's that nm says the place is in; without one, the function's beginning."""
    for frame in frames:
        path, functions = frame["filename_or_module"], functions_of(frame["filename_or_module"])
        names = functions.names_at(frame["ip"])
        begin = functions.start_of(frame["ip"])
        if names:
            assert frame["display_name"] in names, (frame, names)
        elif begin is not None:
            assert frame["display_name"] == "%s+0x%x" % (os.path.basename(path), begin), (frame, begin)


@pytest.fixture(scope="module")
def witness(tmp_path_factory):
    folder = tmp_path_factory.mktemp("witness")
    (folder / "witness.c").write_text(WITNESS)
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", str(folder / "witness.c"), "-o", str(folder / "libwitness.so")], check=True)
    return str(folder / "libwitness.so")


@needs_tools
@pytest.mark.few_pythons
@pytest.mark.parametrize("function", INSIDE)
@pytest.mark.statistical
def test_functions_of_other_libraries(bare, profile, python, witness, function):
    """One library at a time: in a long profile what is less than a thousandth is shown as its caller's."""
    if function == "in_numpy" and not python.has_numpy:
        pytest.skip("this interpreter has no numpy")
    seen = json.loads(bare(WORK, python, [function, witness], env=ENVIRONMENT).expect(0).stdout)
    found = profile(WORK, python, [function], ["--cpu-sampling-rate", "0.004"], env=ENVIRONMENT).expect(0).profile
    parts = INSIDE[function]
    truth, samples = shares(seen, parts)
    leaves = [(frames[-1], hits) for frames, hits in below(found, function) if frames[-1]["filename_or_module"].startswith("/")]
    leaves = [(frame, hits) for frame, hits in leaves if frame["kind"] == "native"]
    ours, our_samples = shares([(frame["filename_or_module"], frame["ip"], hits) for frame, hits in leaves], parts)
    assert samples > 150 and our_samples > 150, (samples, our_samples)
    check_names([frame for frame, _ in leaves if any(part in frame["filename_or_module"] for part in parts)])
    # what the witness has met once only stands for as much that it has not met at all
    unmet = sum(share for share in truth.values() if share * samples < 1.5)
    wrong = sum(share for key, share in ours.items() if key not in truth)
    assert wrong <= 0.05 + unmet, (wrong, unmet, sorted(ours.items(), key=str), sorted(truth.items(), key=str))
    for key, share in truth.items():
        if share >= 0.1:
            near = allowed(share, min(samples, our_samples))
            assert abs(ours.get(key, 0) - share) <= near, (key, share, ours.get(key, 0))
