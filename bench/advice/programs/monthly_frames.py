# bench/advice/programs/monthly_frames.py - one table of all shops, grown month by month.
#
# SPDX-License-Identifier: Apache-2.0
# advice: array_growth
# also: copies
# needs: pandas
import pandas as pd

MONTHS = 700


def month(number):
    return pd.DataFrame({"month": number, "shop": range(120), "sales": [number * shop % 997 for shop in range(120)]})


def load():
    frame = pd.DataFrame(columns=["month", "shop", "sales"])
    for number in range(MONTHS):
        frame = pd.concat([frame, month(number)], ignore_index=True)  # <- here
    return frame


frame = load()
print(len(frame), frame["sales"].sum())
