# bench/interrupts.py - what an interrupt and an empty signal handler cost here: the floor of any sampling.
#
# SPDX-License-Identifier: Apache-2.0
"""A loop in C and a Python program with a signal every so often whose handler does nothing, against the same bare."""

import os
import statistics
import subprocess
import tempfile
import time

import measure

SOURCE = os.path.join(measure.ROOT, "bench", "interrupts.c")
INTERVALS_US = (10000, 4000, 1000)
ADDITIONS = 1000000000
PROGRAM = os.path.join(measure.ROOT, "bench", "programs", "raytrace.py")


def python_rows(options, folder):
    """The table's rows for an interpreter, whose caches and branch predictors an interrupt disturbs more."""
    library = os.path.join(folder, "interrupts.so")
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", SOURCE, "-o", library], check=True)

    def once(_, environment):
        begun_s = time.monotonic()
        subprocess.run(
            [options.python, PROGRAM], stdout=subprocess.DEVNULL, check=True, env={**os.environ, **environment}
        )
        return time.monotonic() - begun_s

    environments = {0: {}}
    for interval in INTERVALS_US:
        environments[interval] = {"LD_PRELOAD": library, "INTERVAL_US": str(interval)}
    walls = measure.interleave(environments, options.rounds, once)
    rows = []
    for interval in INTERVALS_US:
        ratios = [wall / one for wall, one in zip(walls[interval], walls[0])]
        best = min(walls[interval]) / min(walls[0])
        rows.append(["Python, %g ms" % (interval / 1000), measure.spread(ratios), "%.3f" % best, ""])
    return rows, walls


def main():
    arguments = measure.parser(__doc__)
    arguments.add_argument("--rounds", type=int, default=9)
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "interrupts")
        subprocess.run(["cc", "-O1", SOURCE, "-o", program], check=True)

        def once(_, command):
            wall_s, signals = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout.split()
            return float(wall_s), int(signals)

        commands = {0: [program, "NONE", "0", str(ADDITIONS)]}
        for interval in INTERVALS_US:
            commands[interval] = [program, "EVENT", str(interval), str(ADDITIONS)]
        results = measure.interleave(commands, options.rounds, once)
        in_python, python_walls = python_rows(options, folder)
    bare = [wall_s for wall_s, _ in results[0]]
    rows = []
    for interval in INTERVALS_US:
        walls = [wall_s for wall_s, _ in results[interval]]
        signals = statistics.median(count for _, count in results[interval])
        each_us = (min(walls) - min(bare)) / signals * 1e6
        ratios = [wall / one for wall, one in zip(walls, bare)]
        rows.append(["C, %g ms" % (interval / 1000), measure.spread(ratios), "%.3f" % (min(walls) / min(bare)), "%.1f" % each_us])
    rows += in_python
    print("%s %d rounds.\n" % (measure.describe(options.python), options.rounds))
    print(measure.table(["a signal every", "wall, ratio", "smallest / smallest", "us each"], rows))
    measure.write_json(options.json, {"machine": measure.machine(), "walls": {str(k): v for k, v in results.items()}, "python": python_walls})


if __name__ == "__main__":
    main()
