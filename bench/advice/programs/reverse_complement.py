# bench/advice/programs/reverse_complement.py - the opposite strand of a DNA sequence, base by base.
#
# SPDX-License-Identifier: Apache-2.0
# advice: string_growth
# also: copies
import random

BASES = 320_000
PAIRS = {"A": "T", "T": "A", "C": "G", "G": "C"}


def opposite(strand):
    result = ""
    for base in strand:
        result = PAIRS[base] + result  # <- here
    return result


def main():
    strand = "".join(random.Random(6).choices("ACGT", k=BASES))
    other = opposite(strand)
    print(other[:30], other.count("G"))


if __name__ == "__main__":
    main()
