# tests/cli/test_run_words.py - which words reach the program, and which Python runs it.
#
# SPDX-License-Identifier: Apache-2.0
"""Words of `scalene run` as the program sees them."""

import json
import os
import re
import shutil
import sys

import pytest

import command_line
from command_line import first_lines, one_line, report_program

line = command_line.line


@pytest.mark.parametrize(
    "words, argv",
    [
        (["t.py", "a", "", "-b"], ["t.py", "a", "", "-b"]),
        (["--cpu-only", "--json", "t.py", "--foo", "bar", "-x"], ["t.py", "--json", "--foo", "bar", "-x"]),
    ],
)
def test_arguments_reach_the_program(line, words, argv):
    assert line.reported_by(*words)["argv"] == argv


def test_a_program_sees_what_it_sees_without_us(line, bare, tmp_path):
    python = os.path.realpath(sys.executable)
    plain = json.loads(
        line("run", "--", python, "t.py", "a").expect(0).stdout.splitlines()[-1]
    )
    reported = line.reported_by("--python", python, "t.py", "a")
    assert reported == plain
    assert reported["name"] == "__main__"
    assert reported["leaked"] == []
    assert reported["path0"] == reported["cwd"] == os.path.realpath(str(tmp_path))


def test_flags_of_python_reach_python(line):
    reported = line.reported_by("-u", "-BOO", "-X", "utf8", "t.py")
    assert reported["flags"] == [1, 2, 0, 1]
    assert reported["unbuffered"] is True
    reported = line.reported_by("t.py")
    assert reported["flags"][:3] == [0, 0, 0]


def test_disable_jit_sets_two_variables_once(line):
    assert line.reported_by("t.py")["jit"] == [None, None]
    assert line.reported_by("--disable-jit", "t.py")["jit"] == ["1", "0"]
    assert line.reported_by("--disable-jit", "t.py", env={"PYTORCH_JIT": "9"})["jit"] == ["1", "9"]
    assert line.reported_by("--disable-jit", "t.py", env={"JAX_DISABLE_JIT": ""})["jit"] == ["", "0"]


def test_disable_jit_reaches_the_programs_children(line):
    line.write("p.py", "import subprocess, sys\nsys.exit(subprocess.call([sys.executable, 't.py']))\n")
    assert line.reported_by("--disable-jit", "p.py")["jit"] == ["1", "0"]


def test_disable_jit_says_what_it_breaks(line):
    assert "torch.jit.load" in line("run", "--help-advanced").expect(0).stdout


def test_a_slip_is_reported_and_the_run_goes_on(line):
    ended = line("run", "--cpuonly", "t.py").expect(0)
    assert json.loads(ended.stdout)["argv"] == ["t.py", "--cpuonly"]
    (hint,) = first_lines(ended)
    assert "--cpuonly" in hint and "--cpu-only" in hint
    for words in (["--json", "t.py"], ["t.py", "--cpuonly"], ["---", "t.py", "--cpuonly"]):
        assert first_lines(line("run", *words).expect(0)) == []


@pytest.mark.parametrize(
    "words, named",
    [
        (["--use-legacy-tracer", "--gpu", "--async"], ["--use-legacy-tracer"]),
        (["--use-python-callback", "--use-legacy-tracer"], ["--use-python-callback", "--use-legacy-tracer"]),
    ],
)  # fmt: skip
def test_what_does_not_exist_yet_is_reported_on_one_line(line, words, named):
    (printed,) = first_lines(line("run", *words, "t.py").expect(0))
    for name in named:
        assert name in printed


@pytest.mark.parametrize(
    "words",
    [[], ["--cpu-only"], ["--program-path", ""], ["--no-stacks", "--no-async", "--no-memory-leak-detector"], ["--on", "--async"], ["--disable-jit"],
     ["--profile-all", "--use-virtual-time", "--cpu-sampling-rate", "0.001", "--cpu-percent-threshold=0"],
     ["--profile-interval=2", "--memory", "--malloc-threshold", "5", "--memory-leak-detector", "--allocation-sampling-window", "5"],
     ["--profile-only", "t", "--profile-exclude", "q", "--program-path", ".", "--profile-system-libraries"]],
)  # fmt: skip
def test_what_exists_needs_no_line(line, words):
    assert first_lines(line("run", *words, "t.py").expect(0)) == []


def make_environment(folder):
    """A folder in the shape of a virtual environment whose Python says that it was chosen."""
    (folder / "bin").mkdir(parents=True)
    program = folder / "bin" / "python3"
    program.write_text("#!/bin/sh\necho chosen \"$0\" \"$@\"\n")
    program.chmod(0o755)
    return str(folder)


@pytest.fixture
def environment_with_python(tmp_path):
    return make_environment(tmp_path / "venv")


@pytest.mark.parametrize("variable", ["VIRTUAL_ENV", "CONDA_PREFIX"])
def test_the_active_environment_comes_before_path(line, environment_with_python, variable):
    root = environment_with_python
    ended = line("run", "t.py", "x", env={variable: root}).expect(0)
    assert ended.stdout == "chosen %s/bin/python3 t.py x\n" % root
    reported = line.reported_by("--python", sys.executable, "t.py", env={variable: root})
    assert reported["argv"] == ["t.py"]
    # an environment that was removed does not count
    assert line.reported_by("t.py", env={variable: root + "x"})["argv"] == ["t.py"]


def test_a_virtual_environment_comes_before_a_conda_environment(line, environment_with_python, tmp_path):
    ended = line("run", "t.py", env={"VIRTUAL_ENV": environment_with_python, "CONDA_PREFIX": str(tmp_path)}).expect(0)
    assert ended.stdout.startswith("chosen")


@pytest.mark.parametrize("first, second", [("conda", "venv"), ("venv", "conda"), (None, None)])
def test_of_two_active_environments_the_first_on_path_is_chosen(line, tmp_path, first, second):
    roots = {name: make_environment(tmp_path / name) for name in ("venv", "conda")}
    path = ":".join([*("%s/bin" % roots[name] for name in (first, second) if name), os.environ["PATH"]])
    ended = line("run", "t.py", env={"VIRTUAL_ENV": roots["venv"], "CONDA_PREFIX": roots["conda"], "PATH": path}).expect(0)
    assert ended.stdout == "chosen %s/bin/python3 t.py\n" % roots[first or "venv"]


SHEBANGS = {"direct": "#!%s\n", "long": "#!/bin/sh\n'''exec' \"%s\" \"$0\" \"$@\"\n"}


@pytest.mark.parametrize("shebang", SHEBANGS)
def test_a_console_script_runs_with_the_python_beside_it(line, environment_with_python, tmp_path, shebang):
    """Named by its path, by a link as pipx makes one, or by its name on PATH, whatever environment is active."""
    folder = os.path.join(environment_with_python, "bin")
    tool, link = os.path.join(folder, "tool"), str(tmp_path / "link")
    with open(tool, "w", encoding="utf-8") as script:
        script.write(SHEBANGS[shebang] % (folder + "/python3"))
    os.chmod(tool, 0o755)
    os.symlink(tool, link)
    env = {"VIRTUAL_ENV": make_environment(tmp_path / "other"), "PATH": folder + ":" + os.environ["PATH"]}
    for word in (tool, link):
        assert line("run", word, "t.py", env=env).expect(0).stdout == "chosen %s/python3 %s t.py\n" % (folder, word)
    assert line("run", "-u", "tool", "t.py", env=env).expect(0).stdout == "chosen %s/python3 -u %s t.py\n" % (folder, tool)
    assert "chosen" not in line("run", "--python", sys.executable, tool).stdout
    os.rename(folder + "/python3", folder + "/gone")
    assert line("run", tool, env=env).expect(0).stdout == "chosen %s/bin/python3 %s\n" % (env["VIRTUAL_ENV"], tool)


def test_a_script_with_a_python_of_elsewhere_runs_with_that_of_the_environment(line, environment_with_python, tmp_path):
    (tmp_path / "tool").write_text("#!/usr/bin/python3\n")
    ended = line("run", "tool", env={"VIRTUAL_ENV": environment_with_python}).expect(0)
    assert ended.stdout == "chosen %s/bin/python3 tool\n" % environment_with_python


def test_a_program_in_machine_code_is_a_command(line):
    shell = shutil.which("sh")
    assert line("run", shell, "-c", "echo started").expect(0).stdout == "started\n"
    assert "write: scalene run -- sh ..." in one_line(line("run", "sh", "started").expect(1))


@pytest.mark.parametrize(
    "words, argv, ignored",
    [
        (["run", "t.py", "a", "--json"], ["t.py", "a", "--json"], ""),
        (["t.py", "a", "--off", "--cli", "--port", "80"], ["t.py", "a"], "--cli --port 80"),
        (["--cli", "--json", "--outfile", "p.json", "t.py", "---", "--cli"], ["t.py", "--cli"], "--cli --json"),
        (["--cpu", "--html", "--column-width", "100", "t.py"], ["t.py"], "--html --column-width 100"),
        # the line of the extension for editors
        (["run", "--reduced-profile", "--cpu-sampling-rate", "0.01", "--json", "--outfile", "p.json", "--", "t.py"], ["t.py"], "--json"),
        (["run", "--cpu", "--", "t.py", "x"], ["t.py", "x"], ""),
    ],
)  # fmt: skip
def test_lines_for_other_versions_run_the_program(line, words, argv, ignored):
    ended = line(*words).expect(0)
    assert json.loads(ended.stdout.splitlines()[-1])["argv"] == argv
    (printed,) = [row for row in first_lines(ended) if "ignored" in row] or [""]
    assert printed.startswith("scalene: run: ignored, as this version has no such option: %s" % ignored if ignored else "")
    assert ("write ---" in printed) == (words[0] == "t.py")
    assert ("scalene view" in printed) == (re.search("--(json|cli|html)", ignored) is not None)


def test_lines_for_other_versions_may_run_what_ends_with_no_suffix(line, tmp_path):
    os.rename(tmp_path / "t.py", tmp_path / "tool")
    for words in (["--cpu-only", "tool"], ["--outfile", "x.json", "python3", "tool"], ["--cli", "tool"]):
        assert json.loads(line(*words, "a").expect(0).stdout)["argv"] == ["tool", "a"]
    assert "there is no command './tool'" in one_line(line("./tool").expect(2))
    os.chmod(tmp_path / "tool", 0o755)
    assert json.loads(line("./tool", "a").expect(0).stdout)["argv"] == ["./tool", "a"]


def test_a_mistyped_command_is_not_a_program(line):
    printed = one_line(line("runx", "t.py").expect(2))
    assert "there is no command 'runx' (did you mean run?)" in printed


def test_python3_is_looked_up_on_path_and_python_where_there_is_no_other(line, environment_with_python):
    folder = os.path.join(environment_with_python, "bin")
    assert line("run", "t.py", env={"PATH": folder + ":/usr/bin:/bin"}).expect(0).stdout.startswith("chosen")
    os.rename(os.path.join(folder, "python3"), os.path.join(folder, "python"))
    assert line("run", "t.py", env={"PATH": folder + ":/nowhere"}).stdout.startswith("chosen")


def test_no_python_is_reported(line):
    assert "--python" in one_line(line("run", "t.py", env={"PATH": "/nowhere"}).expect(1))
    assert "/nowhere/python" in one_line(line("run", "--python", "/nowhere/python", "t.py").expect(1))


def test_home_is_put_in_for_a_tilde(line, tmp_path):
    report_program(tmp_path / "home")
    reported = line.reported_by("---", "~/t.py", env={"HOME": str(tmp_path / "home")})
    assert reported["argv"] == [str(tmp_path / "home" / "t.py")]


@pytest.mark.parametrize("words", [("--reduced-profile", "--", "holds.py"), ("--cpu", "--memory", "--json", "--", "holds.py"), ("--full-profile", "holds.py")])
def test_readers_of_the_original_find_a_record_for_each_line(line, words):
    """Whoever writes such a line looks for line n at lines[n - 1]."""
    line.write("holds.py", "# one\n\nkept = bytearray(b'x') * (64 << 20)\n# four\n")
    line("run", "-o", "p.json", *words).expect(0)
    with open(os.path.join(str(line.directory), "p.json"), encoding="utf-8") as text:
        (file,) = json.load(text)["files"].values()
    assert [record["lineno"] for record in file["lines"]] == [1, 2, 3, 4]


def test_a_line_with_the_old_option_for_time_alone_measures_no_memory(line):
    line.write("works.py", "import time\nwhile time.process_time() < 0.5:\n    sum(range(1000))\n")
    line("--cpu", "--cli", "-o", "p.json", "works.py").expect(0)
    line("--cpu", "--memory", "-o", "both.json", "works.py").expect(0)
    read = lambda name: json.load(open(os.path.join(str(line.directory), name), encoding="utf-8"))  # noqa: E731
    assert [read(name)["memory"] for name in ("p.json", "both.json")] == [False, True]


def test_an_interpreter_that_is_written_into_the_line_runs_the_program(line):
    assert line.reported_by("--cpu-only", "python3", "t.py", "x")["argv"] == ["t.py", "x"]
