# bench/measure.py - what the benchmarks share: running a command, and statistics of the results.
#
# SPDX-License-Identifier: Apache-2.0
"""Runs commands and measures them as the shell's `time` does: the whole process tree."""

import argparse
import dataclasses
import json
import os
import platform
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROGRAMS = os.path.join(ROOT, "bench", "programs")


@dataclasses.dataclass
class Run:
    """One run. cpu_s and peak_mb are of the command and all children it waited for."""

    wall_s: float
    cpu_s: float
    peak_mb: float  # of the largest process
    status: int
    stdout: bytes
    stderr: bytes
    load: float  # of the machine, one minute's average, before the run


def wait(process, limit_s):
    """Status and usage of a process; one that takes longer than limit_s is killed with its group."""
    timer = threading.Timer(limit_s or 0, os.killpg, (process.pid, signal.SIGKILL))
    if limit_s:
        timer.start()
    _, status, usage = os.wait4(process.pid, 0)
    timer.cancel()
    return os.waitstatus_to_exitcode(status), usage


def run(command, cpus=None, directory=None, limit_s=None):
    """Runs a command to its end."""

    environment = dict(os.environ, PYTHONHASHSEED="0")  # the same dictionaries in every run

    def bind():
        if cpus:
            os.sched_setaffinity(0, cpus)

    with tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
        load = os.getloadavg()[0]
        began = time.monotonic()
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
            cwd=directory,
            env=environment,
            preexec_fn=bind,
            start_new_session=limit_s is not None,
        )
        process.returncode, usage = wait(process, limit_s)
        wall_s = time.monotonic() - began
        stdout.seek(0)
        stderr.seek(0)
        return Run(
            wall_s,
            usage.ru_utime + usage.ru_stime,
            usage.ru_maxrss / 1024,
            process.returncode,
            stdout.read(),
            stderr.read(),
            load,
        )


def interleave(commands, rounds, measure):
    """Calls measure(name, command) for each command in every round, beginning with another one each
    time, so that a slow phase of the machine affects all of them. Returns {name: [result per round]}."""
    names = list(commands)
    results = {name: [] for name in names}
    for i in range(rounds):
        for name in names[i % len(names) :] + names[: i % len(names)]:
            results[name].append(measure(name, commands[name]))
    return results


def spread(values, form="%.3f"):
    """Median, and the smallest and largest, as text."""
    return "%s (%s-%s)" % tuple(form % value for value in (statistics.median(values), min(values), max(values)))


def table(header, rows):
    """A table in Markdown."""
    lines = ["| " + " | ".join(header) + " |", "|" + " --- |" * len(header)]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines)


def python_version(python):
    code = "import platform; print(platform.python_version())"
    return subprocess.run([python, "-c", code], stdout=subprocess.PIPE, check=True, text=True).stdout.strip()


def machine():
    """What the numbers depend on."""
    model = ""
    with open("/proc/cpuinfo") as stream:
        for line in stream:
            if line.startswith("model name"):
                model = line.partition(":")[2].strip()
                break
    return {"processor": model, "cpus": len(os.sched_getaffinity(0)), "kernel": platform.release()}


def describe(python):
    facts = machine()
    return "Python %s, %s, %d CPUs, Linux %s." % (
        python_version(python),
        facts["processor"] or platform.machine(),
        facts["cpus"],
        facts["kernel"],
    )


def parser(description):
    """An argument parser with the options that every benchmark has."""
    arguments = argparse.ArgumentParser(description=description)
    arguments.add_argument(
        "--scalene",
        default=os.path.join(ROOT, "build", "src", "cli", "scalene"),
        help="the command to measure (default: %(default)s)",
    )
    arguments.add_argument("--python", default=sys.executable, help="runs the programs (default: this one)")
    arguments.add_argument("--json", metavar="FILE", help="write all numbers here")
    arguments.add_argument("--cpus", help="run on these CPUs only, as in 0,1")
    return arguments


def cpu_set(text):
    return {int(word) for word in text.split(",")} if text else None


def scalene_command(options, outfile, *words, memory=False):
    """The words before the program: `scalene run` that measures time only, or memory and copies too."""
    kinds = [] if memory else ["--cpu-only"]
    return [options.scalene, "run", "--python", options.python, "--quiet", *kinds, "-o", outfile, *words]


def write_json(path, data):
    if path:
        with open(path, "w") as stream:
            json.dump(data, stream, indent=1)
            stream.write("\n")
