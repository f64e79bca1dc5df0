# bench/handler.py - time the program loses to one sample, by the depth of its stack.
#
# SPDX-License-Identifier: Apache-2.0
"""Time in the sampling handler per sample, at stack depths 1 to 10,000."""

import json
import os
import resource
import statistics
import sys
import tempfile

import measure

DEPTHS = (1, 10, 100, 1000, 10000)

# The loop runs at the bottom of the stack and calls nothing, so all samples have the same depth.
# Depth 1 is the module itself.
PROGRAM = """
import sys, time
sys.setrecursionlimit(100000)
depth = int(sys.argv[1])
end = time.thread_time() + float(sys.argv[2])
def work(left):
    if left > 1:
        return work(left - 1)
    while time.thread_time() < end:
        for i in range(100000):
            pass
if depth > 1:
    work(depth - 1)
else:
    while time.thread_time() < end:
        for i in range(100000):
            pass
"""


def deepen_stack():
    """10,000 Python calls need more C stack than usual in versions before 3.11."""
    _, hard = resource.getrlimit(resource.RLIMIT_STACK)
    wanted = 256 << 20
    if hard != resource.RLIM_INFINITY:
        wanted = min(wanted, hard)
    resource.setrlimit(resource.RLIMIT_STACK, (wanted, hard))


def main():
    arguments = measure.parser(__doc__)
    arguments.add_argument("--rounds", type=int, default=5)
    arguments.add_argument("--seconds", type=float, default=2, help="CPU time of each run")
    arguments.add_argument("--interval", default="0.004", help="seconds between samples (default: %(default)s)")
    options = arguments.parse_args()
    deepen_stack()
    losses = {}
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "deep.py")
        outfile = os.path.join(folder, "profile.json")
        with open(program, "w") as stream:
            stream.write(PROGRAM)
        words = measure.scalene_command(options, outfile, "--cpu-sampling-rate", options.interval)
        commands = {depth: words + [program, str(depth), str(options.seconds)] for depth in DEPTHS}

        def once(depth, command):
            result = measure.run(command, measure.cpu_set(options.cpus), folder)
            if result.status:
                sys.exit("handler.py: depth %d ended with %d\n%s" % (depth, result.status, result.stderr.decode()))
            with open(outfile) as stream:
                own = json.load(stream)["scalene_c"]
            for reason, count in own["losses"].items():
                losses[reason] = losses.get(reason, 0) + count
            return own["handler_cpu_s"], own["samples_taken"]

        results = measure.interleave(commands, options.rounds, once)
    rows = []
    for depth, runs in results.items():
        micros = [1e6 * seconds / samples for seconds, samples in runs if samples]
        if not micros:
            sys.exit("handler.py: no samples at depth %d" % depth)
        share = statistics.median(seconds / options.seconds for seconds, _ in runs)
        samples = statistics.median(count for _, count in runs)
        rows.append([depth, measure.spread(micros, "%.1f"), "%d" % samples, "%.3f %%" % (100 * share)])
    print("%s %d rounds of %g s CPU, a sample every %s s.\n" % (measure.describe(options.python), options.rounds, options.seconds, options.interval))
    print(measure.table(["stack depth", "us per sample", "samples per run", "of the program's CPU time"], rows))
    lost = ", ".join("%s %d" % pair for pair in sorted(losses.items()) if pair[1])
    print("\nLost or cut samples, all runs together: %s." % (lost or "none"))
    measure.write_json(options.json, {"machine": measure.machine(), "runs": {str(d): r for d, r in results.items()}, "losses": losses})


if __name__ == "__main__":
    main()
