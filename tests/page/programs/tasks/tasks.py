# tests/page/programs/tasks/tasks.py - a program whose event loop is blocked in two ways while fifty tasks wait.
#
# SPDX-License-Identifier: Apache-2.0
"""What blocks a loop, and who waits."""

import asyncio
import time


def compute():
    return sum(i * i for i in range(300_000))


async def sleeps_badly():
    for _ in range(8):
        time.sleep(0.05)
        await asyncio.sleep(0.01)


async def computes():
    for _ in range(8):
        compute()
        await asyncio.sleep(0.01)


async def fetch(number):
    await asyncio.sleep(0.6)
    return number


async def main():
    await asyncio.gather(sleeps_badly(), computes(), *(fetch(i) for i in range(50)))


asyncio.run(main())
