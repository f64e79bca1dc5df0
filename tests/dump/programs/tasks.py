# tests/dump/programs/tasks.py - asyncio tasks that wait; with "blocked", one blocks the event loop.
#
# SPDX-License-Identifier: Apache-2.0
import asyncio
import sys


async def leaf():
    await asyncio.sleep(1000)


async def outer():
    await leaf()


async def awaits(task):
    await task


def reads():
    print("ready", flush=True)
    sys.stdin.read(1)


async def blocks():
    reads()


async def main():
    loop = asyncio.get_running_loop()
    task = loop.create_task(outer())
    tasks = [task, loop.create_task(awaits(task))]
    for name, one in zip(("outer-1", "awaits-1"), tasks):
        one.set_name(name)
    if sys.argv[1:] == ["blocked"]:
        await asyncio.sleep(0.01)
        tasks.append(loop.create_task(blocks()))
    else:
        loop.call_later(0.01, print, "ready")
    await asyncio.gather(*tasks)


sys.stdout.reconfigure(line_buffering=True)
asyncio.run(main())
