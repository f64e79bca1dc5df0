# bench/advice/programs/shape_visitor.py - areas of shapes of several kinds; the kind is tried out.
#
# SPDX-License-Identifier: Apache-2.0
# advice: exceptions_as_flow
SHAPES = 2_100_000


class Square:
    def __init__(self, side):
        self.side = side


class Circle:
    def __init__(self, radius):
        self.radius = radius


class Box:
    def __init__(self, a, b):
        self.a = a
        self.b = b


def area(shape):
    try:
        return shape.side**2  # <- here
    except AttributeError:  # <- here
        try:
            return 3.14159 * shape.radius**2  # <- here
        except AttributeError:  # <- here
            return shape.a * shape.b


shapes = [Box(i % 9, 2) if i % 4 else Square(3) if i % 8 else Circle(1) for i in range(400)]
total = 0
n = 0
while n < SHAPES:
    total += area(shapes[n % 400])
    n += 1
print(round(total))
