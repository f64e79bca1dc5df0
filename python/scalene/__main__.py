# python/scalene/__main__.py - `python -m scalene` and the `scalene` command of an environment.
#
# Turns this process into the native program, with an option to use this interpreter.
#
# SPDX-License-Identifier: Apache-2.0
"""Starts the native program."""

from __future__ import annotations

import os
import sys

from scalene import native_program


HAVE_THE_OPTION = ("run", "doctor", "selftest", "optimize", "live", "top", "mcp")


def command(words: list[str], is_own: bool = True) -> list[str]:
    """The native command line for the words after `scalene`. is_own: this interpreter is to run the program."""
    if sys.executable and is_own and words and words[0] in HAVE_THE_OPTION:
        # first, so that a --python given by the user overrides it
        words = [words[0], "--python", sys.executable, *words[1:]]
    return [native_program(), *words]


def tell_interpreter(words: list[str]) -> None:
    """Tells this interpreter to what has no option for it (src/cli/interpreter.h): other commands, lines without one (`--cli
    prog.py`), the page of `live`."""
    if sys.executable and words and (words[0] == "live" or words[0] not in HAVE_THE_OPTION):
        os.environ["SCALENE_OWN_PYTHON"] = sys.executable


def is_of_a_tool() -> bool:
    """Whether this environment was made for this command alone, so that no program of the user's belongs to it."""
    is_of_uvx = "/archive-v" in sys.prefix  # in uv's cache
    return is_of_uvx or any(os.path.exists(os.path.join(sys.prefix, name)) for name in ("pipx_metadata.json", "uv-receipt.toml"))


def first_on_path(name: str) -> str:
    """The path of what the shell starts by that name, or ""."""
    found = (os.path.join(folder, name) for folder in os.environ.get("PATH", "").split(os.pathsep))
    return next((path for path in found if os.path.isfile(path) and os.access(path, os.X_OK)), "")


def is_meant_by_its_place() -> bool:
    """Whether this is the command of an environment that was named by its path (`.venv/bin/scalene`) or comes first on PATH."""
    if sys.prefix == sys.base_prefix and not os.path.isdir(os.path.join(sys.prefix, "conda-meta")):
        return False
    is_command = os.path.basename(sys.argv[0]) == "scalene"
    is_named_by_path = os.path.realpath(first_on_path("scalene")) != os.path.realpath(sys.argv[0])
    return is_command and (is_named_by_path or os.path.dirname(first_on_path("python3")) == os.path.dirname(sys.executable))


def is_in_active_environment() -> bool:
    """Whether this interpreter is the one of the environment that is active; where none is, whether it is the user's."""
    named = {os.path.realpath(value) for value in map(os.environ.get, ("VIRTUAL_ENV", "CONDA_PREFIX")) if value}
    if is_of_a_tool():
        return named == {os.path.realpath(sys.prefix)}
    return named in (set(), {os.path.realpath(sys.prefix)}) or is_meant_by_its_place()


def main(is_own: bool | None = None) -> None:
    # `scalene` may be installed beside the environment in which one works (pipx, uv tool, ~/.local): the native program
    # chooses among what is active there. `python -m scalene` names the interpreter.
    if is_own is None:
        is_own = is_in_active_environment()
    if is_own:
        tell_interpreter(sys.argv[1:])
    line = command(sys.argv[1:], is_own)
    try:
        os.execv(line[0], line)
    except OSError as error:
        sys.exit(
            "scalene: cannot start '%s': %s; install the scalene package again" % (line[0], error.strerror)
        )


if __name__ == "__main__":
    main(is_own=True)
