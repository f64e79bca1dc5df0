# bench/advice/programs/silent_deepcopy_once.py - plays many games from one copied start; each move is undone.
#
# SPDX-License-Identifier: Apache-2.0
# advice: none
# also: python_loop python_function
import copy

GAMES = 1700

START = {"cells": [[0] * 8 for _ in range(8)], "score": [0, 0]}


def play(state, depth, who):
    if not depth:
        return state["score"][0] - state["score"][1]
    best = None
    for x in range(0, 8, 3):
        for y in range(x % 2, 8, 4):
            if state["cells"][x][y]:
                continue
            state["cells"][x][y] = who
            state["score"][who - 1] += x * 3 + y
            value = play(state, depth - 1, 3 - who)
            state["score"][who - 1] -= x * 3 + y
            state["cells"][x][y] = 0
            if best is None or (value > best) == (who == 1):
                best = value
    return best or 0


def main():
    state = copy.deepcopy(START)
    total = 0
    for game in range(GAMES):
        state["score"][0] = game
        total += play(state, 5, 1)
    print(total)


main()
