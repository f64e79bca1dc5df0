# tests/accuracy/test_memory_ways.py - what a program may do with its allocators while it is measured.
#
# Truth: sizes that the program asks for.
#
# SPDX-License-Identifier: Apache-2.0
"""Memory, where allocators change and blocks end in rare ways."""

import shutil
import subprocess

import allocators
import pytest
from package_copy import copy_package

from test_memory import MEMORY, held_at_end, held_at_most, near

# What is kept and what is given back again, of small objects and of large ones.
WORK = """
kept = [i * 0.5 for i in range(1000000)]  #: small
large = [bytearray(1 << 20) for _ in range(8)]  #: large
gone = [i * 0.5 for i in range(500000)]  #: gone
del gone
"""

TRACES = {
    "stopped_at_once": ("1", "import tracemalloc\ntracemalloc.stop()\n" + WORK),
    "stopped_in_the_middle": ("5", "import tracemalloc\nearly = [bytes(300) for _ in range(30000)]\ntracemalloc.stop()\ndel early\n" + WORK),
    "stopped_and_started": ("1", "import tracemalloc\ntracemalloc.stop()\ntracemalloc.start()\n" + WORK + "tracemalloc.stop()\n"),
    "started_for_a_while": (
        None,
        "import tracemalloc\ntracemalloc.start()\nearly = [bytes(300) for _ in range(30000)]\ntracemalloc.stop()\ndel early\n" + WORK,
    ),
}


@pytest.mark.few_pythons
@pytest.mark.parametrize("name", TRACES)
@pytest.mark.statistical
def test_tracemalloc_comes_and_goes(profile, python, name):
    traced, text = TRACES[name]
    found = profile(text, python, options=MEMORY, env={"PYTHONTRACEMALLOC": traced} if traced else None).expect(0).profile
    check_work(found, is_traced=name == "stopped_and_started")


def check_work(found, is_traced=False):
    line = found.record("small")
    # floats of 24 bytes (without the interpreter lock 32) and a list, whose spare end is not touched; what tracemalloc
    # notes of them
    assert 28 <= line["n_live_at_exit_mb"] <= (120 if is_traced else 50), line
    assert near(found.record("large")["n_live_at_exit_mb"], 8, 0.02, 0.2)
    assert found.record("gone")["n_peak_mb"] >= 14
    assert found.record("gone").get("n_live_at_exit_mb", 0) <= 0.5
    assert line["n_python_fraction"] >= (0.15 if is_traced else 0.9), line


# Stands in front of Python's allocators, as debuggers of memory do, and goes away again.
FRONT = allocators.HEAD + """
static struct allocator old[3];
static long calls;
static void *front_malloc(void *context, size_t size)
{
    struct allocator *next = context;
    calls++;
    return next->malloc(next->context, size);
}
static void *front_calloc(void *context, size_t count, size_t size)
{
    struct allocator *next = context;
    calls++;
    return next->calloc(next->context, count, size);
}
static void *front_realloc(void *context, void *block, size_t size)
{
    struct allocator *next = context;
    return next->realloc(next->context, block, size);
}
static void front_free(void *context, void *block)
{
    struct allocator *next = context;
    next->free(next->context, block);
}
void put_in_front(void)
{
    for (int domain = 1; domain < 3; domain++) {
        PyMem_GetAllocator(domain, &old[domain]);
        struct allocator own = {&old[domain], front_malloc, front_calloc, front_realloc, front_free};
        PyMem_SetAllocator(domain, &own);
    }
}
long put_back(void)
{
    for (int domain = 1; domain < 3; domain++)
        PyMem_SetAllocator(domain, &old[domain]);
    return calls;
}
"""

FRONTED = """
import ctypes, sys
library = ctypes.PyDLL(sys.argv[1])
library.put_in_front()
{inside}
assert library.put_back() > 1000
{outside}
"""


@pytest.fixture
def compiled(tmp_path):
    """Makes a library beside the program."""
    if not shutil.which("cc"):
        pytest.skip("no C compiler")

    def make(source, name="made"):
        (tmp_path / (name + ".c")).write_text(source)
        command = ["cc", "-shared", "-fPIC", "-O1", "-fno-builtin", "-o", name + ".so", name + ".c"]
        subprocess.run(command, cwd=tmp_path, check=True)
        return str(tmp_path / (name + ".so"))

    return make


@pytest.mark.few_pythons
@pytest.mark.parametrize("when", ["inside", "outside"])
@pytest.mark.statistical
def test_a_front_of_pythons_allocators(profile, python, compiled, when):
    library = compiled(FRONT)
    early = "early = [bytes(300) for _ in range(30000)]"
    text = FRONTED.format(inside=WORK if when == "inside" else early, outside="" if when == "inside" else "del early\n" + WORK)
    check_work(profile(text, python, args=[library], options=MEMORY).expect(0).profile)


# As a libc of C23 has them (glibc from 2.43 on): they go to its own free, past everybody in front of that.
C23 = """
#include <stddef.h>
void __libc_free(void *);
void free_sized(void *block, size_t size) { __libc_free(block); }
void free_aligned_sized(void *block, size_t alignment, size_t size) { __libc_free(block); }
"""

# The functions of the malloc family that programs of C17 and C23 call.
FAMILY = """
#define _GNU_SOURCE
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
void free_sized(void *, size_t);
void free_aligned_sized(void *, size_t, size_t);
#define MB ((size_t)1 << 20)
static void use(void *block) { memset(block, 1, malloc_usable_size(block)); }
void by_free_sized(int count)
{
    for (int i = 0; i < count; i++) {
        void *block = malloc(MB);
        use(block);
        free_sized(block, MB);
    }
}
void by_free_aligned_sized(int count)
{
    for (int i = 0; i < count; i++) {
        void *block = aligned_alloc(4096, MB);
        use(block);
        free_aligned_sized(block, 4096, MB);
    }
}
void cfree(void *);
#if defined(__x86_64__) /* as programs have it that were linked before 2.26 */
__asm__(".symver cfree, cfree@GLIBC_2.2.5");
#else
__asm__(".symver cfree, cfree@GLIBC_2.17");
#endif
void by_cfree(int count)
{
    for (int i = 0; i < count; i++) {
        void *block = malloc(MB);
        use(block);
        cfree(block);
    }
}
void by_growth(int count)
{
    for (int i = 0; i < count; i++) {
        char *block = malloc(MB);
        for (int size = 2; size <= 4; size++)
            block = realloc(block, size * MB);
        use(block);
        block = realloc(block, 3 * MB);
        free(block);
    }
}
void by_free(int count)
{
    void *blocks[8] = {0};
    for (int i = 0; i < count; i++) {
        blocks[0] = calloc(1024, MB / 1024);
        blocks[1] = memalign(64, MB);
        blocks[2] = valloc(MB);
        blocks[3] = pvalloc(MB);
        blocks[4] = reallocarray(NULL, 1024, MB / 1024);
        blocks[5] = realloc(malloc(MB / 2), MB);
        if (posix_memalign(&blocks[6], 4096, MB) != 0)
            abort();
        blocks[7] = strdup(memset(blocks[5], 'a', MB - 1) ? ((char *)blocks[5])[MB - 1] = 0, (char *)blocks[5] : "");
        for (int k = 0; k < 8; k++) {
            use(blocks[k]);
            free(blocks[k]);
        }
    }
}
"""

FAMILY_PROGRAM = """
import ctypes, sys
library = ctypes.CDLL(sys.argv[1])
library.by_free_sized(64)  #: free_sized
library.by_free_aligned_sized(64)  #: free_aligned_sized
library.by_cfree(64)  #: cfree
library.by_growth(16)  #: growth
library.by_free(16)  #: free
"""


@pytest.mark.few_pythons
def test_every_way_to_allocate_and_free(profile, python, compiled):
    env = {"LD_PRELOAD": compiled(C23, "c23")}
    found = profile(FAMILY_PROGRAM, python, args=[compiled(FAMILY)], options=MEMORY, env=env).expect(0).profile.exact
    for mark, allocated, peak in (("free_sized", 64, 1), ("free_aligned_sized", 64, 1), ("cfree", 64, 1), ("growth", 16 * 4, 4), ("free", 16 * 8, 8)):
        line = found.record(mark)
        assert near(line["n_malloc_mb"], allocated, 0.02, 0), (mark, line)
        assert near(held_at_most(line), peak, 0.1, 0), (mark, line)
        assert line.get("n_live_at_exit_mb", 0) <= 0.1, (mark, line)


# Above the border of pymalloc, or of any size where all goes to malloc, in front of which debug hooks ask for more than they are asked for.
FLOATS = """
kept = []
for i in range(600000):
    kept.append(i * 0.5)  #: floats
kept.extend(bytes(567) for _ in range(30000))
"""


@pytest.mark.few_pythons
@pytest.mark.parametrize("allocator", ["debug", "malloc_debug", "malloc"])
@pytest.mark.statistical
def test_what_debug_allocators_ask_for_is_pythons(profile, python, allocator):
    if python.free_threaded and allocator != "debug":
        pytest.skip("a free-threaded build has mimalloc alone")
    found = profile(FLOATS, python, options=MEMORY, env={"PYTHONMALLOC": allocator}).expect(0).profile
    assert found.own["losses"].get("memory_table_full", 0) == 0, found.own["losses"]
    assert found.record("floats")["n_python_fraction"] > 0.999, found.record("floats")
    assert found.data["max_footprint_python_fraction"] > 0.99, found.data["max_footprint_python_fraction"]


RAW = """
import ctypes
api = ctypes.pythonapi
api.PyMem_RawMalloc.restype = api.PyMem_RawRealloc.restype = ctypes.c_void_p
api.PyMem_RawMalloc.argtypes = [ctypes.c_size_t]
api.PyMem_RawRealloc.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
api.PyMem_RawFree.argtypes = [ctypes.c_void_p]
blocks = [api.PyMem_RawMalloc(1 << 20) for _ in range(16)]  #: made
for block in blocks[4:]:
    api.PyMem_RawFree(block)
kept = api.PyMem_RawRealloc(blocks[0], 8 << 20)  #: resized
"""


# Compressors ask the raw domain for their memory, which goes to mimalloc from 3.15 on, where that is the allocator.
@pytest.mark.by_version
def test_memory_that_needs_no_interpreter(profile, python):
    env = {"PYTHONMALLOC": "mimalloc"} if python.version >= (3, 13) else None
    found = profile(RAW, python, options=MEMORY, env=env).expect(0).profile.exact
    line = found.record("made")
    assert near(line["n_malloc_mb"], 16, 0.02, 0) and near(held_at_most(line), 16, 0.02, 0), line
    assert near(held_at_end(line), 3, 0.05, 0), line
    assert near(held_at_end(found.record("resized")), 8, 0.02, 0)


SWITCHED = """
import sys, time
from scalene import scalene_profiler

before = b"x" * (100 << 20)  # while it is off
kept = []
for _ in range(20):
    scalene_profiler.start()
    for _ in range(2000):
        kept.append(bytes(1000))  #: kept
    scalene_profiler.stop()
    other = [bytes(1000) for _ in range(2000)]
"""


@pytest.mark.one_python
@pytest.mark.statistical
def test_memory_of_moments_that_are_switched_on(profile, python, tmp_path):
    found = profile(SWITCHED, python, (), ["--off", "--memory"], env={"PYTHONPATH": copy_package(tmp_path)}).expect(0).profile
    line = found.record("kept")
    assert abs(line["n_malloc_mb"] - 20 * 2000 * 1033 / 2**20) <= 3, line
    assert found.own["unaccounted_mb"] <= 10
    assert abs(line["n_copy_mb_s"] * found.data["elapsed_time_sec"] - found.own["copied_mb"]) <= 0.1


RESIZED = """
first = [0] * 5_000_000
first.append(1)  #: grows
"""


@pytest.mark.one_python
@pytest.mark.statistical
def test_a_list_that_another_line_made(profile, python):
    line = profile(RESIZED, python, (), ["--memory"]).expect(0).profile.record("grows")
    assert 0 < line["n_malloc_mb"] < 10, line
