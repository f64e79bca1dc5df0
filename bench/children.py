# bench/children.py - what following short children costs, each.
#
# SPDX-License-Identifier: Apache-2.0
"""Milliseconds that profiling adds to each of many short children in a row, and what they leave behind."""

import glob
import os
import statistics
import sys
import tempfile

import measure

# One child after the other, each of which does nothing. "fork" leaves by os._exit, "subprocess" is a Python
# that starts anew, "shell" a program that is not Python.
PROGRAM = """
import os, subprocess, sys
count, kind = int(sys.argv[1]), sys.argv[2]
for _ in range(count):
    if kind == "fork":
        pid = os.fork()
        if pid == 0:
            os._exit(0)
        os.waitpid(pid, 0)
    elif kind == "subprocess":
        subprocess.run([sys.executable, "-S", "-c", ""], check=True)
    else:
        subprocess.run(["/bin/true"], check=True)
print(len(os.listdir("/proc/self/fd")))
"""
KINDS = ("fork", "subprocess", "shell")


def left_behind(folder):
    """Names of files that a run could leave."""
    return {name for pattern in ("/dev/shm/*scalene*", "/tmp/scalene*", os.path.join(folder, "*")) for name in glob.glob(pattern)}


def main():
    arguments = measure.parser(__doc__)
    arguments.add_argument("--rounds", type=int, default=5)
    arguments.add_argument("--children", type=int, default=500)
    options = arguments.parse_args()
    cpus = measure.cpu_set(options.cpus)
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "children.py")
        outfile = os.path.join(folder, "profile.json")
        for path, text in ((program, PROGRAM), (outfile, "")):
            with open(path, "w", encoding="utf-8") as stream:
                stream.write(text)
        names = {
            "bare": [options.python, program],
            "time": measure.scalene_command(options, outfile, program),
            "all": measure.scalene_command(options, outfile, program, memory=True),
        }
        commands = {
            (kind, name): [*words, str(options.children), kind] for kind in KINDS for name, words in names.items()
        }
        before = left_behind(folder)

        def once(key, command):
            result = measure.run(command, cpus, folder)
            if result.status:
                sys.exit("children.py: %s ended with %d\n%s" % (key, result.status, result.stderr.decode()))
            if left := left_behind(folder) - before:
                sys.exit("children.py: %s left %s behind" % (key, ", ".join(sorted(left))))
            return result.wall_s, result.cpu_s, int(result.stdout.split()[-1])

        results = measure.interleave(commands, options.rounds, once)
    rows, worst = [], 0.0
    for kind in KINDS:
        bare = results[kind, "bare"]
        row = [kind, measure.spread([1e3 * run[0] / options.children for run in bare], "%.2f")]
        for name in ("time", "all"):
            runs = results[kind, name]
            for part in (0, 1):
                added = [1e3 * (run[part] - base[part]) / options.children for run, base in zip(runs, bare)]
                row.append(measure.spread(added, "%.2f"))
                worst = max(worst, statistics.median(added))
            if {run[2] for run in runs} != {run[2] for run in bare}:
                sys.exit("children.py: the program has other descriptors open than without the profiler")
        rows.append(row)
    print("%s %d rounds of %d children.\n" % (measure.describe(options.python), options.rounds, options.children))
    header = ["children", "bare, ms each", "added: wall", "added: CPU, whole tree", "with memory: wall", "with memory: CPU"]
    print(measure.table(header, rows))
    print("\nAt most %.2f ms for each child (medians). Nothing was left behind." % worst)
    measure.write_json(
        options.json,
        {"machine": measure.machine(), "runs": {" ".join(key): runs for key, runs in results.items()}},
    )


if __name__ == "__main__":
    main()
