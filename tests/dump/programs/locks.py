# tests/dump/programs/locks.py - threads that wait for each other, one in each way.
#
# SPDX-License-Identifier: Apache-2.0
import queue
import threading

first, second = threading.Lock(), threading.Lock()
recursive = threading.RLock()
condition = threading.Condition()
never = threading.Event()
LONG_S = 100000
free = threading.Lock()
plain = threading.Lock()
of_plain = threading.Condition(plain)
other, released, at_hand, in_expression_lock = (threading.Lock() for _ in range(4))
of_other, in_expression = threading.Condition(other), threading.Condition(in_expression_lock)
third, fourth, given, kept, handed, waited = (threading.Lock() for _ in range(6))
HOLDERS = ("one", "two", "three", "four", "owner", "in_condition", "left_before", "acquires", "gives_up", "takes_plain",
           "takes_again", "gives", "keeps", "gets", "hands", "waits_for_handed", "releases", "holds_released", "holds_and_gets", "holds_in_expression")
is_held = {name: threading.Event() for name in HOLDERS}


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


def gives_up():
    """Is in a block of the lock, but has given it up meanwhile."""
    with of_plain:
        is_held["gives_up"].set()
        of_plain.wait()


def takes_plain():
    is_held["gives_up"].wait()
    plain.acquire()
    is_held["takes_plain"].set()
    never.wait()


def wants_plain():
    is_held["takes_plain"].wait()
    plain.acquire()


def three():
    with third:
        is_held["three"].set()
        is_held["four"].wait()
        fourth.acquire(timeout=LONG_S)


def four():
    with fourth:
        is_held["four"].set()
        is_held["three"].wait()
        with third:
            pass


def takes_again():
    """Is woken in a block of the lock, which another thread holds meanwhile."""
    with of_other:
        is_held["takes_again"].set()
        of_other.wait()


def holds_other():
    is_held["takes_again"].wait()
    other.acquire()
    of_other.notify()
    never.wait()


def releases():
    """Has released the lock inside its block, and takes it again."""
    with released:
        released.release()
        is_held["releases"].set()
        is_held["holds_released"].wait()
        released.acquire()


def holds_released():
    is_held["releases"].wait()
    released.acquire()
    is_held["holds_released"].set()
    never.wait()


def gives():
    """Has released the lock inside its block, and waits for another one there."""
    with given:
        given.release()
        is_held["gives"].set()
        is_held["keeps"].wait()
        kept.acquire()


def gets():
    is_held["gives"].wait()
    given.acquire()
    is_held["gets"].set()
    never.wait()


def keeps():
    is_held["gets"].wait()
    with kept:
        is_held["keeps"].set()
        given.acquire()


def hand_back(lock):
    lock.release()


def hands():
    """The same, but what releases the lock cannot be seen in the stack any more."""
    with handed:
        hand_back(handed)
        handed.acquire(False)
        is_held["hands"].set()
        is_held["waits_for_handed"].wait()
        waited.acquire()


def waits_for_handed():
    is_held["hands"].wait()
    with waited:
        is_held["waits_for_handed"].set()
        handed.acquire()


def holds_and_gets():
    """Waits for something else than the lock at hand, on which another thread is parked."""
    with at_hand:
        is_held["holds_and_gets"].set()
        queue.SimpleQueue().get()


def wants_at_hand():
    is_held["holds_and_gets"].wait()
    with at_hand:
        pass


def passes(*_):
    never.wait()


def has_at_hand():
    """Has a method of the lock among half evaluated arguments."""
    print(passes, in_expression.notify_all, [never.wait() for _ in range(1)])


def holds_in_expression():
    in_expression.acquire()
    is_held["holds_in_expression"].set()
    never.wait()


def wants_in_expression():
    is_held["holds_in_expression"].wait()
    in_expression_lock.acquire()


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


THREADS = [one, two, owner, wants_recursive, in_condition, wants_condition, itself, left_before, acquires, wants_acquired,
           gives_up, takes_plain, wants_plain, three, four,
           takes_again, holds_other, gives, gets, keeps, hands, waits_for_handed, releases, holds_released, holds_and_gets, wants_at_hand, has_at_hand,
           holds_in_expression, wants_in_expression]
started = [threading.Thread(target=function, name=function.__name__, daemon=True) for function in THREADS]
for thread in started:
    thread.start()
print("ready", flush=True)
started[0].join()
