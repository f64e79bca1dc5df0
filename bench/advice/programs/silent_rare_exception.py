# bench/advice/programs/silent_rare_exception.py - reads numbers of which very few are bad.
#
# SPDX-License-Identifier: Apache-2.0
# advice: none
NUMBERS = 17_000_000


def total(texts):
    result = bad = 0
    for text in texts:
        try:
            result += int(text)
        except ValueError:
            bad += 1
    return result, bad


def main():
    texts = ["12", "7", "450", "3"] * 250_000 + ["x"]
    for _ in range(NUMBERS // 1_000_000):
        found = total(texts)
    print(found)


main()
