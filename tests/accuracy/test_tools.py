# tests/accuracy/test_tools.py - tools that are installed in an environment, run over a project.
#
# SPDX-License-Identifier: Apache-2.0
"""A console script is nobody's code, and a tool's own package is shown where nothing else was run."""

import json
import os

import pytest
import whole

from conftest import ON_CPU, execute

# As pip writes it.
SCRIPT = """#!%s
# -*- coding: utf-8 -*-
import re
import sys
from _checker.config import console_main
if __name__ == '__main__':
    sys.argv[0] = re.sub(r'(-script\\.pyw|\\.exe)?$', '', sys.argv[0])
    sys.exit(console_main())
"""

# Works by itself, through a library, and by code of the project if it is given a name.
CONFIG = """
import importlib
import sys

import helping


def work(n):
    total = 0
    for i in range(n):
        total += i % 7
    return total


def console_main():
    kept = []
    for round in range(24):
        work(300000)
        kept.append(bytearray(3 << 20))
        helping.help(work, 100000)
    for name in sys.argv[1:]:
        importlib.import_module(name).run()
"""

HELPING = """
def help(work, n):
    total = 0
    for i in range(n):
        total += i % 5
    return total
"""

OWN = """
def run():
    total = 0
    for i in range(3000000):
        total += i % 7
    kept = [bytearray(5 << 20) for i in range(4)]
"""


@pytest.fixture
def project(tmp_path, python):
    """A project with an environment in it, which has a tool: where the tool's package is."""
    environment = tmp_path / ".venv"
    packages = environment / "lib" / ("python%d.%d" % python.version[:2]) / "site-packages"
    (packages / "_checker").mkdir(parents=True)
    (packages / "checker").mkdir()
    (environment / "bin").mkdir()
    (environment / "pyvenv.cfg").write_text("home = %s\n" % os.path.dirname(python.path))
    script = environment / "bin" / "checker"
    script.write_text(SCRIPT % python.path)
    script.chmod(0o755)
    (packages / "_checker" / "__init__.py").write_text("")
    (packages / "_checker" / "config.py").write_text(CONFIG)
    (packages / "checker" / "__init__.py").write_text("")
    (packages / "checker" / "__main__.py").write_text("from _checker.config import console_main\nconsole_main()\n")
    (packages / "helping.py").write_text(HELPING)
    (tmp_path / "own.py").write_text(OWN)
    return packages


WAYS = {"script": ["{script}"], "module": ["-m", "checker"], "command": ["--", "{script}"], "shell": ["--", "sh", "-c", "{script} $0", "{own}"]}


def run(scalene, python, project, way, own=()):
    script = project.parents[2] / "bin" / "checker"
    out = str(project / "out.json")
    words = [word.format(script=script, own=" ".join(own)) for word in WAYS[way]]
    if "--" not in words:
        words = ["--python", python.path, "---", *words]
    rest = () if way == "shell" else own
    environment = {"PYTHONPATH": "%s:%s" % (project, project.parents[3])}
    execute([scalene, "run", "-o", out, *words, *rest], cwd=project.parents[3], env=environment).expect(0)
    return whole.load(out)


@pytest.mark.parametrize("way", sorted(WAYS))
def test_a_tools_own_package_is_shown_where_nothing_else_is(scalene, python, project, way):
    data = run(scalene, python, project, way)
    shown = {os.path.relpath(name, str(project)): one for name, one in data["files"].items()}
    assert "_checker/config.py" in shown and "helping.py" not in shown
    assert not any("bin/" in name for name in shown), shown.keys()
    config = shown["_checker/config.py"]
    assert {"work", "console_main"} <= {one["line"] for one in config["functions"]}
    line = CONFIG.splitlines().index("        kept.append(bytearray(3 << 20))")
    assert 60 < config["lines"][line]["n_malloc_mb"] < 90, config["lines"][line]
    assert any("the code of the tool itself (checker)" in note for note in data["scalene_c"]["notes"])


@pytest.mark.parametrize("way", ("script", "module"))
def test_a_package_that_a_tool_is_told_to_run_is_shown_with_it(scalene, python, project, way):
    """As `pytest --pyargs package.tests` is."""
    (project / "suite").mkdir()
    (project / "suite" / "cases.py").write_text(OWN)
    data = run(scalene, python, project, way, own=("suite.cases",))
    shown = {os.path.relpath(name, str(project)): one for name, one in data["files"].items()}
    assert "run" in {one["line"] for one in shown["suite/cases.py"]["functions"]}, shown.keys()
    assert "_checker/config.py" in shown and "helping.py" not in shown


@pytest.mark.statistical
@pytest.mark.parametrize("way", ("script", "command"))
def test_a_tool_has_the_time_of_what_it_uses(scalene, python, project, way):
    data = run(scalene, python, project, way)
    lines = data["files"][str(project / "_checker" / "config.py")]["lines"]
    on_cpu_s = [sum(line.get("time_s", {}).get(kind, 0) for kind in ON_CPU) for line in lines]
    all_s = sum(data["scalene_c"]["time_s"].get(kind, 0) for kind in ON_CPU)
    assert sum(on_cpu_s) > 0.6 * all_s, (sum(on_cpu_s), all_s)
    line = CONFIG.splitlines().index("        helping.help(work, 100000)")
    assert 0.1 * sum(on_cpu_s) < on_cpu_s[line] < 0.45 * sum(on_cpu_s), (on_cpu_s[line], sum(on_cpu_s))


@pytest.mark.parametrize("way", sorted(WAYS))
def test_a_tool_is_no_code_of_a_project_that_has_some(scalene, python, project, way):
    data = run(scalene, python, project, way, own=("own",))
    assert [os.path.basename(name) for name in data["files"]] == ["own.py"], data["files"].keys()
    hidden = {os.path.basename(one["name"]): one["reason"] for one in data["scalene_c"]["hidden_files"]}
    assert hidden["config.py"] == "library", hidden
    line = OWN.splitlines().index("    kept = [bytearray(5 << 20) for i in range(4)]")
    assert 15 < next(iter(data["files"].values()))["lines"][line]["n_malloc_mb"] < 30
    assert not any("of the tool itself" in note for note in data["scalene_c"].get("notes", []))


def test_a_script_of_ones_own_is_ones_code(scalene, python, project):
    """In the same folder, but it does something."""
    script = project.parents[2] / "bin" / "mine"
    script.write_text(OWN + "run()\n")
    out = str(project / "out.json")
    execute([scalene, "run", "-o", out, "--python", python.path, "---", script], cwd=project.parents[3]).expect(0)
    with open(out, encoding="utf-8") as text:
        assert list(json.load(text)["files"]) == [str(script)]
