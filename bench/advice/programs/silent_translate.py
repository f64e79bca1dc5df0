# bench/advice/programs/silent_translate.py - cleans a long text with one table and one call for each chapter.
#
# SPDX-License-Identifier: Apache-2.0
# advice: none
import string

CHAPTERS = 490
TABLE = str.maketrans({mark: " " for mark in string.punctuation})


def words_of(chapter):
    return chapter.translate(TABLE).lower().split()


def chapter(number):
    return ("It was - chapter %d; the night, (again) was dark & long! " % number) * 6000


print(sum(len(words_of(chapter(number))) for number in range(CHAPTERS)))
