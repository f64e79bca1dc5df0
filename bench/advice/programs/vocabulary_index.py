# bench/advice/programs/vocabulary_index.py - turns words into numbers, by their place in a vocabulary.
#
# SPDX-License-Identifier: Apache-2.0
# advice: list_membership
# The place is asked for with index(), which searches the list as `in` does.
import random

VOCABULARY = 1600
TOKENS = 75_000


def encode(tokens, vocabulary):
    return [vocabulary.index(token) for token in tokens if token in vocabulary]  # <- here


def main():
    rng = random.Random(2)
    vocabulary = sorted({"w%05d" % rng.randrange(90_000) for _ in range(VOCABULARY)})
    tokens = rng.choices(vocabulary, k=TOKENS)
    ids = encode(tokens, vocabulary)
    print(len(ids), sum(ids))


main()
