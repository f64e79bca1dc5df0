# bench/side_by_side.py - what profiling costs on a machine whose speed changes all the time.
#
# Runs one after the other compare two moments of the machine. Here all columns of overhead.py run at once, on the
# same CPU, where they take turns every few milliseconds; so all meet the same machine, and the
# ratio of their CPU times shows a difference of 1 % where whole runs differ by 30 %. The observers run on the
# other CPUs and their time is reported separately.
#
# SPDX-License-Identifier: Apache-2.0
"""CPU time of programs, profiled and bare, all at once on one CPU."""

import json
import math
import os
import statistics
import subprocess
import sys
import tempfile

import measure
import overhead

TIMED = os.path.join(measure.ROOT, "bench", "timed.py")
CPU = 0


def start(columns, program, folder):
    """Starts every column, a command with the path `program` in it; a list of (name, process, file with its CPU time)."""
    others = os.sched_getaffinity(0) - {CPU}
    environment = dict(os.environ, PYTHONHASHSEED="0")
    started = []
    for i, (name, words) in enumerate(columns.items()):
        answer = os.path.join(folder, "cpu_s.%d" % i)
        at = words.index(program)
        command = words[:at] + [TIMED, str(CPU), answer] + words[at:]
        output = open(os.path.join(folder, "out.%d" % i), "wb")
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, env=environment,
            preexec_fn=lambda: os.sched_setaffinity(0, others))
        started.append((name, process, answer))
        output.close()
    return started


def run(columns, program, folder):
    """{column: CPU seconds of the program}. Ends the script when one of them fails."""
    cpu_s = {}
    for i, (name, process, answer) in enumerate(start(columns, program, folder)):
        if process.wait() != 0:
            with open(os.path.join(folder, "out.%d" % i)) as stream:
                sys.exit("side_by_side.py: %s ended with %d\n%s" % (name, process.returncode, stream.read()[-2000:]))
        with open(answer) as stream:
            cpu_s[name] = float(stream.read())
    return cpu_s


def once(options, program, folder):
    """{column: CPU seconds of the program}, {column: CPU time of its observer as a share of the program's}"""
    columns = overhead.commands(options, program, folder)
    if options.column:
        columns = {name: words for name, words in columns.items() if name in ["bare", *options.column]}
    profiles = {name: os.path.join(folder, "profile.%d.json" % i) for i, name in enumerate(columns)}
    for name, words in columns.items():
        if "-o" in words:
            words[words.index("-o") + 1] = profiles[name]
    cpu_s = run(columns, program.path, folder)
    observer = {}
    for name, profile in profiles.items():
        if os.path.exists(profile):
            with open(profile) as stream:
                observer[name] = json.load(stream)["scalene_c"]["observer_cpu_s"] / cpu_s[name]
    return cpu_s, observer


def main():
    arguments = measure.parser(__doc__)
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--scale", type=float, default=1.0, help="multiplies the work of every program")
    arguments.add_argument("--only", help="programs, comma separated")
    arguments.add_argument("--rates", default="10,4,1", help="of 10, 4 and 1 ms (default: %(default)s)")
    arguments.add_argument("--column", action="append", metavar="NAME", help="only this one and the bare one; can be repeated")
    options = arguments.parse_args()
    options.memory, options.peers = True, None
    rows, ratios, observers, kept = [], {}, {}, {}
    for program in overhead.programs():
        if (options.only and program.name not in options.only.split(",")) or program.missing(options.python):
            continue
        with tempfile.TemporaryDirectory() as folder:
            rounds = [once(options, program, folder) for _ in range(options.rounds)]
        bare_s = statistics.median(cpu_s["bare"] for cpu_s, _ in rounds)
        row = [program.name, "%.2f s" % bare_s]
        for name in list(rounds[0][0])[1:]:
            values = [cpu_s[name] / cpu_s["bare"] for cpu_s, _ in rounds]
            ratios.setdefault(name, []).append(statistics.median(values))
            row.append(measure.spread(values))
        for name in rounds[0][1]:
            observers.setdefault(name, []).append(statistics.median(observer[name] for _, observer in rounds))
        kept[program.name] = [cpu_s for cpu_s, _ in rounds]
        rows.append(row)
        print(" | ".join(row), file=sys.stderr, flush=True)
    rows.append(["**median**", ""] + ["**%.3f**" % statistics.median(values) for values in ratios.values()])
    means = [math.exp(statistics.mean(map(math.log, values))) for values in ratios.values()]
    rows.append(["geometric mean", ""] + ["%.3f" % mean for mean in means])
    rows.append(["worst", ""] + ["%.3f" % max(values) for values in ratios.values()])
    shares = ["%.1f %%" % (100 * statistics.median(observers[name])) if name in observers else "" for name in ratios]
    rows.append(["observer's CPU time, of the program's, median", ""] + shares)
    print("%s %d rounds.\n" % (measure.describe(options.python), options.rounds))
    print(measure.table(["program", "bare"] + list(ratios), rows))
    measure.write_json(options.json, {"machine": measure.machine(), "cpu_s": kept})


if __name__ == "__main__":
    main()
