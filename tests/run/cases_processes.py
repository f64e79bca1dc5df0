# tests/run/cases_processes.py - children, pools, exec, and closed descriptors.
#
# SPDX-License-Identifier: Apache-2.0
"""Processes of the program."""

import resource

from case import Case

WORK = """
def work(n=300000):
    total = 0
    for i in range(n):
        total += i ^ 5
    return total
"""

POOL = WORK + """
import multiprocessing
def task(k):
    return k, work(100000)
if __name__ == "__main__":
    multiprocessing.set_start_method("{method}")
    work()
    with multiprocessing.Pool(2) as pool:
        print(sorted(pool.map(task, range(6))))
    process = multiprocessing.Process(target=exit, args=(7,))
    process.start()
    process.join()
    print(process.exitcode, multiprocessing.active_children())
    queue = multiprocessing.Queue()
    process = multiprocessing.Process(target=queue.put, args=(work(),))
    process.start()
    print(queue.get())
    process.join()
"""


def few_descriptors():
    resource.setrlimit(resource.RLIMIT_NOFILE, (32, 32))


def small_memory_lock():
    resource.setrlimit(resource.RLIMIT_MEMLOCK, (0, 0))


EXEC_IN_A_HANDLER = """
#define _GNU_SOURCE
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static char *const words[] = {"echo", "started", NULL};
static char **variables;
static const char *way;
static volatile int status;
static void on_signal(int number)
{
    pid_t pid = -1;
    int ended = -1;
    (void)number;
    if (strcmp(way, "spawn") == 0)
        posix_spawn(&pid, "/bin/echo", NULL, NULL, words, variables);
    else if (strcmp(way, "fork") == 0)
        pid = fork();
    else if (strcmp(way, "vfork") == 0)
        pid = vfork();
    else
        pid = 0;
    if (pid == 0) {
        execve("/bin/echo", words, variables);
        _exit(9);
    }
    waitpid(pid, &ended, 0);
    status = ended;
}
int start(const char *how, int count)
{
    stack_t stack = {.ss_size = 65536, .ss_sp = malloc(65536)};
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
    variables = calloc(count + 1, sizeof(*variables));
    for (int i = 0; i < count; i++)
        variables[i] = "VARIABLE=x";
    way = how;
    sigfillset(&action.sa_mask);
    sigaltstack(&stack, NULL);
    sigaction(SIGUSR1, &action, NULL);
    raise(SIGUSR1);
    return status;
}
"""

CASES = [
    Case(
        "longest_command_lines",
        """
import os, resource, subprocess, sys
resource.setrlimit(resource.RLIMIT_STACK, (1 << 20, resource.getrlimit(resource.RLIMIT_STACK)[1]))
def fits(start, count):
    try:
        return start(count) == 0
    except OSError:
        return False
def most(start):
    low, high = 0, 131071
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(start, middle) else (low, middle - 1)
    return low
print(most(lambda count: subprocess.call(["/bin/true", "x" * 131000, "y" * count], stderr=subprocess.DEVNULL)))
def spawn(count):
    pid = os.posix_spawn("/bin/true", ["true", "x" * 131000, "y" * count], os.environ)
    return os.waitpid(pid, 0)[1]
print(most(spawn))
os.close(2)
print(most(lambda count: os.system("true " + "x" * count)))
""",
    ),
    Case("pool_by_fork", POOL.format(method="fork")),
    Case("pool_by_spawn", POOL.format(method="spawn")),
    Case("pool_by_forkserver", POOL.format(method="forkserver")),
    Case(
        "executor_of_processes",
        WORK + """
import concurrent.futures
if __name__ == "__main__":
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        print(list(pool.map(work, [10000] * 8)))
""",
    ),
    Case(
        "fork",
        WORK + """
import os, sys
work()
for k in range(5):
    pid = os.fork()
    if pid == 0:
        work()
        print("child", k, flush=True)
        sys.exit(k)
    print(os.waitpid(pid, 0)[1] >> 8, flush=True)
try:
    os.wait()
except ChildProcessError as error:
    print(error)
""",
    ),
    Case(
        "fork_with_threads",
        WORK + """
import os, threading, time
stop = threading.Event()
def spin():
    while not stop.is_set():
        work(1000)
threads = [threading.Thread(target=spin) for _ in range(2)]
for thread in threads:
    thread.start()
for k in range(3):
    pid = os.fork()
    if pid == 0:
        work()
        print("child", len(os.listdir("/proc/self/task")), threading.active_count(), flush=True)
        os._exit(0)
    print(os.waitpid(pid, 0)[1], flush=True)
stop.set()
for thread in threads:
    thread.join()
""",
    ),
    Case(
        "fork_in_a_thread",
        WORK + """
import os, threading
def forks():
    pid = os.fork()
    if pid == 0:
        work()
        other = threading.Thread(target=work)
        other.start()
        other.join()
        print("child", threading.current_thread().name, flush=True)
        os._exit(3)
    print(os.waitpid(pid, 0)[1] >> 8, flush=True)
thread = threading.Thread(target=forks, name="forking")
thread.start()
thread.join()
""",
    ),
    Case(
        "fork_of_a_fork",
        WORK + """
import os, sys
def nest(depth):
    work(50000)
    if depth == 0:
        return
    pid = os.fork()
    if pid == 0:
        nest(depth - 1)
        print("depth", depth, flush=True)
        os._exit(depth)
    print(os.waitpid(pid, 0)[1] >> 8, flush=True)
nest(4)
""",
    ),
    Case(
        "daemon",
        WORK + """
import os, time
r, w = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() != 0:
        os._exit(0)
    work()
    os.write(w, b"from the daemon")
    os._exit(0)
os.wait()
os.close(w)
print(os.read(r, 100), os.read(r, 100))
""",
    ),
    Case(
        "exec",
        WORK + """
import os, sys
count = int(sys.argv[1]) if len(sys.argv) > 1 else 0
work(50000)
print(count, sys.argv[1:], sorted(set(os.environ) - {"X"}) == sorted(set(os.environ)), flush=True)
if count < 20:
    os.execv(sys.executable, [sys.executable, sys.argv[0], str(count + 1)])
print("end")
sys.exit(11)
""",
        status=11,
    ),
    Case(
        "exec_on_a_small_stack",
        """
import os, subprocess, sys, threading, warnings
warnings.simplefilter("ignore", DeprecationWarning)  # of fork beside threads, 3.12 and later
words = [sys.executable, "-S", "-c", "import os; print(len(os.environ), 'LD_PRELOAD' in os.environ, flush=True)"]
variables = {"VARIABLE_%d" % i: "x" for i in range(12000)}
def spawn():
    return os.posix_spawn(words[0], words, variables)
def spawn_by_name():
    return os.posix_spawnp(words[0], words, variables)
def fork(path=words[0]):
    pid = os.fork()
    if pid == 0:
        try:
            os.execve(path, words, variables)
        except FileNotFoundError:
            os.execve(words[0], words, variables)
    return pid
def fork_and_fail_first():
    return fork("/no/such/file")
started = []
def start():
    started.append(subprocess.Popen(words, env=variables))  # one that is dropped waits for the child itself, if it has ended
    return started[-1].pid
threading.stack_size(65536)
for how in (spawn, spawn_by_name, fork, fork_and_fail_first, start):
    thread = threading.Thread(target=lambda: print(how.__name__, os.waitpid(how(), 0)[1], flush=True))
    thread.start()
    thread.join()
last = threading.Thread(target=lambda: os.execve(words[0], words, variables))
last.start()
last.join()
""",
    ),
    Case(
        "exec_on_an_alternate_stack",
        """
import ctypes, os
library = ctypes.CDLL(os.path.abspath("handler.so"))
for how in b"spawn", b"fork", b"vfork", b"exec":
    print(how, library.start(how, 12000), flush=True)
""",
        libraries={"handler.so": EXEC_IN_A_HANDLER},
    ),
    Case(
        "exec_of_something_else",
        WORK + "import os\nwork()\nos.execvp('echo', ['echo', 'not Python'])\n",
    ),
    Case(
        "exec_with_an_empty_environment",
        WORK + """
import os, sys
work()
os.execve(sys.executable, [sys.executable, "-c", "import os; print(sorted(os.environ))"], {})
""",
    ),
    Case(
        "exec_that_fails",
        WORK + """
import ctypes, os
try:
    os.execv("/no/such/file", ["x"])
except FileNotFoundError as error:
    print(error)
libc = ctypes.CDLL(None, use_errno=True)
print(libc.execve(None, None, None), ctypes.get_errno())
print(work())
""",
    ),
    Case(
        "children_with_an_empty_environment",
        WORK + """
import subprocess, sys
code = "import os; print(sorted(os.environ)); print(sum(i ^ 5 for i in range(100000)))"
print(subprocess.run([sys.executable, "-c", code], env={}, stdout=subprocess.PIPE).stdout)
print(subprocess.run(["/usr/bin/env"], env={"A": "b"}, stdout=subprocess.PIPE).stdout)
work()
""",
    ),
    Case(
        "subprocess_in_all_ways",
        WORK + """
import os, subprocess, sys
work()
run = lambda *a, **k: print(subprocess.run(*a, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **k))
run(["echo", "hello"])
run("echo $((1 + 2)); exit 3", shell=True)
run(["cat"], input=b"some input")
run(["sh", "-c", "echo error >&2"], close_fds=False)
run([sys.executable, "-c", "import sys; sys.exit('text')"])
run([sys.executable, "-c", "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"])
run(["pwd"], cwd="/", preexec_fn=os.getpid)
run(["true"], start_new_session=True)
print(os.system("exit 4") >> 8, os.popen("echo popen").read())
pid = os.posix_spawn("/bin/echo", ["echo", "spawned"], os.environ)
print(os.waitpid(pid, 0)[1])
try:
    subprocess.run(["/no/such/program"])
except FileNotFoundError as error:
    print(error)
try:
    subprocess.run(["sleep", "5"], timeout=0.1)
except subprocess.TimeoutExpired as error:
    print(error.cmd)
""",
    ),
    Case(
        "descriptors_of_a_child",
        WORK + """
import os, subprocess, sys
code = "import os; print(sorted(os.listdir('/proc/self/fd')))"
work()
for close in (True, False):
    print(subprocess.run([sys.executable, "-c", code], close_fds=close, stdout=subprocess.PIPE).stdout)
""",
    ),
    Case(
        "closed_descriptors",
        WORK + """
import os
os.closerange(3, 256)
work()
files = [os.open("/dev/null", os.O_RDONLY) for _ in range(20)]
print(files)
os.closerange(3, 65536)
work()
print(os.open("/dev/null", os.O_RDONLY))
""",
    ),
    Case(
        "descriptor_limit_of_the_program",
        WORK + """
import os, resource, threading
resource.setrlimit(resource.RLIMIT_NOFILE, (8, 8))
work()
kept = []
try:
    while True:
        kept.append(os.open("/dev/null", os.O_RDONLY))
except OSError as error:
    print(error, kept)
work()
# The end of a thread may have to load a library.
for descriptor in kept:
    os.close(descriptor)
for _ in range(3):
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
""",
    ),
    Case(
        "environment_that_the_kernel_shows",
        """
import os, subprocess, sys
def shown(pid):
    with open("/proc/%s/environ" % pid, "rb") as file:
        return sorted(entry for entry in file.read().split(b"\\0") if entry)
print(shown("self"))
child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, env={"LD_PRELOAD": "libdl.so.2", "A": "1"})
while b"python" not in open("/proc/%d/cmdline" % child.pid, "rb").read() or not shown(child.pid):
    pass
child.stdin.write(b"1\\n")
child.communicate()
print(sys.argv[1:] or subprocess.check_output([sys.executable, __file__, "again"], env={"LD_PRELOAD": "libdl.so.2", "A": "1"}))
""",
    ),
    Case(
        "environment_behind_a_shell",
        """
import subprocess, sys
code = "import os; print(sorted(name for name in os.environ if name != '_'))"
for shell in "bash", "sh":
    print(subprocess.check_output([shell, "-c", "env | grep -v ^_; %s -c \\"%s\\"; true" % (sys.executable, code)], env={"A": "1"}))
""",
    ),
    Case(
        "descriptor_limit_from_outside",
        WORK + "import resource\nprint(work(), resource.getrlimit(resource.RLIMIT_NOFILE))\n",
        prepare=few_descriptors,
    ),
    Case(
        "locked_memory_limit_from_outside",
        WORK + "import resource\nprint(work(), resource.getrlimit(resource.RLIMIT_MEMLOCK))\n",
        prepare=small_memory_lock,
    ),
    Case(
        "small_stack",
        WORK + "import resource\nprint(work(), resource.getrlimit(resource.RLIMIT_STACK))\n",
        prepare=lambda: resource.setrlimit(resource.RLIMIT_STACK, (1 << 20, 1 << 20)),
    ),
    Case(
        "directory_that_is_gone",
        WORK + """
import os
os.makedirs("elsewhere", exist_ok=True)
os.chdir("elsewhere")
os.rmdir("../elsewhere")
print(work())
try:
    os.getcwd()
except FileNotFoundError as error:
    print(error)
""",
    ),
    Case(
        "waiting_for_children",
        """
import ctypes, errno, os, signal, time
libc = ctypes.CDLL(None, use_errno=True)
# A child ends when it may.
read, write = os.pipe()
def child(code):
    pid = os.fork()
    if pid == 0:
        os.read(read, 1)
        os._exit(code)
    return pid
def let_it_end():
    os.write(write, b"!")
def says(call, *args):
    try:
        return call(*args)
    except OSError as error:
        return type(error).__name__, error.errno
print(says(os.waitpid, -1, 0), says(os.wait), says(os.wait3, 0), says(os.wait4, 1, 0), says(os.waitid, os.P_ALL, 0, os.WEXITED))
ctypes.set_errno(77)
print(libc.waitpid(-1, None, 0), ctypes.get_errno() == errno.ECHILD, libc.waitpid(2 ** 31 - 1, None, 12345), ctypes.get_errno() == errno.EINVAL)
pid = child(3)
print(os.waitpid(pid, os.WNOHANG), os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG))
let_it_end()
seen = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
print(seen.si_pid == pid, seen.si_status, seen.si_code == os.CLD_EXITED, os.waitpid(pid, 0) == (pid, 3 << 8))
pid = child(4)
os.kill(pid, signal.SIGSTOP)
status = os.waitpid(pid, os.WUNTRACED)[1]
print(os.WIFSTOPPED(status), os.WSTOPSIG(status))
os.kill(pid, signal.SIGCONT)
seen = os.waitid(os.P_PID, pid, os.WCONTINUED)
print(seen.si_code == os.CLD_CONTINUED, seen.si_status)
let_it_end()
print(os.wait3(0)[1:2])
class Interrupted(Exception):
    pass
def interrupt(*args):
    raise Interrupted
signal.signal(signal.SIGALRM, interrupt)
pid = os.fork()
if pid == 0:
    time.sleep(600)
    os._exit(0)
for wait in (lambda: os.waitpid(pid, 0), os.wait, lambda: os.waitid(os.P_PID, pid, os.WEXITED)):
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        print("not interrupted", wait())
    except Interrupted:
        print("interrupted")
os.kill(pid, signal.SIGKILL)
print(os.wait4(pid, 0)[1])
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
child(5)
let_it_end()
print(says(os.wait))
""",
    ),
]
