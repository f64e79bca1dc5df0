# bench/advice/programs/matrix_by_hand.py - multiplies matrices that are lists of lists.
#
# SPDX-License-Identifier: Apache-2.0
# advice: python_loop | python_function
SIZE = 300


def multiply(a, b):
    n = len(a)
    result = [[0] * n for _ in range(n)]
    for i in range(n):
        for j in range(n):
            s = 0
            for k in range(n):
                s += a[i][k] * b[k][j]  # <- here
            result[i][j] = s
    return result


left = [[(i * j) % 7 for j in range(SIZE)] for i in range(SIZE)]
right = [[(i + j) % 5 for j in range(SIZE)] for i in range(SIZE)]
product = multiply(left, right)
print(product[3][4], product[-1][-1])
