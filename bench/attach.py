# bench/attach.py - what a program pays while it is attached to, and how well its profile shows what it does.
#
# SPDX-License-Identifier: Apache-2.0
"""A program with one thread and with many, bare and attached to, in turn: it does the same work each time, and measures what each of its two functions
takes. For each profiler: the error of the one's share in points, and CPU and elapsed time as parts of the bare run of the same round."""

import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import measure

# The threads share the work, and wait after some milliseconds of it, so that they go on and off CPUs all the time.
PROGRAM = """
import json, sys, threading, time
turns, threads = int(sys.argv[1]), int(sys.argv[2])
spent = {"light": 0.0, "heavy": 0.0}

def light():
    return sum(i * i for i in range(600))

def heavy():
    return sum(i * i for i in range(1400))

def work(turns):
    for i in range(turns):
        begin = time.thread_time()
        light()
        between = time.thread_time()
        heavy()
        spent["heavy"] += time.thread_time() - between
        spent["light"] += between - begin
        if threads > 1 and i % 20 == 0:
            time.sleep(0.02)

print("ready", flush=True)
sys.stdin.readline()
workers = [threading.Thread(target=work, args=(turns // threads,)) for _ in range(threads)]
began, began_cpu = time.perf_counter(), time.process_time()
for worker in workers:
    worker.start()
for worker in workers:
    worker.join()
print(json.dumps({"cpu_s": time.process_time() - began_cpu, "wall_s": time.perf_counter() - began,
                  "light": 100 * spent["light"] / (spent["light"] + spent["heavy"])}))
"""
SETTLE_S = 4  # until a profiler that does not say so has begun; twice as long where it has not
SETTLE_MAX_S = 30


def scalene(options, *words):
    return {"command": [options.scalene, "attach", "--cpu-only", *words, "-o", "{out}", "{pid}"], "begins": "profiling process", "read": of_profile}


def peer(*command):
    return {"command": command, "begins": None, "read": of_stacks}


def ways(options, python):
    """Name -> how that python is attached to; None: not at all."""
    found = {"bare": None, "scalene from outside": scalene(options, "--from-outside")}
    version = tuple(map(int, measure.python_version(python).split(".")[:2]))
    if version >= (3, 14):
        found["scalene by the agent"] = scalene(options)
    if options.py_spy:
        words = [options.py_spy, "record", "-r", "100", "-f", "raw", "-o", "{out}", "-p", "{pid}"]
        found["py-spy"] = peer(*words)
        found["py-spy --nonblocking"] = peer(*words, "--nonblocking")
    if version >= (3, 15):
        found["profiling.sampling"] = peer(python, "-m", "profiling.sampling", "attach", "-r", "100", "-a", "--mode", "cpu", "--collapsed", "-o", "{out}", "{pid}")
    return found


def part(light, heavy):
    return 100 * light / (light + heavy) if light + heavy > 0 else None


def of_profile(path, program):
    with open(path, encoding="utf-8") as file:
        functions = json.load(file)["files"].get(program, {}).get("functions", ())
    spent = {"light": 0, "heavy": 0}
    for one in functions:  # with the generators in them, and without the time in which no CPU was free
        name = one["line"].partition(".")[0]
        if name in spent:
            spent[name] += sum(one.get("time_s", {}).get(kind, 0) for kind in ("python", "native", "kernel"))
    return part(spent["light"], spent["heavy"])


def of_stacks(path, _):
    """Of lines "frame;frame;frame number"."""
    counts = {"light": 0, "heavy": 0}
    with open(path, encoding="utf-8") as file:
        for stack, _, number in (line.rpartition(" ") for line in file):
            for name in counts:
                counts[name] += int(number) if re.search(r"\b%s\b" % name, stack) else 0
    return part(counts["light"], counts["heavy"])


def attach(way, pid, out, settle_s):
    command = [word.format(out=out, pid=pid) for word in way["command"]]
    observer = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if way["begins"] is None:
        time.sleep(settle_s)
    elif way["begins"] not in observer.stderr.readline():
        sys.exit("attach.py: %s" % observer.stderr.read())
    return observer


def once(python, way, turns, threads, settle_s=SETTLE_S):
    """What the program says of itself, and the error of the profile in points; None where it has neither function."""
    with tempfile.TemporaryDirectory() as folder:
        path, out = os.path.join(folder, "program.py"), os.path.join(folder, "out.json")
        with open(path, "w", encoding="utf-8") as file:
            file.write(PROGRAM)
        with subprocess.Popen([python, path, str(turns), str(threads)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
            program.stdout.readline()
            observer = attach(way, program.pid, out, settle_s) if way is not None else None
            found = json.loads(program.communicate("\n")[0])
            if observer is not None:
                errors = observer.communicate()[1]
                if not os.path.exists(out) and way["begins"] is None and settle_s < SETTLE_MAX_S:
                    return once(python, way, turns, threads, 2 * settle_s)
                if not os.path.exists(out):
                    sys.exit("attach.py: %s: %s" % (" ".join(way["command"]), errors))
                seen = way["read"](out, path)
                found["error"] = seen - found["light"] if seen is not None else None
    return found


def row(python, threads, name, results):
    """A row of the table."""
    errors = [run["error"] for run in results[name] if run["error"] is not None]
    cells = [measure.spread(errors, "%+.1f") if errors else "neither was seen"]
    for key in ("cpu_s", "wall_s"):
        ratios = [run[key] / bare[key] for run, bare in zip(results[name], results["bare"])]
        cells += [measure.spread(ratios), "%.3f" % statistics.mean(ratios)]
    return [measure.python_version(python), threads, name, *cells]


def main():
    arguments = measure.parser(__doc__)
    arguments.add_argument("--pythons", metavar="LIST", help="instead of --python: several, separated by commas")
    arguments.add_argument("--py-spy", metavar="FILE", default=shutil.which("py-spy"), help="the command py-spy (default: the one on PATH, if there is one)")
    arguments.add_argument("--threads", default="1,16,159", help="numbers of threads (default: %(default)s)")
    arguments.add_argument("--rounds", type=int, default=11)
    arguments.add_argument("--turns", type=int, default=12000, help="how much work (default: %(default)s, some seconds)")
    options = arguments.parse_args()
    rows, kept = [], {}
    for python in options.pythons.split(",") if options.pythons else [options.python]:
        for threads in map(int, options.threads.split(",")):
            results = measure.interleave(
                ways(options, python), options.rounds, lambda _, way, python=python, threads=threads: once(python, way, options.turns, threads))
            kept["%s, %d threads" % (python, threads)] = results
            rows += [row(python, threads, name, results) for name in results if name != "bare"]
    print("%s %d rounds.\n" % (measure.describe(options.python), options.rounds))
    print(measure.table(["Python", "threads", "attached", "error, points", "ratio of CPU time", "mean", "ratio of elapsed time", "mean"], rows))
    measure.write_json(options.json, {"machine": measure.machine(), "runs": kept})


if __name__ == "__main__":
    main()
