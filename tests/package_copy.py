# tests/package_copy.py - the Python package with the built native program inside, as a wheel has it.
#
# SPDX-License-Identifier: Apache-2.0
"""A package to import."""

import os
import shutil

from conftest import ROOT, SCALENE


def copy_package(directory):
    """Puts the package into directory, which is for PYTHONPATH."""
    folder = os.path.join(str(directory), "scalene")
    shutil.copytree(
        os.path.join(ROOT, "python", "scalene"), folder, ignore=shutil.ignore_patterns("_native", "__pycache__")
    )
    os.makedirs(os.path.join(folder, "_native", "bin"))
    os.symlink(SCALENE, os.path.join(folder, "_native", "bin", "scalene"))
    return str(directory)
