# bench/advice/programs/keyword_tagger.py - finds which of some hundred product names a message mentions.
#
# SPDX-License-Identifier: Apache-2.0
# advice: regex_in_loop
import re

MESSAGES = 150
PRODUCTS = ["gadget%d pro" % i for i in range(700)]


def tags(message):
    found = []
    for product in PRODUCTS:
        pattern = re.compile(r"\b" + re.escape(product) + r"\b", re.IGNORECASE)  # <- here
        if pattern.search(message):
            found.append(product)
    return found


def main():
    hits = 0
    for i in range(MESSAGES):
        hits += len(tags("I would like to return my gadget%d pro, it came with a scratch, order %d" % (i, i * 71)))
    print(hits)


main()
