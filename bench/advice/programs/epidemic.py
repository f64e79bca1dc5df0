# bench/advice/programs/epidemic.py - agents that meet and infect each other; each day is kept for a chart.
#
# SPDX-License-Identifier: Apache-2.0
# advice: deepcopy
import copy
import random

PEOPLE = 3000
DAYS = 60


class Person:
    def __init__(self, number):
        self.number = number
        self.state = "healthy"
        self.contacts = []
        self.days = 0


class World:
    def __init__(self, rng):
        self.rng = rng
        self.people = [Person(i) for i in range(PEOPLE)]
        self.people[0].state = "ill"
        self.days = []

    def step(self):
        for person in self.people:
            other = self.rng.choice(self.people)
            person.contacts = [other.number]
            if person.state == "ill":
                person.days += 1
                if other.state == "healthy" and self.rng.random() < 0.4:
                    other.state = "ill"
                if person.days > 8:
                    person.state = "immune"

    def run(self):
        for _ in range(DAYS):
            self.step()
            self.days.append(copy.deepcopy(self.people))  # <- here


world = World(random.Random(1))
world.run()
print([sum(p.state == "ill" for p in day) for day in world.days][::10])
