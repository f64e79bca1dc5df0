# tests/packages.py - packages from the index for the interpreters the tests use, each set installed once.
#
# They are kept in the user's cache, for all clones, a folder for each interpreter and set, which a program gets by its
# PYTHONPATH.
#
# SPDX-License-Identifier: Apache-2.0
"""Installs packages for the tests."""

import fcntl
import hashlib
import os
import platform
import shutil
import subprocess
import sys
import time
import types

CACHE = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "scalene-tests", "packages")
FAILED_S = 1800  # how long a failed attempt is remembered
TIMEOUT_S = 300
# What the gate needs is pinned, so that a release of others does not fail it; what the long run installs is the newest.
PYTEST = "pytest==8.3.5 pytest-xdist==3.6.1"
PLAYWRIGHT = "playwright==1.65.2 greenlet==3.5.6"
EXPORTS = "cmarkgfm==2025.10.22 cffi==2.1.1 pycparser==3.12 perfetto==0.59.1 protobuf==7.36.2"  # what reads exported profiles


def pip_of(python):
    """The words of a pip that installs for the interpreter: its own, or that of the tests for it."""
    own = [python.path, "-m", "pip"]
    if subprocess.run([*own, "--version"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode == 0:
        return [*own, "install"]
    if python.minor < sys.version_info[:2]:  # runs there; a later one may be too new for it
        return [sys.executable, "-m", "pip", "--python", python.path, "install"]
    version = "%d%d" % python.minor
    words = [sys.executable, "-m", "pip", "install", "--implementation", "cp", "--python-version", version]
    if python.minor > (3, 14):  # what is made for the last version says so, and works here too
        words.append("--ignore-requires-python")
    words += ["--abi", "cp" + version + ("t" if python.free_threaded else ""), "--abi", "abi3", "--abi", "none"]
    for tag in ("any", "manylinux2014_" + platform.machine(), "manylinux_2_28_" + platform.machine()):
        words += ["--platform", tag]
    return words


def install(python, names):
    """(folder, None), or (None, why not). names: requirements, separated by blanks."""
    key = "%s-%s" % (python.id, hashlib.sha1((python.path + " " + names).encode()).hexdigest()[:10])
    folder = os.path.join(CACHE, key)
    os.makedirs(os.path.dirname(folder), exist_ok=True)
    with open(folder + ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # tests run side by side
        if os.path.isdir(folder):
            return folder, None
        # without a network each attempt takes minutes, and many tests want the same
        if os.path.exists(folder + ".failed") and time.time() - os.path.getmtime(folder + ".failed") < FAILED_S:
            with open(folder + ".failed", encoding="utf-8") as failed:
                return None, failed.read()
        made = folder + ".new"
        shutil.rmtree(made, ignore_errors=True)
        command = [*pip_of(python), "--quiet", "--target", made, "--no-warn-script-location"]
        command += ["--only-binary", ":all:", "--disable-pip-version-check", *names.split()]
        why = None
        try:
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=TIMEOUT_S, check=False)
            if done.returncode != 0:
                why = done.stdout.decode(errors="replace").strip()[-200:]
        except subprocess.TimeoutExpired:
            why = "pip took longer than %d s" % TIMEOUT_S
        if why is not None:
            with open(folder + ".failed", "w", encoding="utf-8") as failed:
                failed.write(why)
            return None, why
        os.rename(made, folder)
        return folder, None


def for_tests(names):
    """None where the interpreter that runs this can import these requirements now, or why not."""
    this = types.SimpleNamespace(path=sys.executable, id="tests", minor=sys.version_info[:2], free_threaded=False)
    folder, why = install(this, names)
    if folder is not None and folder not in sys.path:
        sys.path.append(folder)
    return why


def playwright():
    """(sync_playwright, None), for the interpreter that runs this, or (None, why not)."""
    why = for_tests(PLAYWRIGHT)
    if why is not None:
        return None, "playwright cannot be installed: " + why
    from playwright.sync_api import sync_playwright

    return sync_playwright, None
