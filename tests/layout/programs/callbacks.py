# tests/layout/programs/callbacks.py - C code that calls Python back.
#
# SPDX-License-Identifier: Apache-2.0
"""Callbacks from sort, map, reduce, re, pickle, ctypes, the garbage collector, signals, imports."""

import copy
import functools
import gc
import importlib
import os
import pickle
import re
import runpy
import signal
import sys
import tempfile
import weakref

from parking import park


def key(value):
    if value == 3:
        park("sorted key")
    return -value


class Ordered:
    def __init__(self, value):
        self.value = value

    def __lt__(self, other):
        if self.value == 2:
            park("__lt__ from sort")
        return self.value < other.value

    def __reduce__(self):
        park("__reduce__ from pickle")
        return Ordered, (self.value,)

    def __format__(self, spec):
        park("__format__ from str.format")
        return spec

    def __hash__(self):
        park("__hash__ from dict")
        return 1

    def __del__(self):
        if self.value == 77:
            park("__del__")


def add(first, second):
    if second == 4:
        park("reduce")
    return first + second


def collected():
    def callback(phase, info):
        if phase == "start":
            park("gc callback")

    gc.callbacks.append(callback)
    gc.collect()
    gc.callbacks.clear()


def by_signal():
    def handler(number, frame):
        park("signal handler")

    signal.signal(signal.SIGUSR1, handler)
    os.kill(os.getpid(), signal.SIGUSR1)
    for _ in range(1000):
        pass


def by_ctypes():
    try:
        import ctypes
    except ImportError:
        return
    kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)

    def compare(first, second):
        if first and not compare.parked:
            compare.parked = True
            park("qsort through ctypes")
        return 0

    compare.parked = False
    numbers = (ctypes.c_int * 4)(4, 2, 3, 1)
    ctypes.CDLL(None).qsort(numbers, 4, 4, kind(compare))


def by_import():
    with tempfile.TemporaryDirectory() as folder:
        sys.path.insert(0, folder)
        sys.dont_write_bytecode = True
        with open(os.path.join(folder, "imported_module.py"), "w") as file:
            file.write("from parking import park\n\n\ndef f():\n    park('import')\n\n\nf()\n")
        import imported_module

        importlib.reload(imported_module)
        runpy.run_path(imported_module.__file__)
        sys.path.pop(0)


sorted([1, 3, 2], key=key)
sorted([Ordered(2), Ordered(1)])
functools.reduce(add, [1, 2, 3, 4])
list(map(lambda x: park("map") if x == 2 else x, range(4)))
list(filter(lambda x: park("filter") if x == 2 else x, range(4)))
max([1, 2], key=lambda x: park("max key") or x)
re.sub("b+", lambda match: park("re.sub") or "", "abbbc")
pickle.dumps(Ordered(1))
copy.deepcopy([Ordered(1)])
"{:10}".format(Ordered(1))
f"{Ordered(2):5}"
{Ordered(1): 1}
Ordered(77)
collected()
by_signal()
by_ctypes()
by_import()
weak = Plain = type("Plain", (), {})()
reference = weakref.ref(weak, lambda dead: park("weakref callback"))
del weak, Plain
