# tests/dump/programs/waits.py - threads that wait for all kinds of things.
#
# SPDX-License-Identifier: Apache-2.0
import concurrent.futures
import os
import queue
import select
import socket
import subprocess
import sys
import threading
import time

listener = socket.socket()
listener.bind(("127.0.0.1", 0))
listener.listen()
client = socket.create_connection(listener.getsockname())
server, _ = listener.accept()
reading, writing = os.pipe()
items = queue.Queue()
pool = concurrent.futures.ThreadPoolExecutor(1, "pool")
pool.submit(int).result()
child = subprocess.Popen(["sleep", "1000"])
future = concurrent.futures.Future()


def accepts():
    listener.accept()


def receives():
    client.recv(1)


def reads():
    os.read(reading, 1)


def gets():
    items.get()


def results():
    future.result()


def waits_for_child():
    child.wait()


def waits_a_while_for_child():
    child.wait(1000)


def sleeps():
    time.sleep(1000)


def selects():
    select.select([reading], [], [])


functions = [accepts, receives, reads, gets, results, waits_for_child, sleeps, selects]
if "polls" in sys.argv:  # up to CPython 3.14 it wakes now and then
    functions.append(waits_a_while_for_child)
for function in functions:
    threading.Thread(target=function, name=function.__name__, daemon=True).start()
print(child.pid, listener.getsockname()[1], flush=True)
os.read(0, 1)
os.kill(child.pid, 9)
os._exit(0)
