# bench/startup.py - what profiling adds to a program that does nothing: time and memory.
#
# SPDX-License-Identifier: Apache-2.0
"""Milliseconds and memory that profiling adds to an empty program."""

import os
import re
import statistics
import sys
import tempfile

import measure

# The program reads its own peak, since that of the whole tree includes the observer.
SIZE = "print([line for line in open('/proc/self/status') if line.startswith(('VmHWM', 'VmSize'))])\n"


def main():
    arguments = measure.parser(__doc__)
    arguments.add_argument("--rounds", type=int, default=40)
    options = arguments.parse_args()
    cpus = measure.cpu_set(options.cpus)
    with tempfile.TemporaryDirectory() as folder:
        empty = os.path.join(folder, "empty.py")
        size = os.path.join(folder, "size.py")
        outfile = os.path.join(folder, "profile.json")
        for path, text in ((empty, ""), (size, SIZE)):
            with open(path, "w") as stream:
                stream.write(text)
        columns = {}
        for name, path in (("empty", empty), ("size", size)):
            columns["bare " + name] = [options.python, path]
            columns["scalene " + name] = measure.scalene_command(options, outfile, path)

        def once(name, command):
            result = measure.run(command, cpus, folder)
            if result.status:
                sys.exit("startup.py: %s ended with %d\n%s" % (name, result.status, result.stderr.decode()))
            return result

        measure.interleave(columns, 2, once)  # fills caches; not counted
        results = measure.interleave(columns, options.rounds, once)

    def added(quantity):
        pairs = zip(results["scalene empty"], results["bare empty"])
        return [getattr(run, quantity) - getattr(bare, quantity) for run, bare in pairs]

    def sizes(name, field):
        return [int(re.search(rb"%s:\\t *(\d+) kB" % field, run.stdout).group(1)) / 1024 for run in results[name]]

    rows = []
    for title, quantity in (("wall", "wall_s"), ("CPU, whole tree", "cpu_s")):
        bare, profiled = ([1e3 * getattr(run, quantity) for run in results[name]] for name in ("bare empty", "scalene empty"))
        rows.append(
            [
                title + ", ms",
                measure.spread(bare, "%.1f"),
                measure.spread(profiled, "%.1f"),
                measure.spread([1e3 * value for value in added(quantity)], "%.1f"),
                "%.1f" % (min(profiled) - min(bare)),
            ]
        )
    for field in (b"VmHWM", b"VmSize"):
        bare, profiled = sizes("bare size", field), sizes("scalene size", field)
        rows.append(
            [
                "target's %s, MB" % field.decode(),
                measure.spread(bare, "%.2f"),
                measure.spread(profiled, "%.2f"),
                measure.spread([a - b for a, b in zip(profiled, bare)], "%.2f"),
                "%.2f" % (min(profiled) - min(bare)),
            ]
        )
    observer = statistics.median(run.peak_mb for run in results["scalene empty"])
    print("%s %d rounds; median (smallest-largest).\n" % (measure.describe(options.python), options.rounds))
    print(measure.table(["an empty program", "bare", "profiled", "added", "smallest - smallest"], rows))
    print("\nThe largest process of the tree, the observer included, has a peak of %.1f MB." % observer)
    measure.write_json(
        options.json,
        {
            "machine": measure.machine(),
            "runs": {name: [{"wall_s": r.wall_s, "cpu_s": r.cpu_s, "peak_mb": r.peak_mb} for r in runs] for name, runs in results.items()},
        },
    )


if __name__ == "__main__":
    main()
