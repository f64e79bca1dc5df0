# bench/advice/programs/tag_suggestions.py - suggests tags that an article does not have yet.
#
# SPDX-License-Identifier: Apache-2.0
# advice: list_membership
import collections
import random

ARTICLES = 60
TAGS = 2500
SUGGESTIONS = 45


def suggest(own, others):
    counts = collections.Counter()
    for tags in others:
        for tag in tags:
            if tag not in own:  # <- here
                counts[tag] += 1
    return counts.most_common(3)


def main():
    rng = random.Random(20)
    names = ["tag-%d" % i for i in range(TAGS)]
    articles = [rng.sample(names, 400) for _ in range(ARTICLES)]
    colours = ["red", "green", "blue"]
    found = []
    for i in range(SUGGESTIONS):
        if names[i] in colours:
            continue
        found.append(suggest(articles[i], articles[:45]))
    print(len(found))


main()
