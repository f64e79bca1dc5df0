# bench/advice/programs/login_server.py - checks the passwords of users who log in at the same time.
#
# SPDX-License-Identifier: Apache-2.0
# advice: blocking_in_coroutine
import asyncio
import hashlib

LOGINS = 30
ROUNDS = 150_000


class Accounts:
    def __init__(self):
        self.tried = 0

    async def check(self, name, password):
        salt = name.encode()
        self.tried += 1
        return hashlib.pbkdf2_hmac("sha256", password.encode(), salt, ROUNDS)  # <- here


async def session(accounts, number):
    await asyncio.sleep(0.001 * number)
    digest = await accounts.check("user%d" % number, "secret")
    await asyncio.sleep(0)
    return digest[0]


async def heartbeat(stop):
    while not stop.is_set():
        await asyncio.sleep(0.05)


async def main():
    accounts, stop = Accounts(), asyncio.Event()
    beat = asyncio.ensure_future(heartbeat(stop))
    await asyncio.gather(*[session(accounts, i) for i in range(LOGINS)])
    stop.set()
    await beat
    print(accounts.tried)


asyncio.run(main())
