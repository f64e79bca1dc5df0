# bench/advice/programs/risk_score.py - a score for each customer, by a function that is applied to rows.
#
# SPDX-License-Identifier: Apache-2.0
# advice: iterrows
# needs: pandas
import pandas as pd

CUSTOMERS = 150_000


def score(row):
    base = row["age"] / 100 + row["loans"] * 0.2
    return base * 1.5 if row["late"] > 2 else base


def main():
    frame = pd.DataFrame({"age": [20 + i % 60 for i in range(CUSTOMERS)], "loans": [i % 4 for i in range(CUSTOMERS)], "late": [i % 5 for i in range(CUSTOMERS)]})
    frame["score"] = frame.apply(score, axis=1)  # <- here
    print(round(frame["score"].mean(), 4))


main()
