# bench/advice/programs/report_mailer.py - a command whose reports need pandas on Mondays only.
#
# SPDX-License-Identifier: Apache-2.0
# advice: imports
# needs: pandas
import datetime
import hashlib

import numpy as np  # <- here
import pandas as pd  # <- here

ROUNDS = 3_400_000


def weekly(day):
    if day.weekday() == 0:
        return pd.DataFrame({"day": [day], "value": np.ones(1)}).to_csv()
    return "nothing to report"


def token(text):
    return hashlib.pbkdf2_hmac("sha256", text.encode(), b"salt", ROUNDS).hex()[:8]


print(weekly(datetime.date(2024, 5, 7)), token("report") != "")
