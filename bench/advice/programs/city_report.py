# bench/advice/programs/city_report.py - sales by city, where the name of the city is text in every row.
#
# SPDX-License-Identifier: Apache-2.0
# advice: object_column
# needs: pandas
import numpy as np
import pandas as pd

ROWS = 900_000
REPORTS = 12
CITIES = ["Rotterdam", "Utrecht", "Den Haag", "Groningen", "Eindhoven", "Leiden"]

rng = np.random.default_rng(6)
sales = pd.DataFrame({"amount": rng.random(ROWS)})
sales["city"] = np.array(CITIES, dtype=object)[rng.integers(0, len(CITIES), ROWS)]
for report in range(REPORTS):
    by_city = sales.groupby("city")["amount"].sum()  # <- here
    selected = sales[sales["city"] == CITIES[report % 6]]  # <- here
print(len(by_city), len(selected) > 0)
