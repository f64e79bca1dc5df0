# python/scalene/scalene_profiler.py - start and stop profiling from within the program.
#
#     from scalene import scalene_profiler
#     scalene_profiler.start()
#
# Under `scalene run` (with --off, say) this switches the profiling of the whole tree of processes. In
# a program that was started without it, the first start() starts an observer beside it.
#
# SPDX-License-Identifier: Apache-2.0
"""Starts and stops profiling from within the program."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from _thread import RLock
from collections.abc import Iterator
from typing import TYPE_CHECKING

from scalene._label import label
from scalene.profile import order

if TYPE_CHECKING:
    from scalene._session import Session

__all__ = ["Scalene", "enable_profiling", "label", "start", "stop"]

_session: Session | None = None  # of this process, or of one that it was forked from
_said = ""
REFUSED_S = 10  # so long what was refused is not tried again: each try starts a process
_refused: tuple[list[str], float] = ([], 0)  # the words that were refused last, and when
_bodies = 0  # of enable_profiling(), in all threads

_lock = RLock()  # one thread begins a profile; a handler of a signal may call start(), too


def _after_fork() -> None:
    """In a child, which lacks the threads that may have held the lock and be in bodies."""
    global _lock, _bodies
    _lock = RLock()
    _bodies = 0


os.register_at_fork(after_in_child=_after_fork)


def _own() -> Session | None:
    return _session if _session is not None and _session.pid == os.getpid() else None


def _folder() -> str:
    try:
        return os.getcwd()
    except OSError:  # it has been removed
        return "."


def _program(argv: list[str]) -> list[str]:
    """What this program is called, and options for where its code is."""
    main = sys.modules.get("__main__")
    spec = getattr(main, "__spec__", None)
    if spec is not None:  # -m
        return [spec.name, "--program-path", _folder()]
    return [os.path.abspath(argv[0]) if os.path.isfile(argv[0]) else argv[0] or "python"]


def _say(why: object) -> None:
    global _said
    if str(why) not in ("", _said) and sys.stderr is not None:
        _said = str(why)
        with contextlib.suppress(OSError, ValueError):  # it is closed, or nobody reads it
            # at once: a forked worker may end by os._exit, and up to CPython 3.8 this stream keeps lines until it is full
            print("scalene: nothing is profiled: %s" % why, file=sys.stderr, flush=True)


def _begin(options: tuple[str, ...]) -> None:
    global _session, _refused, _said
    try:
        from scalene._session import Refused, Session
    except (ImportError, OSError) as error:  # a Python without ctypes; no file can be opened
        return _say(error)
    argv = [str(word) for word in getattr(sys, "argv", None) or [""]]  # an embedded interpreter may have none
    name, *more = _program(argv)
    words = [*more, *options, "---", *argv[1:]]
    attempt = [_folder(), *words]
    if attempt == _refused[0]:
        if time.monotonic() < _refused[1] + REFUSED_S:
            return
        _said = ""
    try:
        _session = Session(name, words)
    except Refused as refusal:
        _refused = attempt, time.monotonic()
        return _say(refusal)
    import atexit

    atexit.register(_finish)


def _end_unless_on() -> bool:
    """Ends the profile that start() has begun, if there is one. False while it is on: then it stays."""
    if _own() is not None and order("state", os.getpid()):
        return False
    _finish()
    return True


def _finish() -> None:
    global _session
    session = _own()
    if session is not None:
        session.finish()
        _session = None


def start(*options: str) -> None:
    """Profiling is on from here.

    In a program that was not started by `scalene run`, the first call begins a profile with the given
    options of `scalene run`, for example start("--cpu-only", "-o", "profile.json").
    """
    is_on = order("on", os.getpid())
    if is_on is None:
        with _lock:
            if order("on", os.getpid()) is None:  # no other thread has begun one meanwhile
                _begin(options)
    elif not is_on:
        _say("a profile of a process above this one is under way, which does not follow this one")


def stop() -> None:
    """Profiling is off from here.

    Under `scalene run` the profile is written when the program ends; otherwise it is in its file when
    this returns, and written again when there is more.
    """
    session = _own()
    if session is not None:
        session.write()
    else:
        order("off", os.getpid())


@contextlib.contextmanager
def enable_profiling(*options: str) -> Iterator[None]:
    """Profiling is on in the body of the with statement, and off when the last of all bodies has ended, however."""
    global _bodies
    try:
        with _lock:
            _bodies += 1
            start(*options)
        yield
    finally:
        with _lock:
            _bodies = max(0, _bodies - 1)
            if _bodies == 0:
                stop()


class Scalene:
    """The same, for programs that call the original's class."""

    start = staticmethod(start)
    stop = staticmethod(stop)

    @staticmethod
    def set_initialized() -> None:
        """Nothing has to be initialised."""

    @staticmethod
    def main() -> None:
        """The `scalene` command, with the words of sys.argv. Does not return."""
        from scalene.__main__ import main

        main(is_own=True)


def __getattr__(name: str) -> object:
    if name == "ScaleneArguments":  # only where it is asked for: argparse takes a while to import
        from scalene.scalene_arguments import ScaleneArguments

        return ScaleneArguments
    raise AttributeError("module %r has no attribute %r" % (__name__, name))
