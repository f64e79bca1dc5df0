# bench/advice/programs/order_signing.py - a service whose tasks queue at a lock, with its own clients.
#
# SPDX-License-Identifier: Apache-2.0
# advice: blocking_in_coroutine
# also: lock_queue
import asyncio
import hashlib
import json

CLIENTS, ORDERS = 24, 30


class Store:
    def __init__(self):
        self.lock = asyncio.Lock()
        self.orders = []

    async def place(self, order):
        async with self.lock:
            self.orders.append(order)
            await asyncio.sleep(0.002)


def sign(order):
    return hashlib.pbkdf2_hmac("sha256", json.dumps(order).encode(), b"salt", 12_000).hex()  # <- here


async def handle(store, reader, writer):
    while line := await reader.readline():
        order = json.loads(line)
        order["signature"] = sign(order)
        await store.place(order)
        writer.write(b"done\n")
    writer.close()


async def client(port, number):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for order in range(ORDERS):
        writer.write(json.dumps({"client": number, "order": order}).encode() + b"\n")
        await reader.readline()
    writer.close()


async def main():
    store = Store()
    server = await asyncio.start_server(lambda *streams: handle(store, *streams), "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    await asyncio.gather(*(client(port, number) for number in range(CLIENTS)))
    server.close()
    print(len(store.orders))


asyncio.run(main())
