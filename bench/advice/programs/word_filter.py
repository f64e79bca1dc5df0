# bench/advice/programs/word_filter.py - masks the words of a list of bad words in the comments of a forum.
#
# SPDX-License-Identifier: Apache-2.0
# advice: regex_in_loop
from re import IGNORECASE, sub

COMMENTS = 44
BAD = ["darn%s" % (chr(97 + i % 26) * (i // 26 + 1)) for i in range(600)]


def clean(comment):
    for word in BAD:
        comment = sub(r"\b%s\b" % word, "***", comment, flags=IGNORECASE)  # <- here
    return comment


def comments():
    for i in range(COMMENTS):
        yield "This is a %s bad thing, said person %d" % (BAD[i], i)


print(sum(clean(text).count("***") for text in comments()))
