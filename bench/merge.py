# bench/merge.py PROFILE [RANKS] - how long `scalene merge` takes for many ranks, and how much memory.
#
# Copies of a profile become those of ranks, whose lines' times differ by chance as those of samples do; one of them is slower at its
# hottest line, and the others at another one, where they wait for it. Prints seconds, the most memory in use, and whom it names.
#
# SPDX-License-Identifier: Apache-2.0
"""`scalene merge` of made-up ranks."""

import copy
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time

SCALENE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "build", "src", "cli", "scalene")


def scaled(line, factor):
    line["time_s"] = {kind: seconds * factor for kind, seconds in line["time_s"].items()}


def rank_of(made, number, ranks, slow, noise):
    own = made["scalene_c"]
    own["labels"] = {"rank": str(number), "world_size": str(ranks)}
    lines = [line for file in made["files"].values() for line in file["lines"] if line.get("time_s")]
    for line in lines:
        scaled(line, 1 + noise.gauss(0, 0.01))
    hottest, second = sorted(lines, key=lambda line: -sum(line["time_s"].values()))[:2]
    scaled(hottest if number == slow else second, 1.5)
    return made


def main(path, ranks=1000):
    with open(path, encoding="utf-8") as text:
        profile = json.load(text)
    noise = random.Random(1)
    slow = ranks // 3
    with tempfile.TemporaryDirectory() as folder:
        for number in range(ranks):
            with open(os.path.join(folder, "p-%d.json" % number), "w", encoding="utf-8") as text:
                json.dump(rank_of(copy.deepcopy(profile), number, ranks, slow, noise), text)
        size = sum(entry.stat().st_size for entry in os.scandir(folder))
        begun = time.monotonic()
        ended = subprocess.run([SCALENE, "merge", "--json", "-o", os.path.join(folder, "all"), folder], stdout=subprocess.PIPE, check=True)
        elapsed = time.monotonic() - begun
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    print("%d profiles, %.0f MB: %.1f s (%.1f s on a CPU), %.0f MB in use" % (ranks, size / 1e6, elapsed, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024))
    for straggler in json.loads(ended.stdout)["stragglers"]:
        print("rank %(rank)s at %(file)s:%(line)s: %(seconds).3f s, the others %(others_s).3f s" % straggler)
    print("rank %d is the slow one" % slow)


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
