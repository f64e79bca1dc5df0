# tests/compare/test_compare.py - `scalene compare`: what is run, in which order, and what is said of it.
#
# How long something takes is never looked at; a difference that must be found is one in memory, which is exact.
#
# SPDX-License-Identifier: Apache-2.0
"""Two commands side by side."""

import json
import os
import re
import signal
import subprocess
import sys

import pytest

from conftest import clean_environment, execute, has_ended, until

NOTE = 'printf %s >> order'


@pytest.fixture
def compare(scalene, tmp_path):
    def run(*words, **arguments):
        return execute([scalene, "compare", "--profiles", "0", *words], cwd=tmp_path, **arguments)

    return run


def test_both_run_once_in_each_round_and_begin_in_turn(compare, tmp_path):
    ended = compare("-n", "3", "--", "sh", "-c", NOTE % "A", "--", "sh", "-c", NOTE % "B")
    assert ended.status == 0
    assert (tmp_path / "order").read_text() == "AB" + "BA" + "AB" + "BA"  # the first to warm up
    assert "3 rounds are too few to tell a difference from chance: 5 are needed" in ended.stdout


def test_a_budget_is_never_too_small_to_tell_a_difference(compare):
    found = json.loads(compare("-b", "0", "--json", "--", "true", "--", "true").expect(0).stdout)
    assert found["rounds"] == 6 and found["elapsed_s"]["low_percent"] is not None
    assert "too few" not in found["verdict"]


def test_what_takes_more_memory_is_found_and_said(compare):
    more = "b = bytearray(100_000_000)"
    found = json.loads(compare("-n", "6", "--json", "--", sys.executable, "-c", "pass", "--", sys.executable, "-c", more).stdout)
    assert found["peak_mb"]["is_certain"] and found["peak_mb"]["low_percent"] > 100
    assert found["peak_mb"]["b"] - found["peak_mb"]["a"] > 90
    assert "memory" in found["verdict"]
    assert found["rounds"] == 6
    assert found["commands"] == [sys.executable + " -c pass", "%s -c %s" % (sys.executable, more)]


def test_programs_are_taken_as_run_takes_them(compare, tmp_path):
    (tmp_path / "one.py").write_text("import sys; print(sys.argv[1:])\n")
    (tmp_path / "package.py").write_text("print(['x', '--y'])\n")
    ended = compare("-n", "1", "--json", "--", "one.py", "x", "--y", "--", "-m", "package")
    assert json.loads(ended.stdout)["same_output"] is True
    assert not list(tmp_path.glob("scalene-profile*"))


def test_the_interpreter_of_the_package_runs_programs_that_name_none(compare, tmp_path):
    (tmp_path / "seen.py").write_text("import os, sys\nopen('seen', 'a').write('%s %s\\n' % (sys.executable, 'SCALENE_OWN_PYTHON' in os.environ))\n")
    env = clean_environment({"PATH": "/nonexistent", "SCALENE_OWN_PYTHON": sys.executable})
    compare("-n", "1", "-p", "1", "--", "seen.py", "--", "seen.py", env=env).expect(0)
    assert set((tmp_path / "seen").read_text().splitlines()) == {sys.executable + " False"}


def test_profiles_say_where_the_difference_lies(compare, tmp_path):
    for name, size in (("one", 1), ("two", 100)):
        (tmp_path / (name + ".py")).write_text("kept = bytearray(%d_000_000)\nprint(sum(i * i for i in range(3_000_000)))\n" % size)
    ended = compare("-n", "1", "-p", "2", "--", "one.py", "--", "two.py")
    assert ended.status == 0
    places = ended.stdout.partition("Where the difference lies, by profiles of further runs:")[2]
    assert re.search(r"two\.py:1 \(was one\.py:1\)  kept = ", places)
    found = json.loads(compare("-n", "1", "-p", "2", "--json", "--", "one.py", "--", "two.py").stdout)
    assert found["profiles"]["runs_before"] == found["profiles"]["runs_after"] == 2


def test_a_module_behind_joined_flags_is_profiled(compare, tmp_path):
    (tmp_path / "module.py").write_text("import sys; open('seen', 'a').write('%s %s\\n' % (__name__, sys.flags.no_site))\n")
    compare("-n", "1", "-p", "1", "--", "-Sm", "module", "--", "-Smmodule").expect(0)
    assert (tmp_path / "seen").read_text() == "__main__ 1\n" * 6  # with the rounds to warm up


def test_a_profiled_run_that_fails_is_told(compare, tmp_path):
    (tmp_path / "once.py").write_text("import sys; sys.exit(5 if '/libscalene' in open('/proc/self/maps').read() else 0)\n")
    ended = compare("-n", "1", "-p", "1", "--", "once.py", "--", "once.py").expect(0)
    assert "there is no profile of A, whose profiled run ended with exit status 5" in ended.stdout


def test_what_is_no_python_has_no_places(compare):
    ended = compare("-n", "1", "-p", "1", "--", "true", "--", "true")
    assert ended.status == 0 and "Where the difference lies is not known" in ended.stdout
    assert json.loads(compare("-n", "1", "-p", "1", "--json", "--", "true", "--", "true").stdout)["profiles"] is None


def test_outputs_that_differ_are_told(compare):
    ended = compare("-n", "1", "--", "echo", "one", "--", "echo", "two")
    assert ended.status == 0
    assert "The outputs of A and B differ." in ended.stdout


def test_long_outputs_are_compared_to_their_end(compare):
    for more, is_same in (("", True), (" | tr '\\0' x", False)):
        ended = compare("-n", "1", "--json", "--", "sh", "-c", "head -c 100000000 /dev/zero", "--", "sh", "-c", "head -c 99999999 /dev/zero; head -c 1 /dev/zero" + more)
        assert json.loads(ended.stdout)["same_output"] is is_same


def test_nothing_is_left_of_a_run(compare, tmp_path):
    """A process that a command leaves behind, and the folder for outputs."""
    (tmp_path / "temporary").mkdir()
    left = "import os, time\nif os.fork() == 0:\n    open('new', 'w').write(str(os.getpid()))\n    os.rename('new', 'pid')\n    time.sleep(1000)\nwhile not os.path.exists('pid'):\n    time.sleep(0.01)"
    compare("-n", "1", "--", sys.executable, "-c", left, "--", "true", env={"TMPDIR": str(tmp_path / "temporary")})
    until(lambda: has_ended(int((tmp_path / "pid").read_text())))
    assert not list((tmp_path / "temporary").iterdir())


@pytest.mark.parametrize(
    "words, says",
    [
        ([], "two commands are needed"), (["--", "true"], "two commands are needed"), (["--", "--", "true"], "two commands are needed"),
        (["--", "true", "--", "true", "--", "true"], "there are more than two commands"),
        (["true", "--", "true", "--", "true"], "'true' stands before the first --"), (["-n", "81", "--", "true", "--", "true"], "81"),
    ],
)
def test_a_wrong_line_is_refused_in_one_sentence(compare, words, says):
    ended = compare(*words)
    assert ended.status == 2
    assert ended.stdout == "" and says in ended.stderr and ended.stderr.count("\n") == 1


def test_a_command_that_cannot_be_found_is_refused(compare):
    ended = compare("--", "true", "--", "no-such-program")
    assert ended.status == 1 and ended.stdout == "" and ended.stderr.startswith("scalene: compare: B: ")


def test_a_command_that_fails_ends_it_unless_that_is_allowed(compare):
    lines = ["--", "true", "---", "sh", "-c", "exit 3"]
    lines[0] = "---"
    ended = compare(*lines)
    assert ended.status == 1 and ended.stderr == "scalene: compare: B ended with exit status 3\n"
    ended = compare("-n", "1", "--", "true", "--", "sh", "-c", "kill -9 $$")
    assert ended.status == 1 and "B was ended by signal 9" in ended.stderr
    ended = compare("--", "true", "--", "sh", "-c", "printf 'one\\033[31m\\nwhy\\033[31m\\n'; exit 1")
    assert ended.stderr == "scalene: compare: B ended with exit status 1: why<U+001B>[31m\n"
    ended = compare("--", "sh", "-c", "printf '%0999dx\\n' 1; exit 1", "--", "true")
    assert ended.stderr == "scalene: compare: A ended with exit status 1: " + "0" * 197 + "1x\n"
    ended = compare("-i", "-n", "1", *lines)
    assert ended.status == 0 and "B ended with exit status 3." in ended.stdout


def test_a_command_may_hold_the_word_that_divides(compare):
    ended = compare("-n", "1", "---", "echo", "--", "x", "---", "echo", "--", "x")
    assert ended.status == 0 and "A: echo -- x" in ended.stdout and "outputs" not in ended.stdout


def state_of(pid):
    with open("/proc/%d/stat" % pid, encoding="utf-8") as file:
        return file.read().rpartition(")")[2].split()[0]


def test_ctrl_z_stops_the_run_too(scalene, tmp_path):
    """What has stopped takes no time."""
    waits = "echo $$ > new; mv new begun; while [ ! -e go ]; do :; done"  # starts nothing: a shell that waits for a child to execute its program does not stop
    command = [scalene, "compare", "-n", "1", "-p", "0", "--", "sh", "-c", waits, "--", "true"]
    # in our session, as nobody would continue a group without a shell
    process = subprocess.Popen(command, cwd=tmp_path, env=clean_environment(), stdout=subprocess.DEVNULL, preexec_fn=os.setpgrp)
    try:
        until((tmp_path / "begun").exists)
        process.send_signal(signal.SIGTSTP)
        until(lambda: state_of(process.pid) == "T")
        until(lambda: state_of(int((tmp_path / "begun").read_text())) == "T")
        process.send_signal(signal.SIGCONT)
        (tmp_path / "go").touch()
        assert process.wait(300) == 0
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_run_that_is_under_way(compare, tmp_path, number):
    def act(process):
        until((tmp_path / "begun").exists)
        process.send_signal(number)

    (tmp_path / "temporary").mkdir()
    ended = compare("--", "sh", "-c", "echo $$ > new; mv new begun; exec sleep 1000", "--", "true", act=act, env={"TMPDIR": str(tmp_path / "temporary")})
    assert ended.status == 1
    assert ended.stderr == "scalene: compare: A: cancelled\n"
    until(lambda: has_ended(int((tmp_path / "begun").read_text())))
    assert not list((tmp_path / "temporary").iterdir())
