# bench/advice/programs/archive_service.py - a service that leaves compressing to the processes of its pool.
#
# SPDX-License-Identifier: Apache-2.0
# advice: none
import asyncio
import concurrent.futures
import lzma
import multiprocessing

DOCUMENTS = 16


async def main():
    loop = asyncio.get_running_loop()
    document = bytes((i * i ^ i >> 5) % 251 for i in range(300_000))
    pool = concurrent.futures.ProcessPoolExecutor(2, multiprocessing.get_context("fork"))
    waiting = []
    for _ in range(DOCUMENTS):
        waiting.append(loop.run_in_executor(pool, lzma.compress, document))
    sizes = await asyncio.gather(*waiting)
    pool.shutdown()
    print(sum(map(len, sizes)))


asyncio.run(main())
