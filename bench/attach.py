# bench/attach.py - what a program pays while it is attached to.
#
# SPDX-License-Identifier: Apache-2.0
"""CPU time of a program with one thread and with many, bare and attached to, in turn: it does the same work each time."""

import statistics
import subprocess
import sys
import tempfile

import measure

# The threads share the work, and wait after every bit of it, so that they go on and off CPUs all the time.
PROGRAM = """
import sys, threading, time
turns, threads = int(sys.argv[1]), int(sys.argv[2])

def work(turns):
    for _ in range(turns):
        sum(i * i for i in range(2000))
        if threads > 1:
            time.sleep(0.001)

print("ready", flush=True)
sys.stdin.readline()
workers = [threading.Thread(target=work, args=(turns // threads,)) for _ in range(threads)]
begin = time.process_time()
for worker in workers:
    worker.start()
for worker in workers:
    worker.join()
print(time.process_time() - begin)
"""
THREADS = (1, 159)


def once(options, words, attach):
    """CPU seconds that the work took."""
    with subprocess.Popen([options.python, "-c", PROGRAM, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
        program.stdout.readline()
        observer = None
        if attach is not None:
            command = [options.scalene, "attach", "--cpu-only", *attach, str(program.pid)]
            observer = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
            if "profiling process" not in observer.stderr.readline():
                sys.exit("attach.py: %s" % observer.stderr.read())
        used_s = float(program.communicate("\n")[0])
        if observer is not None:
            observer.communicate()
    return used_s


def main():
    arguments = measure.parser(__doc__)
    arguments.add_argument("--rounds", type=int, default=11)
    arguments.add_argument("--turns", type=int, default=12000, help="how much work (default: %(default)s, some seconds)")
    options = arguments.parse_args()
    rows, kept = [], {}
    with tempfile.TemporaryDirectory() as folder:
        outfile = ["-o", folder + "/profile.json"]
        ways = {"bare": None, "from outside": ["--from-outside", *outfile], "by the agent, where it loads one": outfile}
        for threads in THREADS:
            words = [str(options.turns), str(threads)]
            results = measure.interleave(ways, options.rounds, lambda _, attach, words=words: once(options, words, attach))
            kept[threads] = results
            for name in list(ways)[1:]:
                ratios = [used / bare for used, bare in zip(results[name], results["bare"])]
                rows.append([threads, name, measure.spread(results["bare"]), measure.spread(ratios), "%.3f" % statistics.mean(ratios)])
    print("%s %d rounds.\n" % (measure.describe(options.python), options.rounds))
    print(measure.table(["threads", "attached", "bare, CPU s", "ratio of CPU time", "mean"], rows))
    measure.write_json(options.json, {"machine": measure.machine(), "runs": kept})


if __name__ == "__main__":
    main()
