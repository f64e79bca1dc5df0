# tests/run/cases_threads.py - threads of all sizes, and asynchronous programs.
#
# SPDX-License-Identifier: Apache-2.0
"""Threads of the program."""

from case import Case
from conftest import BUSY

NATIVE_THREADS = """
import ctypes
libc = ctypes.CDLL(None)
text = ctypes.create_string_buffer(b"x" * (128 << 20))
attributes = ctypes.create_string_buffer(256)
print(libc.pthread_attr_init(attributes))
print(libc.pthread_attr_setstacksize(attributes, ctypes.c_size_t({size})))
start = ctypes.cast(libc.strlen, ctypes.c_void_p)
threads = []
for _ in range(24):
    thread = ctypes.c_ulong()
    status = libc.pthread_create(ctypes.byref(thread), attributes, start, text)
    assert status == 0, status
    threads.append(thread)
results = set()
for thread in threads:
    result = ctypes.c_size_t()
    libc.pthread_join(thread, ctypes.byref(result))
    results.add(result.value)
print(results)
"""

CANCELLED = """
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
static int status;
static void *forks(void *unused)
{
    pthread_cancel(pthread_self());
    pid_t child = fork();
    if (child == 0)
        _exit(7);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    waitpid(child, &status, 0);
    return unused;
}
int run(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, forks, NULL);
    pthread_join(thread, NULL);
    return status >> 8;
}
"""

CASES = [
    Case(
        "fork_in_a_thread_that_is_cancelled",
        "import ctypes, os\nprint(ctypes.CDLL(os.path.abspath('thread.so')).run())\n",
        libraries={"thread.so": CANCELLED},
    ),
    Case("native_threads_with_16_kb", NATIVE_THREADS.format(size=16384)),
    Case("native_threads_with_32_kb", NATIVE_THREADS.format(size=32768)),
    Case(
        "threads_with_32_kb",
        BUSY + """
import threading
try:
    threading.stack_size(32768)
except ValueError:
    threading.stack_size(65536)  # what some C libraries ask for at least
done = []
def work():
    end = time.thread_time() + 0.1
    x = 0
    while time.thread_time() < end:
        x += 1
    done.append(1)
threads = [threading.Thread(target=work) for _ in range(6)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(len(done))
""",
    ),
    Case(
        "threads_with_128_kb",
        BUSY + """
import json, threading
threading.stack_size(131072)
done = []
def work():
    busy(0.05)
    done.append(json.dumps([{"a": [1, 2, {"b": None}]}] * 3))
threads = [threading.Thread(target=work) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(len(done), set(done))
""",
    ),
    Case(
        "two_hundred_threads",
        """
import os, threading
barrier = threading.Barrier(201)
results = []
def work(k):
    total = 0
    for i in range(5000):
        total += i ^ k
    barrier.wait()
    results.append(total)
    barrier.wait()
threads = [threading.Thread(target=work, args=(k,)) for k in range(200)]
for thread in threads:
    thread.start()
barrier.wait()
print(len(os.listdir("/proc/self/task")), threading.active_count())
barrier.wait()
for thread in threads:
    thread.join()
print(len(results), sum(results))
""",
    ),
    Case(
        "many_short_threads",
        """
import threading
results = []
for k in range(1500):
    thread = threading.Thread(target=results.append, args=(k,))
    thread.start()
    thread.join()
print(len(results), sum(results))
""",
    ),
    Case(
        "switch_interval",
        BUSY + """
import sys, threading
for interval in (1e-6, 0.5, 0.001):
    sys.setswitchinterval(interval)
    print(round(sys.getswitchinterval(), 7))
    threads = [threading.Thread(target=busy, args=(0.08,)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
""",
    ),
    Case(
        "locks_and_queues",
        """
import queue, threading
work, results = queue.Queue(10), queue.Queue()
lock, condition = threading.Lock(), threading.Condition()
count = 0
def worker():
    global count
    while True:
        item = work.get()
        if item is None:
            return
        with lock:
            count += item
        results.put(item * 2)
        with condition:
            condition.notify_all()
threads = [threading.Thread(target=worker) for _ in range(4)]
for thread in threads:
    thread.start()
for i in range(3000):
    work.put(i)
for _ in threads:
    work.put(None)
for thread in threads:
    thread.join()
print(count, results.qsize(), lock.acquire(timeout=0.01), lock.acquire(timeout=0.01))
""",
    ),
    Case(
        "timeouts_last_as_long_as_asked",
        BUSY + """
import queue, select, socket, threading
spinner = threading.Thread(target=busy, args=(1.0,))
spinner.start()
def lasts(what, *arguments):
    begin = time.monotonic()
    try:
        what(*arguments)
    except (queue.Empty, OSError):
        pass
    # Never shorter. How much longer depends on the machine and is not looked at.
    return time.monotonic() - begin >= 0.15
a, b = socket.socketpair()
a.settimeout(0.15)
event = threading.Event()
print(lasts(time.sleep, 0.15), lasts(event.wait, 0.15), lasts(queue.Queue().get, True, 0.15),
      lasts(a.recv, 1), lasts(select.select, [a], [], [], 0.15))
spinner.join()
""",
    ),
    Case(
        "thread_local_and_names",
        BUSY + """
import threading
local = threading.local()
seen = []
def work():
    local.value = threading.current_thread().name
    busy(0.05)
    seen.append((local.value, threading.get_ident() == threading.current_thread().ident,
                 open("/proc/self/task/%d/comm" % threading.get_native_id()).read()))
threads = [threading.Thread(target=work, name="worker %d" % k) for k in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(sorted(seen), hasattr(local, "value"))
""",
    ),
    Case(
        "asyncio",
        """
import asyncio, sys
async def child(k):
    await asyncio.sleep(0.01 * k)
    return sum(i ^ k for i in range(20000))
async def main():
    results = await asyncio.gather(*[child(k) for k in range(10)])
    print(sum(results))
    process = await asyncio.create_subprocess_exec("echo", "from a child", stdout=asyncio.subprocess.PIPE)
    print(await process.communicate(), process.returncode)
    try:
        await asyncio.wait_for(asyncio.sleep(5), 0.05)
    except asyncio.TimeoutError:
        print("timeout")
    loop = asyncio.get_running_loop()
    print(await loop.run_in_executor(None, sum, range(100000)), type(loop).__name__)
asyncio.run(main())
""",
    ),
    Case(
        "asyncio_with_signals",
        """
import asyncio, os, signal
async def main():
    loop = asyncio.get_running_loop()
    got = asyncio.Event()
    loop.add_signal_handler(signal.SIGTERM, got.set)
    loop.add_signal_handler(signal.SIGURG, print, "urgent")
    for i in range(300000):
        i ^ 5
    os.kill(os.getpid(), signal.SIGURG)
    os.kill(os.getpid(), signal.SIGTERM)
    await got.wait()
    await asyncio.sleep(0.05)
    print("terminated politely")
asyncio.run(main())
""",
    ),
    Case(
        "many_tasks",
        """
import asyncio
async def child():
    await asyncio.sleep(0.3)
    return 1
async def main():
    print(sum(await asyncio.gather(*[child() for _ in range(5000)])))
asyncio.run(main())
""",
    ),
    Case(
        "thread_pool",
        """
import concurrent.futures
def work(k):
    return sum(i ^ k for i in range(20000))
with concurrent.futures.ThreadPoolExecutor(8) as pool:
    print(sum(pool.map(work, range(60))))
""",
    ),
    Case(
        "sub_interpreters",
        """
try:
    import _interpreters as interpreters
except ImportError:
    try:
        import _xxsubinterpreters as interpreters
    except ImportError:
        interpreters = None
if interpreters is None:
    print("none")
else:
    for _ in range(5):
        one = interpreters.create()
        run = getattr(interpreters, "exec", None) or interpreters.run_string
        run(one, "kept = [bytearray(3000) for _ in range(2000)]; print(sum(i ^ 5 for i in range(100000)), flush=True)")
        interpreters.destroy(one)
    print("done")
""",
    ),
]
