# selftest.py - what `scalene selftest` profiles: each function says what it has really used.
#
# SPDX-License-Identifier: Apache-2.0
import asyncio
import hashlib
import subprocess
import sys
import threading
import time

MB = 1 << 20


def say(key, value):
    print(key, value, sep="=", flush=True)


def measure(function, clock=time.thread_time):
    begin = clock()
    function()
    say(function.__name__, clock() - begin)


def interprets():
    end = time.thread_time() + 0.7
    while time.thread_time() < end:
        for number in range(200000):
            _ = number * number


def computes():
    block = bytes(8 * MB)
    end = time.thread_time() + 0.7
    while time.thread_time() < end:
        hashlib.sha256(block).digest()


def runs_in_a_thread():
    end = time.thread_time() + 0.5
    while time.thread_time() < end:
        for number in range(200000):
            _ = number * number


def runs_in_a_child():
    end = time.thread_time() + 0.5
    while time.thread_time() < end:
        for number in range(200000):
            _ = number * number


def sleeps():
    time.sleep(0.6)


def allocates():
    for _ in range(40):
        block = bytearray(b"x") * (4 * MB)
        del block
    say("allocates", 160)


def keeps():
    say("keeps", 48)
    return bytearray(b"x") * (48 * MB)


def copies(block):
    for _ in range(10):
        bytes(block)
    say("copies", 10 * len(block) / MB)


async def awaits():
    begin = time.monotonic()
    await asyncio.sleep(0.2)
    say("awaits", time.monotonic() - begin)


async def awaits_longer():
    begin = time.monotonic()
    await asyncio.sleep(0.6)
    say("awaits_longer", time.monotonic() - begin)


async def both():
    await asyncio.gather(awaits(), awaits_longer())


if sys.argv[1:] == ["child"]:
    measure(runs_in_a_child)
else:
    measure(interprets)
    measure(computes)
    thread = threading.Thread(target=measure, args=(runs_in_a_thread,))
    thread.start()
    thread.join()
    subprocess.check_call([sys.executable, __file__, "child"])
    measure(sleeps, time.monotonic)
    allocates()
    kept = keeps()
    copies(kept)
    asyncio.run(both())
