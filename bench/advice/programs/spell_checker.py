# bench/advice/programs/spell_checker.py - counts words of a text that a dictionary does not have.
#
# SPDX-License-Identifier: Apache-2.0
# advice: list_membership
import random
import string

WORDS = 9100
TEXT = 45_000


class Checker:
    def __init__(self, words):
        self.known = list(words)
        self.vowels = ["a", "e", "i", "o", "u"]

    def starts_well(self, word):
        return word[0] in self.vowels

    def unknown(self, text):
        bad, vowel = 0, 0
        for word in text:
            if self.starts_well(word):
                vowel += 1
            if word not in self.known:  # <- here
                bad += 1
        return bad, vowel


def make_word(rng):
    return "".join(rng.choices(string.ascii_lowercase, k=rng.randint(3, 9)))


rng = random.Random(11)
dictionary = [make_word(rng) for _ in range(WORDS)]
text = [rng.choice(dictionary) for _ in range(TEXT)]
print(Checker(dictionary).unknown(text))
