# bench/advice/programs/board_search.py - searches for the best sequence of moves in a small game.
#
# SPDX-License-Identifier: Apache-2.0
# advice: deepcopy
import copy

DEPTH = 8
SIZE = 5


class Board:
    def __init__(self):
        self.cells = [[0] * SIZE for _ in range(SIZE)]
        self.score = [0, 0]

    def moves(self):
        return [(x, y) for x in range(SIZE) for y in range(SIZE) if not self.cells[x][y] and (x + y) % 3 == 0]

    def play(self, x, y, who):
        self.cells[x][y] = who
        self.score[who - 1] += (x * 3 + y * 5) % 7


def best(board, who, depth):
    moves = board.moves()
    if not depth or not moves:
        return board.score[0] - board.score[1]
    values = []
    for x, y in moves:
        trial = copy.deepcopy(board)  # <- here
        trial.play(x, y, who)
        values.append(best(trial, 3 - who, depth - 1))
    return max(values) if who == 1 else min(values)


print(best(Board(), 1, DEPTH))
