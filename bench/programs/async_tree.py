# bench/programs/async_tree.py - trees of coroutines that gather their children, a few of which wait.
#
# SPDX-License-Identifier: Apache-2.0
import asyncio
import sys

SCALE = 8


async def leaf(i):
    if i % 4 == 0:
        await asyncio.sleep(0)
    total = 0
    for k in range(60):
        total += k ^ i
    return total


async def node(depth, i):
    if depth == 0:
        return await leaf(i)
    return sum(await asyncio.gather(*[node(depth - 1, i * 5 + k) for k in range(5)]))


async def main(rounds):
    for _ in range(rounds):
        print(await node(6, 1))


asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else SCALE))
