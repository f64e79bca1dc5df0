# bench/advice/programs/simulation_buffer.py - a simulation that sets aside far more memory than it uses.
#
# SPDX-License-Identifier: Apache-2.0
# advice: peak_allocation
# needs: numpy
import numpy as np

STEPS = 8500
LIMIT = 60_000


def simulate(width):
    history = np.ones((LIMIT, width))  # <- here
    state = np.linspace(0, 1, width)
    for step in range(STEPS):
        for _ in range(20):
            state = state + 0.01 * (np.roll(state, 1) - state)
        history[step] = state
    return history[:STEPS].mean()


if __name__ == "__main__":
    print(round(float(simulate(1_000)), 3))
