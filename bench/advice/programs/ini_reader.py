# bench/advice/programs/ini_reader.py - reads settings from lines such as "name = value ; comment".
#
# SPDX-License-Identifier: Apache-2.0
# advice: regex_in_loop
import re

LINES = 1_900_000


def settings(lines):
    found = {}
    section = ""
    for line in lines:
        heading = re.match(r"\[(\w+)\]", line)  # <- here
        if heading:
            section = heading[1]
            continue
        entry = re.match(r"(\w+)\s*=\s*([^;]*)", line)  # <- here
        if entry:
            found[section, entry[1]] = entry[2]
    return found


def lines():
    for i in range(LINES):
        yield "[part%d]" % (i % 1000 // 100) if i % 100 == 0 else "k%d = %d ; c" % (i % 900, i)


print(len(settings(lines())))
