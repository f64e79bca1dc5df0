# tests/layout/programs/threads.py - many threads, waiting ones, and a forked child.
#
# SPDX-License-Identifier: Apache-2.0
"""Finding the right thread, and frames of threads that wait."""

import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from parking import park, park_for


def waiting(lock, level):
    if level:
        return waiting(lock, level - 1)
    with lock:
        return level


def work(n):
    total = 0
    for i in range(n):
        total += i
    return total


def in_worker():
    threads = [threading.Thread(target=park, args=("thread %d" % i,)) for i in range(3)]
    for thread in threads:
        thread.start()
        thread.join()


def beside_waiting():
    lock = threading.Lock()
    lock.acquire()
    threads = [threading.Thread(target=waiting, args=(lock, i)) for i in range(4)]
    for thread in threads:
        thread.start()
    settle(threads)
    for i, thread in enumerate(threads):
        park_for("waits for a lock %d" % i, thread)
    main = threading.main_thread()
    watcher = threading.Thread(target=park_for_settled, args=("main in join", main))
    watcher.start()
    watcher.join()
    lock.release()
    for thread in threads:
        thread.join()


def park_for_settled(label, thread):
    settle([thread])
    park_for(label, thread)


def settle(threads):
    """Waits until none of the threads runs any more: their state in /proc is sleeping."""
    for thread in threads:
        quiet = 0
        while quiet < 20:
            with open("/proc/self/task/%d/stat" % thread.native_id) as file:
                state = file.read().rpartition(")")[2].split()[0]
            quiet = quiet + 1 if state == "S" else 0
            time.sleep(0.001)


def pool():
    with ThreadPoolExecutor(2) as executor:
        list(executor.map(work, range(100)))
        executor.submit(park, "pool").result()


def forked():
    child = os.fork()
    if child == 0:
        park("forked child")
        thread = threading.Thread(target=park, args=("thread of a forked child",))
        thread.start()
        thread.join()
        os._exit(0)
    os.waitpid(child, 0)


def forked_in_thread():
    thread = threading.Thread(target=forked)
    thread.start()
    thread.join()


park("main")
in_worker()
beside_waiting()
pool()
forked()
forked_in_thread()
park("main again")
