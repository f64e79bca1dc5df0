# bench/programs/mdp.py - value iteration over a grid world: dictionaries keyed by tuples.
#
# SPDX-License-Identifier: Apache-2.0
import sys

SCALE = 75
MOVES = ((0, 1), (1, 0), (0, -1), (-1, 0))


def transitions(size):
    table = {}
    for x in range(size):
        for y in range(size):
            for move in MOVES:
                targets = []
                for other, chance in ((move, 0.8), ((move[1], move[0]), 0.1), ((-move[1], -move[0]), 0.1)):
                    target = (x + other[0], y + other[1])
                    if not (0 <= target[0] < size and 0 <= target[1] < size) or target[0] * 7 % 5 == target[1]:
                        target = (x, y)
                    targets.append((target, chance))
                table[(x, y), move] = targets
    return table


def iterate(size, rounds):
    table = transitions(size)
    states = [(x, y) for x in range(size) for y in range(size)]
    goal = (size - 1, size - 1)
    values = dict.fromkeys(states, 0.0)
    for _ in range(rounds):
        fresh = {}
        for state in states:
            if state == goal:
                fresh[state] = 100.0
                continue
            fresh[state] = max(
                -0.1 + 0.95 * sum(chance * values[target] for target, chance in table[state, move])
                for move in MOVES
            )
        values = fresh
    return sum(values.values())


print(round(iterate(int(sys.argv[1]) if len(sys.argv) > 1 else SCALE, 90), 6))
