#!/usr/bin/env python3
# bench/view.py [--files N] [--lines N] [--runs N] [--keep FILE] - how fast a large profile is on the page.
#
# Makes a profile of N files, N lines and N runs of its timeline, serves it, and measures from the start of the command to the
# first overview, then each question, the frames of a real browser that scrolls, the server's memory, and how long the
# standalone file takes.
#
# SPDX-License-Identifier: Apache-2.0
"""Measures `scalene view` with a large profile."""

import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

import scrolling

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tests", "view"))
import data_parts  # noqa: E402

BUILD = os.environ.get("SC_BUILD") or os.path.join(ROOT, "build")
SCALENE = os.path.join(BUILD, "src", "cli", "scalene")


def cost(rng, share):
    """A line's or function's numbers; most lines cost nothing."""
    made = dict(data_parts.LINE)
    if rng.random() < 0.1:
        made["n_cpu_percent_python"] = share * rng.random()
        made["n_cpu_percent_c"] = share * rng.random()
        made["n_peak_mb"] = made["n_growth_mb"] = rng.random() * 10
        made["n_usage_fraction"] = rng.random() / 1000
        made["n_malloc_mb"] = rng.random() * 100
        made["memory_samples"] = [[at * 10**8, rng.random() * 100] for at in range(20)]
    return made


def make_file(rng, lines):
    made = []
    for number in range(1, lines + 1):
        start = (number - 1) // 20 * 20 + 1
        is_def = number == start
        text = f"def function_{number}(first, second):\n" if is_def else f"    value_{number} = compute(first, 'text {number}')\n"
        made.append(
            {
                **cost(rng, 0.02),
                "lineno": number,
                "line": text,
                "start_region_line": start,
                "end_region_line": start + 19,
                "start_outermost_loop": number,
                "end_outermost_loop": number,
                "start_function_line": start,
                "end_function_line": start + 19,
            }
        )
    functions = [{**cost(rng, 0.2), "lineno": start, "line": f"function_{start}"} for start in range(1, lines + 1, 20)]
    return {"functions": functions, "imports": [], "leaks": {}, "lines": made, "percent_cpu_time": 0.05}


def make_profile(arguments):
    rng = random.Random(1)
    lines = arguments.lines // arguments.files
    files = {f"/home/user/package_{at // 100}/module_{at}.py": make_file(rng, lines) for at in range(arguments.files)}
    names = list(files)
    stacks = []
    for at in range(min(20_000, max(1, arguments.runs // 10))):
        frames = []
        for depth in range(12):
            name = names[(at * 7 + depth * 13) % len(names)] if depth else names[0]
            line = (at * 3 + depth * 5) % lines + 1
            frames.append({"kind": "py", "display_name": f"function_{line}", "filename_or_module": name, "line": line, "ip": None, "offset": None})
        stacks.append([frames, rng.randint(1, 50)])
    step = 1000.0 / max(1, arguments.runs)
    timeline = [
        {"t_sec": at * step, "stack_index": rng.randrange(len(stacks)), "count": 1, "thread_id": at % 4} for at in range(arguments.runs)
    ]
    return {
        "alloc_samples": 100000,
        "args": ["app.py"],
        "async_profile": False,
        "combined_stacks": stacks,
        "combined_stacks_timeline": timeline,
        "elapsed_time_sec": 1000.0,
        "entrypoint_dir": "/work",
        "filename": "/work",
        "files": files,
        "gpu": False,
        "gpu_device": "",
        "growth_rate": 1.0,
        "max_footprint_fname": names[0],
        "max_footprint_lineno": 1,
        "max_footprint_mb": 100.0,
        "max_footprint_python_fraction": 0.5,
        "memory": True,
        "program": names[0],
        "samples": [[at * 10**10, float(at)] for at in range(100)],
        "stacks": [],
        "start_time_absolute": 1.7e9,
        "start_time_perf": 0.0,
    }


def memory_mb(pid, field):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return int(re.search(field + r":\s+(\d+)", file.read())[1]) / 1024


def cpu_s(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        words = file.read().rsplit(")", 1)[1].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def ask(address, question):
    start = time.monotonic()
    with urllib.request.urlopen(address + question) as response:
        size = len(response.read())
    return time.monotonic() - start, size


def serve(path):
    start = time.monotonic()
    command = (SCALENE, "view", "--no-browser", path)
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        address = re.search(r"http://\S+", process.stdout.readline())[0]
        print(f"{'listening after':40}{time.monotonic() - start:8.3f} s")
        ask(address, "api/overview")
        print(f"{'first overview after':40}{time.monotonic() - start:8.3f} s {cpu_s(process.pid):8.3f} s of CPU")
        for question in (
            "api/overview",
            "api/file?file=0&mode=hot&first=0&count=500",
            "api/file?file=7&mode=all&first=0&count=500",
            "api/functions?file=all&sort=time&first=0&count=500",
            "api/functions?file=all&sort=memory_peak&first=0&count=500",
            "api/cost?file=0&line=1",
            "api/search?text=value_77",
            "api/stacks?kind=time",
            "api/stacks?kind=time",
            "api/timeline?bins=2000",
            "api/timeline?from_s=100&to_s=110&bins=2000",
        ):
            try:
                taken, size = ask(address, question)
            except urllib.error.HTTPError as why:
                print(f"{question:58}{why}")
                continue
            print(f"{question:58}{1000 * taken:8.1f} ms {size / 1024:8.0f} KiB")
        scrolling.measure(address)
        print(f"{'memory now, at most':40}{memory_mb(process.pid, 'VmRSS'):8.0f} MB {memory_mb(process.pid, 'VmHWM'):8.0f} MB")
        process.terminate()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=2000)
    parser.add_argument("--lines", type=int, default=200_000)
    parser.add_argument("--runs", type=int, default=1_000_000)
    parser.add_argument("--keep", help="write the profile here, or use the one that is there")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.abspath(arguments.keep or os.path.join(folder, "large.json"))
        if not os.path.exists(path):
            with open(path, "w", encoding="utf-8") as file:
                json.dump(make_profile(arguments), file)
        print(f"{os.path.getsize(path) / 2**20:.0f} MB of JSON")
        serve(path)
        start = time.monotonic()
        subprocess.run((SCALENE, "view", "--html", path), cwd=folder, check=True, stdout=subprocess.DEVNULL)
        size = os.path.getsize(os.path.join(folder, "scalene-profile.html")) / 2**20
        print(f"{'standalone file':40}{time.monotonic() - start:8.3f} s {size:8.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
