# tests/robust/test_libraries.py - programs that switch stacks or bring their own event loop.
#
# The packages come from the package index; where they cannot be installed the test is skipped.
#
# SPDX-License-Identifier: Apache-2.0
"""gevent, uvloop and trio; test_greenlets.py has greenlet."""

import packages as index
import pytest

BUSY_HEAD = """
import json
import time

spent = {"one": 0.0, "two": 0.0}


def one(seconds):
    begin = time.thread_time()
    while time.thread_time() < begin + seconds:
        for i in range(500):
            i ^ 5
    spent["one"] += time.thread_time() - begin


def two(seconds):
    begin = time.thread_time()
    while time.thread_time() < begin + seconds:
        for i in range(500):
            i ^ 5
    spent["two"] += time.thread_time() - begin

"""

@pytest.fixture
def packages(python):
    """Gives the environment with a package for the interpreter; each is installed once."""

    def install(name):
        folder, why = index.install(python, name)
        if folder is None:
            pytest.skip("%s cannot be installed for %s: %s" % (name, python.id, why))
        return {"PYTHONPATH": folder}

    return install


GEVENT = BUSY_HEAD + """
from gevent import monkey
monkey.patch_all()
import gevent
import socket
import threading


def first():
    for _ in range(200):
        one(0.003)
        time.sleep(0)


def second():
    for _ in range(200):
        two(0.006)
        gevent.sleep(0)


gevent.joinall([gevent.spawn(first), gevent.spawn(second)])
thread = threading.Thread(target=one, args=(0.01,))
thread.start()
thread.join()
"""

LOOP = BUSY_HEAD + """
import asyncio
SETUP

async def first():
    for _ in range(200):
        one(0.003)
        await asyncio.sleep(0)


async def second():
    for _ in range(200):
        two(0.006)
        await asyncio.sleep(0.0001)


async def main():
    await asyncio.gather(first(), second())
    reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
    writer.write(b"hello")
    print(await reader.read(5))
    writer.close()


async def answer(reader, writer):
    writer.write(await reader.read(5))
    await writer.drain()


async def serve():
    global server
    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    await main()
    server.close()


asyncio.run(serve())
"""

TRIO = BUSY_HEAD + """
import trio


async def first():
    for _ in range(200):
        one(0.003)
        await trio.sleep(0)


async def second():
    for _ in range(200):
        two(0.006)
        await trio.sleep(0)
    await trio.to_thread.run_sync(one, 0.01)


async def main():
    async with trio.open_nursery() as nursery:
        nursery.start_soon(first)
        nursery.start_soon(second)


trio.run(main)
"""

TRIO_WAITS = """
import json
import trio


async def short():
    await trio.sleep(0.5)


async def long():
    await trio.sleep(2)


async def main():
    async with trio.open_nursery() as nursery:
        for _ in range(4):
            nursery.start_soon(short)
        nursery.start_soon(long)


trio.run(main)
"""

TAIL = """
print(json.dumps(spent))
"""


def check(ended):
    """One third and two thirds in turns of 3 and 6 ms: about 450 samples, an error of 2.2 points."""
    truth = ended.facts
    found = ended.profile
    seconds = {name: found.cpu_inside(name) for name in truth}
    share = seconds["one"] / sum(seconds.values())
    assert abs(share - truth["one"] / sum(truth.values())) <= 0.1, "%s, true %s\n%s" % (seconds, truth, found.hottest())
    assert sum(seconds.values()) >= 0.9 * sum(truth.values()), found.hottest()


RATE = ["--cpu-sampling-rate", "0.004"]


@pytest.mark.few_pythons
@pytest.mark.statistical
def test_gevent(profile, python, packages):
    check(profile(GEVENT + TAIL, python, [], RATE, env=packages("gevent")).expect(0))


@pytest.mark.few_pythons
@pytest.mark.statistical
def test_uvloop(profile, python, packages):
    text = LOOP.replace("SETUP", "import uvloop\nuvloop.install()\n")
    check(profile(text + TAIL, python, [], RATE, env=packages("uvloop")).expect(0))


@pytest.mark.few_pythons
@pytest.mark.statistical
def test_trio(profile, python, packages):
    check(profile(TRIO + TAIL, python, [], RATE, env=packages("trio")).expect(0))


@pytest.mark.few_pythons
@pytest.mark.statistical
def test_trio_waits(profile, python, packages):
    """Of 6 s, four tasks wait for 2, one for 2, and their parent for 2."""
    found = profile(TRIO_WAITS, python, [], env=packages("trio")).expect(0).profile
    shares = {line["line"].strip(): line["n_async_await_percent"] for line in found.file()["lines"]}
    for text in ("await trio.sleep(0.5)", "await trio.sleep(2)"):
        assert shares[text] == pytest.approx(100 / 3, abs=5)


@pytest.mark.statistical
def test_asyncio(profile, python):
    text = LOOP.replace("SETUP", "")
    check(profile(text + TAIL, python, [], RATE).expect(0))
