# bench/advice/programs/running_trace.py - an experiment that records the energy of each step.
#
# SPDX-License-Identifier: Apache-2.0
# advice: array_growth
# also: copies
# needs: numpy
import numpy as np

STEPS = 50_000


def simulate(steps):
    position, speed = 1.0, 0.0
    energy = np.array([])
    for _ in range(steps):
        speed -= 0.001 * position
        position += 0.001 * speed
        energy = np.append(energy, position * position + speed * speed)  # <- here
    return energy


if __name__ == "__main__":
    trace = simulate(STEPS)
    print(trace.size, float(trace.max() - trace.min()) < 1)
