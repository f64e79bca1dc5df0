# bench/advice/programs/silent_cached_dates.py - parses each distinct date of a log only once.
#
# SPDX-License-Identifier: Apache-2.0
# advice: none
from datetime import datetime
from functools import lru_cache

LINES = 2_200_000


@lru_cache(maxsize=1000)
def day_of(text):
    return datetime.strptime(text, "%Y-%m-%d").weekday()


def lines():
    for i in range(LINES):
        yield "2024-%02d-%02d;17" % (i // 200_000 % 12 + 1, i // 8000 % 28 + 1)


def count():
    days = [0] * 7
    for line in lines():
        days[day_of(line[:10])] += 1
    return days


print(count())
