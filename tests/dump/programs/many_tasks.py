# tests/dump/programs/many_tasks.py - more asyncio tasks than a dump shows; they wait until it is ended.
#
# SPDX-License-Identifier: Apache-2.0
import asyncio
import sys


async def main():
    future = asyncio.get_running_loop().create_future()

    async def waits():
        await future

    tasks = [asyncio.create_task(waits()) for _ in range(int(sys.argv[1]))]
    await asyncio.sleep(0)
    print("ready", flush=True)
    await asyncio.gather(*tasks)


asyncio.run(main())
