# bench/peaks.py - the peak of memory that we report, beside memray's, which follows every allocation.
#
# memray (https://github.com/bloomberg/memray) runs with --trace-python-allocators, so that it sees small objects as we do.
# memray's interpreter is used for both, and both begin after memray's own modules are imported, which include half of
# what a program imports (2 of numpy's 7 MB of small objects). Error: our peak divided by memray's, minus one.
#
# SPDX-License-Identifier: Apache-2.0
"""Peak memory of twenty programs, ours against memray's."""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

import measure
import peak_programs

# Begins to profile after the imports of memray's own modules, as memray does.
WRAPPER = """
import runpy, sys
import memray.commands.run
from scalene import scalene_profiler
sys.argv = sys.argv[1:]
scalene_profiler.start()
runpy.run_path(sys.argv[0], run_name="__main__")
"""
PACKAGE = os.path.join(measure.ROOT, "python")
PROGRAM = os.path.join(measure.ROOT, "bench", "peak_programs.py")


def quietly(*words, **added):
    subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True, env={**os.environ, **added})


def ours(scalene, python, name, folder):
    out, wrapper = os.path.join(folder, "profile.json"), os.path.join(folder, "wrapper.py")
    with open(wrapper, "w") as stream:
        stream.write(WRAPPER)
    words = ("run", "--off", "--quiet", "-o", out, "--python", python, "---", wrapper, PROGRAM, name)
    quietly(scalene, *words, PYTHONPATH=PACKAGE)
    with open(out) as stream:
        return json.load(stream)["max_footprint_mb"]


def memrays(python, name, folder):
    capture, out = os.path.join(folder, "capture.bin"), os.path.join(folder, "stats.json")
    quietly(python, "-m", "memray", "run", "--trace-python-allocators", "-q", "-f", "-o", capture, PROGRAM, name)
    quietly(python, "-m", "memray", "stats", "--json", "-f", "-o", out, capture)
    with open(out) as stream:
        return json.load(stream)["metadata"]["peak_memory"] / 2**20


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    default = os.path.join(os.environ.get("SC_BUILD") or os.path.join(measure.ROOT, "build"), "src", "cli", "scalene")
    parser.add_argument("--scalene", default=default)
    parser.add_argument("--python", default=sys.executable, help="one that has memray, numpy and pandas")
    parser.add_argument("--only", action="append", help="one of the programs; all when not given")
    options = parser.parse_args()
    errors = []
    print("| program | ours, MB | memray, MB | difference, % |")
    print("|---|---|---|---|")
    for name in options.only or [each.__name__ for each in peak_programs.ALL]:
        with tempfile.TemporaryDirectory() as folder:
            found, exact = ours(options.scalene, options.python, name, folder), memrays(options.python, name, folder)
        errors.append(100 * (found / exact - 1))
        print("| %s | %.1f | %.1f | %+.1f |" % (name, found, exact, errors[-1]), flush=True)
    sizes = [abs(error) for error in errors]
    print("\nmedian %.1f %%, largest %.1f %%, %d of %d within 3 %%" % (statistics.median(sizes), max(sizes), sum(size <= 3 for size in sizes), len(sizes)))


if __name__ == "__main__":
    main()
