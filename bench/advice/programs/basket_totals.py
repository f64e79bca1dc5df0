# bench/advice/programs/basket_totals.py - totals of orders in a table, row by row.
#
# SPDX-License-Identifier: Apache-2.0
# advice: iterrows
# needs: pandas
import numpy as np
import pandas as pd

ORDERS = 75_000


def load():
    rng = np.random.default_rng(4)
    return pd.DataFrame({
        "price": rng.random(ORDERS) * 100,
        "count": rng.integers(1, 9, ORDERS),
        "discount": rng.random(ORDERS) / 5,
    })  # fmt: skip


def totals(orders):
    result = []
    for _, order in orders.iterrows():  # <- here
        result.append(order["price"] * order["count"] * (1 - order["discount"]))  # <- here
    return result


if __name__ == "__main__":
    print(round(sum(totals(load()))) > 0)
