# bench/advice/programs/silent_short.py - a script that is over before there is anything to say.
#
# SPDX-License-Identifier: Apache-2.0
# advice: none
# also: imports
import argparse
import json
import os


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=3000)
    options = parser.parse_args()
    names = sorted(os.environ)
    print(len(json.dumps({"count": options.count, "names": names})) > 0)


if __name__ == "__main__":
    main()
