# bench/advice/programs/rate_limiter.py - downloads that wait for each other at a limit of one per moment.
#
# SPDX-License-Identifier: Apache-2.0
# advice: lock_queue
# also: waiting
import queue
import threading
import time

limit = threading.Semaphore(1)
jobs = queue.Queue()
results = []


def fetch(url):
    limit.acquire()  # <- here
    try:
        time.sleep(0.03)
        return len(url)
    finally:
        limit.release()


def worker():
    while True:
        url = jobs.get()
        if url is None:
            return
        results.append(fetch(url))


crew = [threading.Thread(target=worker, name="fetch-%d" % i) for i in range(8)]
for i in range(60):
    jobs.put("http://example.test/%d" % i)
for thread in crew:
    jobs.put(None)
    thread.start()
for thread in crew:
    thread.join()
print(sum(results))
