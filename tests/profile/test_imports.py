# tests/profile/test_imports.py - imports of compiled code, from wherever the interpreter takes them.
#
# SPDX-License-Identifier: Apache-2.0
"""The key "imports" of a file."""

import os
import subprocess
import types

PROGRAM = """\
import math
import made_package
from made_package import core as c
import plain_package
total = 0
for number in range(3_000_000):
    total += number
"""


def add_package(library, name, files):
    folder = os.path.join(library, name)
    os.mkdir(folder)
    for file in ["__init__.py", *files]:
        with open(os.path.join(folder, file), "w", encoding="ascii"):
            pass


def test_compiled_packages_of_a_virtual_environment_that_is_not_active_are_found(profile, python, tmp_path):
    root = str(tmp_path / "venv")
    subprocess.run([python.path, "-m", "venv", "--without-pip", root], check=True)
    own = types.SimpleNamespace(path=root + "/bin/python")
    asked = [own.path, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    library = subprocess.run(asked, stdout=subprocess.PIPE, universal_newlines=True, check=True).stdout.strip()
    add_package(library, "made_package", ["core.py", "_fast.cpython-999-x86_64-linux-gnu.so"])
    add_package(library, "plain_package", [])
    found = profile(PROGRAM, own).expect(0).profile.file()["imports"]
    assert found == ["import math", "import made_package", "from made_package import core as c"]
