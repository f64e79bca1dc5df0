# tests/run/test_jumps.py - signal handlers that leave the interrupted code for good, wherever it is.
#
# As those of cysignals, PARI and R do: code that computes is left by longjmp when an alarm or Ctrl-C comes, also out of
# the profiler's hook of memcpy.
#
# SPDX-License-Identifier: Apache-2.0
"""Jumps out of hooks lose no data."""

import shutil

import pytest

from case import compiled

LIBRARY = r"""
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

static sigjmp_buf out;
static volatile sig_atomic_t may_jump, ends_threads;
static char from[64 << 10], to[64 << 10];

static void leave(int number)
{
    (void)number;
    if (!may_jump)
        return;
    may_jump = 0;
    if (ends_threads)
        pthread_exit(NULL);
    siglongjmp(out, 1);
}

static void copy_until_left(long microseconds)
{
    struct itimerval soon = {.it_value = {0, microseconds}};
    void *(*volatile copy)(void *, const void *, size_t) = memcpy;
    may_jump = 1;
    setitimer(ITIMER_REAL, &soon, NULL);
    for (;;)
        copy(to, from, sizeof(to));
}

static void *copy_in_thread(void *microseconds)
{
    sigset_t alarm;
    sigemptyset(&alarm);
    sigaddset(&alarm, SIGALRM);
    pthread_sigmask(SIG_UNBLOCK, &alarm, NULL);
    copy_until_left((long)microseconds);
    return NULL;
}

void jump(int rounds)
{
    signal(SIGALRM, leave);
    for (volatile int i = 0; i < rounds; i++) {
        if (sigsetjmp(out, 1) == 0)
            copy_until_left(100 + i % 37);
    }
}

/* All other threads block the signal. */
void end_threads(int rounds)
{
    sigset_t alarm, before;
    sigemptyset(&alarm);
    sigaddset(&alarm, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &alarm, &before);
    signal(SIGALRM, leave);
    ends_threads = 1;
    for (int i = 0; i < rounds; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, copy_in_thread, (void *)(100L + i % 37));
        pthread_join(thread, NULL);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}
"""

PROGRAM = """
import ctypes, os
library = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "jumps.so"))
library.%s(%d)
kept = [bytearray(1 << 20) for _ in range(100)]  #: kept
"""


@pytest.mark.skipif(not shutil.which("cc"), reason="no C compiler")
@pytest.mark.parametrize("way, rounds", [("jump", 3000), ("end_threads", 1000)])
def test_what_comes_after_jumps_out_of_hooks_is_complete(profile, python, tmp_path, way, rounds):
    (tmp_path / "jumps.so").write_bytes(compiled(LIBRARY))
    ended = profile(PROGRAM % (way, rounds), python, options=["--memory"]).expect(0)
    found = ended.profile.exact  # of what no other thread can cause, and of blocks too large to be sampled
    lost = {name: found.own["losses"][name] for name in ("busy", "memory_busy", "held_up")}
    assert not any(lost.values()), lost
    kept = found.record("kept")
    assert 100 <= kept["n_malloc_mb"] < 101, kept
