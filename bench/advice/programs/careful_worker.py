# bench/advice/programs/careful_worker.py - collects garbage after each small job, to be safe.
#
# SPDX-License-Identifier: Apache-2.0
# advice: garbage_collection
import gc

JOBS = 190
TABLE = {i: [i, str(i)] for i in range(90_000)}


class Job:
    def __init__(self, number):
        self.number = number
        self.parts = [number] * 10

    def run(self):
        return sum(self.parts) + len(TABLE[self.number % 1000])


def main():
    total = 0
    for number in range(JOBS):
        total += Job(number).run()
        gc.collect()  # <- here
    print(total)


if __name__ == "__main__":
    main()
