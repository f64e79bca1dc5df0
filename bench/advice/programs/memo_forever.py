# bench/advice/programs/memo_forever.py - a worker whose results are memoised without a limit, though they hardly repeat.
#
# SPDX-License-Identifier: Apache-2.0
# advice: leak
# also: peak_allocation garbage_collection
from functools import lru_cache

JOBS = 710_000


@lru_cache(maxsize=None)
def plan(job):
    return [job * k % 1013 for k in range(24)]  # <- here


def worker(jobs):
    done = 0
    for job in jobs:
        done += plan(job)[-1] % 2  # <- here
    return done


print(worker(range(JOBS)))
