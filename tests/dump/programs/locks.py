# tests/dump/programs/locks.py - threads that wait for each other, one in each way.
#
# SPDX-License-Identifier: Apache-2.0
import threading

first, second = threading.Lock(), threading.Lock()
recursive = threading.RLock()
condition = threading.Condition()
never = threading.Event()
free = threading.Lock()
is_held = {name: threading.Event() for name in ("one", "two", "owner", "in_condition", "left_before", "acquires")}


def one():
    with first:
        is_held["one"].set()
        is_held["two"].wait()
        with second:
            pass


def two():
    with second:
        is_held["two"].set()
        is_held["one"].wait()
        with first:
            pass


def owner():
    recursive.acquire()
    is_held["owner"].set()
    never.wait()


def wants_recursive():
    is_held["owner"].wait()
    with recursive:
        pass


def in_condition():
    with condition:
        is_held["in_condition"].set()
        never.wait()


def wants_condition():
    is_held["in_condition"].wait()
    with condition:
        pass


def itself():
    own = threading.Lock()
    with own:
        with own:
            pass


def left_before():
    """Has held the lock in a block, and does not any more."""
    with free:
        pass
    is_held["left_before"].set()
    never.wait()


def acquires():
    is_held["left_before"].wait()
    free.acquire()
    is_held["acquires"].set()
    never.wait()


def wants_acquired():
    is_held["acquires"].wait()
    free.acquire()


THREADS = [one, two, owner, wants_recursive, in_condition, wants_condition, itself, left_before, acquires, wants_acquired]
started = [threading.Thread(target=function, name=function.__name__, daemon=True) for function in THREADS]
for thread in started:
    thread.start()
print("ready", flush=True)
started[0].join()
