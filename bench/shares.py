# bench/shares.py - how far off the share of a function is, at defaults and otherwise.
#
# A program does the same work in two functions, one of which calls another in each step, in turns of some milliseconds,
# and measures the CPU time of both. Error: the difference of the share of the first from the true one, in points.
#
# SPDX-License-Identifier: Apache-2.0
"""Error of the share of two functions, in points, over nine shares."""

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile

import measure

PROGRAM = os.path.join(measure.ROOT, "bench", "share_programs", "two_ways.py")
SHARES = [part / 10 for part in range(1, 10)]


def spinners(count):
    """Processes that take the CPUs away from the program."""
    return [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]


def error(scalene, options, python, share, seconds, truth):
    """Found minus true, in points."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "profile.json")
        words = [scalene, "run", "--quiet", "-o", out, "--python", python, *options, "---", PROGRAM, str(share), str(seconds), truth]
        done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True)
        true = json.loads(done.stdout)
        with open(out) as stream:
            found = json.load(stream)["files"][PROGRAM]["functions"]
    shares = {}
    for function in found:
        name = "inlined" if function["line"] == "inlined" else "calling" if function["line"] in ("calling", "helper") else None
        percent = function["n_cpu_percent_python"] + function["n_cpu_percent_c"] + function["n_sys_percent"]
        shares[name] = shares.get(name, 0) + percent
    calling, inlined = shares.get("calling", 0), shares.get("inlined", 0)
    return 100 * (calling / (calling + inlined) - true["calling"] / sum(true.values())) if calling + inlined else math.nan


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    default = os.path.join(os.environ.get("SC_BUILD") or os.path.join(measure.ROOT, "build"), "src", "cli", "scalene")
    parser.add_argument("--scalene", action="append", help="the command, or several to be compared")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--seconds", type=float, default=2.5, help="of CPU time in each run")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--spinners", type=int, default=0, help="processes beside that use all the CPU time they get")
    parser.add_argument("--option", action="append", default=[], help="of scalene run, as --option=--cpu-only")
    options = parser.parse_args()
    errors = {command: [] for command in options.scalene or [default]}
    truth = "tries" if options.spinners else "clock"
    beside = spinners(options.spinners)
    try:
        for _ in range(options.rounds):
            for share in SHARES:
                for command, found in errors.items():  # in turns, since the machine's speed changes
                    found.append(error(command, options.option, options.python, share, options.seconds, truth))
    finally:
        for process in beside:
            process.kill()
            process.wait()
    print("| command | mean error, points | bias | worst | runs |")
    print("|---|---|---|---|---|")
    for command, found in errors.items():
        sizes = [abs(each) for each in found]
        print("| %s | %.2f | %+.2f | %.2f | %d |" % (command, statistics.mean(sizes), statistics.mean(found), max(sizes), len(sizes)))


if __name__ == "__main__":
    main()
