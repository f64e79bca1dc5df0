# bench/advice/programs/silent_matmul.py - powers of a matrix, all of it in the linear algebra library.
#
# SPDX-License-Identifier: Apache-2.0
# advice: none
# needs: numpy
import numpy as np

SIZE = 300
STEPS = 190


def main():
    rng = np.random.default_rng(1)
    transition = rng.random((SIZE, SIZE))
    transition /= transition.sum(axis=1, keepdims=True)
    state = np.eye(SIZE)
    for _ in range(STEPS):
        state = state @ transition
    print(round(float(state.trace()), 6))


main()
