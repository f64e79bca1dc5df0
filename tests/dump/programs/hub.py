# tests/dump/programs/hub.py - greenlets of gevent that wait.
#
# SPDX-License-Identifier: Apache-2.0
import sys

import gevent
import gevent.event
import gevent.socket

LONG_S = 100000
never = gevent.event.Event()
one, other = gevent.socket.socketpair()


def sleeps():
    gevent.sleep(LONG_S)


def receives():
    one.recv(1)


def accepts():
    listening = gevent.socket.socket()
    listening.bind(("127.0.0.1", 0))
    listening.listen()
    listening.accept()


def waits():
    never.wait()


def blocks():
    gevent.sleep(0)
    print("ready", flush=True)
    if sys.argv[1:] == ["blocked"]:
        sys.stdin.read(1)


spawned = [gevent.spawn(function) for function in (sleeps, receives, accepts, waits, blocks)]
gevent.joinall(spawned)
