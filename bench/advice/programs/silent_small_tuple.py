# bench/advice/programs/silent_small_tuple.py - sorts requests by their method; `in` looks at short tuples only.
#
# SPDX-License-Identifier: Apache-2.0
# advice: none
REQUESTS = 27_000_000
SAFE = ("GET", "HEAD", "OPTIONS")
KINDS = ["GET", "POST", "PUT", "HEAD"]


def count(kinds):
    safe = changing = 0
    for kind in kinds:
        if kind in SAFE:
            safe += 1
        elif kind in ("POST", "PUT", "PATCH", "DELETE"):
            changing += 1
    return safe, changing


def stream():
    for _ in range(REQUESTS // 4):
        yield from KINDS


print(count(stream()))
