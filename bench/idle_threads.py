# bench/idle_threads.py - what threads that only wait cost the observer.
#
# SPDX-License-Identifier: Apache-2.0
"""CPU time of the observer while the program has many idle threads."""

import json
import os
import statistics
import sys
import tempfile

import measure

# Prints its own CPU time last, to be taken from that of the tree.
PROGRAM = """
import resource, sys, threading, time
count, seconds, busy = int(sys.argv[1]), float(sys.argv[2]), sys.argv[3] == "busy"
threading.stack_size(128 * 1024)
stop = threading.Event()
threads = [threading.Thread(target=stop.wait) for _ in range(count)]
for thread in threads:
    thread.start()
end = time.monotonic() + seconds
while busy and time.monotonic() < end:
    for i in range(100000):
        pass
if not busy:
    time.sleep(seconds)
stop.set()
for thread in threads:
    thread.join()
usage = resource.getrusage(resource.RUSAGE_SELF)
print(usage.ru_utime + usage.ru_stime)
"""


def main():
    arguments = measure.parser(__doc__)
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--seconds", type=float, default=10)
    arguments.add_argument("--threads", default="0,10,100,1000", help="numbers of threads (default: %(default)s)")
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "idle.py")
        outfile = os.path.join(folder, "profile.json")
        with open(program, "w") as stream:
            stream.write(PROGRAM)
        words = measure.scalene_command(options, outfile) + [program]
        commands = {
            (int(count), kind): words + [count, str(options.seconds), kind]
            for count in options.threads.split(",")
            for kind in ("asleep", "busy")
        }

        def once(key, command):
            result = measure.run(command, measure.cpu_set(options.cpus), folder)
            if result.status:
                sys.exit("idle_threads.py: %s ended with %d\n%s" % (key, result.status, result.stderr.decode()))
            with open(outfile) as stream:
                own = json.load(stream)["scalene_c"]
            outside = result.cpu_s - float(result.stdout.split()[-1])
            return own["observer_cpu_s"] / result.wall_s, outside / result.wall_s

        results = measure.interleave(commands, options.rounds, once)
    rows = [
        [count, kind]
        + [measure.spread([100 * run[i] for run in results[count, kind]], "%.2f") for i in (0, 1)]
        for count, kind in results
    ]
    print("%s %d rounds of %g s.\n" % (measure.describe(options.python), options.rounds, options.seconds))
    print(
        measure.table(
            ["idle threads", "main thread", "observer, % of a core, by its own account", "all but the program, from outside"],
            rows,
        )
    )
    worst = max(statistics.median(run[0] for run in runs) for runs in results.values())
    print("\nThe largest median: %.2f %%." % (100 * worst))
    measure.write_json(
        options.json,
        {"machine": measure.machine(), "runs": {"%d %s" % key: runs for key, runs in results.items()}},
    )


if __name__ == "__main__":
    main()
