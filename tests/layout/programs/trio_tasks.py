# tests/layout/programs/trio_tasks.py - trio tasks that wait in several ways, in two threads.
#
# Prints for the test where each waiting task is, according to the interpreter itself, and stops in a task.
#
# SPDX-License-Identifier: Apache-2.0
"""trio tasks for tests/layout/test_tasks.py."""

import threading

import trio

from tasks_park import park

LONG_S = 1000


async def sleeps():
    await trio.sleep(LONG_S)


async def nested(depth):
    if depth == 0:
        await trio.sleep_forever()
    else:
        await nested(depth - 1)


async def waits_for(event):
    await event.wait()


async def numbers():
    yield 1
    await trio.sleep(LONG_S)
    yield 2


async def iterates():
    async for _ in numbers():
        pass


async def receives(channel):
    async for _ in channel:
        pass


async def in_thread():
    await trio.to_thread.run_sync(threading.Event().wait, LONG_S)


async def holds(lock):
    async with lock:
        await trio.sleep(LONG_S)


async def has_children():
    async with trio.open_nursery() as nursery:
        nursery.start_soon(sleeps)


async def ready():
    while True:
        await trio.sleep(0)


def is_waiting(task):
    return task._abort_func is not None


def tasks_below(task):
    yield task
    for nursery in task.child_nurseries:
        for child in nursery.child_tasks:
            yield from tasks_below(child)


def all_tasks():
    return list(tasks_below(trio.lowlevel.current_root_task()))


async def main(others):
    lock, event = trio.Lock(), trio.Event()
    sender, receiver = trio.open_memory_channel(0)
    async with trio.open_nursery() as nursery:
        for work, *args in (
            [sleeps], [nested, 3], [nested, 300], [waits_for, event], [iterates], [receives, receiver], [in_thread], [holds, lock],
            [holds, lock], [has_children], [ready], [nested, 40],
        ):  # fmt: skip
            nursery.start_soon(work, *args)
        nursery.start_soon(sleeps, name="named \u00e9 \u4f60")
        for _ in range(10):
            await trio.sleep(0.001)
        found = all_tasks()
        park([(task.name, task.coro) for task in found + others if is_waiting(task)], sum(not is_waiting(task) for task in found))


def other_thread(is_up, others):
    async def waits():
        async with trio.open_nursery() as nursery:
            nursery.start_soon(nested, 2)
            await trio.sleep(0.01)
            others.extend(task for task in all_tasks() if is_waiting(task))
            is_up.set()
            threading.Event().wait()  # the loop of this thread is blocked

    trio.run(waits)


others, is_up = [], threading.Event()
threading.Thread(target=other_thread, args=(is_up, others), daemon=True).start()
is_up.wait(60)
trio.run(main, others)
