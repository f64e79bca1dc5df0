# bench/tasks.py - what following the tasks of an asyncio program costs.
#
# SPDX-License-Identifier: Apache-2.0
"""CPU time of the observer while many asyncio tasks wait, and what a busy loop beside them pays."""

import json
import os
import statistics
import sys
import tempfile

import measure
import side_by_side

# "waiting": all tasks wait, one more wakes every 10 ms. "moving": each wakes about once a second.
# "busy": all wait while the loop does a fixed amount of work.
PROGRAM = """
import asyncio, sys, time
count, seconds, kind = int(sys.argv[1]), float(sys.argv[2]), sys.argv[3]

async def wait(event):
    await event.wait()

async def nest(event):
    await wait(event)

async def move(number, end):
    while time.monotonic() < end:
        await asyncio.sleep(0.5 + number % 100 / 100)

async def work(rounds):
    for i in range(rounds):
        sum(range(20000))
        await asyncio.sleep(0)

async def main():
    event = asyncio.Event()
    end = time.monotonic() + seconds
    if kind == "moving":
        tasks = [asyncio.ensure_future(move(number, end)) for number in range(count)]
    else:
        tasks = [asyncio.ensure_future(nest(event)) for number in range(count)]
    await asyncio.sleep(0.1)
    if kind == "busy":
        await work(int(seconds * 3500))
    while kind != "busy" and time.monotonic() < end:
        await asyncio.sleep(0.01)
    event.set()
    await asyncio.gather(*tasks)

asyncio.run(main())
"""
KINDS = ("waiting", "moving", "busy")


def columns(options, program, outfile):
    """Name of a column -> the command without the program's arguments."""
    words = measure.scalene_command(options, outfile)
    return {
        "bare": [options.python, program],
        "without": [*words, "--no-async", program],
        "with": [*words, program],
    }


def observer_table(results, counts):
    rows = []
    for kind in KINDS:
        for count in counts:
            runs = [results[kind, count, name] for name in ("without", "with")]
            rows.append([kind, count] + [measure.spread([100 * share for share in shares], "%.2f") for shares in runs])
    return measure.table(["kind", "tasks", "observer with --no-async, % of a core", "observer, % of a core"], rows)


def measure_loop(options, program, counts, folder):
    """{number of tasks: [{column: CPU seconds} per round]} of a loop that works while the tasks wait; the columns side by side, so
    that all meet the same machine."""
    measured = {}
    for count in counts:
        arguments = [count, str(options.seconds), "busy"]
        commands = {}
        for name, words in columns(options, program, os.path.join(folder, "profile.json")).items():
            commands[name] = [os.path.join(folder, name + ".json") if word.endswith("profile.json") else word for word in words] + arguments
        measured[count] = [side_by_side.run(commands, program, folder) for _ in range(options.rounds)]
    return measured


def loop_table(measured):
    rows = []
    for count, rounds in measured.items():
        row = [count, "%.2f s" % statistics.median(cpu_s["bare"] for cpu_s in rounds)]
        row += [measure.spread([cpu_s[name] / cpu_s["bare"] for cpu_s in rounds], "%.3f") for name in ("without", "with")]
        rows.append(row)
    return measure.table(["tasks", "bare", "with --no-async", "with await time"], rows)


def main():
    arguments = measure.parser(__doc__)
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--seconds", type=float, default=10)
    arguments.add_argument("--tasks", default="100,1000,10000", help="numbers of tasks (default: %(default)s)")
    options = arguments.parse_args()
    counts = options.tasks.split(",")
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "tasks.py")
        outfile = os.path.join(folder, "profile.json")
        with open(program, "w", encoding="utf-8") as stream:
            stream.write(PROGRAM)
        commands = {
            (kind, count, name): [*words, count, str(options.seconds), kind]
            for kind in KINDS
            for count in counts
            for name, words in columns(options, program, outfile).items()
        }

        def once(key, command):
            result = measure.run(command, measure.cpu_set(options.cpus), folder)
            if result.status:
                sys.exit("tasks.py: %s ended with %d\n%s" % (key, result.status, result.stderr.decode()))
            observer_s = 0
            if key[2] != "bare":
                with open(outfile, encoding="utf-8") as stream:
                    observer_s = json.load(stream)["scalene_c"]["observer_cpu_s"]
            return observer_s / result.wall_s

        results = measure.interleave(commands, options.rounds, once)
        loops = measure_loop(options, program, counts, folder)
    print("%s %d rounds of %g s.\n" % (measure.describe(options.python), options.rounds, options.seconds))
    print(observer_table(results, counts))
    added = [
        statistics.median(results[kind, count, "with"]) - statistics.median(results[kind, count, "without"])
        for kind in KINDS
        for count in counts
    ]
    print("\nAt most %.2f %% of a core for the tasks (difference of the medians).\n" % (100 * max(added)))
    print("CPU time of a busy loop beside the tasks, of the bare one's:\n")
    print(loop_table(loops))
    measure.write_json(
        options.json,
        {
            "machine": measure.machine(),
            "observer": {" ".join(key): shares for key, shares in results.items()},
            "loop_cpu_s": loops,
        },
    )


if __name__ == "__main__":
    main()
