# bench/programs/regex.py - regular expressions over log lines: many short calls into C.
#
# SPDX-License-Identifier: Apache-2.0
import re
import sys

SCALE = 100
LINE = re.compile(r"(?P<host>[\d.]+) - (?P<user>\S+) \[(?P<day>\d+)/(?P<month>\w+)/(?P<year>\d{4})[^\]]*\] \"(\w+) ([^\"]*)\" (\d+)")
WORD = re.compile(r"\b[a-z]+(?:ing|ed|s)\b")


def text(count):
    words = "walking talked jumps over lazy dogs being watched quietly".split()
    for i in range(count):
        path = "/".join(words[(i + k) % len(words)] for k in range(4))
        yield '10.0.%d.%d - user%d [%02d/Oct/2024:13:55:36] "GET /%s?id=%d" %d' % (
            i % 256, i % 199, i % 50, i % 28 + 1, path, i, 200 + i % 300)


def main(rounds):
    lines = list(text(4000))
    found = 0
    for _ in range(rounds):
        for line in lines:
            match = LINE.match(line)
            if match and int(match.group("day")) % 2:
                found += len(WORD.findall(line)) + len(re.sub(r"\d+", "#", line))
    print(found)


main(int(sys.argv[1]) if len(sys.argv) > 1 else SCALE)
