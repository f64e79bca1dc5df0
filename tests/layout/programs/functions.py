# tests/layout/programs/functions.py - calls between Python functions, of every kind.
#
# SPDX-License-Identifier: Apache-2.0
"""Nested functions, methods, decorators, lambdas, classes, specialised calls."""

import functools
import sys
import threading

from parking import park


def nested(label):
    def inner():
        def innermost():
            cell = label

            def uses_cell():
                return cell and park(label)

            return uses_cell()

        return innermost()

    return inner()


def logged(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(
            *args,
            **kwargs
        )

    return wrapper


@logged
@logged
def decorated(label, *, flag=True):
    if flag:
        park(label)


class Meta(type):
    def __new__(mcs, name, bases, namespace, **extra):
        park("metaclass __new__")
        return super().__new__(mcs, name, bases, namespace)

    def __call__(cls, *args):
        return super().__call__(*args)


class Base(metaclass=Meta):
    def __init_subclass__(cls, **extra):
        park("__init_subclass__")

    park("class body")

    def __init__(self, label):
        self.label = label
        self.method()

    def method(self):
        return self.prop

    @property
    def prop(self):
        return self.klass(self.label)

    @classmethod
    def klass(cls, label):
        return cls.static(label)

    @staticmethod
    def static(label):
        return park(label)


class Plain:
    """Calls of it are specialised: a frame of the interpreter's own stands under __init__."""

    def __init__(self, value, label=None):
        self.value = value
        if label:
            park(label)

    def __getitem__(self, index):
        if index == "park":
            park("__getitem__")
        return index

    def __eq__(self, other):
        park("__eq__")
        return True

    def __getattr__(self, name):
        park("__getattr__")
        return name

    @property
    def hot(self):
        if self.value == -1:
            park("hot property")
        return self.value


def specialised_init():
    for i in range(300):
        Plain(i, "specialised __init__" if i == 299 else None)


def specialised_rest():
    plain = Plain(0)
    for i in range(300):
        key = "park" if i == 299 else i
        plain[key]
        plain.value = -1 if i == 299 else i
        plain.hot
    plain.missing
    [1, plain].index(2)


def keywords(a, b=2, *args, c=3, **rest):
    for i in range(100):
        park("keyword arguments") if a == i == 99 else None


def recursion(depth, label):
    if depth:
        return recursion(depth - 1, label)
    park(label)


def deep():
    sys.setrecursionlimit(20000)
    threading.stack_size(512 << 20)
    thread = threading.Thread(target=recursion, args=(10000, "deep recursion"))
    thread.start()
    thread.join()


def traced():
    def tracer(frame, event, argument):
        return tracer

    sys.settrace(tracer)
    recursion(3, "under settrace")
    sys.settrace(None)
    sys.setprofile(lambda *event: None)
    recursion(3, "under setprofile")
    sys.setprofile(None)
    recursion(3, "after tracing")


nested("nested")
decorated("decorated")
decorated("decorated", flag=True)


class Derived(Base):
    def __init__(self, label):
        super().__init__(label)


Derived("methods")
(lambda label: (lambda: park(label))())("lambdas")
specialised_init()
specialised_rest()
for i in range(100):
    keywords(i, 1, 2, c=4, d=5)
keywords(*(99,), **{"b": 5})
functools.partial(recursion, 2)("partial")
recursion(200, "recursion")
traced()
deep()
