# tests/layout/programs/generators.py - frames that live in generators and coroutines.
#
# SPDX-License-Identifier: Apache-2.0
"""Generators, comprehensions, coroutines, asynchronous generators."""

import asyncio
import contextlib

from parking import park


def counting(label, count=3):
    for i in range(count):
        if i == count - 1:
            park(label)
        yield i


def delegating(label):
    yield from counting(label)
    result = yield
    return result


def twice(label):
    yield from delegating(label)


@contextlib.contextmanager
def managed(label):
    park(label + " enter")
    try:
        yield label
    finally:
        park(label + " exit")


class Iterator:
    def __init__(self):
        self.left = 3

    def __iter__(self):
        return self

    def __next__(self):
        self.left -= 1
        if self.left == 0:
            park("__next__")
            raise StopIteration
        return self.left


def comprehensions():
    [park("list comprehension") for i in range(2) if i]
    {i: park("dict comprehension") for i in range(1)}
    {
        park("set comprehension")
        for i in [
            j for j in range(1)
        ]
    }
    [[(park("nested comprehension"), i) for i in range(1)] for j in range(1)]
    sum(park("generator expression") or i for i in range(1))
    [(lambda: park("lambda in comprehension"))() for cell in range(1)]


def hot_generator():
    for i in range(3):
        for value in counting("hot generator", 300):
            pass


async def leaf(label):
    await asyncio.sleep(0)
    park(label)
    return label


async def middle(label):
    return await leaf(label)


async def asynchronous_generator(label):
    for i in range(2):
        await asyncio.sleep(0)
        yield i
        park(label)


class Asynchronous:
    async def __aenter__(self):
        park("__aenter__")
        return self

    async def __aexit__(self, *error):
        park("__aexit__")

    def __await__(self):
        park("__await__")
        yield


async def main():
    await middle("coroutine")
    await asyncio.gather(middle("task 1"), middle("task 2"))
    async for i in asynchronous_generator("asynchronous generator"):
        pass
    [park("asynchronous comprehension") async for i in asynchronous_generator("in comprehension")]
    async with Asynchronous() as one:
        await one
    await asyncio.get_running_loop().run_in_executor(None, park, "executor")


list(counting("generator"))
for value in delegating("yield from"):
    pass
next(counting("next", 1))
list(twice("yield from twice"))
generator = delegating("send")
try:
    while True:
        generator.send(None)
except StopIteration:
    pass
with managed("context manager"):
    park("in with")
list(Iterator())
for value in Iterator():
    pass
comprehensions()
hot_generator()
asyncio.run(main())
