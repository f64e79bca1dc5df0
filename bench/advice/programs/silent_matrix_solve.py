# bench/advice/programs/silent_matrix_solve.py - solves systems of equations; the factorisation is the work.
#
# SPDX-License-Identifier: Apache-2.0
# advice: none
# needs: numpy
import numpy as np

SYSTEMS = 120
SIZE = 420


def main():
    rng = np.random.default_rng(7)
    worst = 0.0
    for _ in range(SYSTEMS):
        a = rng.random((SIZE, SIZE)) + SIZE * np.eye(SIZE)
        b = rng.random(SIZE)
        x = np.linalg.solve(a, b)
        worst = max(worst, float(np.abs(a @ x - b).max()))
    print(worst < 1e-6)


main()
