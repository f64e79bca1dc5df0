# bench/known.py - small programs whose time and memory are known.
#
# SPDX-License-Identifier: Apache-2.0
"""known.py NAME: runs one of them. docs/comparison.md says what profilers make of them."""

import asyncio
import ctypes
import hashlib
import os
import queue
import pickle
import signal
import socket
import subprocess
import sys
import threading
import time


def burn(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        x = 0
        for i in range(20000):
            x += i  # time of Python


def native(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        hashlib.pbkdf2_hmac("sha256", b"p", b"s", 20000)  # time of OpenSSL


def kernel(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        os.urandom(1 << 18)  # time of the kernel


def split():
    for part, seconds in ((burn, 0.6), (native, 0.6), (kernel, 0.4), (time.sleep, 0.4)):
        began = time.perf_counter()
        part(seconds)
        print(part.__name__, "%.2f" % (time.perf_counter() - began))


def wait():
    held, barrier, words = threading.Lock(), threading.Barrier(2), queue.Queue()
    a, b = socket.socketpair()

    def other():
        with held:
            barrier.wait()
            time.sleep(0.3)  # holds the lock
        time.sleep(0.3)
        words.put(1)
        time.sleep(0.3)
        b.send(b"x")

    threading.Thread(target=other).start()
    barrier.wait()
    held.acquire()  # lock: 0.3 s
    words.get()  # queue: 0.3 s
    a.recv(1)  # socket: 0.3 s
    time.sleep(0.3)  # sleep: 0.3 s
    subprocess.run(["sleep", "0.3"])  # process: 0.3 s


def gil():
    sys.setswitchinterval(0.05)
    t = threading.Thread(target=burn, args=(0.8,))
    t.start()
    while t.is_alive():
        time.sleep(0)  # waits for the lock of the interpreter, about 0.8 s in all


def cthread():
    lib = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "known.so"))
    lib.start(ctypes.c_double(0.8))  # a thread of C that computes 0.8 s
    time.sleep(1.5)
    print("cpu of the process", round(time.process_time(), 2))


def cjoin():
    lib = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "known.so"))
    lib.run(ctypes.c_double(0.8))  # waits for a thread of C that computes 0.8 s


async def short():
    await asyncio.sleep(0.3)  # 0.3 s


async def long():
    await asyncio.sleep(0.6)  # 0.6 s


async def both():
    await asyncio.gather(long(), short(), asyncio.to_thread(burn, 0.3))


def tasks():
    asyncio.run(both())


def in_fork():
    burn(0.3)


def in_spawn():
    burn(0.3)


def in_subprocess():
    burn(0.3)


def in_exec():
    burn(0.3)


def children():
    pid = os.fork()
    if pid == 0:
        in_fork()
        os._exit(0)
    os.waitpid(pid, 0)
    import multiprocessing

    p = multiprocessing.get_context("spawn").Process(target=in_spawn)
    p.start()
    p.join()
    subprocess.run([sys.executable, __file__, "in_subprocess"])


def becomes():
    burn(0.3)
    os.execv(sys.executable, [sys.executable, __file__, "in_exec"])


def serve():
    """Runs until killed; prints at the end how long its longest pause was."""
    longest, last, end = 0.0, time.perf_counter(), time.monotonic() + float(sys.argv[2])
    while time.monotonic() < end:
        for _ in range(2000):
            pass
        now = time.perf_counter()
        longest, last = max(longest, now - last), now
    print("longest pause %.1f ms" % (longest * 1e3))


def deadlock():
    """Two threads wait for each other's lock."""
    a, b, barrier = threading.Lock(), threading.Lock(), threading.Barrier(2)

    def crossed(first, second):
        with first:
            barrier.wait()
            second.acquire()

    for pair in ((a, b), (b, a)):
        threading.Thread(target=crossed, args=pair, daemon=True).start()
    time.sleep(float(sys.argv[2]))
    os._exit(0)


def memory():
    kept = bytearray(50 << 20)  # 50 MB kept
    for _ in range(10):
        passing = bytearray(30 << 20)  # 300 MB, 30 at once
        del passing
    leaked = []
    for _ in range(40):
        leaked.append(bytearray(1 << 20))  # 40 MB, grows
    import numpy

    array = numpy.ones(5 << 20)  # 40 MB of numpy
    again = array.copy()  # copies 40 MB
    small = [object() for _ in range(500000)]  # about 12 MB of objects
    burn(0.3)
    return kept, leaked, again, small


KEPT = []


def leak():
    for i in range(120):
        KEPT.append(bytearray(1 << 20))  # keeps 1 MB a turn, to the end
        passing = bytearray(1 << 20)  # frees it
        del passing
        burn(0.008)


def exits():
    burn(0.6)
    os._exit(3)


def killed():
    burn(0.6)
    os.kill(os.getpid(), signal.SIGKILL)


class Thing:
    pass


def behave():
    """Ends with status 3; prints what differs when a profiler changes the program."""
    print("argv", sys.argv[1:], __name__, os.path.basename(sys.argv[0]))
    print(type(pickle.loads(pickle.dumps(Thing()))).__module__)
    signal.signal(signal.SIGALRM, lambda *_: print("alarm"))
    signal.alarm(1)
    signal.pause()
    signal.signal(signal.SIGTERM, lambda *_: print("term"))
    os.kill(os.getpid(), signal.SIGTERM)
    for number in (signal.SIGPROF, signal.SIGVTALRM, signal.SIGILL, signal.SIGXCPU):
        signal.signal(number, lambda n, _: print("signal", n))
        os.kill(os.getpid(), number)
        time.sleep(0.05)
    print(os.path.basename(sys.executable), threading.active_count())
    sys.stdout.flush()
    sys.exit(3)


def traceback():
    time.sleep(0.2)
    raise ValueError("known")


if __name__ == "__main__":
    globals()[sys.argv[1]]()
