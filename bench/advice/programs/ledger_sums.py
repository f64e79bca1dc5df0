# bench/advice/programs/ledger_sums.py - sums of amounts that a database handed over as objects.
#
# SPDX-License-Identifier: Apache-2.0
# advice: object_column
# needs: pandas
import pandas as pd

ROWS = 2_900_000
ROUNDS = 9


def load():
    amounts = [i * 37 % 10_007 / 4 for i in range(ROWS)]
    return pd.DataFrame({"account": range(ROWS), "amount": pd.Series(amounts, dtype=object)})  # <- here


def yearly(frame, rate):
    interest = frame["amount"] * rate  # <- here
    return interest.sum()  # <- here


def main():
    frame = load()
    print(round(sum(yearly(frame, 1 + i / 100) for i in range(ROUNDS))))


main()
