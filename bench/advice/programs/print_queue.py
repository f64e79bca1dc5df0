# bench/advice/programs/print_queue.py - jobs of a print server; the newest urgent job goes first.
#
# SPDX-License-Identifier: Apache-2.0
# advice: list_front
JOBS = 180_000


class Queue:
    def __init__(self):
        self.jobs = []

    def submit(self, job, urgent):
        if urgent:
            self.jobs.insert(0, job)  # <- here
        else:
            self.jobs.append(job)

    def __len__(self):
        return len(self.jobs)


def main():
    queue = Queue()
    pages = 0
    for i in range(JOBS):
        queue.submit(("user%d" % (i % 30), i % 12), urgent=i % 4 != 0)
        pages += i % 12
    print(len(queue), pages)


main()
