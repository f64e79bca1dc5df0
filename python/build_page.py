# python/build_page.py - a Hatchling hook that builds the page of `scalene view` into the source distribution.
#
# There gui/built/ holds what needs node, npm and a network to build; gui/meson.build takes it where it is.
#
# SPDX-License-Identifier: Apache-2.0
"""Build hook of the source distribution."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PageBuildHook(BuildHookInterface):  # type: ignore[type-arg]
    """Bundles the page into a folder of its own and adds that as gui/built."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        self.work = tempfile.mkdtemp(prefix="scalene-page-")
        if os.path.exists(os.path.join(self.root, "gui", "built", "app.js")):
            return
        built = os.path.join(self.work, "built")
        os.mkdir(built)
        program = os.path.join(self.root, "tools", "build_page")
        # standard output belongs to the program that started the build
        subprocess.run([program, built, os.path.join(self.work, "depfile")], check=True, stdout=sys.stderr)
        for name in ("app.js", "app.css", "index.html"):
            build_data["force_include"][os.path.join(built, name)] = "gui/built/" + name

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        shutil.rmtree(self.work, ignore_errors=True)
