# tests/run/cases_signals.py - the program's own signals, timers, masks and stacks for handlers.
#
# The profiler lives on one signal (SIGURG) and on faults it handles itself. The program must be
# able to use both as if it were alone.
#
# SPDX-License-Identifier: Apache-2.0
"""Signals of the program."""

import os
import signal
import time

from case import Case, since, when_ready
from conftest import BUSY


def to_the_group_and_alone(process, _):
    """Each number once to the group, and a moment later once to the command alone."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2):
        os.killpg(process.pid, number)
        time.sleep(0.1)
        os.kill(process.pid, number)
        time.sleep(0.1)

def pids_of(session, word):
    """Of processes of the session, those that were called with the word in their command line."""
    found = []
    for pid in sorted(map(int, filter(str.isdigit, os.listdir("/proc")))):
        try:
            with open("/proc/%d/cmdline" % pid) as words:
                if os.getsid(pid) == session and word in words.read():
                    found.append(pid)
        except OSError:
            pass
    return found


def to_all_of_a_name(process, _):
    """As pkill -f sends it: to all of the program's name, and to all of the profiler's, which bare is the program."""
    for number, word in ((signal.SIGINT, "prog.py"), (signal.SIGTERM, "scalene")):
        for pid in pids_of(process.pid, word) or [process.pid]:
            os.kill(pid, number)
        time.sleep(0.1)


CASES = [
    Case(
        "ends_of_children_are_ignored_from_outside",
        BUSY + """
import os, signal, subprocess, sys
print(signal.getsignal(signal.SIGCHLD))
print(subprocess.run([sys.executable, "-c", "import signal; print(signal.getsignal(signal.SIGCHLD))"], stdout=subprocess.PIPE).stdout)
busy(0.1)
""",
        prepare=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN),
    ),
    Case(
        "signals_to_all_of_a_name",
        """
import signal, time
got = {}
def handler(number, frame):
    got[number] = got.get(number, 0) + 1
for number in (signal.SIGINT, signal.SIGTERM):
    signal.signal(number, handler)
open("ready", "w").close()
end = time.monotonic() + 300
while len(got) < 2 and time.monotonic() < end:
    time.sleep(0.01)
time.sleep(0.3)
print(sorted(got.items()))
""",
        act=when_ready(to_all_of_a_name),
        is_timed=True,
    ),
    Case(
        "signals_to_the_group",
        """
import signal, time
got = {}
def handler(number, frame):
    got[number] = got.get(number, 0) + 1
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2):
    signal.signal(number, handler)
open("ready", "w").close()
end = time.monotonic() + 300
while sum(got.values()) < 12 and time.monotonic() < end:
    time.sleep(0.01)
time.sleep(0.3)
print(sorted(got.items()))
""",
        act=when_ready(to_the_group_and_alone),
        is_timed=True,
    ),
    Case(
        "interrupt_to_the_group",
        """
import sys, time
try:
    open("ready", "w").close()
    time.sleep(300)
except KeyboardInterrupt:
    time.sleep(0.3)
    sys.exit(5)
""",
        act=when_ready(lambda process, _: os.killpg(process.pid, signal.SIGINT)),
        is_timed=True,
        status=5,
    ),
    Case(
        "call_that_another_signal_ends_beside_a_tick",
        """
import os, signal, threading, time
COARSE = 6  # CLOCK_MONOTONIC_COARSE goes on at each tick of the kernel
WAIT_S = 0.05
class Interrupted(Exception):
    pass
def interrupt(*_):
    raise Interrupted
signal.signal(signal.SIGALRM, interrupt)
reader, writer = os.pipe()
os.set_blocking(writer, False)
signal.set_wakeup_fd(writer)
if not os.path.exists("fifo"):
    os.mkfifo("fifo")
PATH = "./" * 2000 + "fifo"  # long to look up, so that the tick finds the thread in the call
def call_once(ticks, early):
    late, now = WAIT_S, time.clock_gettime(COARSE)
    before = now
    while now == before:
        now = time.clock_gettime(COARSE)
    call_at = time.monotonic() + ticks * time.clock_getres(COARSE) - early
    try:
        signal.setitimer(signal.ITIMER_REAL, ticks * time.clock_getres(COARSE) + WAIT_S, 0.5)
        while time.monotonic() < call_at:
            pass
        late = time.monotonic() - call_at
        os.open(PATH, os.O_RDONLY)  # waits for somebody who writes
    except Interrupted:
        pass
    signal.setitimer(signal.ITIMER_REAL, 0)
    return late, len(os.read(reader, 100))
def signals_it_took(ticks, early):
    late = WAIT_S
    while late > WAIT_S / 5:  # on a busy machine the signal might come before the call
        late, count = call_once(ticks, early)
    return count
def signals_they_took():
    return [signals_it_took(ticks, early * 1e-5) for ticks in (1, 2, 3) for early in range(5, 10) for _ in range(2)]
print(signals_they_took())
# A signal for the process may now be taken by another thread, and CPython's handlers run in the first.
threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
print(signals_they_took())
""",
        is_timed=True,
    ),
    Case(
        "dispositions",
        BUSY + """
import signal
print([(number, signal.getsignal(number)) for number in sorted(signal.valid_signals())])
busy(0.1)
print(signal.getsignal(signal.SIGURG), signal.getsignal(signal.SIGSEGV), signal.getsignal(signal.SIGBUS))
""",
    ),
    Case(
        "dispositions_seen_from_c",
        BUSY + """
import ctypes, signal
libc = ctypes.CDLL(None, use_errno=True)
for number in range(1, 65):
    if number in (32, 33):
        continue
    old = (ctypes.c_uint64 * 20)()
    print(number, libc.sigaction(number, None, old), old[0] in (0, 1) and old[0])
""",
    ),
    Case(
        "masks",
        BUSY + """
import signal, threading
def show():
    print(sorted(signal.pthread_sigmask(signal.SIG_BLOCK, [])), sorted(signal.sigpending()))
show()
old = signal.pthread_sigmask(signal.SIG_SETMASK, signal.valid_signals())
busy(0.1)
show()
thread = threading.Thread(target=lambda: (busy(0.1), show()))
thread.start()
thread.join()
print(signal.sigtimedwait(signal.valid_signals(), 0.05))
signal.pthread_sigmask(signal.SIG_SETMASK, old)
busy(0.1)
show()
""",
    ),
    Case(
        "wakeup_descriptor",
        BUSY + """
import os, signal
r, w = os.pipe()
os.set_blocking(w, False)
os.set_blocking(r, False)
signal.set_wakeup_fd(w)
signal.signal(signal.SIGUSR1, lambda number, frame: None)
busy(0.2)
os.kill(os.getpid(), signal.SIGUSR1)
busy(0.1)
print(os.read(r, 100))
""",
    ),
    Case(
        "alarm_handled",
        BUSY + """
import signal
got = []
signal.signal(signal.SIGALRM, lambda number, frame: got.append(number))
signal.alarm(1)
busy(0.2)
time.sleep(1.1)
print(got, signal.alarm(0))
""",
    ),
    Case(
        "interval_timers",
        BUSY + """
import signal
got = {}
def handler(number, frame):
    got[number] = got.get(number, 0) + 1
for number, which in ((signal.SIGALRM, signal.ITIMER_REAL), (signal.SIGVTALRM, signal.ITIMER_VIRTUAL),
                      (signal.SIGPROF, signal.ITIMER_PROF)):
    signal.signal(number, handler)
    print(signal.setitimer(which, 0.02, 0.02), signal.getitimer(which)[1])
    busy(0.25)
    signal.setitimer(which, 0)
print(sorted((number, count >= 4) for number, count in got.items()))
""",
    ),
    Case(
        "handlers_of_faults",
        BUSY + """
import os, signal
got = []
for number in (signal.SIGSEGV, signal.SIGBUS, signal.SIGILL, signal.SIGFPE, signal.SIGTRAP,
               signal.SIGPROF, signal.SIGXCPU, signal.SIGXFSZ, signal.SIGUSR1, signal.SIGUSR2):
    print(number, signal.signal(number, lambda number, frame: got.append(number)))
busy(0.1)
for number in (signal.SIGSEGV, signal.SIGBUS, signal.SIGILL, signal.SIGFPE, signal.SIGTRAP,
               signal.SIGPROF, signal.SIGXCPU, signal.SIGXFSZ, signal.SIGUSR1, signal.SIGUSR2):
    os.kill(os.getpid(), number)
    busy(0.01)
print(got)
""",
    ),
    Case(
        "child_signal",
        BUSY + """
import os, signal
got = []
signal.signal(signal.SIGCHLD, lambda number, frame: got.append(number))
pid = os.fork()
if pid == 0:
    os._exit(3)
print(os.waitpid(pid, 0)[1] >> 8)
busy(0.05)
print(got)
try:
    os.wait()
except ChildProcessError as error:
    print(error)
""",
    ),
    Case(
        "faulthandler_and_a_crash",
        BUSY + """
import ctypes, faulthandler
faulthandler.enable()
def crash():
    ctypes.string_at(0)
busy(0.1)
crash()
""",
        status=-signal.SIGSEGV,
    ),
    Case(
        "faulthandler_before_the_program",
        BUSY + """
import ctypes
busy(0.1)
ctypes.memset(8, 1, 100)
""",
        what=("-X", "faulthandler", "{program}"),
        status=-signal.SIGSEGV,
    ),
    Case(
        "faulthandler_in_a_thread",
        BUSY + """
import faulthandler, threading, time
faulthandler.enable(all_threads=False)
def crash():
    busy(0.1)
    faulthandler._sigsegv()
thread = threading.Thread(target=crash)
thread.start()
thread.join()
""",
        status=-signal.SIGSEGV,
    ),
    Case(
        "faulthandler_off_again",
        BUSY + """
import ctypes, faulthandler
faulthandler.enable()
busy(0.1)
faulthandler.disable()
busy(0.1)
ctypes.string_at(0)
""",
        status=-signal.SIGSEGV,
    ),
    Case(
        "faulthandler_later",
        BUSY + """
import faulthandler, signal, os, time
faulthandler.dump_traceback_later(0.3, exit=False)
time.sleep(2)
faulthandler.register(signal.SIGUSR1)
os.kill(os.getpid(), signal.SIGUSR1)
busy(0.1)
faulthandler.dump_traceback_later(0.2, exit=True)
time.sleep(300)
""",
        status=1,
    ),
    Case(
        "alternate_stack",
        BUSY + """
import ctypes
class Stack(ctypes.Structure):
    _fields_ = [("sp", ctypes.c_void_p), ("flags", ctypes.c_int), ("size", ctypes.c_size_t)]
libc = ctypes.CDLL(None, use_errno=True)
old = Stack()
print(libc.sigaltstack(None, ctypes.byref(old)), old.sp is None, old.flags, old.size)
memory = ctypes.create_string_buffer(65536)
mine = Stack(ctypes.addressof(memory), 0, 65536)
print(libc.sigaltstack(ctypes.byref(mine), None))
busy(0.2)
print(libc.sigaltstack(None, ctypes.byref(old)), old.sp == mine.sp, old.flags, old.size)
""",
    ),
    Case(
        "a_fault_the_program_handles_in_c",
        BUSY + """
import ctypes, signal
# A handler in C that the program installs itself, and that jumps away: faults belong to it.
libc = ctypes.CDLL(None, use_errno=True)
HANDLER = ctypes.CFUNCTYPE(None, ctypes.c_int)
def exits(number):
    print("caught", number, flush=True)
    import os
    os._exit(8)
handler = HANDLER(exits)
libc.signal.restype = ctypes.c_void_p
libc.signal(signal.SIGSEGV, handler)
busy(0.2)
ctypes.string_at(0)
""",
        status=8,
    ),
    Case(
        "system_calls_are_not_interrupted",
        BUSY + """
import ctypes, os, select, threading, time
libc = ctypes.CDLL(None, use_errno=True)
class Timespec(ctypes.Structure):
    _fields_ = [("sec", ctypes.c_long), ("nsec", ctypes.c_long)]
class Poll(ctypes.Structure):
    _fields_ = [("fd", ctypes.c_int), ("events", ctypes.c_short), ("revents", ctypes.c_short)]
r, w = os.pipe()
waits = Poll(r, 1, 0)
short = Timespec(0, 3000000)
results = set()
def wait():
    for _ in range(60):
        results.add(("nanosleep", libc.nanosleep(ctypes.byref(short), None)))
        results.add(("poll", libc.poll(ctypes.byref(waits), 1, 3)))
        results.add(("usleep", libc.usleep(2000)))
        for i in range(3000):
            i ^ 5
threads = [threading.Thread(target=wait) for _ in range(3)]
for thread in threads:
    thread.start()
busy(0.3)
for thread in threads:
    thread.join()
print(sorted(results))
""",
    ),
    Case(
        "signals_to_threads",
        BUSY + """
import signal, threading, time
got = []
signal.signal(signal.SIGUSR1, lambda number, frame: got.append(threading.current_thread().name))
def work():
    while len(got) < 5:
        busy(0.1)
thread = threading.Thread(target=work)
thread.start()
for count in range(1, 6):
    signal.pthread_kill(thread.ident, signal.SIGUSR1)
    time.sleep(0.05)
    while len(got) < count:  # two that are pending at once are one
        time.sleep(0.01)
thread.join()
print(got)
""",
    ),
    Case(
        "raise_signal",
        BUSY + """
import signal
got = []
signal.signal(signal.SIGURG, lambda number, frame: got.append(number))
busy(0.05)
signal.raise_signal(signal.SIGURG)
busy(0.05)
print(got)
""",
        unless=since(3, 8),
    ),
]
