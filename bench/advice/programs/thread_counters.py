# bench/advice/programs/thread_counters.py - threads count primes, which the interpreter lock makes take turns.
#
# SPDX-License-Identifier: Apache-2.0
# advice: gil
# also: python_loop python_function
import threading

LIMIT = 44_000
THREADS = 4


def primes(begin, end, results):
    count = 0
    for n in range(begin, end):
        k = 2
        while k * k <= n:
            if n % k == 0:
                break
            k += 1
        else:
            count += 1
    results.append(count)


def main():
    results = []
    step = LIMIT * 3
    threads = [threading.Thread(target=primes, args=(i * step + 2, (i + 1) * step + 2, results)) for i in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(sum(results))


main()
