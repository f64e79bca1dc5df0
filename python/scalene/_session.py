# python/scalene/_session.py - a profile of this very process, which was not started by `scalene run`.
#
# We start the native program, which forks so that the observer is not our child. It reports where its
# agent is and where the observer listens. We load the agent and pass it that address; from then on all
# is as under `scalene run`. src/agent/late.h and src/observer/lifecycle/guest.h describe agent and observer.
#
# SPDX-License-Identifier: Apache-2.0
"""Profiles of the running process."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import IO

from scalene import native_program
from scalene.profile import order, order_to

# A large profile takes a while to be written.
PATIENCE_S = 300


class Refused(Exception):
    """Nothing can be profiled. The text says why; it is empty when that has been printed already."""

    def __init__(self, text: str, is_usage: bool = False) -> None:
        super().__init__(text)
        self.is_usage = is_usage  # the options were wrong


def _observe(words: Sequence[str], errors: IO[bytes] | None) -> list[bytes]:
    """The fields of the native program's answer. Raises Refused."""
    line = [native_program(), "observe", *words]
    try:
        ended = subprocess.run(line, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors, check=False)
    except (TypeError, ValueError) as error:  # a word that is no text, or has a zero byte
        raise Refused(str(error)) from None
    except OSError as error:
        if error.errno is None:  # a TimeoutError of the program's alarm, say
            raise
        raise Refused(
            "cannot start '%s': %s; install the scalene package again" % (line[0], error.strerror)
        ) from None
    if ended.returncode != 0 or not ended.stdout.endswith(b"\0"):
        raise Refused("", ended.returncode == 2)
    return ended.stdout.split(b"\0")[:-1]


def count_options(words: Sequence[str], errors: IO[bytes] | None = None) -> int:
    """How many of the words are options of `scalene run`. Raises Refused."""
    return int(_observe(["0", "", "", *words], errors)[0])


def _not_loaded(why: object) -> Refused:
    if "static TLS" in str(why):  # from the loader's message
        return Refused(
            "the libraries of this program have used up the thread-local memory that the agent needs a little of; "
            "begin before they are imported, or use 'scalene run'"
        )
    return Refused("the agent cannot be loaded: %s" % why)


_agent: ctypes.PyDLL | None = None  # stays loaded


def _load_agent(path: str) -> ctypes.PyDLL:
    global _agent
    if _agent is None:
        # functions of a PyDLL are called with the interpreter's lock held
        try:
            library = ctypes.PyDLL(path)
        except OSError as error:
            raise _not_loaded(error) from None
        library.scalene_agent_begin.argtypes = [ctypes.c_char_p]
        library.scalene_agent_begin.restype = ctypes.c_int
        library.scalene_agent_name_thread.argtypes = [ctypes.c_int, ctypes.c_ulonglong, ctypes.c_char_p]
        library.scalene_agent_name_thread.restype = None
        for function in (library.scalene_agent_flush, library.scalene_agent_end):
            function.argtypes = []
            function.restype = None
        _agent = library
    return _agent


def _name_threads(agent: ctypes.PyDLL) -> None:
    threading = sys.modules.get("threading")
    for thread in threading.enumerate() if threading is not None else ():
        if getattr(thread, "native_id", None) is not None and thread.ident is not None:
            name = thread.name.encode("utf-8", "replace")
            agent.scalene_agent_name_thread(thread.native_id, thread.ident, name)


class Session:
    """A profile that is being made. It belongs to the process that began it: a forked child has none of its own."""

    def __init__(self, program: str, words: Sequence[str], texts: str = "", errors: IO[bytes] | None = None):
        """Begins it, switched on unless the options say otherwise. Raises Refused.

        program is shown as the program's name. words are options of `scalene run`, and what follows
        them. texts is a file with sources that are in no file of their own (src/costs/cell_sources.h). The
        observer's messages go to errors, or to standard error.
        """
        if order("state", os.getpid()) is not None:
            raise Refused("this process is profiled already")
        self.pid = os.getpid()
        self._observer = 0
        self._has_agent = True  # until another profile is found to have it
        try:
            fields = _observe([str(self.pid), program, texts, *words], errors)
            self._observer = int(fields[0])
            self.outfile = os.fsdecode(fields[5])
            self._attach(os.fsdecode(fields[3]), fields[4])
            if fields[2] == b"1":
                self.switch(True)
        except BaseException as error:  # KeyboardInterrupt: an observer that stays would keep all later profiles away
            if self._observer or not isinstance(error, Refused):
                self.cancel()
            raise

    def _attach(self, path: str, rendezvous: bytes) -> None:
        agent = _load_agent(path)
        code = agent.scalene_agent_begin(rendezvous)
        self._has_agent = code not in (1, 2)
        if code == 2:
            raise _not_loaded("it was preloaded without its observer")
        if code == 3:
            # the observer knows why, and its profile says so
            self._order("finish")
            raise _not_loaded("this Python cannot be profiled; 'scalene view --cli' says why")
        if code == 4:
            raise _not_loaded("this program has restricted its own system calls; begin before it does")
        if code != 0:
            raise _not_loaded("it is in use")
        _name_threads(agent)

    def _order(self, word: str) -> bool:
        """Whether the observer has done it."""
        # which listens as this process, too: its own number is not known when its answer was not waited for
        return order_to(word, self._observer or self.pid, PATIENCE_S) is not None

    def switch(self, is_on: bool) -> None:
        self._order("on" if is_on else "off")

    def write(self) -> bool:
        """Switches off. The profile is in its file when this returns true, unless the observer has said otherwise."""
        self._flush()
        return self._order("write")

    def finish(self) -> bool:
        """Like write(), for the last time: the observer ends, and the agent goes dormant. False when it has said
        that the file could not be written, or was gone before."""
        self._flush()
        return self._end("finish")

    def cancel(self) -> None:
        """Ends without a profile."""
        self._end("cancel")

    def _flush(self) -> None:
        if _agent is not None:
            _agent.scalene_agent_flush()

    def _end(self, word: str) -> bool:
        done = self._order(word)
        if _agent is not None and self._has_agent:
            _agent.scalene_agent_end()
            _remove_builtin()
        self._reap(None if done else 1)
        return done

    def _reap(self, patience_s: float | None) -> None:
        """Waits for the observer, which is our child only where we are the process that inherits orphans. One that does
        not take our orders, as we have changed to another user, waits for our own end."""
        if not self._observer:  # 0 would be any child
            return
        end = time.monotonic() + (patience_s or 0)
        try:
            while os.waitpid(self._observer, 0 if patience_s is None else os.WNOHANG)[0] == 0 and time.monotonic() < end:
                time.sleep(0.01)
        except ChildProcessError:
            pass


def _remove_builtin() -> None:
    """Removes the builtin `profile`, which exists only while profiling."""
    import builtins

    ours = getattr(builtins, "profile", None)
    if type(ours) is type(len) and getattr(ours, "__module__", None) is None:
        del builtins.profile  # type: ignore[attr-defined]
