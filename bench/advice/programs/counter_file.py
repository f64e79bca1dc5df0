# bench/advice/programs/counter_file.py - appends a line to a file of results after each of many steps.
#
# SPDX-License-Identifier: Apache-2.0
# advice: repeated_open
import os
import tempfile

STEPS = 350_000


def record(path, step, value):
    with open(path, "a") as file:  # <- here
        file.write("%d %d\n" % (step, value))


def compute(step):
    return step * step % 1009


path = os.path.join(tempfile.mkdtemp(), "results.txt")
for step in range(STEPS):
    record(path, step, compute(step))
with open(path) as file:
    print(sum(1 for _ in file))
os.remove(path)
os.rmdir(os.path.dirname(path))
