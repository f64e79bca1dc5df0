# bench/advice/programs/silent_heap_scheduler.py - a simulation whose next event comes from a heap.
#
# SPDX-License-Identifier: Apache-2.0
# advice: none
from heapq import heappop, heappush

EVENTS = 2_500_000


class Simulation:
    def __init__(self):
        self.now = 0
        self.events = []
        self.count = 0

    def at(self, moment, kind):
        heappush(self.events, (moment, kind))

    def run(self):
        while self.events and self.count < EVENTS:
            self.now, kind = heappop(self.events)
            self.count += 1
            self.at(self.now + (self.count * 7919 % 101) + 1, kind)


simulation = Simulation()
for kind in range(300):
    simulation.at(kind, kind)
simulation.run()
print(simulation.now)
