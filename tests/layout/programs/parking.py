# tests/layout/programs/parking.py - lets a program stop where its frames can be compared.
#
# park() gives the test, as one line of JSON, what the interpreter itself says about the frames of a
# thread, then waits for a byte. The test reads the same frames from outside in the meantime.
#
# SPDX-License-Identifier: Apache-2.0
"""park(), used by every program of this folder."""

import ctypes
import json
import os
import sys
import sysconfig
import threading

PR_SET_PTRACER, ANY = 0x59616D61, ctypes.c_ulong(-1)
ctypes.CDLL(None).prctl(PR_SET_PTRACER, ANY)  # the test, which is no parent of its reader's, may look (Yama)


def row_of(frame):
    code = frame.f_code
    return [code.co_filename, frame.f_lineno, getattr(code, "co_qualname", code.co_name)]


def rows_of(frame):
    rows = []
    while frame is not None:
        rows.append(row_of(frame))
        frame = frame.f_back
    return rows


def say(label, rows, reads, native_id, ident):
    facts = {
        "label": label,
        "frames": rows,
        "reads": reads,
        "pid": os.getpid(),
        "native_id": native_id,
        "ident": ident,
        "version": sys.hexversion >> 16,
        "free_threaded": bool(sysconfig.get_config_var("Py_GIL_DISABLED")),
    }
    os.write(1, json.dumps(facts).encode() + b"\n")


def park(label):
    """Stops the calling thread, whose frames are compared."""
    rows = rows_of(sys._getframe())
    identity = threading.get_native_id(), threading.get_ident()
    rows[0][1] = sys._getframe().f_lineno + 2
    say(label, rows, True, *identity)
    os.read(
        0,
        1,
    )


def park_for(label, thread):
    """Stops the calling thread; the frames of another one, which is waiting, are compared."""
    say(label, rows_of(sys._current_frames()[thread.ident]), False, thread.native_id, thread.ident)
    os.read(0, 1)
