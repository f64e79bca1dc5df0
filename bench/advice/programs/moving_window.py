# bench/advice/programs/moving_window.py - the mean of the last values of a stream.
#
# SPDX-License-Identifier: Apache-2.0
# advice: list_front
VALUES = 310_000
WINDOW = 40_000


def smooth(values):
    window = []
    total = 0
    for value in values:
        window.append(value)
        total += value
        if len(window) > WINDOW:
            total -= window.pop(0)  # <- here
        yield total / len(window)


def stream():
    for i in range(VALUES):
        yield i * 7919 % 1000


print(sum(smooth(stream())) // 1000)
