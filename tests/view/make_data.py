#!/usr/bin/env python3
# tests/view/make_data.py FOLDER - writes the profiles that the views are tested with; the build does it.
#
# Every number stands here by hand, so the pictures in tests/view/golden never depend on a run. The
# keys are those of docs/json.md; `original` has the form the original Scalene 2.3.0 writes.
#
# SPDX-License-Identifier: Apache-2.0
"""Profiles made by hand."""

import json
import os
import sys

from data_devices import gpu, neuron
from data_parts import file, own_part, process, profile, thread, unit

CRUNCH = '''
"""Counts words, the slow way."""
import hashlib
import time

from shop import prices


class Counter:
    """A dictionary that counts."""

    def __init__(self):
        self.words = {}

    def add(self, word):
        self.words[word] = self.words.get(word, 0) + 1


def load(path, limit=10_000):
    with open(path, "rb") as data:  # one big read
        return data.read(limit).split()


def main():
    counter = Counter()
    for word in load("/usr/share/dict/words") * 400:
        counter.add(word.lower().strip(b"'s"))
    digest = hashlib.sha256(b"x" * 500_000_000).hexdigest()
    time.sleep(0.5)
    print(f"{len(counter.words)} words, digest {digest[:8]}, {prices.total(3):.2f}")


main()
'''

PRICES = '''
def total(count):
    result = 0.0
    for number in range(count * 1_000_000):
        result += number ** 0.5
    return result
'''


def cpu():
    """CPU only, our own: two files, all three kinds of time."""
    files = {
        "/home/ada/shop/count.py": file(
            CRUNCH,
            {
                15: {"python": 24.31, "native": 3.2, "error": 2.4}, 20: {"system": 3.4, "time_s": {"kernel": 0.42}},
                25: {"python": 6.4, "error": 1.4}, 26: {"python": 12.2, "native": 4.62, "error": 2.1}, 27: {"native": 33.4, "error": 2.7},
                28: {"system": 4.0, "time_s": {"sleep": 0.5}}, 29: {"python": 0.4},
            },
            functions=[
                ("Counter.add", 14, {"python": 24.31, "native": 3.2, "with_calls": 27.5}),
                ("load", 18, {"system": 3.4, "with_calls": 3.4}),
                ("main", 23, {"python": 19.0, "native": 38.02, "system": 4.0, "with_calls": 99.8}),
            ],
            loops=[(25, 26)],
        ),
        "/home/ada/shop/shop/prices.py": file(
            PRICES,
            {3: {"python": 1.9, "error": 0.8}, 4: {"python": 5.77, "error": 1.3}},
            functions=[("total", 1, {"python": 7.67, "with_calls": 7.67})],
            loops=[(3, 4)],
        ),
    }
    own = own_part(
        11.52, {"python": 6.4, "native": 5.17, "kernel": 0.42, "preempted_python": 0.08, "sleep": 0.5}, {"io": 0.0, "sleep": 0.5},
        gc_s=0.11, exit_kind="exit", exit_value=0, samples_waiting=64,
    )
    return profile("/home/ada/shop/count.py", 12.574, files, own, args=["/home/ada/shop/count.py", "--fast", "12"])


ROWS = '''
import asyncio

import numpy as np


async def fetch(number):
    await asyncio.sleep(0.1)
    return bytes(1000) * number


def convert(rows):
    out = []
    for row in rows:
        out.append(np.array(row, dtype=np.float64).copy())
    return np.vstack(out)


async def main():
    parts = await asyncio.gather(*(fetch(n) for n in range(2_000)))
    table = convert([list(part) for part in parts])
    print(table.shape)


asyncio.run(main())
'''


def curve(*values):
    return [[index * 10_000_000, value] for index, value in enumerate(values)]


def full():
    """Every column: memory, copies, a device, await time."""
    files = {
        "/srv/rows.py": file(
            ROWS,
            {
                7: {
                    "system": 11.0, "waiting": 93.2, "n_async_concurrency_mean": 1987.5, "n_async_concurrency_peak": 2000,
                    "async_task_names": ["Task-%d" % number for number in range(10, 100)], "is_coroutine": True, "time_s": {"io": 0.66},
                    "wait_s": {"io": 0.66},
                },
                8: {"python": 1.2, "memory_python": 1.0, "peak": 96.4, "usage": 0.082, "curve": curve(10, 40, 90, 120, 130)},
                13: {"python": 4.4},
                14: {
                    "python": 2.2, "native": 41.1, "gpu": 12.4, "memory_python": 0.124, "peak": 812.4, "usage": 0.51, "copy": 3104.0,
                    "curve": curve(120, 260, 500, 700, 940),
                },
                15: {
                    "native": 9.0, "gpu": 100.0, "memory_python": 0.001, "peak": 2201.0, "usage": 0.38, "copy": 120.4,
                    "curve": curve(940, 1800, 3050),
                },
                19: {
                    "python": 0.7, "waiting": 6.8, "n_async_concurrency_mean": 1.0, "n_async_concurrency_peak": 1,
                    "async_task_names": ["Task-1"], "is_coroutine": True,
                },
                20: {"python": 28.0, "native": 2.4, "memory_python": 0.99, "peak": 61.0, "usage": 0.028, "curve": curve(130, 190, 125)},
            },
            functions=[
                ("convert", 11, {"python": 6.6, "native": 50.1, "peak": 2201.0, "usage": 0.89}),
                ("fetch", 6, {"python": 1.2, "system": 11.0, "waiting": 93.2, "peak": 96.4}),
                ("main", 18, {"python": 28.7, "native": 2.4, "peak": 61.0, "usage": 0.028}),
            ],
            loops=[(13, 14)],
            leaks={"14": {"likelihood": 0.986, "velocity_mb_s": 2.04}},
        )
    }
    own = own_part(
        5.4,
        {"python": 2.19, "native": 3.15, "io": 0.66},
        {"io": 0.66},
        exit_kind="exit",
        exit_value=0,
        threads=[
            thread("MainThread", 4.9, 10, main=True, io=0.66),
            thread("asyncio_0", 0.2, 11, lock=5.1),
            thread("numba_worker", 0.3, 12, python=False),
            thread("MainThread", 0.4, 4250, main=True, pid=4250),
        ],
        allocated_mb=9120.5,
        copied_mb=4096.25,
        live_at_exit_mb=20.0,
        max_rss_mb=3301.0,
        memory_lost_mb=2.5,
        unaccounted_mb=410.0,
        rss=curve(60, 80, 140, 180, 190, 450, 760, 990, 1850, 3301.0, 1400, 430),
        losses={"memory_ring_full": 3},
        processes=[
            process(4242, 100, "python3 rows.py --workers 2", 4.9, 3301.0, "exit", 0),
            process(4250, 4242, "python3 rows.py --workers 2", 0.4, 120.25, "exit", 3),
            process(4251, 4242, "python3 -c from multiprocessing.spawn import spawn_main; spawn_main()", 0.1, 18.5, "signal", 9),
            process(4252, 4242, "python3 watcher.py", 0.02, 9.0, "running", 0),
        ],
        units=[
            unit("GET /orders/{id}", 1200, 3.1, 0.002, 0.0191, 2.4, 12.5, lines=[["/srv/rows.py", 13, 1.9], ["/srv/rows.py", 12, 0.4]]),
            unit("import \u001b[31mrows", 2, 0.5, 0.25, 0.26, 0.49, 3000.0, running=1),
            *(unit("job %d" % number, 1, 0.01, 0.01, 0.01, 0.0, 0.0) for number in range(9)),
        ],
    )
    return profile(
        "/srv/rows.py", 6.0, files, own, memory=True, gpu=True, gpu_device="GPU", alloc_samples=31417, growth_rate=12.4,
        max_footprint_mb=3077.5, max_footprint_fname="/srv/rows.py", max_footprint_lineno=15, max_footprint_python_fraction=0.02,
        native_allocations_mb=14.0, samples=curve(8, 30, 90, 130, 140, 400, 700, 940, 1800, 3077.5, 960, 20),
    )


def original():
    """As the original 2.3.0 writes it: no part of our own, text with its escapes."""
    source = "import sys\nfor i in range(9):\n    print(i \\u003c 3 \\u0026 1)\n"
    files = {
        "/tmp/t.py": file(
            source,
            {2: {"python": 6.5, "native": 2.0, "n_core_utilization": 0.4}, 3: {"python": 41.0, "native": 30.25, "system": 20.25, "waiting": 3.0}},
            functions=[],
            loops=[(2, 3)],
        )
    }
    return profile(
        "/tmp/t.py", 1.5, files, memory=True, max_footprint_mb=11.25, growth_rate=-3.0,
        stacks=[[["/tmp/t.py <module>:3;"], {"count": 12, "c_time": 0.3, "cpu_samples": 0.7}]],
    )


def old():
    """From an older original: optional keys are absent, one is there that no longer exists."""
    made = original()
    for key in ("args", "async_profile", "memory_stacks", "combined_stacks", "combined_stacks_timeline", "main_thread_id", "native_allocations_mb"):
        del made[key]
    made["native_stacks"] = []
    return made


HOSTILE = (
    "# 你好，世界 wide characters and e\u0301 combining ones\n"
    "\tif True:\n"
    "\t\tx\t= 'tabs'\n"
    "print('\x1b[31mred\x1b[0m', '\x9b2J', '\a')\n"
    "latin = 'caf\udce9'  # a byte that is no UTF-8\n"
    "ok = 'abc\u202e}def{'  # reversed?\n"
    "family = '\U0001f468\u200d\U0001f469\u200d\U0001f467'\n"
    "long_line = " + " + ".join("'%03d'" % n for n in range(60)) + "\n"
    "wide_line = '" + "宽" * 120 + "'\n"
    "text = '''an open\n"
    "string # not a comment\n"
    "''' % 1\n"
    "return_in_line = 'one\rtwo\x0cthree'\n"
)


def hostile():
    """Source and names that try to confuse a terminal."""
    name = "/tmp/\x1b]0;owned\x07/naïve 名前.py"
    files = {
        name: file(
            HOSTILE,
            {1: {"python": 50.0}, 4: {"system": 30.0}, 8: {"native": 11.0}, 9: {"python": 3.0}},
            functions=[("<\x1b[5mlambda>", 4, {"system": 30.0})],
        )
    }
    # splitlines() counts more line ends than Python does
    texts = HOSTILE.split("\n")[:-1]
    files[name]["lines"] = [dict(files[name]["lines"][min(index, 11)], lineno=index + 1, line=text + "\n") for index, text in enumerate(texts)]
    own = own_part(
        9.0,
        {"python": 5.3, "native": 1.1, "io": 3.0},
        {"io": 3.0},
        threads=[thread("Main\x1b[2JThread", 9.0, 1, main=True), thread("\x9b31m工作者", 0.0, 2, sleep=9.1)],
        notes=["a note with \x1b[41m in it"],
    )
    return profile(name, 9.4, files, own, args=[name, "\x1b[1m--bold"])


def threads():
    """Many threads, the interpreter lock, losses, a death by signal."""
    files = {
        "/opt/pool.py": file(
            "def work():\n    while True:\n        step()\n",
            {2: {"python": 20.0}, 3: {"python": 70.0, "native": 2.0, "time_s": {"python": 17.6, "native": 0.5}, "worker_threads_s": 4.2}},
            functions=[("work", 1, {"python": 90.0, "native": 2.0, "with_calls": 100.0})],
            loops=[(2, 3)],
        )
    }
    workers = [thread("worker-%d" % number, 3.0 - 0.2 * number, 100 + number, gil=9.0 + 0.2 * number) for number in range(13)]
    own = own_part(
        23.6,
        {"python": 17.0, "native": 3.6, "kernel": 0.4, "parallel_native": 1.2, "preempted_python": 2.8, "preempted_native": 0.3},
        {"gil": 132.6, "lock": 12.0},
        gc_s=2.2,
        python_version="3.13.0",
        exit_kind="signal",
        exit_value=9,
        losses={"ring_full": 12, "too_deep": 1204, "bad_frame": 3},
        hidden_files=[
            {"name": "/usr/lib/python3.13/queue.py", "percent": 4.4, "reason": "library"},
            {"name": "<frozen importlib._bootstrap>", "percent": 1.2, "reason": "outside"},
            {"name": "/opt/helper.py", "percent": 0.9, "reason": "threshold"},
            {"name": "/opt/other.py", "percent": 0.4, "reason": "threshold"},
        ],
        threads=[thread("MainThread", 0.2, 99, main=True, lock=12.0), *workers] + [thread("openblas", 1.4, 200, python=False)],
        native_threads_cpu_s=1.4,
    )
    return profile("/opt/pool.py", 12.0, files, own)


def thin():
    """Nothing in scope, and the reasons."""
    own = own_part(
        2.0, {"python": 1.8, "io": 0.2}, {"io": 0.2}, exit_kind="exit", exit_value=3,
        hidden_files=[{"name": "/usr/lib/python3.12/json/decoder.py", "percent": 91.0, "reason": "library"}],
        notes=["no file in scope took 1% of the time; --profile-all shows the files of libraries too"],
    )
    return profile("/opt/tiny.py", 2.2, {}, own)


def empty():
    return {}


SUBJECTS = (cpu, full, original, old, hostile, threads, thin, gpu, neuron, empty)


def main(folder):
    for subject in SUBJECTS:
        with open(os.path.join(folder, subject.__name__ + ".json"), "w", encoding="utf-8") as out:
            out.write(json.dumps(subject(), indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
