# bench/advice/programs/silent_big_integers.py - digits of a large power, where the time is in the integers themselves.
#
# SPDX-License-Identifier: Apache-2.0
# advice: none
EXPONENT = 41_000
ROUNDS = 60


def digits():
    total = 0
    for i in range(ROUNDS):
        number = pow(3, EXPONENT * 20 + i)
        total += number % 1_000_007
    return total


print(digits())
