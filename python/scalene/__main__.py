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


def command(words: list[str]) -> list[str]:
    """The native command line for the words after `scalene`."""
    if words[:1] == ["run"] and sys.executable:
        # first, so that a --python given by the user overrides it
        words = ["run", "--python", sys.executable, *words[1:]]
    return [native_program(), *words]


def main() -> None:
    line = command(sys.argv[1:])
    try:
        os.execv(line[0], line)
    except OSError as error:
        sys.exit(
            "scalene: cannot start '%s': %s; install the scalene package again" % (line[0], error.strerror)
        )


if __name__ == "__main__":
    main()
