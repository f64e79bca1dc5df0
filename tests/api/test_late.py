# tests/api/test_late.py - a program that begins a profile of itself behaves as it does without.
#
# The programs are those of tests/run. Before each of them `sitecustomize` loads the package, and in one
# of two runs begins a profile, so that everything which follows happens with the agent loaded late.
#
# SPDX-License-Identifier: Apache-2.0
"""Bare runs and runs with a late agent compared."""

import json
import os
import sys
import time

import pytest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "run"))

from case import normal  # noqa: E402
from package_copy import copy_package  # noqa: E402
from test_run import CASES, perform  # noqa: E402

# What a library that is loaded late cannot do.
NOT_LATE = {
    "thread_local_memory_of_libraries": "takes 256 bytes itself of what its libraries fill, see test_static_tls.py",
    "static_tls_used_up": "takes 256 bytes itself of what is used up there, see test_static_tls.py",
}

CUSTOMIZE = """
import atexit, os, threading
from scalene import scalene_profiler, _session
if os.path.exists(%(flag)r):
    os.unlink(%(flag)r)
    scalene_profiler.start("--quiet", "--memory", "-o", %(out)r)
"""


@pytest.mark.few_pythons
@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_same_behaviour(case, python, bare, tmp_path, tmp_path_factory):
    reason = case.reason_to_skip(python)
    if reason:
        pytest.skip(reason)
    if case.name in NOT_LATE:
        pytest.skip(NOT_LATE[case.name])
    if "PYTHONPATH" in (case.env or {}):
        pytest.skip("the package cannot be imported there")
    site = str(tmp_path_factory.mktemp("site"))
    # not beside the modules: Python looks through a folder again that has changed
    state = str(tmp_path_factory.mktemp("state"))
    flag = os.path.join(state, "flag")
    out = os.path.join(state, "profile.json")
    copy_package(site)
    with open(os.path.join(site, "sitecustomize.py"), "w", encoding="utf-8") as text:
        text.write(CUSTOMIZE % {"flag": flag, "out": out})
    directory = str(tmp_path)
    case.make_files(directory)
    env = {**case.environment(directory), "PYTHONPATH": site, "PYTHONDONTWRITEBYTECODE": "1"}

    def run(*words, **how):
        return bare(*words, **{**how, "env": env})

    plain = perform(run, case, python, directory)
    assert plain.status == case.status, plain
    with open(flag, "w", encoding="utf-8"):
        pass
    late = perform(run, case, python, directory)
    assert normal(late.stdout) == normal(plain.stdout)
    assert normal(late.stderr) == normal(plain.stderr)
    assert late.status == plain.status
    if os.path.exists(flag):  # the program has been started in a way that leaves `sitecustomize` out
        return
    # the observer of a program that was killed sees that a moment later
    limit = time.monotonic() + 20
    while not os.path.exists(out) and time.monotonic() < limit:
        time.sleep(0.01)
    with open(out, encoding="utf-8") as text:
        assert "scalene_c" in json.load(text)
