# bench/programs/pretty.py - pprint of nested data: deep recursion in the standard library, many strings.
#
# SPDX-License-Identifier: Apache-2.0
import pprint
import sys

SCALE = 4400


def nested(depth, width):
    if depth == 0:
        return ["leaf %d" % i for i in range(width)]
    return {"key %d" % i: nested(depth - 1, width) if i % 2 else (i, str(i) * 5) for i in range(width)}


def main(count):
    data = nested(3, 4)
    length = 0
    for i in range(count):
        data["round"] = i
        length += len(pprint.pformat(data, width=60))
    print(length)


main(int(sys.argv[1]) if len(sys.argv) > 1 else SCALE)
