# bench/advice/programs/silent_compiled_regex.py - counts status codes with one pattern that is compiled once.
#
# SPDX-License-Identifier: Apache-2.0
# advice: none
import re
from collections import Counter

LINES = 3_000_000
ENTRY = re.compile(r'"(?P<method>[A-Z]+) (?P<path>\S+) [^"]*" (?P<status>\d{3})')


def lines():
    template = '10.0.0.%d - - "GET /page/%d HTTP/1.1" %d 512'
    made = [template % (i % 250, i % 77, (200, 404, 301)[i % 3]) for i in range(1000)]
    for i in range(LINES // 1000):
        yield from made


def main():
    search = ENTRY.search
    found = Counter(match["status"] for match in map(search, lines()) if match)
    print(sorted(found.items()))


if __name__ == "__main__":
    main()
