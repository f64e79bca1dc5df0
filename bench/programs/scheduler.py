# bench/programs/scheduler.py - a small task scheduler: classes, method calls, attributes and dictionaries.
#
# SPDX-License-Identifier: Apache-2.0
import heapq
import sys

SCALE = 60000


class Task:
    def __init__(self, name, priority):
        self.name = name
        self.priority = priority
        self.steps = 0
        self.inbox = []

    def __lt__(self, other):
        return (self.priority, self.name) < (other.priority, other.name)

    def step(self, board):
        self.steps += 1
        while self.inbox:
            self.take(self.inbox.pop())
        target = (self.name * 17 + self.steps) % len(board.tasks)
        board.send(target, {"from": self.name, "load": self.steps % 5})

    def take(self, message):
        self.priority = (self.priority + message["load"]) % 100


class Greedy(Task):
    def take(self, message):
        super().take(message)
        self.priority //= 2


class Board:
    def __init__(self, count):
        self.tasks = [(Greedy if i % 3 == 0 else Task)(i, i * 7 % 100) for i in range(count)]
        self.queue = list(self.tasks)
        heapq.heapify(self.queue)
        self.sent = 0

    def send(self, target, message):
        self.tasks[target].inbox.append(message)
        self.sent += 1

    def run(self, steps):
        for _ in range(steps):
            task = heapq.heappop(self.queue)
            task.step(self)
            task.priority += 1
            heapq.heappush(self.queue, task)


def main(steps):
    board = Board(150)
    for _ in range(10):
        board.run(steps)
    print(board.sent, sum(task.priority for task in board.tasks))


main(int(sys.argv[1]) if len(sys.argv) > 1 else SCALE)
