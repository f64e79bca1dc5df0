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

BUSY = """
import time
def busy(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        for i in range(1000):
            i ^ 5
"""



def to_the_group_and_alone(process, _):
    """Each number once to the group, and a moment later once to the command alone."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2):
        os.killpg(process.pid, number)
        time.sleep(0.1)
        os.kill(process.pid, number)
        time.sleep(0.1)


CASES = [
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
end = time.monotonic() + 30
while sum(got.values()) < 12 and time.monotonic() < end:
    time.sleep(0.01)
time.sleep(0.3)
print(sorted(got.items()))
""",
        act=when_ready(to_the_group_and_alone),
    ),
    Case(
        "interrupt_to_the_group",
        """
import sys, time
try:
    open("ready", "w").close()
    time.sleep(30)
except KeyboardInterrupt:
    time.sleep(0.3)
    sys.exit(5)
""",
        act=when_ready(lambda process, _: os.killpg(process.pid, signal.SIGINT)),
        status=5,
    ),
    Case(
        "dispositions",
        BUSY
        + """
import signal
print([(number, signal.getsignal(number)) for number in sorted(signal.valid_signals())])
busy(0.1)
print(signal.getsignal(signal.SIGURG), signal.getsignal(signal.SIGSEGV), signal.getsignal(signal.SIGBUS))
""",
    ),
    Case(
        "dispositions_seen_from_c",
        BUSY
        + """
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
        BUSY
        + """
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
        "everything_blocked",
        BUSY
        + """
import os, signal
signal.pthread_sigmask(signal.SIG_SETMASK, signal.valid_signals())
busy(0.4)
os.kill(os.getpid(), signal.SIGTERM)
os.kill(os.getpid(), signal.SIGURG)
print(sorted(signal.sigpending()))
print(signal.sigwait([signal.SIGURG]), signal.sigwait([signal.SIGTERM]))
print(sorted(signal.sigpending()))
""",
    ),
    Case(
        "urgent_signal_handled",
        BUSY
        + """
import os, signal
got = []
print(signal.signal(signal.SIGURG, lambda number, frame: got.append(number)))
for _ in range(20):
    os.kill(os.getpid(), signal.SIGURG)
    busy(0.01)
print(len(got), set(got))
print(signal.signal(signal.SIGURG, signal.SIG_IGN) is not None)
os.kill(os.getpid(), signal.SIGURG)
busy(0.05)
print(len(got), signal.getsignal(signal.SIGURG))
signal.signal(signal.SIGURG, signal.SIG_DFL)
os.kill(os.getpid(), signal.SIGURG)
busy(0.05)
print(len(got), signal.getsignal(signal.SIGURG))
""",
    ),
    Case(
        "urgent_signal_blocked_and_waited_for",
        BUSY
        + """
import os, signal, threading
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGURG])
busy(0.1)
print(signal.sigpending(), signal.sigtimedwait([signal.SIGURG], 0))
os.kill(os.getpid(), signal.SIGURG)
busy(0.1)
print(sorted(signal.sigpending()))
info = signal.sigwaitinfo([signal.SIGURG])
print(info.si_signo, info.si_code, info.si_pid == os.getpid())
print(signal.sigpending())
""",
    ),
    Case(
        "urgent_signal_waited_for_by_another_thread",
        BUSY
        + """
import os, signal, threading
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGURG])
got = []
thread = threading.Thread(target=lambda: got.append(signal.sigwait([signal.SIGURG])))
thread.start()
busy(0.2)
os.kill(os.getpid(), signal.SIGURG)
thread.join()
print(got, signal.sigpending())
""",
    ),
    Case(
        "urgent_signal_read_from_a_descriptor",
        BUSY
        + """
import ctypes, os, select, signal, struct, threading
libc = ctypes.CDLL(None, use_errno=True)
def descriptor(numbers):
    mask = (ctypes.c_uint64 * 16)(sum(1 << (number - 1) for number in numbers))
    return libc.signalfd(-1, mask, os.O_NONBLOCK)
def read(fd):
    try:
        fields = struct.unpack_from("iiiI", os.read(fd, 128))
        return fields[0], fields[2], fields[3] == os.getpid()
    except BlockingIOError:
        return None
fd = descriptor(range(1, 32))
busy(0.3)
print(read(fd))
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGURG])
poll = select.epoll()
poll.register(fd, select.EPOLLIN)
worker = threading.Thread(target=busy, args=(0.3,))
worker.start()
print(poll.poll(0.1), read(fd))
os.kill(os.getpid(), signal.SIGURG)
print(len(poll.poll(1)), read(fd), poll.poll(0.1), read(fd))
worker.join()
busy(0.2)
print(poll.poll(0), read(fd))
""",
    ),
    Case(
        "masks_changed_unseen",
        BUSY
        + """
import ctypes, os, signal, time
libc = ctypes.CDLL(None, use_errno=True)
NUMBERS = {"x86_64": 14, "aarch64": 135}
number = NUMBERS[os.uname().machine]
def unseen(how, which):
    mask = ctypes.c_uint64(sum(1 << (one - 1) for one in which))
    return libc.syscall(number, how, ctypes.byref(mask), None, 8)
print(unseen(signal.SIG_BLOCK, [signal.SIGURG]))
busy(0.2)
print(sorted(signal.sigpending()), sorted(signal.pthread_sigmask(signal.SIG_BLOCK, [])))
print(signal.sigtimedwait([signal.SIGURG], 0.01))
busy(0.1)
os.kill(os.getpid(), signal.SIGURG)
print(sorted(signal.sigpending()), signal.sigwait([signal.SIGURG]))
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
busy(0.1)
print(unseen(signal.SIG_SETMASK, []), sorted(signal.pthread_sigmask(signal.SIG_BLOCK, [])))
busy(0.1)
print(sorted(signal.sigpending()))
""",
    ),
    Case(
        "urgent_signal_blocked_or_ignored_over_exec",
        BUSY
        + """
import os, signal, subprocess, sys
SHOW = ["/bin/sh", "-c", "grep -E 'Sig(Blk|Ign)' /proc/self/status"]
def blocked():
    with open("/proc/self/status") as status:
        print([line.split()[1] for line in status if line.startswith("SigBlk")], flush=True)
def show():
    blocked()
    for restored in True, False:
        subprocess.run(SHOW, restore_signals=restored)
    subprocess.run(SHOW, preexec_fn=lambda: None)
    os.waitpid(os.posix_spawn(SHOW[0], SHOW, os.environ), 0)
    os.waitpid(os.posix_spawn(SHOW[0], SHOW, os.environ, setsigdef=[signal.SIGURG]), 0)
    os.system("grep -E 'Sig(Blk|Ign)' /proc/self/status")
    try:
        os.execv("/nowhere", ["nothing"])
    except OSError as error:
        print(error)
    print(signal.getsignal(signal.SIGURG))
    sys.stdout.flush()
show()
signal.signal(signal.SIGURG, signal.SIG_IGN)
show()
busy(0.1)
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGURG, signal.SIGUSR2])
show()
got = []
signal.signal(signal.SIGURG, lambda number, frame: got.append(number))
show()
signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGURG])
os.kill(os.getpid(), signal.SIGURG)
print(got)
pid = os.fork()
if pid == 0:
    blocked()
    signal.signal(signal.SIGURG, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGURG])
    again = "import signal; print(signal.getsignal(23), sorted(signal.pthread_sigmask(0, [])), signal.sigpending())"
    os.execv(sys.executable, [sys.executable, "-c", again])
os.waitpid(pid, 0)
""",
    ),
    Case(
        "urgent_signal_ends_a_read",
        BUSY
        + """
import os, signal, threading
r, w = os.pipe()
def handler(number, frame):
    print("handled", sorted(signal.pthread_sigmask(signal.SIG_BLOCK, [])))
    os.write(w, b"!")
def send():
    time.sleep(0.2)
    signal.pthread_kill(threading.main_thread().ident, signal.SIGURG)
signal.signal(signal.SIGURG, handler)
threading.Thread(target=send).start()
print(os.read(r, 1))
busy(0.1)
""",
    ),
    Case(
        "mask_in_a_handler_in_c",
        BUSY
        + """
import ctypes, os, signal
library = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "handler.so"))
library.install()
os.kill(os.getpid(), signal.SIGURG)
busy(0.2)
print(hex(library.seen()), sorted(signal.pthread_sigmask(signal.SIG_BLOCK, [])), signal.sigpending())
""",
        libraries={
            "handler.so": """
#include <signal.h>
#include <string.h>
static unsigned long long mask;
static void on_signal(int number)
{
    sigset_t now, all, before;
    sigprocmask(SIG_BLOCK, 0, &now);
    memcpy(&mask, &now, sizeof(mask));
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    sigprocmask(SIG_SETMASK, &before, 0);
}
unsigned seen(void) { return (unsigned)mask; }
void install(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof(action));
    action.sa_handler = on_signal;
    sigaddset(&action.sa_mask, SIGUSR2);
    sigaction(SIGURG, &action, 0);
}
"""
        },
    ),
    Case(
        "urgent_signal_of_a_socket",
        BUSY
        + """
import fcntl, os, signal, socket
got = []
signal.signal(signal.SIGURG, lambda number, frame: got.append(number))
server = socket.create_server(("127.0.0.1", 0))
client = socket.create_connection(server.getsockname())
peer, _ = server.accept()
fcntl.fcntl(peer.fileno(), fcntl.F_SETOWN, os.getpid())
busy(0.1)
client.send(b"!", socket.MSG_OOB)
busy(0.1)
print(got, peer.recv(1, socket.MSG_OOB))
""",
    ),
    Case(
        "wakeup_descriptor",
        BUSY
        + """
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
        BUSY
        + """
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
        BUSY
        + """
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
        BUSY
        + """
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
        BUSY
        + """
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
        BUSY
        + """
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
        BUSY
        + """
import ctypes
busy(0.1)
ctypes.memset(8, 1, 100)
""",
        what=("-X", "faulthandler", "{program}"),
        status=-signal.SIGSEGV,
    ),
    Case(
        "faulthandler_in_a_thread",
        BUSY
        + """
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
        BUSY
        + """
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
        BUSY
        + """
import faulthandler, signal, os, time
faulthandler.dump_traceback_later(0.3, exit=False)
time.sleep(0.6)
faulthandler.register(signal.SIGUSR1)
os.kill(os.getpid(), signal.SIGUSR1)
busy(0.1)
faulthandler.dump_traceback_later(0.2, exit=True)
time.sleep(5)
""",
        status=1,
    ),
    Case(
        "alternate_stack",
        BUSY
        + """
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
        BUSY
        + """
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
        BUSY
        + """
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
        BUSY
        + """
import signal, threading, time
got = []
signal.signal(signal.SIGUSR1, lambda number, frame: got.append(threading.current_thread().name))
thread = threading.Thread(target=busy, args=(0.5,))
thread.start()
for _ in range(5):
    signal.pthread_kill(thread.ident, signal.SIGUSR1)
    time.sleep(0.05)
thread.join()
print(got)
""",
    ),
    Case(
        "raise_signal",
        BUSY
        + """
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
    Case(
        "seccomp_without_our_calls",
        BUSY
        + """
import ctypes, os, platform, struct, threading
libc = ctypes.CDLL(None, use_errno=True)
busy(0.1)
# None of these is the program's own: timers (timer_create ... timer_delete), memfd_create.
forbidden = {"x86_64": (222, 223, 224, 225, 226, 319), "aarch64": (107, 108, 109, 110, 111, 279)}[platform.machine()]
lines = [(0x20, 0, 0, 0)] + [(0x15, len(forbidden) - i, 0, number) for i, number in enumerate(forbidden)]
lines += [(0x06, 0, 0, 0x7FFF0000), (0x06, 0, 0, 0x80000000)]
code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *line) for line in lines))
class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("lines", ctypes.c_void_p)]
program = Program(len(lines), ctypes.addressof(code))
started = threading.Event()
other = threading.Thread(target=lambda: (started.set(), busy(0.5)))
other.start()
started.wait()
zero = ctypes.c_ulong(0)
print(libc.prctl(38, ctypes.c_ulong(1), zero, zero, zero))
print(libc.prctl(22, ctypes.c_ulong(2), ctypes.byref(program), zero, zero))
busy(0.3)
other.join()
thread = threading.Thread(target=busy, args=(0.1,))
thread.start()
thread.join()
pid = os.fork()
if pid == 0:
    busy(0.1)
    os._exit(3)
print(os.waitpid(pid, 0)[1])
""",
    ),
]
