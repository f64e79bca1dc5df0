# bench/advice/programs/stock_signals.py - marks the days on which a price crossed its mean, cell by cell.
#
# SPDX-License-Identifier: Apache-2.0
# advice: iterrows
# needs: pandas
import pandas as pd

DAYS = 30_000


def signals(frame):
    crossed = 0
    above = False
    for index, row in frame.iterrows():  # <- here
        now = row.close > row["mean"]  # <- here
        if now != above:
            crossed += 1
        above = now
    return crossed


def main():
    close = pd.Series([100 + (i * 37 % 101) / 10 for i in range(DAYS)])
    frame = pd.DataFrame({"close": close, "mean": close.rolling(30, min_periods=1).mean()})
    print(signals(frame))


main()
