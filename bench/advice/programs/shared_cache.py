# bench/advice/programs/shared_cache.py - a pool of threads computes digests and keeps them in a shared cache.
#
# SPDX-License-Identifier: Apache-2.0
# advice: lock_queue
import hashlib
from concurrent.futures import ThreadPoolExecutor
from threading import RLock

KEYS = 120
guard = RLock()
cache = {}


def digest(key):
    with guard:  # <- here
        if key not in cache:
            cache[key] = hashlib.pbkdf2_hmac("sha256", b"key", key, 60_000)
        return cache[key]


def job(number):
    return digest(b"%d" % number)[0]


with ThreadPoolExecutor(4) as pool:
    print(sum(pool.map(job, range(KEYS))))
