# python/scalene/_label.py - names a unit of work: `with scalene_profiler.label("GET /orders"):`
#
# The agent, where there is one, has made builtins.profile, whose module has the two functions that write what is entered
# and left. Without it a label does nothing.
#
# SPDX-License-Identifier: Apache-2.0
"""Names units of work."""

from __future__ import annotations

import builtins
import functools
import os
from _thread import get_ident
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

_Function = TypeVar("_Function", bound="Callable[..., Any]")
# of co_flags (Include/cpython/code.h); coroutines are those of types.coroutine, too
_GENERATOR, _COROUTINE, _ASYNC_GENERATOR = 0x20, 0x80 | 0x100, 0x200

_open: dict[int, tuple[str, int]] = {}  # spans that are entered: their names and threads
_moved: dict[int, int] = {}  # in a child: spans of its parent -> its own
_agent: Any = None  # the module, once it was found


def find_agent() -> Any:
    global _agent
    if _agent is None:
        module = getattr(getattr(builtins, "profile", None), "__self__", None)
        if getattr(module, "__name__", "") == "_scalene_agent":
            _agent = module
    return _agent


def _after_fork() -> None:
    """The child goes on in what its parent's thread was in: it enters all of it anew."""
    agent, thread = find_agent(), get_ident()  # which is that of the parent's thread
    inherited = [(span, name) for span, (name, entered_in) in _open.items() if entered_in == thread]
    _open.clear()
    for span, name in inherited:
        _moved[span] = own = agent.enter(name) if agent is not None else 0
        _open[own] = (name, thread)


os.register_at_fork(after_in_child=_after_fork)


class label:  # noqa: N801, used like a function
    """A unit of work of that name: the body of a with statement, or each call of a decorated function."""

    __slots__ = ("_name", "_spans")

    def __init__(self, name: str) -> None:
        if not isinstance(name, str):
            raise TypeError("the name of a label is a str, not %s" % type(name).__name__)
        self._name = name
        # by thread: one label may be used by several, and again inside itself: then the second is what it was before
        self._spans: dict[int, Any] = {}

    # What these two need is allocated before enter, or freed before leave: it is no growth of the unit.

    def __enter__(self) -> label:
        agent, thread = find_agent(), get_ident()
        before = self._spans.setdefault(thread, None)
        span = 0
        if agent is not None:
            span = agent.enter(self._name)
            if span:
                _open[span] = (self._name, thread)
        self._spans[thread] = (span, before)
        return self

    def __exit__(self, kind: object, value: object, trace: object) -> None:
        thread = get_ident()
        if not self._spans.get(thread):  # it is left in another thread, as when a generator is closed there
            thread = next((other for other, spans in list(self._spans.items()) if spans), thread)
        if not self._spans.get(thread):
            raise RuntimeError("the label %r is left, but was not entered" % self._name)
        span, self._spans[thread] = self._spans[thread]
        if span == 0:
            return
        _open.pop(span, None)
        while span in _moved:
            span = _moved.pop(span)
            _open.pop(span, None)
        del thread
        _agent.leave(span)

    def __call__(self, function: _Function) -> _Function:
        name = self._name
        if isinstance(function, (staticmethod, classmethod)):
            return type(function)(self(function.__func__))  # type: ignore[return-value]
        if isinstance(function, type):
            raise TypeError("a label cannot decorate a class: decorate its methods")
        flags = getattr(getattr(function, "__code__", None), "co_flags", 0)
        if flags & _ASYNC_GENERATOR:
            raise TypeError("a label cannot decorate an asynchronous generator: use a with statement in it")
        if flags & _COROUTINE:

            async def labelled(*args: Any, **keywords: Any) -> Any:
                with label(name):
                    return await function(*args, **keywords)

        elif flags & _GENERATOR:

            def labelled(*args: Any, **keywords: Any) -> Any:
                with label(name):
                    return (yield from function(*args, **keywords))

        else:

            def labelled(*args: Any, **keywords: Any) -> Any:
                with label(name):
                    return function(*args, **keywords)

        return functools.wraps(function)(labelled)  # type: ignore[return-value]
