# bench/advice/programs/tiny_tool.py - prints a small sum; most of its time is a package that it hardly uses.
#
# SPDX-License-Identifier: Apache-2.0
# advice: imports
# needs: pandas
import sys

import pandas as pd  # <- here


def main():
    frame = pd.DataFrame({"a": range(10)})
    print(int(frame["a"].sum()), len(sys.argv))


if __name__ == "__main__":
    main()
