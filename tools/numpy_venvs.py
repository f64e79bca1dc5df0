#!/usr/bin/env python3
# tools/numpy_venvs.py - gives each interpreter the tests can use a virtual environment with numpy, where there is a wheel.
#
# Prints a value for $SC_PYTHONS. The environments are kept under .cache/venvs/. This
# Python's pip serves all of them, as a pip that is old enough for the oldest does not run on the newest.
# Whatever fails is reported on stderr and leaves that interpreter as it is: tests with numpy skip it.
#
# SPDX-License-Identifier: Apache-2.0
"""Makes virtual environments with numpy."""

import pathlib
import platform
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))
import pythons  # noqa: E402

PLATFORMS = [f"{tag}_{platform.machine()}" for tag in ("manylinux2014", "manylinux_2_17", "manylinux_2_27", "manylinux_2_28")]
TIMEOUT_S = 300


def run(*command):
    """Why the command failed, in one line, or None."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as why:
        return str(why)
    return None if done.returncode == 0 else (done.stderr.strip().splitlines() or ["failed"])[-1]


def imports_numpy(executable):
    return run(str(executable), "-c", "import numpy") is None


def make(python, folder):
    """Fills folder with an environment of this interpreter that has numpy; returns what went wrong, or None."""
    version = "%d%d" % python.minor
    library = "python%d.%d%s" % (*python.minor, "t" if python.free_threaded else "")
    packages = folder / "lib" / library / "site-packages"
    platforms = [word for tag in PLATFORMS for word in ("--platform", tag)]
    abi = "cp" + version + ("t" if python.free_threaded else "")
    # The wheel's tags choose the version; pip would compare its requirement with the Python that pip itself runs on.
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--upgrade", "--only-binary", ":all:", "--no-deps"]
    pip.append("--ignore-requires-python")
    return run(python.path, "-m", "venv", "--without-pip", str(folder)) or run(
        *pip, "--target", str(packages), "--implementation", "cp", "--abi", abi, "--python-version", version, *platforms, "numpy"
    )


def main():
    chosen = []
    for python in pythons.find():
        if python.has_numpy:
            chosen.append(python.path)
            continue
        folder = ROOT / ".cache" / "venvs" / python.id
        executable = folder / "bin" / "python3"
        problem = None if imports_numpy(executable) else make(python, folder)
        if problem is None and imports_numpy(executable):
            chosen.append(str(executable))
        else:
            print(f"no numpy for {python.path}: {problem or 'it cannot be imported'}", file=sys.stderr)
    print(":".join(chosen))
    return 0


if __name__ == "__main__":
    sys.exit(main())
