# bench/advice/programs/gradient_descent.py - fits a line, and would log each step.
#
# SPDX-License-Identifier: Apache-2.0
# advice: logging_format
import logging
import math

STEPS = 230_000


class Fit:
    log = logging.getLogger("fit")

    def __init__(self, points):
        self.points = points
        self.slope = self.offset = 0.0

    def gradient(self, x, y):
        error = self.slope * x + self.offset - y
        return error * x, error

    def run(self):
        for step in range(STEPS):
            x, y = self.points[step % len(self.points)]
            dx, dy = self.gradient(x, y)
            self.slope -= 0.01 * dx
            self.offset -= 0.01 * dy
            self.log.debug("step %d: slope %.6f offset %.6f points %s" % (step, self.slope, self.offset, self.points[:12]))  # <- here


fit = Fit([(i / 20, math.sin(i / 20)) for i in range(40)])
fit.run()
print(round(fit.slope, 2))
