# doctor.py - what `scalene doctor` tries a run with: says which Python it is, works, allocates and waits.
#
# SPDX-License-Identifier: Apache-2.0
import sys
import sysconfig
import time


def say(key, value):
    print(key, value, sep="=", flush=True)


def work(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        sum(number * number for number in range(1000))


say("version", sys.version.split()[0])
say("implementation", getattr(sys.implementation, "name", "?"))
say("free_threaded", 1 if sysconfig.get_config_var("Py_GIL_DISABLED") else 0)
say("debug", 1 if hasattr(sys, "gettotalrefcount") else 0)
held = bytearray(b"x") * (8 << 20)
work(0.3)
time.sleep(0.2)
