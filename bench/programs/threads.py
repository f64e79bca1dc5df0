# bench/programs/threads.py - four threads: Python, hashing without the interpreter lock, a queue between them.
#
# SPDX-License-Identifier: Apache-2.0
import hashlib
import queue
import sys
import threading

SCALE = 90


def produce(jobs, count):
    block = bytes(range(256)) * 2000
    for i in range(count):
        jobs.put((i, block))
    for _ in range(2):
        jobs.put(None)


def digest(jobs, results):
    while True:
        job = jobs.get()
        if job is None:
            return
        number, block = job
        results.append(int(hashlib.sha256(block).hexdigest()[:8], 16) + number)


def count_primes(limit, results):
    found = 0
    for candidate in range(2, limit):
        for factor in range(2, int(candidate**0.5) + 1):
            if candidate % factor == 0:
                break
        else:
            found += 1
    results.append(found)


def main(scale):
    jobs = queue.Queue(8)
    results = []
    workers = [
        threading.Thread(target=produce, args=(jobs, scale * 20)),
        threading.Thread(target=digest, args=(jobs, results)),
        threading.Thread(target=digest, args=(jobs, results)),
        threading.Thread(target=count_primes, args=(scale * 2000, results)),
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    print(sum(results))


main(int(sys.argv[1]) if len(sys.argv) > 1 else SCALE)
