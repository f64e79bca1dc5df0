# bench/programs/strings.py - building, splitting and formatting text: short-lived objects of all sizes.
#
# SPDX-License-Identifier: Apache-2.0
import collections
import sys

SCALE = 2500


def page(number):
    words = ["word%d" % ((number * 31 + i * i) % 997) for i in range(600)]
    lines = []
    for i in range(0, len(words), 12):
        line = " ".join(words[i : i + 12]).capitalize()
        lines.append("%4d  %-60s|" % (i, line[:60]))
    return "\n".join(lines)


def main(count):
    frequency = collections.Counter()
    size = 0
    for number in range(count):
        text = page(number)
        size += len(text.upper().replace("WORD", "w-").encode())
        for line in text.splitlines():
            for word in line.split():
                frequency[word.strip("|").lower()] += 1
        letters = ""
        for k, letter in enumerate(text[:3000]):
            letters += letter if letter.isalnum() else f"<{ord(letter):02x}>{k:>5}"
        size += len(letters)
    print(size, frequency.most_common(2))


main(int(sys.argv[1]) if len(sys.argv) > 1 else SCALE)
