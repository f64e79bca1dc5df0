# bench/advice/programs/chat_server.py - rooms that answer their members; each answer looks up a profile.
#
# SPDX-License-Identifier: Apache-2.0
# advice: blocking_in_coroutine
# also: waiting
import asyncio
import time

MEMBERS = 40
PER_MEMBER = 4


def shorten(text):
    return text[:20].strip()


async def profile_of(member):
    time.sleep(0.012)  # <- here
    return {"name": "member %d" % member, "rooms": [member % 3]}


async def answer(member, queue):
    for _ in range(PER_MEMBER):
        profile = await profile_of(member)
        await queue.put(shorten(profile["name"] + " says hello"))
        await asyncio.sleep(0)


async def main():
    queue = asyncio.Queue()
    await asyncio.gather(*(answer(member, queue) for member in range(MEMBERS)))
    print(queue.qsize())


asyncio.run(main())
