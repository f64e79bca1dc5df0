# bench/advice/programs/silent_compression.py - compresses blocks of data with one tuned call each.
#
# SPDX-License-Identifier: Apache-2.0
# advice: none
import zlib

BLOCKS = 220


def block(number):
    return (b"line %d of the log: everything is fine\n" % number) * 20_000 + bytes(range(256)) * 900


def main():
    sizes = []
    for number in range(BLOCKS):
        packed = zlib.compress(block(number), 9)
        sizes.append(len(packed))
    print(len(sizes), min(sizes) > 0)


main()
