# bench/advice/programs/silent_processes.py - a pool of processes computes sums that need Python's own numbers.
#
# SPDX-License-Identifier: Apache-2.0
# advice: none
# also: waiting python_loop python_function
import concurrent.futures

TASKS = 17
LIMIT = 900_000


def collatz(limit):
    best = 0
    n = limit
    for _ in range(1_500_000):
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        best = n if n > best else best
        if n == 1:
            n = limit = limit + 7
    return best


if __name__ == "__main__":
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        print(max(pool.map(collatz, range(LIMIT, LIMIT + TASKS * 1000, 1000))))
