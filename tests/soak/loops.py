# tests/soak/loops.py - asyncio: a server on loopback, clients, subprocesses, executors, cancelled tasks.
#
# SPDX-License-Identifier: Apache-2.0
"""A program of tools/soak; its argument is a seed."""

import asyncio
import random
import sys

choice = random.Random(int(sys.argv[1]))
texts = [b"%d\n" % choice.randrange(10**9) for _ in range(300)]


async def answer(reader, writer):
    while True:
        line = await reader.readline()
        if not line:
            break
        writer.write(line[::-1])
        await writer.drain()
    writer.close()


async def ask(port, mine):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    total = 0
    for text in mine:
        writer.write(text)
        total += len(await reader.readexactly(len(text)))
    writer.close()
    return total


async def main():
    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    print(await asyncio.gather(*(ask(port, texts[i::20]) for i in range(20))))
    server.close()
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", "print(6 * 7)", stdout=asyncio.subprocess.PIPE)
    print(await process.communicate())
    loop = asyncio.get_running_loop()
    print(await asyncio.gather(*(loop.run_in_executor(None, sum, range(n * 10000)) for n in range(20))))
    late = asyncio.ensure_future(asyncio.sleep(60))
    await asyncio.sleep(0.2)
    late.cancel()
    print(await asyncio.gather(late, return_exceptions=True))


asyncio.run(main())
