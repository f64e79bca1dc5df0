# bench/advice/programs/audit_trail.py - an asynchronous service that makes each record durable.
#
# SPDX-License-Identifier: Apache-2.0
# advice: blocking_in_coroutine
# also: waiting
import asyncio
import os
import tempfile
from time import sleep

CLIENTS = 25
RECORDS = 9


def flush(file):
    """Stands for a slow disk."""
    file.flush()
    os.fsync(file.fileno())
    sleep(0.008)  # <- here


async def client(file, number, lock):
    for i in range(RECORDS):
        async with lock:
            file.write("client %d record %d\n" % (number, i))
            flush(file)  # <- here
        await asyncio.sleep(0.001)


async def main():
    lock = asyncio.Lock()
    with tempfile.TemporaryFile("w+") as file:
        await asyncio.gather(*(client(file, i, lock) for i in range(CLIENTS)))
        print(file.tell() > 0)


asyncio.run(main())
