# tests/layout/programs/tasks_park.py - lets a program of tasks stop where what they wait for can be compared.
#
# SPDX-License-Identifier: Apache-2.0
"""park(), for programs of asyncio and trio."""

import gc
import inspect
import json
import os
import sys
import sysconfig

from parking import row_of


def inner(awaitable):
    """(frame or None, what it awaits) of one link of a chain."""
    if inspect.iscoroutine(awaitable):
        return awaitable.cr_frame, awaitable.cr_await
    if inspect.isgenerator(awaitable):
        return awaitable.gi_frame, awaitable.gi_yieldfrom
    if inspect.isasyncgen(awaitable):
        return awaitable.ag_frame, awaitable.ag_await
    # Helpers of the interpreter, which do not say what they stand for.
    if type(awaitable).__name__ in (
        "async_generator_asend",
        "async_generator_athrow",
        "coroutine_wrapper",
        "anext_awaitable",
    ):
        for one in gc.get_referents(awaitable):
            if inspect.iscoroutine(one) or inspect.isasyncgen(one) or type(one).__name__ == "async_generator_asend":
                return None, one
    return None, None


def chain_of(awaitable):
    rows = []
    while awaitable is not None:
        frame, awaitable = inner(awaitable)
        if frame is not None:
            rows.append(row_of(frame))
    return rows


def park(waiting, others):
    """waiting: (name, coroutine) of each task that waits; others: how many more do not, and are not over."""
    facts = {
        "waiting": [[name, chain_of(coroutine)] for name, coroutine in waiting],
        "others": others,
        "label": "tasks",
        "pid": os.getpid(),
        "native_id": os.getpid(),
        "version": sys.hexversion >> 16,
        "free_threaded": bool(sysconfig.get_config_var("Py_GIL_DISABLED")),
    }
    os.write(1, json.dumps(facts).encode() + b"\n")
    os.read(0, 1)
