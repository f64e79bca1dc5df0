# tests/page/programs/shop/prices.py - the hot loop of the program.
#
# SPDX-License-Identifier: Apache-2.0
"""Prices."""


def total(count):
    result = 0
    for number in range(count):
        result += number * number % 7
    return result
