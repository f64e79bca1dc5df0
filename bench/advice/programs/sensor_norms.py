# bench/advice/programs/sensor_norms.py - lengths of acceleration vectors, and how many are above a limit.
#
# SPDX-License-Identifier: Apache-2.0
# advice: scalar_numpy
# needs: numpy
import numpy as np

SAMPLES = 1_200_000


def lengths(vectors):
    result = []
    for vector in vectors:
        result.append(np.linalg.norm(vector))  # <- here
    return result


def main():
    vectors = np.random.default_rng(3).normal(size=(SAMPLES, 3))
    found = lengths(vectors)
    print(sum(1 for length in found if length > 2.5))


if __name__ == "__main__":
    main()
