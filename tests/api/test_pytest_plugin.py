# tests/api/test_pytest_plugin.py - `pytest --scalene`, with pytest and xdist from the index, on suites that know what they cost.
#
# SPDX-License-Identifier: Apache-2.0
"""The plugin for pytest."""

import json
import os
import subprocess

import pytest

import packages
from conftest import ROOT, clean_environment
from package_copy import copy_package
from sampled import claimed

pytestmark = pytest.mark.one_python

SUITE = """
import os, time, pytest

@pytest.fixture(scope="module")
def slow():
    time.sleep(0.2)

@pytest.fixture
def quick():
    yield 1

@pytest.mark.limit_time("50 ms")
def test_sleeps(slow):
    time.sleep(0.1)

@pytest.mark.limit_time(50)
@pytest.mark.limit_memory("80 MB")
@pytest.mark.limit_leaks("1 GB")
@pytest.mark.parametrize("number", [1, 2, 3])
def test_is_fine(quick, number):
    block = b"x" * (50 << 20)

@pytest.mark.limit_memory("24 MB")
def test_takes_memory():
    block = b"x" * (50 << 20)
    time.sleep(0.01)

@pytest.mark.limit_leaks("1 MB")
def test_leaks(kept=[]):
    kept.append(b"x" * (5 << 20))

class TestClass:
    def test_method(self):
        print("captured")

@pytest.mark.skip
def test_is_skipped():
    pass
"""
TESTS = ["test_sleeps", "test_is_fine[1]", "test_is_fine[2]", "test_is_fine[3]", "test_takes_memory", "test_leaks", "TestClass::test_method"]


class Suite:
    """A folder with tests, and a Python with pytest and the plugin as an installed package."""

    def __init__(self, folder, site, python):
        self.folder, self.python = folder, python
        self.env = clean_environment()
        self.env.update(PYTHONPATH=site, PYTHONDONTWRITEBYTECODE="1")

    def run(self, *words, status=0, how=("-m", "pytest"), **env):
        command = [self.python.path, *how, "-p", "no:cacheprovider", *words]
        ended = subprocess.run(command, cwd=str(self.folder), env={**self.env, **env}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True, timeout=300)
        assert ended.returncode == status, ended.stdout
        return ended.stdout

    def units(self, name="scalene-profile.json"):
        with open(os.path.join(str(self.folder), name), encoding="utf-8") as stream:
            profile = json.load(stream)
        return {unit["name"]: unit for unit in profile["scalene_c"]["units"]}


@pytest.fixture
def suite(python, scalene, tmp_path, tmp_path_factory):
    folder, why = packages.install(python, packages.PYTEST)
    if folder is None:
        pytest.skip("pytest cannot be installed: " + why)
    site = copy_package(tmp_path_factory.mktemp("site"))
    info = os.path.join(site, "scalene-0.dist-info")
    os.mkdir(info)
    for name, text in (("METADATA", "Metadata-Version: 2.1\nName: scalene\nVersion: 0\n"), ("entry_points.txt", "[pytest11]\nscalene = scalene._pytest_plugin\n")):
        with open(os.path.join(info, name), "w", encoding="utf-8") as stream:
            stream.write(text)
    (tmp_path / "test_suite.py").write_text(SUITE)
    return Suite(tmp_path, os.pathsep.join((site, folder)), python)


def counts(units):
    return {name: unit["count"] for name, unit in units.items()}


def test_without_the_option_the_markers_do_nothing(suite):
    said = suite.run("-q", "--strict-markers")
    assert "7 passed, 1 skipped" in said and "scalene" not in said
    assert os.listdir(str(suite.folder)) == ["test_suite.py"]
    loaded = "import sys, pytest; pytest.main(['-q', '--collect-only']); print([name for name in sys.modules if name.startswith('scalene')])"
    assert suite.run(how=("-c", loaded)).splitlines()[-1] == "['scalene', 'scalene._pytest_plugin']"


def judge(said):
    failed = {" ".join(line.split()[1:3]) for line in said.splitlines() if line.startswith("FAILED ")}
    assert failed == {"test_suite.py::test_sleeps took", "test_suite.py::test_takes_memory raised", "test_suite.py::test_leaks left"}
    assert "WARNING" not in said


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "xdist"])
def test_each_test_is_a_unit(suite, workers):
    said = suite.run("-q", "--scalene", "--scalene-outfile", "mine.json", *workers, status=1)
    assert "7 passed, 1 skipped" in said and "scalene: 7 tests" in said
    judge(said)
    found = counts(suite.units("mine.json"))
    names = ["test_suite.py::" + name for name in TESTS]
    for name in names:
        assert [found[name + part] for part in ("", " (setup)", " (teardown)")] == [1, 1, 1]
    assert found["collection"] == (1 if not workers else 3)
    assert found["fixture quick of test_suite.py"] == 3
    assert 1 <= found["fixture slow of test_suite.py"] <= 2
    assert not any("test_is_skipped" in name and not name.endswith(")") for name in found)


def test_the_end_and_the_output_are_those_of_pytest(suite):
    assert "8 deselected" in suite.run("-q", "--scalene", "-k", "nothing", status=5)
    assert "unrecognized" in suite.run("--scalene", "--unknown", status=4)
    assert "--scalene-outfile" in suite.run("--scalene", "--help")
    (suite.folder / "test_suite.py").write_text("def test_fails():\n    print('seen')\n    assert 0\n\ndef test_kills():\n    import os\n    os.kill(os.getpid(), 9)\n")
    said = suite.run("--scalene", "-k", "fails", status=1)
    assert "1 failed" in said and "seen" in said
    assert "rootdir: %s" % suite.folder in said
    suite.run("--scalene", "-k", "kills", status=137)
    assert suite.units()["test_suite.py::test_kills"]["running"] == 1


def test_the_tests_see_what_they_would(suite):
    """Words, path and options of the interpreter, by the script and by the module."""
    (suite.folder / "test_suite.py").write_text(
        "import sys, os\ndef test_all(request):\n    with open('seen.txt', 'a') as stream:\n"
        "        print(sys.path[0], sys.flags.dev_mode, sys.flags.optimize, request.config.invocation_params.dir, "
        "[word for word in sys.argv[1:] if 'handover' not in word], sorted(k for k in os.environ if 'SCALENE' in k), file=stream)\n"
    )
    script = suite.folder / "bin" / "pytest"
    script.parent.mkdir()
    script.write_text("import sys\nfrom pytest import console_main\nsys.exit(console_main())\n")
    for how in (("-X", "dev", "-m", "pytest"), ("-O", str(script))):
        (suite.folder / "seen.txt").write_text("")
        suite.run("-q", "test_suite.py", how=how)
        suite.run("-q", "test_suite.py", "--scalene", how=how)
        plain, profiled = (suite.folder / "seen.txt").read_text().splitlines()
        assert plain == profiled.replace(", '--scalene'", "")


def test_a_limit_within_the_error_is_a_warning(monkeypatch):
    monkeypatch.syspath_prepend(os.path.join(ROOT, "python"))
    from scalene._pytest_runs import Result

    unit = {"name": "t", "total_s": 1, "max_s": 1, "peak_mb": 20.0, "peak_error_mb": 3.0, "lines": [["/p/t.py", 3, 0.5]]}

    def judged(limit, **more):
        limits = json.dumps({"test": "t", "limits": {"limit_memory": limit}})
        return Result({"memory": True, "scalene_c": {"units": [{**unit, **more}]}}, [limits]).judge()

    assert judged(23.5) == ([], [])
    for limit in (18, 22):
        failures, (warning,) = judged(limit)
        assert failures == [] and "t raised the footprint by 20.0 MB ± 3.0 MB, limit_memory is %.1f MB, within the error; hottest lines: " % limit in warning
    (failure,), warnings = judged(16)
    assert warnings == [] and "t raised the footprint by 20.0 MB ± 3.0 MB, limit_memory is 16.0 MB; hottest lines: " in failure and "t.py:3 (500 ms)" in failure
    assert judged(20, peak_error_mb=0.0) == ([], [])


def test_what_cannot_be(suite):
    assert "has to be started as a command" in suite.run(how=("-c", "import pytest, sys; sys.exit(pytest.main(['--scalene']))"), status=4)
    (suite.folder / "test_suite.py").write_text("import pytest\n@pytest.mark.limit_memory('24 furlongs')\ndef test_a():\n    pass\n")
    for words in (), ("-n", "1"):
        said = suite.run("--scalene", *words, status=1 if words else 2)
        assert "\ntest_suite.py::test_a: limit_memory('24 furlongs'): give a number and one of B, KB, MB, GB" in said
        assert "INTERNALERROR" not in said and "Traceback" not in said


def test_an_interrupted_collection_is_that_of_pytest(suite):
    (suite.folder / "test_suite.py").write_text("raise KeyboardInterrupt\n")
    assert "PluggyTeardownRaisedWarning" not in suite.run("--scalene", "-W", "error", status=2)


def test_a_report_that_cannot_be_written_is_refused(suite):
    assert "ERROR: --scalene-markdown: cannot write '/nowhere/a.md': there is no such folder" in suite.run("--scalene", "--scalene-markdown=/nowhere/a.md", status=4)
    assert os.listdir(str(suite.folder)) == ["test_suite.py"]
    (suite.folder / "test_suite.py").write_text("import pytest\n@pytest.mark.limit_time('200s')\ndef test_a():\n    pass\n")
    said = suite.run("--scalene", "--scalene-markdown=a.md", GITHUB_STEP_SUMMARY="/nowhere/b.md")
    assert "scalene: cannot write '/nowhere/b.md': No such file or directory" in said and "# Scalene" in (suite.folder / "a.md").read_text()


def test_only_a_file_named_json_is_replaced(suite):
    os.mkfifo(str(suite.folder / "pipe.json"))
    (suite.folder / "folder.json").mkdir()
    (suite.folder / "mine.prof").write_text("kept")
    for name in ("pipe.json", "folder.json", "mine.prof"):
        before = os.stat(str(suite.folder / name))
        assert "ERROR: --scalene-outfile: '%s': give the name of a file that ends with .json" % name in suite.run("--scalene", "--scalene-outfile", name, status=4)
        assert os.path.samestat(os.stat(str(suite.folder / name)), before)
    (suite.folder / "link.json").symlink_to("target.json")
    suite.run("--scalene", "--scalene-outfile=link.json", "-k", "fine")
    assert (suite.folder / "link.json").is_symlink() and counts(suite.units("target.json"))["test_suite.py::test_is_fine[1]"] == 1


def test_limits_without_a_profile_are_not_kept(suite):
    program = os.path.join(suite.env["PYTHONPATH"].split(os.pathsep)[0], "scalene", "_native", "bin", "scalene")
    os.unlink(program)
    with open(program, "w", encoding="utf-8") as stream:
        stream.write('#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done\nshift\nexec "$@"\n')
    os.chmod(program, 0o755)
    assert "there is no profile, so limits were not judged" in suite.run("--scalene", "-k", "fine", status=1)
    suite.run("--scalene", "-k", "method")


def test_numbers_of_libraries_are_limits(monkeypatch):
    monkeypatch.syspath_prepend(os.path.join(ROOT, "python"))
    from scalene._pytest_plugin import limit_of

    odd = type("float64", (float,), {"__repr__": lambda self: "np.float64(0.5)"})
    assert limit_of("limit_time", odd(0.5)) == 0.5


@pytest.mark.parametrize("value", ["'200 lines'", "'abc ms'", "'nan s'", "float('nan')", "float('inf')", "-1", "True", "None", "10**400", "1, 2", ""])
def test_what_is_no_limit(suite, value):
    (suite.folder / "test_suite.py").write_text("import pytest\n@pytest.mark.limit_time(%s)\ndef test_a():\n    pass\n" % value)
    assert "): give a number and one of s, ms, us, min, as in" in suite.run("--scalene", status=2)


ODD = """
import pytest, time, os

@pytest.fixture
def slow():
    time.sleep(0.2)

@pytest.mark.limit_time("50 s")
@pytest.mark.parametrize("number", [pytest.param(1, id="long" * 100 + "1"), pytest.param(2, id="long" * 100 + "2")])
def test_a(slow, number):
    pass

@pytest.fixture(scope="session")
def no_files():
    real, os.open = os.open, None
    yield
    os.open = real

def test_z(no_files):
    pass

def test_zz():
    pass
"""


def test_names_and_files_of_all_kinds(suite):
    (suite.folder / "test_suite.py").write_text(ODD)
    (suite.folder / os.fsdecode(b"test_odd_\xff.py")).write_text("import pytest\n@pytest.mark.limit_time(0)\ndef test_é():\n    pass\n")
    said = suite.run("-q", "--scalene", "--scalene-markdown", "mine.md", status=1, PYTHONIOENCODING="ascii")
    assert "5 passed" in said and "scalene: 5 tests" in said
    failed = [line for line in said.splitlines() if line.startswith("FAILED")]
    assert len(failed) == 1 and failed[0].startswith("FAILED test_odd_\\udcff.py::test_\\xe9 took")
    units = suite.units()
    tests = [name for name in units if "longlong" in name and " (" not in name]
    assert len(tests) == 2 and all(counts(units)[name + part] == 1 for name in tests for part in ("", " (setup)", " (teardown)"))


def test_a_profile_without_samples_judges_memory(suite):
    said = suite.run("-q", "--scalene", "-k", "fine")
    assert "not judged" not in said
    (suite.folder / "test_suite.py").write_text("import pytest\n@pytest.mark.limit_memory('1 GB')\ndef test_a():\n    pass\n")
    assert "not judged" not in suite.run("-q", "--scalene")


def test_what_the_profile_does_not_have_is_not_judged(suite):
    lines = [json.dumps({"test": name, "limits": {"limit_time": 1}}) for name in "ab"]
    said = suite.run(how=("-c", "from scalene._pytest_runs import Result; print(Result({}, %r).judge())" % lines))
    assert "'a and 1 more: limits were not judged: the profile does not have it'" in said


def test_a_summary_for_a_page(suite):
    summary = suite.folder / "step.md"
    summary.write_text("# before\n")
    said = suite.run("--scalene", "--scalene-markdown", "mine.md", "-k", "sleeps or fine", status=1, GITHUB_STEP_SUMMARY=str(summary))
    text = (suite.folder / "mine.md").read_text()
    assert summary.read_text() == "# before\n" + text
    assert "- **failed:** test_suite.py::test_sleeps took" in text and "FAILED test_suite.py::test_sleeps took" in said
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert len({row.count("|") for row in rows}) == 1
    names = [row.split(" | ")[0][2:] for row in rows[2:]]
    assert set(names) >= {"test_suite.py::" + name for name in TESTS[:4]} | {"collection", "fixture slow of test_suite.py"}


@pytest.mark.statistical
def test_the_hottest_line_of_a_test(suite):
    suite.run("--scalene", "-k", "sleeps", status=1)
    unit = suite.units()["test_suite.py::test_sleeps"]
    assert claimed(unit["lines"][0][1] == 14)
