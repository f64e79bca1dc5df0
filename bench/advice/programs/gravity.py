# bench/advice/programs/gravity.py - planets that attract each other, in steps.
#
# SPDX-License-Identifier: Apache-2.0
# advice: python_loop | python_function
STEPS = 420_000


class Body:
    def __init__(self, x, y, mass):
        self.x, self.y, self.mass = x, y, mass
        self.vx = self.vy = 0.0


class Space:
    def __init__(self, bodies):
        self.bodies = bodies

    def accelerate(self, dt):
        for a in self.bodies:
            for b in self.bodies:
                if a is b:
                    continue
                dx, dy = b.x - a.x, b.y - a.y
                distance = (dx * dx + dy * dy + 0.01) ** 1.5
                a.vx += dt * b.mass * dx / distance  # <- here
                a.vy += dt * b.mass * dy / distance  # <- here

    def step(self, dt):
        self.accelerate(dt)
        for body in self.bodies:
            body.x += dt * body.vx
            body.y += dt * body.vy


if __name__ == "__main__":
    space = Space([Body(i, i * i % 5, 1.0 + i) for i in range(8)])
    for _ in range(STEPS // 4):
        space.step(0.001)
    print(len(space.bodies))
