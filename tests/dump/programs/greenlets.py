# tests/dump/programs/greenlets.py - greenlets that are switched out, some of them in the middle of C.
#
# SPDX-License-Identifier: Apache-2.0
import gc
import sys

import greenlet


def leave(value=None):
    greenlet.getcurrent().parent.switch()
    return value


def deep(n):
    if n > 0:
        return deep(n - 1)
    return leave()


def goes_deep():
    deep(3)


def sorts():
    """C calls Python, whose frames begin on the stack that is copied away."""
    sorted([3, 1, 2], key=lambda one: max([one], key=leave))


class Generates(greenlet.greenlet):
    def run(self):
        sum(leave(number) for number in range(3))


def ends():
    leave()


def reads():
    print("ready", flush=True)
    sys.stdin.read(1)


begun = [greenlet.greenlet(goes_deep), greenlet.greenlet(sorts), Generates(), greenlet.greenlet(ends)]
for one in begun:
    one.switch()
begun[-1].switch()
never_begun = greenlet.greenlet(ends)
if sys.argv[1:] == ["old"]:  # the collector's lists of old objects, and of those it leaves alone
    gc.collect()
    gc.freeze()
greenlet.greenlet(reads).switch()
