# bench/gpu.py - the profiler's numbers of a GPU against the truth, on a machine that has one.
#
# Programs of gpu_programs launch known work from known lines and print what is true of each: time by
# the device's own events, bytes, blocks. Each is profiled, and every number must be within its bound.
# Ends with 0 when all are, 1 when one is not, 77 when there is no GPU to measure.
#
# SPDX-License-Identifier: Apache-2.0
"""Accuracy and cost of GPU profiling on a real device."""

import dataclasses
import functools
import glob
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile

import measure

PROGRAMS = os.path.join(measure.ROOT, "bench", "gpu_programs")
NO_GPU = 77
LIMIT_S = 300
LINE_MARK = re.compile(r"# line: (.+)$")


@dataclasses.dataclass
class Kind:
    """A number that a program prints for a line: its key in the profile, and the error that is allowed."""

    title: str
    key: str
    relative: float = 0.0
    absolute: float = 0.0
    truth: float = 1.0  # times the number that the program prints: 0 where the profile should show none


KINDS = {
    "gpu_s": Kind("device time, s", "n_gpu_s", relative=0.03),
    "launches": Kind("launches", "n_gpu_launches"),
    "to_device_mb": Kind("MB to the device", "n_gpu_to_device_mb", absolute=1e-6),
    "from_device_mb": Kind("MB from the device", "n_gpu_from_device_mb", absolute=1e-6),
    "idle_s": Kind("idle time, s", "n_gpu_idle_s", relative=0.05),
    # the device is busy where the program waits for it: at most 5 % of its idle time elsewhere
    "little_idle_s": Kind("idle time, s", "n_gpu_idle_s", relative=0.05, truth=0),
    "malloc_mb": Kind("MB given out", "n_gpu_malloc_mb", relative=0.02),
    "live_mb": Kind("MB alive at once", "n_gpu_live_peak_mb", relative=0.02),
    "peak_mb": Kind("MB in use (driver)", "n_gpu_peak_memory_mb", relative=0.02),
    "busy_s": Kind("busy time, s", "gpu_busy_s", relative=0.05),
}


@dataclasses.dataclass
class Check:
    where: str
    what: str
    truth: float
    measured: float
    bound: float

    @property
    def good(self):
        return abs(self.measured - self.truth) <= self.bound + 1e-9  # for the rounding of the difference

    def row(self):
        return [self.where, self.what, number(self.truth), number(self.measured), self.error(), self.verdict()]

    def error(self):
        return "%+.2f %%" % ((self.measured / self.truth - 1) * 100) if self.truth else "-"

    def verdict(self):
        return "" if self.good else "**missed**"


def number(value):
    return "%d" % value if value == int(value) else "%.4f" % value


def marked_lines(source):
    """{name: line number} of the lines that end in "# line: name"."""
    found = {}
    for lineno, text in enumerate(source.splitlines(), 1):
        mark = LINE_MARK.search(text)
        if mark:
            found[mark.group(1)] = lineno
    return found


def judge(program, source, truth, profile):
    """Compares the numbers that a program has printed with its profile."""
    marks = marked_lines(source)
    lines = {}
    for name, record in profile.get("files", {}).items():
        if os.path.basename(name) == program:
            lines = {line["lineno"]: line for line in record["lines"]}
    own = profile.get("scalene_c", {})
    for name, true_numbers in truth.items():
        place = lines.get(marks[name], {}) if name else own
        where = "%s: %s" % (program, name) if name else program
        for what, value in true_numbers.items():
            if what in KINDS:
                kind = KINDS[what]
                bound = kind.relative * abs(value) + kind.absolute
                yield Check(where, kind.title, value * kind.truth, place.get(kind.key, 0), bound)


def cupti_home(folders):
    """The folder of a wheel with CUPTI, for a machine that has no toolkit; None when none is needed."""
    if os.environ.get("CUDA_HOME") or os.environ.get("CUDA_PATH") or glob.glob("/usr/local/cuda*/extras/CUPTI"):
        return None
    for folder in folders:
        for package in ("cuda_cupti", "cu13"):  # of CUDA 11 and 12, and of later ones
            home = os.path.join(folder, "nvidia", package)
            if glob.glob(os.path.join(home, "lib", "libcupti.so*")):
                return home
    return None


def paths_of(python):
    """Where an interpreter looks for packages."""
    code = "import json, sys; print(json.dumps(sys.path))"
    return json.loads(subprocess.run([python, "-c", code], stdout=subprocess.PIPE, check=True, text=True).stdout)


class Failed(Exception):
    """A program did not do what it should; the text says what it did."""


class Absent(Exception):
    """A program finds no device; the text says why."""


def run(command):
    """What a program prints."""
    what = "'%s'" % " ".join(command)
    try:
        ended = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=LIMIT_S, text=True)
    except subprocess.TimeoutExpired:
        raise Failed("%s takes more than %d s" % (what, LIMIT_S)) from None
    if ended.returncode == NO_GPU:
        raise Absent(ended.stderr.strip())
    if ended.returncode != 0:
        raise Failed("%s ends with %d:\n%s" % (what, ended.returncode, ended.stderr))
    try:
        return json.loads(ended.stdout.splitlines()[-1])
    except (IndexError, ValueError):
        raise Failed("%s prints no result:\n%s" % (what, ended.stdout)) from None


def profiled(options, outfile, *words, memory=False):
    kinds = [] if memory else ["--cpu-only", "--gpu"]
    return [options.scalene, "run", "--python", options.python, "--quiet", *kinds, "-o", outfile, *words]


def check_program(options, program, folder, traces):
    path = os.path.join(PROGRAMS, program)
    outfile = os.path.join(folder, program + ".json")
    with open(path, encoding="utf-8") as stream:
        source = stream.read()
    truth = run(profiled(options, outfile, path))
    with open(outfile, encoding="utf-8") as stream:
        profile = json.load(stream)
    own = profile.get("scalene_c", {})
    if not own.get("gpu_trace"):
        say("%s: device time was not traced: %s" % (program, "; ".join(own.get("notes", []))))
    traces.add(own.get("gpu_trace", "no CUPTI"))
    yield from judge(program, source, truth, profile)


def check_cost(options, title, words, folder, bound):
    """The ratio of the times that a loop takes, profiled and bare, in the same round."""
    path = os.path.join(PROGRAMS, words[0])
    outfile = os.path.join(folder, "cost.json")
    commands = {
        "bare": [options.python, path, *words[1:]],
        "time and GPU": profiled(options, outfile, path, *words[1:]),
        "all": profiled(options, outfile, path, *words[1:], memory=True),
    }
    results = measure.interleave(commands, options.rounds, lambda _, command: run(command)[""]["loop_s"])
    for name in ("time and GPU", "all"):
        ratios = [there / bare for there, bare in zip(results[name], results["bare"])]
        limit = 0.05 if bound else float("inf")
        yield Cost("%s, %s measured" % (title, name), "loop, s", statistics.median(results["bare"]),
                   statistics.median(results["bare"]) * statistics.median(ratios), limit)  # fmt: skip


class Cost(Check):
    """Less than the truth is no error; bound is a ratio."""

    @property
    def good(self):
        return self.measured <= self.truth * (1 + self.bound)


def attempt(title, measured):
    """A program's checks. A program that fails counts as one missed check, and the others' results are kept;
    torch and cupy may find no device where the driver has one, which is reported."""
    try:
        yield from measured()
    except Absent as why:
        say("%s: %s; it is left out" % (title, why))
    except Failed as why:
        say("%s: %s" % (title, why))
        yield Check(title, "ran to its end", 1, 0, 0)


def say(text):
    print("gpu.py: %s" % text, file=sys.stderr)


def has_module(python, name):
    code = "import importlib.util as u, sys; sys.exit(u.find_spec(%r) is None)" % name
    return subprocess.run([python, "-c", code]).returncode == 0


def main():
    parser = measure.parser(__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="of the runs that are timed (default: %(default)s)")
    parser.add_argument("--no-cost", action="store_true", help="compare the numbers only")
    options = parser.parse_args()
    home = cupti_home(sys.path + paths_of(options.python))
    if home:
        os.environ["CUDA_HOME"] = home
    code = "import sys; sys.path.insert(0, %r)\nimport gpu_driver\ngpu_driver.run(gpu_driver.Cuda.describe)"
    try:
        device = run([options.python, "-c", code % os.path.join(measure.ROOT, "bench")])
    except Absent as why:
        say("%s; nothing is measured" % why)
        return NO_GPU
    except Failed as why:
        say(str(why))
        return 1
    programs = ["kernels.py", "copies.py", "streams.py", "idle.py", "memory.py"]
    loops = [("training loop", ["training.py"], True), ("tiny kernels", ["training.py", "400", "0.002"], False)]
    if has_module(options.python, "torch"):
        programs.append("with_torch.py")
        loops.append(("torch training", ["with_torch.py", "--loop"], True))
    if has_module(options.python, "cupy"):
        programs.append("with_cupy.py")
    checks, traces = [], set()
    with tempfile.TemporaryDirectory() as folder:
        for program in programs:
            checks += attempt(program, functools.partial(check_program, options, program, folder, traces))
        for title, words, bound in [] if options.no_cost else loops:
            checks += attempt(title, functools.partial(check_cost, options, title, words, folder, bound))
    print("%s, %s. %s\n" % (device, ", ".join(sorted(traces)), measure.describe(options.python)))
    print(measure.table(["where", "what", "truth", "profile", "difference", ""], [check.row() for check in checks]))
    missed = [check for check in checks if not check.good]
    print("\n%d of %d numbers are within their bounds." % (len(checks) - len(missed), len(checks)))
    measure.write_json(options.json, {"device": device, "checks": [dataclasses.asdict(check) for check in checks]})
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
