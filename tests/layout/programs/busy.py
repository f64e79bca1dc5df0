# tests/layout/programs/busy.py - calls without end, to be stopped at any instruction.
#
# SPDX-License-Identifier: Apache-2.0
"""Many short calls: from Python, from C, generators, coroutines, new objects, exceptions."""

import json
import threading

from parking import say


class Thing:
    def __init__(self, value):
        self.value = value

    def get(self):
        return self.value

    @property
    def prop(self):
        return self.get()


def things(count):
    for i in range(count):
        yield Thing(i)


def summed(count):
    return sum(thing.prop for thing in things(count))


def listed(count):
    return [Thing(i).get() for i in range(count)]


def ordered(count):
    return sorted(things(count), key=lambda thing: -thing.value)


def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


def raising(count):
    for i in range(count):
        try:
            raise ValueError(i)
        except ValueError:
            pass


async def awaiting(count):
    for i in range(count):
        await awaited(i)


async def awaited(value):
    return value


def driven(count):
    try:
        awaiting(count).send(None)
    except StopIteration:
        pass


def main():
    say("busy", [], False, threading.get_native_id(), threading.get_ident())
    while True:
        summed(50)
        listed(50)
        ordered(50)
        fibonacci(8)
        raising(20)
        driven(30)
        json.loads(json.dumps([1, 2, {"a": 3}], indent=1))


main()
