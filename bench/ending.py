# bench/ending.py - how long after the program's last word the command ends: its profile is read out, named and written then.
#
# SPDX-License-Identifier: Apache-2.0
"""Milliseconds from a program's last exit handler to the end of the command, bare and profiled."""

import os
import statistics
import sys
import tempfile
import time

import measure

PROGRAMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs")
CHOSEN = "raytrace,json_round,documents,temporaries"

# Writes the time after the last exit handler to the file of the first argument; runs the program of the second with the rest.
WRAPPER = """
import atexit, runpy, sys, time
def note(path=sys.argv.pop(1)):
    with open(path, "w") as out:
        out.write(repr(time.monotonic()))
atexit.register(note)
sys.argv.pop(0)
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def main():
    arguments = measure.parser(__doc__)
    arguments.add_argument("--rounds", type=int, default=9)
    arguments.add_argument("--programs", default=CHOSEN, help="of bench/programs, separated by commas")
    options = arguments.parse_args()
    cpus = measure.cpu_set(options.cpus)
    rows = []
    kept = {}
    with tempfile.TemporaryDirectory() as folder:
        wrapper, noted, outfile = (os.path.join(folder, name) for name in ("wrapper.py", "noted", "profile.json"))
        with open(wrapper, "w") as out:
            out.write(WRAPPER)

        def once(name, command):
            result = measure.run(command, cpus, folder)
            ended_s = time.monotonic()
            if result.status:
                sys.exit("ending.py: %s ended with %d\n%s" % (name, result.status, result.stderr.decode()))
            with open(noted) as stream:
                return 1e3 * (ended_s - float(stream.read()))

        for program in options.programs.split(","):
            words = [wrapper, noted, os.path.join(PROGRAMS, program + ".py")]
            columns = {
                "bare": [options.python, *words],
                "scalene, time": measure.scalene_command(options, outfile, *words),
                "scalene, all": measure.scalene_command(options, outfile, *words, memory=True),
            }
            measure.interleave(columns, 1, once)  # fills caches; not counted
            results = measure.interleave(columns, options.rounds, once)
            kept[program] = results
            least = {name: min(runs) for name, runs in results.items()}
            added = ["%.1f" % (least[name] - least["bare"]) for name in list(columns)[1:]]
            size = os.path.getsize(outfile) / 1e6
            rows.append([program, *(measure.spread(results[name], "%.1f") for name in columns), *added, "%.2f" % size])
            print(program, statistics.median(results["scalene, all"]), file=sys.stderr)
    print("%s %d rounds, ms; median (smallest-largest).\n" % (measure.describe(options.python), options.rounds))
    head = ["program", "bare", "time only", "all", "added, time only", "added, all", "profile, MB"]
    print(measure.table(head, rows))
    measure.write_json(options.json, {"machine": measure.machine(), "ms": kept})


if __name__ == "__main__":
    main()
