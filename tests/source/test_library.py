# tests/source/test_library.py - regions, imports and colours of each standard library, against Python.
#
# Every fifteenth file unless --long is given, with --gate fewer: the parser and tokenizer of Python take minutes for all.
#
# SPDX-License-Identifier: Apache-2.0
"""src/source agrees with ast and tokenize."""

import json
import os
import subprocess

import pytest

from conftest import BUILD, ROOT

DUMP = os.path.join(BUILD, "tests", "source", "source_dump")
CHECK = os.path.join(ROOT, "tests", "source", "check_library.py")


@pytest.mark.by_version
def test_agrees_with_the_parser(python, pytestconfig):
    if not os.access(DUMP, os.X_OK):
        pytest.fail("%s does not exist: build first, or set SC_BUILD" % DUMP)
    step = "1" if pytestconfig.getoption("--long") else "25" if pytestconfig.getoption("--gate") else "15"
    ended = subprocess.run(
        [python.path, "-I", CHECK, "--step", step, DUMP], stdout=subprocess.PIPE, check=True
    )
    result = json.loads(ended.stdout)
    differences = result.pop("differences")
    print(result)
    assert result["files"] > 20 and result["imports"] > 100
    assert differences == {"regions": [], "imports": [], "tokens": []}
