# tests/soak/green.py - gevent: a server, clients, queues and copies in greenlets.
#
# SPDX-License-Identifier: Apache-2.0
# needs: gevent
"""A program of tools/soak; its argument is a seed."""

from gevent import monkey

monkey.patch_all()

import random  # noqa: E402
import socket  # noqa: E402
import sys  # noqa: E402

import gevent  # noqa: E402
import gevent.pool  # noqa: E402
import gevent.queue  # noqa: E402
import gevent.server  # noqa: E402

choice = random.Random(int(sys.argv[1]))


def serve(connection, _):
    while True:
        data = connection.recv(4096)
        if not data:
            break
        connection.sendall(bytes(reversed(data)))


def ask(port, number):
    with socket.create_connection(("127.0.0.1", port)) as connection:
        for i in range(30):
            text = b"%08d" % (number * i)
            connection.sendall(text)
            assert connection.recv(4096) == text[::-1]
    return number


def copies(number):
    data = bytes(200000)
    for _ in range(50):
        data = bytes(bytearray(data))
        gevent.sleep(0)
    return number


server = gevent.server.StreamServer(("127.0.0.1", 0), serve)
server.start()
pool = gevent.pool.Pool(50)
numbers = [choice.randrange(10**6) for _ in range(100)]
print(sum(pool.map(lambda number: ask(server.server_port, number), numbers)))
print(sum(pool.map(copies, numbers)))
queue = gevent.queue.Queue(5)
taker = gevent.spawn(lambda: sum(queue.get() for _ in range(500)))
for i in range(500):
    queue.put(i)
print(taker.get())
server.stop()
