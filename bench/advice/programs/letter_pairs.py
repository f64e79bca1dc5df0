# bench/advice/programs/letter_pairs.py - finds the commonest pair of neighbouring letters in a text.
#
# SPDX-License-Identifier: Apache-2.0
# advice: manual_count
import random

LETTERS = 2_500_000


def pairs_of(text):
    return [text[i : i + 2] for i in range(0, len(text) - 1)]


def commonest(pairs):
    counts = {}
    for pair in pairs:
        counts[pair] = counts.get(pair, 0) + 1  # <- here
    return max(counts, key=counts.get)


def main():
    random.seed(5)
    text = "".join(random.choices("etaoinshrdlu", k=LETTERS))
    print(commonest(pairs_of(text)))


main()
