# tests/gpu/standins.py - NVIDIA's libraries as the tests need them, built from standin/.
#
# SPDX-License-Identifier: Apache-2.0
"""Stand-ins for the libraries of NVIDIA's driver."""

import os
import shutil
import subprocess
import tempfile

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCES = os.path.join(os.path.dirname(os.path.dirname(HERE)), "src")


class Nvml:
    """A directory with a libnvidia-ml.so.1 that says what the file `script` says (standin/nvml.c).

    Others than the tests' user may look into it, for tests of what they may do."""

    def __init__(self, *flags):
        self.folder = tempfile.mkdtemp(prefix="standin-")
        os.chmod(self.folder, 0o755)
        self.script = os.path.join(self.folder, "script")
        self.log = os.path.join(self.folder, "log")
        library = os.path.join(self.folder, "libnvidia-ml.so.1")
        source = os.path.join(HERE, "standin", "nvml.c")
        command = ["cc", "-D_GNU_SOURCE", "-O1", "-shared", "-fPIC", "-I", SOURCES, *flags, "-o", library, source]
        subprocess.run(command, check=True)

    def write(self, text):
        """Replaces the script at once, so that nobody reads half of it."""
        with open(self.script + ".new", "w") as stream:
            stream.write(text)
        os.rename(self.script + ".new", self.script)

    @property
    def environment(self):
        return {"LD_LIBRARY_PATH": self.folder, "SC_STANDIN_NVML": self.script, "SC_STANDIN_NVML_LOG": self.log}

    def calls(self):
        """The calls that have set something."""
        if not os.path.exists(self.log):
            return []
        with open(self.log) as stream:
            return stream.read().splitlines()

    def close(self):
        shutil.rmtree(self.folder)


@pytest.fixture
def nvml():
    made = Nvml()
    yield made
    made.close()


@pytest.fixture
def make_nvml():
    """Nvml with flags for the compiler."""
    made = []

    def make(*flags):
        made.append(Nvml(*flags))
        return made[-1]

    yield make
    for one in made:
        one.close()
