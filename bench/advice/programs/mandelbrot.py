# bench/advice/programs/mandelbrot.py - the set, point by point, in Python's own numbers.
#
# SPDX-License-Identifier: Apache-2.0
# advice: python_loop | python_function
WIDTH = 890
LIMIT = 90


def escape(cx, cy):
    x = y = 0.0
    n = 0
    while n < LIMIT and x * x + y * y <= 4.0:
        x, y = x * x - y * y + cx, 2 * x * y + cy  # <- here
        n += 1
    return n


def main():
    rows = []
    for j in range(WIDTH):
        rows.append([escape(-2.2 + 3.0 * i / WIDTH, -1.2 + 2.4 * j / WIDTH) for i in range(WIDTH)])
    print(sum(map(sum, rows)))


main()
