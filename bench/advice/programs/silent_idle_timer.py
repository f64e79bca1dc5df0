# bench/advice/programs/silent_idle_timer.py - a timer that does little, and sleeps as it was told to.
#
# SPDX-License-Identifier: Apache-2.0
# advice: none
# also: waiting
import time

TICKS = 18


def tick(count):
    return sum(range(count))


def main():
    total = 0
    for i in range(TICKS):
        began = time.monotonic()
        total += tick(1000 + i)
        time.sleep(max(0.0, 0.1 - (time.monotonic() - began)))
    print(total)


main()
