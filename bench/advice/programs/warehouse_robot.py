# bench/advice/programs/warehouse_robot.py - a robot moves boxes; its state is written to the log when somebody wants to see it.
#
# SPDX-License-Identifier: Apache-2.0
# advice: logging_format
import logging

STEPS = 56_000
log = logging.getLogger("robot")
logging.basicConfig(level=logging.INFO)


class Robot:
    def __init__(self):
        self.shelves = {"shelf %d" % i: [i, i * 2, 0.5 * i] for i in range(24)}
        self.position = 0

    def step(self, i):
        self.position = (self.position + i) % 24
        shelf = self.shelves["shelf %d" % self.position]
        shelf[0] += 1
        log.debug(f"step {i}: position {self.position}, shelves {self.shelves}")  # <- here


def main():
    robot = Robot()
    for i in range(STEPS):
        robot.step(i)
    log.info("done at %d", robot.position)


if __name__ == "__main__":
    main()
