# bench/advice/programs/poll_results.py - asks again and again whether a result is there, and sleeps between.
#
# SPDX-License-Identifier: Apache-2.0
# advice: waiting
import threading
import time

JOBS = 14
done = {}


def job(number):
    time.sleep(0.11)
    done[number] = number * number


def result_of(number):
    threading.Thread(target=job, args=(number,)).start()
    while number not in done:
        time.sleep(0.02)  # <- here
    return done[number]


print(sum(result_of(number) for number in range(JOBS)))
