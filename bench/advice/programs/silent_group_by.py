# bench/advice/programs/silent_group_by.py - sums by category with a table's own operations.
#
# SPDX-License-Identifier: Apache-2.0
# advice: none
# needs: pandas
import numpy as np
import pandas as pd

ROWS = 2_100_000
REPORTS = 16


def load():
    rng = np.random.default_rng(8)
    category = pd.Categorical.from_codes(rng.integers(0, 8, ROWS), list("abcdefgh"))
    return pd.DataFrame({"category": category, "amount": rng.random(ROWS)})


def report(sales):
    return sales.groupby("category", observed=True)["amount"].agg(["sum", "mean", "max"])


if __name__ == "__main__":
    sales = load()
    for _ in range(REPORTS):
        found = report(sales)
    print(found.shape)
