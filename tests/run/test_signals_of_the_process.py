# tests/run/test_signals_of_the_process.py - a signal that the kernel gives to a thread without Python reaches the program.
#
# The kernel gives a signal for the process to another thread where the first one has a tick pending and no CPU. Here a
# thread of a library sends itself one as the kernel would have: not as a signal for this thread.
#
# SPDX-License-Identifier: Apache-2.0
"""Signals for the process, in a thread without Python."""

import shutil

import pytest

from case import compiled
from package_copy import copy_package

pytestmark = pytest.mark.by_version

LIBRARY = r"""
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile int may_send, has_sent;

static void *send(void *unused)
{
    siginfo_t info = {.si_signo = SIGUSR1, .si_code = SI_USER};
    while (!may_send)
        usleep(1000);
    usleep(50000);
    info.si_pid = getpid();
    if (syscall(SYS_rt_tgsigqueueinfo, getpid(), syscall(SYS_gettid), SIGUSR1, &info) != 0)
        abort();
    has_sent = 1;
    for (;;)
        pause();
    return unused;
}

void begin(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, send, NULL);
}

void let_send(void)
{
    may_send = 1;
}

int has_been_sent(void)
{
    return has_sent;
}
"""

HEAD = """
import ctypes, os, signal, time
library = ctypes.PyDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "sender.so"))
seen = []
signal.signal(signal.SIGUSR1, lambda number, frame: seen.append(number))
library.begin()
"""

# While it runs, nothing but the signal makes the loop of the interpreter look.
BUSY = HEAD + """
library.let_send()
end = time.monotonic() + 30
while not seen and time.monotonic() < end:
    pass
in_time = len(seen)
print(signal.getsignal(signal.SIGUSR1) is not None, in_time)
signal.siginterrupt(signal.SIGUSR1, True)
before = signal.signal(signal.SIGUSR1, signal.SIG_DFL)
print(callable(before), signal.getsignal(signal.SIGUSR1) == signal.SIG_DFL)
"""

SEEN = "True 1\nTrue True\n"
FORKED = BUSY.replace("library.begin()", """
pid = os.fork()
if pid:
    os.waitpid(pid, 0)
    os._exit(0)
library.begin()""")
LATE = BUSY.replace("library.begin()", """
from scalene import scalene_profiler
scalene_profiler.start()
library.begin()""")

# Python installs that module's handlers before its own.
FAULTS = {"PYTHONFAULTHANDLER": "1"}

# The thread that may not have it must not get it: the signal would be pending for good.
BLOCKED = HEAD + """
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
library.let_send()
while not library.has_been_sent():
    pass
time.sleep(0.05)
print(len(seen), signal.sigpending())
"""


@pytest.mark.skipif(not shutil.which("cc"), reason="no C compiler")
@pytest.mark.parametrize(
    "text, expected, env", [(BUSY, SEEN, {}), (BUSY, SEEN, FAULTS), (FORKED, SEEN, {}), (BLOCKED, "1 set()\n", {})],
    ids=["busy", "faulthandler", "forked", "blocked"],
)
def test_a_signal_in_another_thread(profile, python, tmp_path, text, expected, env):
    (tmp_path / "sender.so").write_bytes(compiled(LIBRARY))
    assert profile(text, python, env=env).expect(0).stdout == expected


@pytest.mark.skipif(not shutil.which("cc"), reason="no C compiler")
def test_a_signal_in_a_program_that_is_profiled_later(bare, python, tmp_path, tmp_path_factory):
    (tmp_path / "sender.so").write_bytes(compiled(LIBRARY))
    site = copy_package(tmp_path_factory.mktemp("site"))
    assert SEEN in bare(LATE, python, env={"PYTHONPATH": site}).expect(0).stdout
