# bench/programs/raytrace.py - spheres and a floor, pixel by pixel: small objects, methods, floats.
#
# SPDX-License-Identifier: Apache-2.0
import math
import sys

SCALE = 300


class Vector:
    __slots__ = ("x", "y", "z")

    def __init__(self, x, y, z):
        self.x = x
        self.y = y
        self.z = z

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y, self.z + other.z)

    def __sub__(self, other):
        return Vector(self.x - other.x, self.y - other.y, self.z - other.z)

    def scaled(self, factor):
        return Vector(self.x * factor, self.y * factor, self.z * factor)

    def dot(self, other):
        return self.x * other.x + self.y * other.y + self.z * other.z

    def unit(self):
        return self.scaled(1 / math.sqrt(self.dot(self)))


class Sphere:
    def __init__(self, centre, radius, shine):
        self.centre = centre
        self.radius = radius
        self.shine = shine

    def distance(self, origin, ray):
        to_centre = self.centre - origin
        along = to_centre.dot(ray)
        rest = self.radius**2 - to_centre.dot(to_centre) + along**2
        if rest < 0:
            return None
        distance = along - math.sqrt(rest)
        return distance if distance > 1e-6 else None

    def normal(self, point):
        return (point - self.centre).unit()


class Floor:
    shine = 0.1

    def distance(self, origin, ray):
        if ray.y > -1e-6:
            return None
        return (-1 - origin.y) / ray.y

    def normal(self, point):
        return Vector(0, 1, 0)


THINGS = [Sphere(Vector(i - 3, math.sin(i), 5 + i % 3), 0.8, 0.3) for i in range(7)] + [Floor()]
LIGHT = Vector(3, 5, -2)


def nearest(origin, ray):
    best = None
    for thing in THINGS:
        distance = thing.distance(origin, ray)
        if distance is not None and (best is None or distance < best[0]):
            best = (distance, thing)
    return best


def brightness(origin, ray, bounces=0):
    hit = nearest(origin, ray)
    if hit is None:
        return 0.2 + 0.3 * max(ray.y, 0)
    distance, thing = hit
    point = origin + ray.scaled(distance)
    normal = thing.normal(point)
    to_light = (LIGHT - point).unit()
    lit = 0.1 if nearest(point, to_light) else max(normal.dot(to_light), 0.1)
    if bounces == 3:
        return lit
    mirrored = ray - normal.scaled(2 * ray.dot(normal))
    return lit * (1 - thing.shine) + thing.shine * brightness(point, mirrored, bounces + 1)


def main(size):
    total = 0.0
    eye = Vector(0, 0.5, -2)
    for row in range(size):
        for column in range(size):
            ray = Vector(column / size * 2 - 1, 1 - row / size * 2, 1.2).unit()
            total += brightness(eye, ray)
    print(round(total, 6))


main(int(sys.argv[1]) if len(sys.argv) > 1 else SCALE)
