# bench/advice/programs/edit_distance.py - how far words are from each other, letter by letter.
#
# SPDX-License-Identifier: Apache-2.0
# advice: python_loop | python_function
import random
import string

WORDS = 520


def distance(a, b):
    previous = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        current = [i]
        for j, y in enumerate(b, 1):
            current.append(min(previous[j] + 1, current[j - 1] + 1, previous[j - 1] + (x != y)))  # <- here
        previous = current
    return previous[-1]


def main():
    rng = random.Random(7)
    words = ["".join(rng.choices(string.ascii_lowercase, k=8)) for _ in range(WORDS)]
    print(min(distance(a, b) for i, a in enumerate(words) for b in words[:i]))


main()
