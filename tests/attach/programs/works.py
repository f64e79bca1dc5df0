# tests/attach/programs/works.py - works until there is a file "end" beside it.
#
# Words: "aside": by another thread, while the first waits for it; "forks": a child works, too; "oddly": a thread has no name;
# "forks_in_c": C code forks a child that works, and Python does not know; "daemon": a child starts one that works, and ends when there is a
# file "leave", then there is a file "left"; that one starts another when there is a file "begin"; "drops": it has another user when there is a file "drop";
# "moves": to the folder "elsewhere"; "crowd": 800 threads wait.
#
# SPDX-License-Identifier: Apache-2.0
import os
import sys
import threading
import time

words = sys.argv[1:]
kept = []


def has_ended():
    return os.path.exists("end")


def works():
    while not has_ended():
        if "drops" in words and os.path.exists("drop"):
            os.setuid(65534)
        kept[:] = [bytearray(100000) for _ in range(50)]
        sum(range(10000))


def waits():
    while not has_ended():
        time.sleep(0.01)


class Oddly(threading.Thread):
    name = property(lambda self: (b"no", self), lambda self, name: None)


def waits_for(name):
    while not os.path.exists(name) and not has_ended():
        time.sleep(0.01)


if "moves" in words:
    os.chdir("elsewhere")
if "daemon" in words and os.fork() == 0:
    if os.fork() == 0:
        parent = os.getppid()
        while os.getppid() == parent and not has_ended():
            time.sleep(0.01)
        open("left", "w", encoding="utf-8").close()
        waits_for("begin")
        os.fork()
        works()
        os._exit(0)
    waits_for("leave")
    os._exit(0)
if "forks_in_c" in words:
    import ctypes

    if ctypes.PyDLL(None).fork() == 0:
        works()
        os._exit(0)
if "forks" in words and os.fork() == 0:
    works()
    os._exit(0)
others = [(Oddly if "oddly" in words else threading.Thread)(target=waits, name="waiting")]
if "crowd" in words:
    for _ in range(800):
        threading.Thread(target=threading.Event().wait, daemon=True).start()
if "aside" in words:
    others.append(threading.Thread(target=works, name="working"))
for thread in others:
    thread.start()
print("ready", flush=True)
if "aside" not in words:
    works()
for thread in others:
    thread.join()
if "forks" in words:
    os.wait()
print("ended", flush=True)
sys.exit(7)
