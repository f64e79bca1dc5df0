# tests/dump/programs/interpreters.py - threads of an interpreter that has a lock of its own.
#
# SPDX-License-Identifier: Apache-2.0
import os
import sys
import threading

if sys.version_info >= (3, 13):
    import _interpreters as interpreters
else:
    import _xxsubinterpreters as interpreters

CODE = """
import os, threading
def inner():
    os.read(%d, 1)
def starts():
    thread = threading.Thread(target=inner, name="of_the_other")
    thread.start()
    inner()
starts()
"""

never, _ = os.pipe()


def executes():
    run = interpreters.exec if sys.version_info >= (3, 13) else interpreters.run_string
    run(interpreters.create(), CODE % never)


thread = threading.Thread(target=executes, name="executes", daemon=True)
thread.start()
print("ready", flush=True)
os.read(never, 1)
