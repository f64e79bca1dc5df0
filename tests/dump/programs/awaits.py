# tests/dump/programs/awaits.py - asyncio tasks that await others in each way that asyncio has.
#
# SPDX-License-Identifier: Apache-2.0
import asyncio
import sys


def named(name, seconds=1000):
    task = asyncio.ensure_future(asyncio.sleep(seconds))
    task.set_name(name)
    return task


async def gathers():
    await asyncio.gather(named("gathered-1"), named("over", 0), named("gathered-2"), asyncio.get_running_loop().create_future())


async def waits():
    await asyncio.wait({named("waited-1"), named("waited-2")})


async def waits_for():
    await asyncio.wait_for(named("limited"), 1000)


async def awaits():
    await named("awaited")


async def groups():
    async with asyncio.TaskGroup() as group:
        for name in ("grouped-1", "grouped-2"):
            group.create_task(asyncio.sleep(1000)).set_name(name)


async def gathers_many():
    await asyncio.gather(*(named("many-%d" % i) for i in range(10)))


async def main():
    ways = [gathers, waits, waits_for, awaits, gathers_many] + [groups] * hasattr(asyncio, "TaskGroup")
    tasks = [asyncio.ensure_future(way()) for way in ways]
    for way, task in zip(ways, tasks):
        task.set_name(way.__name__)
    asyncio.get_running_loop().call_later(0.01, print, "ready")
    await asyncio.gather(*tasks)


sys.stdout.reconfigure(line_buffering=True)
asyncio.run(main())
