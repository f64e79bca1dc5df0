#!/usr/bin/env python3
# bench/compare.py - how often `scalene compare` finds a difference where there is none, and one of some percent.
#
# SPDX-License-Identifier: Apache-2.0
"""False alarms and differences found, on this machine as it is."""

import argparse
import json
import subprocess
import sys

PROGRAM = """
total = 0
for i in range(%d):
    total += i * i %% 7
    [str(i)] * 8
"""


def compare(scalene, slower_percent, loops, budget_s):
    """(elapsed, CPU): 1 where B is said to take more, -1 less, 0 neither; and the rounds it took."""
    programs = [PROGRAM % loops, PROGRAM % round(loops * (1 + slower_percent / 100))]
    command = [scalene, "compare", "--json", "--profiles", "0", "--budget", str(budget_s)]
    for program in programs:
        command += ["--", sys.executable, "-S", "-c", program]
    found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    signs = [found[key]["is_certain"] * (1 if found[key]["change_percent"] > 0 else -1) for key in ("elapsed_s", "cpu_s", "peak_mb")]
    return signs, found["rounds"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scalene", default="build/src/cli/scalene")
    parser.add_argument("--comparisons", type=int, default=40, metavar="N", help="of each kind")
    parser.add_argument("--slower", type=float, nargs="+", default=[0, 3, 10], metavar="PERCENT")
    parser.add_argument("--loops", type=int, default=1_000_000, help="of the program: a million are about 0.3 s")
    parser.add_argument("--budget", type=float, default=120, metavar="S")
    parser.add_argument("--json", metavar="FILE")
    arguments = parser.parse_args()
    kept = []
    print("| B is slower by | comparisons | found | of these by elapsed time | found the wrong way | rounds, mean |")
    print("|---|---|---|---|---|---|")
    for slower in arguments.slower:
        results = [compare(arguments.scalene, slower, arguments.loops, arguments.budget) for _ in range(arguments.comparisons)]
        kept.append({"slower_percent": slower, "results": results})
        found = sum(any(signs) for signs, _ in results)
        by_time = sum(signs[0] == 1 for signs, _ in results)
        wrong = sum(-1 in signs or (slower == 0 and 1 in signs) or signs[2] != 0 for signs, _ in results)
        rounds = sum(count for _, count in results) / len(results)
        print("| %g%% | %d | %d | %d | %d | %.0f |" % (slower, len(results), found, by_time, wrong, rounds), flush=True)
    if arguments.json:
        with open(arguments.json, "w") as file:
            json.dump(kept, file)


if __name__ == "__main__":
    main()
