# tests/run/cases_urgent.py - SIGURG, whose ticks the profiler lives on, as the program's own: masks, waits, exec, seccomp.
#
# SPDX-License-Identifier: Apache-2.0
"""The program's own use of SIGURG."""

from case import Case
from conftest import BUSY

# Kills for what is not the program's own: timers (timer_create ... timer_delete), memfd_create, and coming back from a
# handler. Superusers need not give up new privileges before, so there it is libc's syscall alone that says what comes.
SEALED = BUSY + """
import ctypes, os, platform, struct, threading, warnings
warnings.simplefilter("ignore", DeprecationWarning)  # of fork, 3.12 and later, while a thread that was joined is still ending
libc = ctypes.%s
busy(0.1)
forbidden = {"x86_64": (15, 222, 223, 224, 225, 226, 319), "aarch64": (107, 108, 109, 110, 111, 139, 279)}[platform.machine()]
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
zero, one, filtered = map(ctypes.c_ulong, (0, 1, 2))
seccomp = {"x86_64": ctypes.c_long(317), "aarch64": ctypes.c_long(277)}[platform.machine()]
%s
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
"""

LAUNCHED = """
import ctypes, os, platform, struct
getpid, socket, prctl = {"x86_64": (39, 41, 157), "aarch64": (172, 198, 167)}[platform.machine()]
libc = ctypes.CDLL(None, use_errno=True)
def install(forbidden):
    lines = [(0x20, 0, 0, 0), (0x15, 0, 1, forbidden), (0x06, 0, 0, 0x80000000), (0x06, 0, 0, 0x7FFF0000)]
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *line) for line in lines))
    program = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", len(lines), ctypes.addressof(code)))
    zero, one, filtered = map(ctypes.c_ulong, (0, 1, 2))
    assert libc.prctl(38, one, zero, zero, zero) == 0 and libc.prctl(22, filtered, program, zero, zero) == 0
"""

CASES = [
    Case(
        "everything_blocked",
        BUSY + """
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
        BUSY + """
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
        BUSY + """
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
        BUSY + """
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
        BUSY + """
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
        BUSY + """
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
        BUSY + """
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
        BUSY + """
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
        "urgent_signal_ignored_after_a_handler",
        """
import ctypes, os, signal, threading, time
r, w = os.pipe()
def send():
    time.sleep(0.2)
    signal.pthread_kill(threading.main_thread().ident, signal.SIGURG)
    time.sleep(0.2)
    os.write(w, b"!")
signal.signal(signal.SIGURG, print)
signal.signal(signal.SIGURG, signal.SIG_IGN)
threading.Thread(target=send).start()
print(ctypes.CDLL(None).read(r, ctypes.create_string_buffer(1), 1))
""",
    ),
    Case(
        "mask_in_a_handler_in_c",
        BUSY + """
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
        BUSY + """
import fcntl, os, signal, socket
got = []
signal.signal(signal.SIGURG, lambda number, frame: got.append(number))
server = socket.create_server(("127.0.0.1", 0))
client = socket.create_connection(server.getsockname())
peer, _ = server.accept()
fcntl.fcntl(peer.fileno(), fcntl.F_SETOWN, os.getpid())
busy(0.1)
client.send(b"!", socket.MSG_OOB)
while not got:
    busy(0.1)
print(got, peer.recv(1, socket.MSG_OOB))
""",
    ),
    Case(
        "seccomp_of_a_child_that_executes",
        LAUNCHED + """
pid = os.fork()
if pid == 0:
    install(getpid)
    os.execv("/bin/true", ["true"])
print(os.waitpid(pid, 0)[1])
""",
    ),
    Case(
        "seccomp_of_a_launcher",
        LAUNCHED + """
import subprocess
# A program that is no Python, and has whoever opens a socket killed.
perl = '''
my ($socket, $prctl) = @ARGV;
my $code = pack("(SCCL)*", 0x20, 0, 0, 0, 0x15, 0, 1, $socket, 6, 0, 0, 0x80000000, 6, 0, 0, 0x7fff0000);
my $filter = pack("Sx6Q", length($code) / 8, unpack("Q", pack("P", $code)));
syscall($prctl + 0, 38, 1, 0, 0, 0) == 0 or die;
syscall($prctl + 0, 22, 2, $filter, 0, 0) == 0 or die;
exec "/bin/true";
'''
print(subprocess.call(["perl", "-e", perl, str(socket), str(prctl)]))
""",
    ),
    Case(
        "seccomp_without_our_calls",
        SEALED
        % (
            "CDLL(None)",
            "print(libc.prctl(38, one, zero, zero, zero), libc.prctl(22, filtered, ctypes.byref(program), zero, zero))",
        ),
    ),
    Case(
        "seccomp_by_libc_itself",
        SEALED
        % (
            "CDLL('libc.so.6')",  # for all threads
            "print(os.geteuid() and libc.prctl(38, one, zero, zero, zero), libc.syscall(seccomp, one, one, ctypes.byref(program)))",
        ),
    ),
    Case(
        "older_functions",
        BUSY + """
import ctypes, os, signal
libc = ctypes.CDLL(None)
names = ("signal", "bsd_signal", "sysv_signal", "__sysv_signal", "ssignal", "sigset")
for name in names:
    getattr(libc, name).restype = ctypes.c_void_p
    getattr(libc, name).argtypes = [ctypes.c_int, ctypes.c_void_p]
got = []
signal.signal(signal.SIGURG, lambda number, frame: got.append(number))
handler = libc.signal(signal.SIGURG, None)
def sends():
    busy(0.1)
    before = len(got)
    os.kill(os.getpid(), signal.SIGURG)
    busy(0.02)
    os.kill(os.getpid(), signal.SIGURG)
    busy(0.02)
    found = before, len(got)
    del got[:]
    return found
for name in names:
    print(name, getattr(libc, name)(signal.SIGURG, handler), sends(), libc.signal(signal.SIGURG, None) == handler)
libc.signal(signal.SIGURG, handler)
for hold, release in (("sighold", "sigrelse"), ("hold", "sigset")):
    held = libc.sigset(signal.SIGURG, 2) == handler if hold == "hold" else libc.sighold(signal.SIGURG)
    print(hold, held, sends(), sorted(signal.sigpending()), sorted(signal.pthread_sigmask(signal.SIG_BLOCK, [])))
    freed = libc.sigset(signal.SIGURG, handler) if hold == "hold" else libc.sigrelse(signal.SIGURG)
    busy(0.02)
    print(release, freed, sends(), sorted(signal.sigpending()))
print(libc.sigignore(signal.SIGURG), sends(), libc.signal(signal.SIGURG, None))
""",
    ),
]
