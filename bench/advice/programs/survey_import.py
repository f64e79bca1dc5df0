# bench/advice/programs/survey_import.py - reads answers of a survey, of which most are not numbers.
#
# SPDX-License-Identifier: Apache-2.0
# advice: exceptions_as_flow
ANSWERS = 3_100_000
TEXTS = ["17", "n/a", "", "about five", "none", "?"]


def number_of(text):
    try:
        return int(text)  # <- here
    except ValueError:  # <- here
        return None


def main():
    valid = total = 0
    for i in range(ANSWERS):
        value = number_of(TEXTS[i % 6])
        if value is not None:
            valid += 1
            total += value
    print(valid, total)


if __name__ == "__main__":
    main()
