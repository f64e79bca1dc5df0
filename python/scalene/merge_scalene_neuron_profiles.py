# python/scalene/merge_scalene_neuron_profiles.py - adds the times of an AWS Neuron trace to a profile.
#
# `python3 -m scalene.merge_scalene_neuron_profiles PROFILE TRACE OUT`. The native program does it.
#
# SPDX-License-Identifier: Apache-2.0
"""Adds the times of a trace of AWS Neuron's profiler to the lines of a profile."""

from __future__ import annotations

import os
import sys

from scalene import native_program


def main() -> None:
    program = native_program()
    try:
        os.execv(program, [program, "merge-neuron", *sys.argv[1:]])
    except OSError as error:
        sys.exit("scalene: cannot start '%s': %s" % (program, error.strerror))


if __name__ == "__main__":
    main()
