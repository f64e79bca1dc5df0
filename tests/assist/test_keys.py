# tests/assist/test_keys.py - the keys of services stay where they are.
#
# SPDX-License-Identifier: Apache-2.0
"""What a measured program and a browser can find out."""

import os
import pathlib
import shutil
import sys

import pytest

import asking
from asking import LOOP
from conftest import execute, until
from services import KEYS, SERVICES
from stand_in import StandIn

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "server"))
import serving  # noqa: E402

project = asking.project
ANTHROPIC = SERVICES["anthropic"]

# Code that looks for a key in its own environment and in that of each program above it up to `scalene optimize`.
LOOK = """```python
    import os
    result, pid = [], os.getpid()
    while True:
        status = dict(row.split(":\\t", 1) for row in open("/proc/%d/status" % pid).read().splitlines() if ":\\t" in row)
        words = open("/proc/%d/cmdline" % pid, "rb").read().split(b"\\0")
        try:
            result.append(b"NAME=" in open("/proc/%d/environ" % pid, "rb").read())
            open("/proc/%d/mem" % pid, "rb").close()
        except PermissionError:
            result.append("refused")
        if b"optimize" in words or pid == 1:
            break
        pid = int(status["PPid"])
```
"""


def without_ptrace(scalene):
    """Root may look into every process; what comes behind this may not."""
    with open(scalene, "rb") as file:
        if b"__asan_init" in file.read():
            pytest.skip("the address sanitizer looks for leaks from another process")
    if os.getuid() != 0:
        return []
    if shutil.which("setpriv") is None:
        pytest.skip("root sees all there is, and setpriv is not there")
    # the right to measure (perfmon), and all of sys_admin with it, is a right to read memory, too
    rights = "-sys_ptrace,-perfmon,-sys_admin"
    return ["setpriv", "--bounding-set=" + rights, "--inh-caps=" + rights]


def test_a_measured_program_reads_no_key_of_ours(project):
    answer = LOOK.replace("NAME", "ANTHROPIC_API_KEY")
    with StandIn(ANTHROPIC, answer) as stand_in:
        env = {**os.environ, **stand_in.service.environment(stand_in.url), "http_proxy": "http://127.0.0.1:9"}
        words = [project.scalene, "optimize", *LOOP, "--measure", "--yes", "--rounds", "1", *stand_in.service.words]
        ended = execute([*without_ptrace(project.scalene), *words], cwd=project.directory, env=env, timeout=600).expect(0)
    said = ended.stdout.split("and is now ")[1].splitlines()[0]
    assert "False" in said and "True" not in said, said
    assert said.count("refused") == 1, said
    for key in KEYS.values():
        assert key not in ended.stdout + ended.stderr


def test_the_server_is_closed_to_other_processes(scalene):
    with serving.serve(scalene, "--no-browser", serving.data("cpu"), env=serving.environment(OPENAI_API_KEY="sk-secret")) as server:
        done = execute([*without_ptrace(scalene), "cat", "/proc/%d/environ" % server.process.pid], cwd="/")
        assert server.answer("api/overview")
    assert done.status != 0 and done.stdout == "" and "ermission denied" in done.stderr


def test_a_browser_is_started_without_keys(scalene, tmp_path):
    browser = tmp_path / "browser"
    browser.write_text("#!/bin/sh\nenv > %s/env.part\nmv %s/env.part %s/env\n" % ((tmp_path,) * 3))
    browser.chmod(0o755)
    keys = {name: value for service in SERVICES.values() for name, value in service.environment("http://127.0.0.1:9").items()}
    with serving.serve(scalene, serving.data("cpu"), env=serving.environment(BROWSER=str(browser), **keys)):
        until((tmp_path / "env").exists, "no browser was started")
    got = (tmp_path / "env").read_text()
    assert "BROWSER=" in got and not [key for key in KEYS.values() if key in got]
