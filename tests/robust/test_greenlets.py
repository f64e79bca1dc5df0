# tests/robust/test_greenlets.py - programs that copy their own running C stack away and back, or run on stacks of their own.
#
# greenlet copies the part of the stack that a greenlet uses to the heap and another's in its place: in between, what
# the interpreter keeps on the stack is half overwritten. A library made here does the same with all of it, so that
# nothing is left to chance; greenlet itself comes from the package index, or the test is skipped.
#
# SPDX-License-Identifier: Apache-2.0
"""Stacks that are switched, with memory and copies followed."""

import os
import shutil
import subprocess

import packages as index
import pytest

pytestmark = pytest.mark.by_version

# Away with what callers keep on the stack, something else in its place, and back again. The copy back begins while
# all of it is overwritten. on_heap does that on a stack from malloc.
SCRAMBLE = r"""
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#define BYTES 4096
static uint64_t garbage[BYTES / 8];
static unsigned char kept[BYTES];
__attribute__((noinline)) static void copy(void *to, const void *from, size_t size)
{
    memcpy(to, from, size);
}
__attribute__((noinline, optimize("no-omit-frame-pointer"))) int scramble(int times)
{
    unsigned char *callers = (unsigned char *)__builtin_frame_address(0) + 16;
    for (size_t i = 0; i < BYTES / 8; i++)
        garbage[i] = 0x4141414141414140;
    for (int i = 0; i < times; i++) {
        copy(kept, callers, BYTES);
        copy(callers, garbage, BYTES);
        copy(callers, kept, BYTES);
    }
    return times;
}
static ucontext_t here, there;
static void (*called)(void);
static void run(void) { called(); }
void on_heap(void (*function)(void))
{
    size_t bytes = 1 << 20;
    void *stack = malloc(bytes);
    called = function;
    getcontext(&there);
    there.uc_stack.ss_sp = stack;
    there.uc_stack.ss_size = bytes;
    there.uc_link = &here;
    makecontext(&there, run, 0);
    swapcontext(&here, &there);
    free(stack);
}
"""

SCRAMBLED = """
import ctypes, os, sys, threading
library = ctypes.PyDLL(os.path.join(os.path.dirname(os.path.abspath(sys.argv[0])), "scramble.so"))
FUNCTION = ctypes.PYFUNCTYPE(None)
block = bytes(4 << 20)

def scramble(depth, times):
    if depth:
        return scramble(depth - 1, times)
    return library.scramble(times)  #: scramble

def work():
    global done
    done = scramble(20, 3000)
    kept = [bytearray(block) for _ in range(20)]  #: copy
    assert sum(map(len, kept)) == 80 << 20

work()
library.on_heap(FUNCTION(work))
thread = threading.Thread(target=work)
thread.start()
thread.join()
print(done)
"""

SWITCHING = """
import greenlet

def deep(depth, function):
    return deep(depth - 1, function) if depth else function()

def loop(other):
    for _ in range(30000):
        greenlets[other].switch()

greenlets = [greenlet.greenlet(lambda: deep(3, lambda: loop(1))), greenlet.greenlet(lambda: deep(20, lambda: loop(0)))]
greenlets[0].switch()
print("done")
"""

ALLOCATING = """
import greenlet

kept = {"one": [], "two": []}

def one():
    for _ in range(300):
        kept["one"].append(bytearray(100000))  #: one
        greenlets[1].switch()

def two():
    while True:
        kept["two"].append(bytearray(200000))  #: two
        greenlets[0].switch()

greenlets = [greenlet.greenlet(one), greenlet.greenlet(two)]
greenlets[0].switch()
print(sum(map(len, kept["one"])), sum(map(len, kept["two"])))
"""

TAKING_TURNS = """
import greenlet, json, random, time

def burn_0(turns):
    for i in range(turns):
        i ^ 5

def burn_1(turns):
    for i in range(turns):
        i ^ 5

def burn_2(turns):
    for i in range(turns):
        i ^ 5

BURN = (burn_0, burn_1, burn_2)
spent = [0.0] * len(BURN)

def deep(depth, function):
    return max((0,), key=lambda _: deep(depth - 1, function)) if depth else function()

def loop(which):
    while sum(spent) < 1.5:
        begun = time.thread_time()
        BURN[which](random.randrange(1000, 10000) * (which + 1))
        spent[which] += time.thread_time() - begun
        greenlets[which - 1].switch()

greenlets = [greenlet.greenlet(lambda which=which: deep(3 * which, lambda: loop(which))) for which in range(len(BURN))]
greenlets[0].switch()
print(json.dumps(spent))
"""


def with_greenlet(python):
    folder, why = index.install(python, "greenlet")
    if folder is None:
        pytest.skip("greenlet cannot be installed for %s: %s" % (python.id, why))
    return {"PYTHONPATH": folder}


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
@pytest.mark.statistical
def test_a_stack_that_is_overwritten(profile, python, tmp_path):
    source = tmp_path / "scramble.c"
    source.write_text(SCRAMBLE)
    library = str(tmp_path / "scramble.so")
    subprocess.run(["cc", "-O1", "-fno-stack-protector", "-U_FORTIFY_SOURCE", "-shared", "-fPIC", "-o", library, str(source)], check=True)
    ended = profile(SCRAMBLED.replace("os.path.dirname(os.path.abspath(sys.argv[0]))", repr(os.fspath(tmp_path))), python, options=["--memory"]).expect(0)
    assert ended.stdout == "3000\n"
    found = ended.profile
    elapsed_s = found.data["elapsed_time_sec"]
    copied_mb = found.record("copy")["n_copy_mb_s"] * elapsed_s
    assert abs(copied_mb - 240) <= 12, copied_mb
    assert found.record("scramble")["n_copy_mb_s"] == 0


def test_greenlets_that_switch(profile, python):
    ended = profile(SWITCHING, python, options=["--memory"], env=with_greenlet(python)).expect(0)
    assert ended.stdout == "done\n"


@pytest.mark.few_pythons
@pytest.mark.statistical
def test_what_greenlets_allocate(profile, python):
    ended = profile(ALLOCATING, python, options=["--memory"], env=with_greenlet(python)).expect(0)
    assert ended.stdout == "30000000 60000000\n"
    for mark, truth_mb in (("one", 28.6), ("two", 57.2)):
        allocated_mb = ended.profile.record(mark)["n_malloc_mb"]
        assert abs(allocated_mb - truth_mb) <= 0.05 * truth_mb, (mark, allocated_mb)


@pytest.mark.few_pythons
@pytest.mark.statistical
def test_what_greenlets_compute(profile, python):
    """Time goes to the lines of the greenlet that ran, however often they take turns: of 150 samples, one each 10 ms, chance puts
    45 ms too much or too little on a third."""
    options = ["--memory", "--cpu-sampling-rate", "0.001"]
    ended = profile(TAKING_TURNS, python, options=options, env=with_greenlet(python)).expect(0)
    for which, spent_s in enumerate(ended.facts):
        found_s = ended.profile.cpu_inside("burn_%d" % which)
        assert abs(found_s - spent_s) <= 0.05 + 0.1 * spent_s, (which, found_s, ended.facts, ended.profile.hottest())
