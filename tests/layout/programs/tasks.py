# tests/layout/programs/tasks.py - asyncio tasks that wait in every way there is.
#
# Prints for the test where each waiting task is, according to the interpreter itself, and stops in a callback
# of the loop, in which no task runs.
#
# SPDX-License-Identifier: Apache-2.0
"""asyncio tasks for tests/layout/test_tasks.py."""

import asyncio
import contextlib
import functools
import os
import sys
import threading
import types

import tasks_park

if sys.argv[1:] == ["in Python"]:  # as nest_asyncio has it
    asyncio.Task = asyncio.tasks._CTask = asyncio.tasks.Task = asyncio.tasks._PyTask
    asyncio.Future = asyncio.futures._CFuture = asyncio.futures.Future = asyncio.futures._PyFuture


def is_waiting(task):
    waiter = task._fut_waiter
    return not task.done() and waiter is not None and not waiter.done()


def park(tasks):
    waiting = [(task.get_name(), task.get_coro()) for task in tasks if is_waiting(task)]
    tasks_park.park(waiting, sum(1 for task in tasks if not is_waiting(task) and not task.done()))


LONG_S = 1000
held = []


async def sleeps():
    await asyncio.sleep(LONG_S)


async def nested(depth):
    if depth == 0:
        await asyncio.sleep(
            LONG_S
        )
    else:
        await nested(depth - 1)


async def waits_for(event):
    await event.wait()


async def takes(queue):
    while True:
        await queue.get()


async def puts(queue):
    for number in range(3):
        await queue.put(number)


async def locks(lock):
    async with lock:
        pass


async def conditions(condition):
    async with condition:
        await condition.wait()


async def gathers():
    await asyncio.gather(
        sleeps(),
        nested(2),
    )


async def one_by_one():
    for number in range(2):
        if number:
            await asyncio.sleep(LONG_S)
        yield number


async def loops():
    async for number in one_by_one():
        held.append(number)


async def comprehends():
    return [number async for number in one_by_one()]


class Manager:
    def __init__(self, on_exit):
        self.on_exit = on_exit

    async def __aenter__(self):
        if not self.on_exit:
            await asyncio.sleep(LONG_S)

    async def __aexit__(self, *error):
        await asyncio.sleep(LONG_S)


async def manages(on_exit):
    async with Manager(on_exit):
        held.append(on_exit)


@contextlib.asynccontextmanager
async def managed():
    await asyncio.sleep(LONG_S)
    yield


async def manages_by_generator():
    async with managed():
        pass


class Awaitable:
    def __await__(self):
        yield from asyncio.sleep(LONG_S).__await__()


class AwaitableFuture:
    def __init__(self, future):
        self.future = future

    def __await__(self):
        return self.future.__await__()


async def awaits(thing):
    return await thing


@types.coroutine
def by_generator():
    yield from asyncio.sleep(LONG_S)


async def awaits_generator():
    for unused in iter([1]):  # an iterator lies on the stack below what is awaited
        await by_generator()


async def sends():
    generator = one_by_one()
    await generator.asend(None)
    await generator.asend(None)


async def closing():
    try:
        yield 1
    finally:
        await asyncio.sleep(LONG_S)


async def closes():
    generator = closing()
    await generator.asend(None)
    await generator.aclose()


async def takes_next(number):
    generator = one_by_one()
    await generator.__anext__()
    if number:
        await anext(generator, None)  # noqa: F821
    else:
        await generator.__anext__()


async def shields():
    await asyncio.shield(sleeps())


async def times_out():
    await asyncio.wait_for(sleeps(), LONG_S)


async def waits_for_some():
    await asyncio.wait([asyncio.ensure_future(sleeps())], return_when=asyncio.FIRST_COMPLETED)


async def executes():
    await asyncio.get_running_loop().run_in_executor(None, functools.partial(threading.Event().wait, 100))


async def catches():
    try:
        raise ValueError
    except ValueError:
        await asyncio.sleep(LONG_S)


async def many_values():
    held.append((1, 2, 3, [4, await asyncio.sleep(LONG_S), 5]))


async def groups():
    async with asyncio.TaskGroup() as group:
        group.create_task(sleeps(), name="in a group")
        await asyncio.sleep(0)


async def scopes():
    async with asyncio.timeout(LONG_S):
        await sleeps()


async def ends():
    pass


async def fails():
    raise ValueError("meant to fail")


class OwnTask(asyncio.Task):
    """With attributes of its own behind those of the class it is derived from."""

    __slots__ = ("one", "two")


class OwnFuture(asyncio.Future):
    pass


def in_thread(ready, tasks):
    async def main():
        tasks.append(asyncio.current_task())
        asyncio.get_running_loop().call_soon(ready.set)
        await asyncio.sleep(LONG_S)

    loop = asyncio.new_event_loop()
    loop.run_until_complete(main())


def coroutines(loop):
    event, lock, condition = asyncio.Event(), asyncio.Lock(), asyncio.Condition()
    queue, full = asyncio.Queue(), asyncio.Queue(1)
    # free until a task has it; then the next one waits
    yield from (sleeps(), nested(0), nested(1), nested(7), waits_for(event))
    yield from (takes(queue), puts(full), takes(queue))
    yield from (holds(lock), locks(lock), conditions(condition))
    yield from (gathers(), loops(), comprehends(), manages(False), manages(True), manages_by_generator())
    yield from (awaits(Awaitable()), awaits(AwaitableFuture(loop.create_future())), awaits(OwnFuture(loop=loop)))
    yield from (awaits(loop.create_future()), awaits_generator(), sends(), closes(), takes_next(0))
    yield from (shields(), times_out(), waits_for_some(), executes(), catches(), many_values())
    yield awaits(asyncio.ensure_future(sleeps()))
    if sys.version_info >= (3, 10):
        yield takes_next(1)
    if sys.version_info >= (3, 11):
        yield from (groups(), scopes())


async def holds(lock):
    async with lock:
        await asyncio.sleep(LONG_S)


async def main():
    loop = asyncio.get_running_loop()
    tasks = [loop.create_task(coroutine) for coroutine in coroutines(loop)]
    for number, task in enumerate(tasks[::2]):
        task.set_name("named %d \u00e9 \u4f60" % number)
    tasks.append(OwnTask(sleeps(), loop=loop))
    tasks.append(loop.create_task(nested(40), name="deep"))
    tasks.append(loop.create_task(nested(300), name="very deep"))
    if sys.version_info >= (3, 12):
        tasks.append(asyncio.Task(sleeps(), loop=loop, eager_start=True))
    ready = threading.Event()
    others = []
    threading.Thread(target=in_thread, args=(ready, others), daemon=True).start()
    ready.wait()
    for _ in range(10):
        await asyncio.sleep(0.001)
    tasks = list(asyncio.all_tasks()) + others
    # some that do not wait: ended, failed, not begun, about to go on
    ended = loop.create_task(ends())
    failed = loop.create_task(fails())
    await asyncio.wait([ended, failed])
    failed.exception()
    ready_future = loop.create_future()
    about = loop.create_task(awaits(ready_future))
    await asyncio.sleep(0.001)

    def callback():
        park(tasks)
        os._exit(0)

    loop.call_soon(callback)  # comes before what is made ready after it
    ready_future.set_result(1)
    tasks += [ended, failed, about, loop.create_task(sleeps())]
    held.append(loop.create_future())
    await held[-1]


asyncio.run(main())
