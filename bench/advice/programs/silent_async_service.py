# bench/advice/programs/silent_async_service.py - clients of a service that waits for its answers as it should.
#
# SPDX-License-Identifier: Apache-2.0
# advice: none
# also: waiting
import asyncio

CLIENTS = 300
REQUESTS = 8


async def backend(number):
    await asyncio.sleep(0.2)
    return number * 2


async def client(number, limit):
    total = 0
    for i in range(REQUESTS):
        async with limit:
            total += await backend(number + i)
    return total


async def main():
    limit = asyncio.Semaphore(1000)
    print(sum(await asyncio.gather(*(client(i, limit) for i in range(CLIENTS)))))


asyncio.run(main())
