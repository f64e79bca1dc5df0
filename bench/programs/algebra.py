# bench/programs/algebra.py - sympy: expanding, differentiating and factoring.
#
# SPDX-License-Identifier: Apache-2.0
import sys

import sympy

SCALE = 16
NEEDS = ("sympy",)


def main(power):
    x, y, z = sympy.symbols("x y z")
    expanded = sympy.expand((x + 2 * y + 3 * z) ** power)
    print(len(expanded.args))
    for symbol in (x, y, z):
        print(len(sympy.diff(expanded, symbol, 2).args))
    product = sympy.prod(x**i - y for i in range(2, 7))
    print(len(sympy.factor(sympy.expand(product)).args))
    print(sympy.integrate(sympy.sin(x) ** 3 * sympy.exp(x), x))


main(int(sys.argv[1]) if len(sys.argv) > 1 else SCALE)
