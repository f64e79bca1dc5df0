# bench/advice/programs/undo_history.py - an editor's model that keeps a snapshot for each step back.
#
# SPDX-License-Identifier: Apache-2.0
# advice: deepcopy
from copy import deepcopy

STEPS = 800


class Drawing:
    def __init__(self):
        self.shapes = [{"id": i, "points": [(i, j) for j in range(4)], "style": {"fill": "red", "width": 1}} for i in range(120)]
        self.history = []

    def move(self, index, dx):
        self.history.append(deepcopy(self.shapes))  # <- here
        if len(self.history) > 20:
            del self.history[0]
        shape = self.shapes[index]
        shape["points"] = [(x + dx, y) for x, y in shape["points"]]


def main():
    drawing = Drawing()
    for step in range(STEPS):
        drawing.move(step % 120, step)
    print(len(drawing.history), drawing.shapes[3]["points"][0])


if __name__ == "__main__":
    main()
