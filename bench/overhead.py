# bench/overhead.py - time and memory of whole programs, bare and profiled.
#
# Each round runs a program once bare and once under each profiler, so that both meet the same
# machine; what is reported is the ratio within a round. A second bare run shows the noise: a
# difference smaller than its spread means nothing.
#
# SPDX-License-Identifier: Apache-2.0
"""Whole-process overhead of the profiler, and of others."""

import ast
import dataclasses
import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

import measure

TOO_SLOW = 8  # times bare: a peer that takes longer is stopped

RATES = {"10 ms": "0.01", "4 ms": "0.004", "1 ms": "0.001"}


@dataclasses.dataclass
class Program:
    name: str
    path: str
    scale: int
    needs: tuple

    def missing(self, python):
        """The first module that the interpreter lacks, or None."""
        for name in self.needs:
            if subprocess.run([python, "-c", "import " + name], stderr=subprocess.DEVNULL).returncode:
                return name
        return None


def programs():
    """All programs; their size and needs are constants in their text."""
    for entry in sorted(os.scandir(measure.PROGRAMS), key=lambda entry: entry.name):
        if not entry.name.endswith(".py"):
            continue
        constants = {"NEEDS": ()}
        with open(entry.path) as stream:
            for node in ast.parse(stream.read()).body:
                if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") in ("SCALE", "NEEDS"):
                    constants[node.targets[0].id] = ast.literal_eval(node.value)
        yield Program(entry.name[:-3], entry.path, constants["SCALE"], constants["NEEDS"])


def peers(options):
    """Other profilers: name and the words before "program argument". {out} is a scratch file."""
    found = {}
    for name in options.peers.split(",") if options.peers else []:
        folder = options.peers_bin
        program = os.path.join(folder, name) if folder else shutil.which(name)
        if name not in ("scalene-original", "tracemalloc") and (program is None or not os.access(program, os.X_OK)):
            sys.exit("overhead.py: %s is not installed; see --peers-bin" % name)
        if name == "py-spy":
            found["py-spy 10 ms"] = [program, "record", "-r", "100", "-f", "raw", "-o", "{out}", "--", options.python]
        elif name == "austin":
            found["austin 10 ms"] = [program, "-i", "10000", "-o", "{out}", options.python]
        elif name == "memray":
            found["memray"] = [os.path.join(folder, "python") if folder else options.python, "-m", "memray", "run", "-f", "-o", "{out}"]
        elif name == "tracemalloc":
            found["tracemalloc"] = [options.python, "-X", "tracemalloc"]
        elif name == "scalene-original":
            if not options.original_python:
                sys.exit("overhead.py: scalene-original needs --original-python")
            words = [options.original_python, "-m", "scalene", "run"]
            found["original 10 ms"] = words + ["--cpu-only", "-o", "{out}.json"]
            if options.memory:
                found["original, all"] = words + ["-o", "{out}.json"]
            found["bare, its Python"] = [options.original_python]
        else:
            sys.exit("overhead.py: unknown peer '%s'" % name)
    return found


def commands(options, program, folder):
    """Name and command of every column, in order; the first is the base of the ratios."""
    tail = [program.path, str(max(1, round(program.scale * options.scale)))]
    columns = {"bare": [options.python] + tail, "bare again": [options.python] + tail}
    for name in options.rates.split(","):
        outfile = os.path.join(folder, "profile.json")
        words = measure.scalene_command(options, outfile, "--cpu-sampling-rate", RATES[name + " ms"])
        columns["scalene %s ms" % name] = words + tail
    if options.memory:
        columns["scalene, all"] = measure.scalene_command(options, outfile, memory=True) + tail
    for name, words in peers(options).items():
        columns[name] = [word.replace("{out}", os.path.join(folder, "peer")) for word in words] + tail
    return columns


def is_peer(column):
    return not column.startswith(("bare", "scalene"))


def check(name, run, expected):
    """A run that failed, or printed something else, is no measurement. Peers may print of their own,
    and what they cannot run is left out of their column."""
    wrong = run.status != 0 or expected not in run.stdout
    if wrong and not is_peer(name):
        sys.exit(
            "overhead.py: %s ended with %d\n%s" % (name, run.status, (run.stdout + run.stderr)[-2000:].decode(errors="replace"))
        )


def measure_program(options, program):
    """{column: [Run per round]}"""
    with tempfile.TemporaryDirectory() as folder:
        columns = commands(options, program, folder)
        cpus = measure.cpu_set(options.cpus)
        first = measure.run(columns["bare"], cpus, folder)  # fills caches; not counted
        check("bare", first, b"")

        failed = set()

        def once(name, command):
            if name in failed:
                return None
            result = measure.run(command, cpus, folder, first.wall_s * TOO_SLOW + 10 if is_peer(name) else None)
            check(name, result, first.stdout)
            if result.status != 0 or first.stdout not in result.stdout:
                failed.add(name)
            return result

        results = measure.interleave(columns, options.rounds, once)
        return {name: runs for name, runs in results.items() if name not in failed}


def base_of(column, results):
    """The original profiler may need another Python; its base is the bare run of that Python."""
    return "bare, its Python" if column.startswith("original") and "bare, its Python" in results else "bare"


def ratios(results, column, quantity):
    base = results[base_of(column, results)]
    return [getattr(run, quantity) / getattr(bare, quantity) for run, bare in zip(results[column], base)]


def geometric_mean(values):
    return math.exp(statistics.fmean(math.log(value) for value in values))


def smallest(results, column, quantity):
    """The ratio of the smallest run to the smallest bare one: what a machine that varies disturbs least."""
    base = results[base_of(column, results)]
    return min(getattr(run, quantity) for run in results[column]) / min(getattr(run, quantity) for run in base)


def report(title, quantity, all_results, form, only_smallest=False):
    columns = []
    for results in all_results.values():
        columns += [c for c in results if c not in columns and c not in ("bare", "bare, its Python")]
    rows = []
    chosen = {column: [] for column in columns}
    for name, results in all_results.items():
        row = [name, form % statistics.median(getattr(run, quantity) for run in results["bare"])]
        for column in columns:
            if column not in results:
                row.append("failed")
                continue
            values = ratios(results, column, quantity)
            value = smallest(results, column, quantity) if only_smallest else statistics.median(values)
            chosen[column].append(value)
            row.append("%.3f" % value if only_smallest else measure.spread(values))
        rows.append(row)
    rows.append(["**median**", ""] + ["**%.3f**" % statistics.median(chosen[column]) for column in columns])
    rows.append(["geometric mean", ""] + ["%.3f" % geometric_mean(chosen[column]) for column in columns])
    return "%s\n\n%s\n" % (title, measure.table(["program", "bare"] + columns, rows))


def main():
    arguments = measure.parser(__doc__)
    arguments.add_argument("--rounds", type=int, default=5)
    arguments.add_argument("--scale", type=float, default=1, help="multiplies the work of every program")
    arguments.add_argument("--only", help="programs, comma separated")
    arguments.add_argument("--rates", default="10,4,1", help="of 10, 4 and 1 ms (default: %(default)s)")
    arguments.add_argument("--memory", action="store_true", help="a column with memory and copies measured too")
    arguments.add_argument("--peers", help="of py-spy, austin, memray, tracemalloc and scalene-original, comma separated")
    arguments.add_argument("--peers-bin", help="the folder of py-spy and austin, if not on PATH")
    arguments.add_argument("--original-python", help="an interpreter that has the original profiler installed")
    options = arguments.parse_args()
    chosen = [p for p in programs() if not options.only or p.name in options.only.split(",")]
    all_results = {}
    for program in chosen:
        missing = program.missing(options.python)
        if missing:
            print("%s: left out, no %s here" % (program.name, missing), file=sys.stderr)
            continue
        print("%s ..." % program.name, file=sys.stderr)
        results = all_results[program.name] = measure_program(options, program)
        medians = {c: statistics.median(ratios(results, c, "wall_s")) for c in results}
        print("    " + ", ".join("%s %.3f" % pair for pair in medians.items()), file=sys.stderr)
    if not all_results:
        sys.exit("overhead.py: nothing to run")
    print("%s %d rounds; median (smallest-largest) of profiled / bare.\n" % (measure.describe(options.python), options.rounds))
    print(report("Wall time, seconds and ratios:", "wall_s", all_results, "%.2f s"))
    print(report("Wall time, smallest of the rounds:", "wall_s", all_results, "%.2f s", True))
    print(report("User and system CPU time of the whole tree:", "cpu_s", all_results, "%.2f s"))
    print(report("CPU time, smallest of the rounds:", "cpu_s", all_results, "%.2f s", True))
    print(report("Peak resident memory of the largest process:", "peak_mb", all_results, "%.1f MB"))
    raw = {
        name: {
            column: [{k: v for k, v in vars(run).items() if k not in ("stdout", "stderr")} for run in runs if run is not None]
            for column, runs in results.items()
        }
        for name, results in all_results.items()
    }
    facts = dict(measure.machine(), python=measure.python_version(options.python), rounds=options.rounds)
    measure.write_json(options.json, {"machine": facts, "programs": raw})


if __name__ == "__main__":
    main()
