# python/build_native.py - a Hatchling hook that builds the native program into the wheel.
#
# The program and its agent go into scalene/_native in the shape of an installed tree (bin/, lib/), so
# that it finds the agent relative to itself. Nothing in it depends on the version of Python, hence one
# wheel for all: py3-none-linux_<processor>.
#
# Where SC_NATIVE names a folder with such a tree, that is taken instead, and SC_PLATFORM names what it runs on.
# SC_SBOM names a file that says what of others is in it.
#
# SPDX-License-Identifier: Apache-2.0
"""Build hook of the wheel."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


def meson(*words: str) -> None:
    """Runs Meson: the one of the build's own environment, else the one on PATH."""
    beside = os.path.join(os.path.dirname(sys.executable), "meson")
    program = beside if os.access(beside, os.X_OK) else shutil.which("meson")
    if program is None:
        raise RuntimeError("Meson is needed to build scalene; install it with your package manager or pip")
    # standard output belongs to the program that started the build
    subprocess.run([program, *words], check=True, stdout=sys.stderr)


class NativeBuildHook(BuildHookInterface):  # type: ignore[type-arg]
    """Builds with Meson, installs the run-time files into a staging folder and adds it to the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            raise RuntimeError("an editable install has no native program; build with Meson instead")
        self.work = tempfile.mkdtemp(prefix="scalene-build-")
        stage = os.environ.get("SC_NATIVE") or self.build()
        for needed in ("bin/scalene", "lib/scalene/libscalene.so", "lib/scalene/libscalene-memory.so"):
            if not os.path.exists(os.path.join(stage, needed)):
                raise RuntimeError("the build made no %s" % needed)
        build_data["force_include"][stage] = "scalene/_native"
        if os.environ.get("SC_SBOM"):
            build_data["sbom_files"].append(os.environ["SC_SBOM"])
        build_data["pure_python"] = False
        build_data["tag"] = "py3-none-" + (
            os.environ.get("SC_PLATFORM") or sysconfig.get_platform().replace("-", "_").replace(".", "_")
        )

    def build(self) -> str:
        """Builds and installs; returns the staging folder."""
        build = os.path.join(self.work, "build")
        stage = os.path.join(self.work, "stage")
        meson(
            "setup",
            build,
            self.root,
            "--prefix=/",
            "--bindir=bin",
            "--libdir=lib",
            "-Dbuildtype=release",
            "-Dtests=disabled",
            "-Dwerror=false",  # a later compiler may warn of more
        )
        meson("compile", "-C", build)
        meson("install", "-C", build, "--no-rebuild", "--destdir", stage, "--tags", "runtime")
        return stage

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        shutil.rmtree(self.work, ignore_errors=True)
