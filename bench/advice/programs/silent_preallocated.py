# bench/advice/programs/silent_preallocated.py - a simulation that writes each step into an array made beforehand.
#
# SPDX-License-Identifier: Apache-2.0
# advice: none
# needs: numpy
import numpy as np

STEPS = 5_000
WIDTH = 60_000


def simulate():
    energy = np.empty(STEPS)
    state = np.linspace(0.0, 1.0, WIDTH)
    speed = np.zeros(WIDTH)
    change = np.empty(WIDTH)
    for step in range(STEPS):
        np.multiply(state, -0.01, out=change)
        speed += change
        np.multiply(speed, 0.01, out=change)
        state += change
        energy[step] = state @ state
    return energy


if __name__ == "__main__":
    print(simulate().shape)
