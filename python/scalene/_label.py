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
from _thread import get_ident, get_native_id
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

_Function = TypeVar("_Function", bound="Callable[..., Any]")
_TID_SHIFT = 42  # a span begins with the number of the thread that has entered it (src/agent/label.c)
_GENERATOR, _COROUTINE, _ASYNC_GENERATOR = 0x20, 0x80, 0x200  # of co_flags (Include/cpython/code.h)

_open: dict[int, str] = {}  # spans that are entered, and their names
_moved: dict[int, int] = {}  # in a child: spans of its parent -> its own
_forking = 0
_agent: Any = None  # the module, once it was found


def _find_agent() -> Any:
    global _agent
    if _agent is None:
        module = getattr(getattr(builtins, "profile", None), "__self__", None)
        if getattr(module, "__name__", "") == "_scalene_agent":
            _agent = module
    return _agent


def _before_fork() -> None:
    global _forking
    _forking = get_native_id()


def _after_fork() -> None:
    """The child goes on in what its parent's thread was in: it enters all of it anew."""
    agent = _find_agent()
    inherited = [(span, name) for span, name in _open.items() if span >> _TID_SHIFT == _forking]
    _open.clear()
    for span, name in inherited:
        _moved[span] = own = agent.enter(name) if agent is not None else 0
        _open[own] = name


os.register_at_fork(before=_before_fork, after_in_child=_after_fork)


class label:  # noqa: N801, used like a function
    """A unit of work of that name: the body of a with statement, or each call of a decorated function."""

    __slots__ = ("_name", "_spans")

    def __init__(self, name: str) -> None:
        if not isinstance(name, str):
            raise TypeError("the name of a label is a str, not %s" % type(name).__name__)
        self._name = name
        self._spans: dict[int, list[int]] = {}  # by thread: one label may be used by several, and again inside itself

    def __enter__(self) -> label:
        agent = _find_agent()
        span = 0
        if agent is not None:
            span = agent.enter(self._name)
            _open[span] = self._name
        self._spans.setdefault(get_ident(), []).append(span)
        return self

    def __exit__(self, *exception: object) -> None:
        spans = self._spans.get(get_ident())
        if not spans:  # it is left in another thread, as when a generator is closed there
            spans = next((others for others in list(self._spans.values()) if others), None)
        if not spans:
            raise RuntimeError("the label %r is left, but was not entered" % self._name)
        span = spans.pop()
        if span == 0:
            return
        _open.pop(span, None)
        while span in _moved:
            span = _moved.pop(span)
            _open.pop(span, None)
        _agent.leave(span)

    def __call__(self, function: _Function) -> _Function:
        name = self._name
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
