# bench/advice/programs/thumbnail_service.py - a service that makes small pictures with an external command.
#
# SPDX-License-Identifier: Apache-2.0
# advice: blocking_in_coroutine
# also: waiting
import asyncio
import subprocess
import sys

PICTURES = 45


async def convert(name):
    command = [sys.executable, "-S", "-c", "import time; time.sleep(0.02)", name]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)  # <- here
    return len(done.stdout)


async def worker(queue, sizes):
    while True:
        name = await queue.get()
        sizes.append(await convert(name))
        queue.task_done()


async def main():
    queue, sizes = asyncio.Queue(), []
    workers = [asyncio.create_task(worker(queue, sizes)) for _ in range(6)]
    for i in range(PICTURES):
        queue.put_nowait("picture%d.png" % i)
    await queue.join()
    for task in workers:
        task.cancel()
    print(len(sizes))


if __name__ == "__main__":
    asyncio.run(main())
