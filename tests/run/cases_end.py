# tests/run/cases_end.py - the ways a program can end, and what it says when it does.
#
# SPDX-License-Identifier: Apache-2.0
"""Ends of programs."""

import os
import signal

from case import Case, since, when_ready

WORK = """
def work():
    for i in range(400000):
        i ^ 5

work()
"""

# The status of these is 0 or more.
EXITS = {
    "falls_off_the_end": ("print('end')", 0), "exit_nothing": ("import sys; sys.exit()", 0), "exit_none": ("import sys; sys.exit(None)", 0),
    "exit_zero": ("import sys; sys.exit(0)", 0), "exit_three": ("import sys; sys.exit(3)", 3),
    "exit_more_than_a_byte": ("import sys; sys.exit(258)", 2), "exit_minus_one": ("import sys; sys.exit(-1)", 255),
    "exit_text": ("import sys; sys.exit('some text')", 1), "exit_object": ("import sys; sys.exit(['a', 1])", 1),
    "exit_true": ("import sys; sys.exit(True)", 1), "raise_system_exit": ("raise SystemExit(7)", 7), "builtin_exit": ("exit(5)", 5),
    "os_exit": ("import os; print('no flush'); os._exit(9)", 9), "exception": ("def f(): raise ValueError('some \\u00e9')\nf()", 1),
    "syntax_error": ("def f(:", 1),
}

# The program dies by the signal.
DEATHS = {
    "abort": ("import os; os.abort()", signal.SIGABRT),
    "segmentation_fault": ("import ctypes; ctypes.string_at(0)", signal.SIGSEGV),
    "bus_error_sent": ("import os, signal; os.kill(os.getpid(), signal.SIGBUS)", signal.SIGBUS),
    "fault_sent": ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", signal.SIGSEGV),
    "illegal_instruction": ("import os, signal; os.kill(os.getpid(), signal.SIGILL)", signal.SIGILL),
    "floating_point_exception": ("import os, signal; os.kill(os.getpid(), signal.SIGFPE)", signal.SIGFPE),
    "kill_self": ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", signal.SIGKILL),
    "terminate_self": ("import os, signal; os.kill(os.getpid(), signal.SIGTERM)", signal.SIGTERM),
    "hang_up_self": ("import os, signal; os.kill(os.getpid(), signal.SIGHUP)", signal.SIGHUP),
    "real_time_signal": ("import os, signal; os.kill(os.getpid(), signal.SIGRTMIN + 3)", signal.SIGRTMIN + 3),
    "broken_pipe": (
        "import os, signal; signal.signal(signal.SIGPIPE, signal.SIG_DFL)\nr, w = os.pipe(); os.close(r); os.write(w, b'x')",
        signal.SIGPIPE,
    ),
    "interrupt_raised": ("raise KeyboardInterrupt", signal.SIGINT),
    "interrupt_sent": ("import os, signal, time; os.kill(os.getpid(), signal.SIGINT); time.sleep(5)", signal.SIGINT),
    "unhandled_alarm": ("import signal, time; signal.alarm(1)\nwhile True: work()", signal.SIGALRM),
    "cpu_limit": ("import resource; resource.setrlimit(resource.RLIMIT_CPU, (1, 3))\nwhile True: work()", signal.SIGXCPU),
}

# A program that waits for a signal from outside. It is asleep when the signal comes.
WAITS = """
import os, signal, sys, time
work()
{setup}
try:
    os.symlink(str(os.getpid()), "ready")
    for _ in range(3000):
        time.sleep(0.1)
finally:
    print("finally")
print("not interrupted")
"""

BUSY = """
import os, signal, sys, time
# The line that is interrupted differs from run to run.
sys.excepthook = lambda kind, value, trace: print(kind, file=sys.stderr)
{setup}
open("ready", "w").close()
end = time.monotonic() + 10
while time.monotonic() < end:
    work()
print("not interrupted")
"""

HANDLER = """
def handler(number, frame):
    print("got", number)
    sys.exit(12)
signal.signal({signal}, handler)
"""

CATCHES = """
import os, signal, sys, time
work()
count = 0
try:
    os.symlink(str(os.getpid()), "ready")
    time.sleep(300)
except KeyboardInterrupt:
    count += 1
try:
    # A second one would come within this time.
    time.sleep(0.4)
except KeyboardInterrupt:
    count += 1
print("interrupts:", count)
"""


def send(number):
    """To the command itself: the program when bare, `scalene run` when profiled."""
    return when_ready(lambda process, terminal: os.kill(process.pid, number))


def from_outside(name, template, number, status, handled=False, terminal=False):
    """A signal sent to the command, or Ctrl-C pressed at its terminal."""
    setup = HANDLER.format(signal=int(number)) if handled else ""
    act = PRESS_CTRL_C if terminal else send(number)
    text = WORK + template.format(setup=setup)
    return Case(name, text, act=act, status=status, terminal=terminal)


PRESS_CTRL_C = when_ready(lambda process, terminal: terminal.press(b"\x03"))


TRACEBACKS = [
    Case(
        "nested_traceback",
        """
        class Thing:
            def method(self, n):
                return self.other(n) if n else [1 / x for x in range(3)]
            def other(self, n):
                return self.method(n - 1)
        def generator():
            yield Thing().method(2)
        for i in range(300000):
            i ^ 5
        list(map(lambda x: x, generator()))
        """,
        status=1,
    ),
    Case(
        "chained_exceptions",
        """
        try:
            try:
                {}["key"]
            except KeyError as error:
                raise RuntimeError("outer") from error
        except RuntimeError:
            raise TypeError("while handling")
        """,
        status=1,
    ),
    Case(
        "exception_in_thread",
        """
        import threading
        def target():
            for i in range(300000):
                i ^ 5
            raise ValueError("in thread")
        thread = threading.Thread(target=target, name="worker")
        thread.start()
        thread.join()
        """,
    ),
    Case(
        "exception_nobody_can_catch",
        """
        class Bad:
            def __del__(self):
                raise ValueError("in __del__")
        bad = Bad()
        del bad
        """,
    ),
    Case(
        "exception_hook",
        """
        import sys
        def hook(kind, value, trace):
            print("hook", kind, value, trace.tb_lineno, trace.tb_next)
        sys.excepthook = hook
        raise ValueError("hooked")
        """,
        status=1,
    ),
    Case(
        "exit_functions",
        """
        import atexit, sys, threading
        atexit.register(print, "first registered")
        atexit.register(print, "second registered")
        def fails():
            raise ValueError("in atexit")
        atexit.register(fails)
        def later():
            import time
            time.sleep(2)
            print("thread done")
        threading.Thread(target=later).start()
        print("main done")
        sys.exit(6)
        """,
        status=6,
    ),
    Case(
        "daemon_thread_at_exit",
        """
        import threading, time
        def forever():
            while True:
                for i in range(1000):
                    i ^ 5
        threading.Thread(target=forever, daemon=True).start()
        time.sleep(0.2)
        print("end")
        """,
        unless=since(3, 9),  # 3.8 itself may crash: bpo-39877
    ),
    Case(
        "warnings",
        """
        import warnings
        warnings.warn("a user's warning")
        warnings.warn("deprecated", DeprecationWarning)
        def f():
            warnings.warn("from f", RuntimeWarning, stacklevel=2)
        f()
        """,
    ),
]

# After Python's finalization, says when the kernel is asked for CPU time of the process. The profiler may not ask this
# library for time at all: those of a program may change what clocks say (libfaketime).
CLOCK_WATCH = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
static long (*libcs)(long, ...);
static int ended;
static void end_begins(void) { ended = 1; }
void watch(void) { (void)atexit(end_begins); }
static long tell(long answer)
{
    static const char text[] = "asked for CPU time\\n";
    if (ended && write(1, text, sizeof(text) - 1) < 0)
        abort();
    return answer;
}
long watched(long number, long one, long two, long three, long four, long five, long six) __asm__("syscall");
long watched(long number, long one, long two, long three, long four, long five, long six)
{
    if (libcs == NULL)
        libcs = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
    long answer = libcs(number, one, two, three, four, five, six);
    return number == SYS_clock_gettime && one == CLOCK_PROCESS_CPUTIME_ID ? tell(answer) : answer;
}
int clock_gettime(clockid_t clock, struct timespec *now)
{
    Dl_info caller = {0};
    const char *name = dladdr(__builtin_return_address(0), &caller) ? strrchr(caller.dli_fname, '/') : NULL;
    if (clock != CLOCK_REALTIME && name != NULL && strstr(name, "scalene") != NULL)
        abort();
    return (int)watched(SYS_clock_gettime, clock, (long)now, 0, 0, 0, 0);
}
int getrusage(int who, void *usage)
{
    long answer = watched(SYS_getrusage, who, (long)usage, 0, 0, 0, 0);
    return (int)(who == 0 ? tell(answer) : answer);
}
"""

# The kernel may then give the CPU to a daemon thread, whose interpreter is gone.
DAEMON_LEFT = """
import ctypes
import threading

threading.Thread(target=threading.Event().wait, daemon=True).start()
ctypes.CDLL(None).watch()
print("end")
"""

CASES = [Case(name, WORK + text, status=status) for name, (text, status) in EXITS.items()]
CASES += [Case(name, WORK + text, status=-number) for name, (text, number) in DEATHS.items()]
CASES += TRACEBACKS
CASES += [
    from_outside("terminated", WAITS, signal.SIGTERM, -signal.SIGTERM),
    from_outside("terminated_busy", BUSY, signal.SIGTERM, -signal.SIGTERM),
    from_outside("terminate_handled", WAITS, signal.SIGTERM, 12, handled=True),
    from_outside("terminate_handled_busy", BUSY, signal.SIGTERM, 12, handled=True),
    from_outside("hung_up", WAITS, signal.SIGHUP, -signal.SIGHUP),
    from_outside("hang_up_handled", WAITS, signal.SIGHUP, 12, handled=True),
    from_outside("interrupt_sent_from_outside", WAITS, signal.SIGINT, -signal.SIGINT),
    from_outside("interrupted", WAITS, signal.SIGINT, -signal.SIGINT, terminal=True),
    from_outside("interrupted_busy", BUSY, signal.SIGINT, -signal.SIGINT, terminal=True),
    from_outside("interrupt_handled", BUSY, signal.SIGINT, 12, handled=True, terminal=True),
    Case("daemon_left", DAEMON_LEFT, libraries={"watch.so": CLOCK_WATCH}, env={"LD_PRELOAD": "{dir}/watch.so"}),
    Case("interrupt_caught_once", WORK + CATCHES, act=PRESS_CTRL_C, terminal=True),
]
