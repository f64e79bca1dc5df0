# tests/assist/test_consent.py - what is run, written and shown of a profile or an answer from somebody else.
#
# SPDX-License-Identifier: Apache-2.0
"""A hostile profile and a hostile service: neither gets more than what was agreed to."""

import json
import os
import re
import stat
import sys

import pytest

import asking
from asking import FASTER, LOOP, PROGRAM
from conftest import execute
from services import SERVICES
from stand_in import StandIn

project = asking.project
ANTHROPIC = SERVICES["anthropic"]
UNSEEN = "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]"


def optimize(project, *words, answer=FASTER, place=LOOP, **how):
    with StandIn(ANTHROPIC, answer) as stand_in:
        return project.optimize(*place, *words, stand_in=stand_in, timeout=600, **how)


def hostile(project, tmp_path, **more):
    """A profile whose command is its author's, who cannot know the user's key."""
    mark = tmp_path / "was-run"
    code = "open(%r, 'w').close()" % str(mark)
    project.record(is_own=False, program="timeit", args=["timeit", "-n1", "-r1", "-s", code], **more)
    return mark


@pytest.mark.parametrize("claim", (None, "0" * 64, "", "x"))
def test_the_command_of_a_foreign_profile_is_not_run(project, tmp_path, claim):
    mark = hostile(project, tmp_path, **({} if claim is None else {"scalene_c": {"command_mark": claim}}))
    ended = optimize(project, "--measure", "--yes", "--rounds", "1").expect(2)
    assert "not one that you have run here" in ended.stderr and "--command" in ended.stderr
    assert not mark.exists()


@pytest.mark.parametrize("change", ("program", "args", "entrypoint_dir", "filename"))
def test_a_changed_command_loses_its_mark(project, tmp_path, change):
    path = os.path.join(project.directory, "scalene-profile.json")
    with open(path, encoding="utf-8") as file:
        profile = json.load(file)
    mark = tmp_path / "was-run"
    profile[change] = {"program": "timeit", "args": [*profile["args"], "more"], "entrypoint_dir": "/", "filename": "/"}[change]
    with open(path, "w", encoding="utf-8") as out:
        json.dump(profile, out)
    assert "not one that you have run here" in optimize(project, "--measure", "--yes").expect(2).stderr
    assert not mark.exists()


@pytest.mark.one_python
def test_the_command_of_a_run_of_ones_own_is_shown_and_measured(project, python):
    project.write(PROGRAM + "print(sys.argv[2:])\n")
    run = ["run", "--cpu-only", "--python", python.path, "---", "prog.py", "3000000", "two words", "it's"]
    execute([project.scalene, *run], cwd=project.directory).expect(0)
    ended = optimize(project, "--measure", "--yes", "--rounds", "1", "--python", python.path).expect(0)
    shown = "%s %s 3000000 'two words' 'it'\\''s'\n" % (python.path, project.program)
    assert "in copies of '%s':\n    %s" % (os.path.realpath(project.directory), shown) in ended.stderr
    assert "output and exit status are the same" in ended.stdout


def test_the_key_is_for_its_user_alone(scalene, tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    (tmp_path / "prog.py").write_text("pass\n")
    env = {**os.environ, "HOME": str(home), "XDG_STATE_HOME": ""}
    execute([scalene, "run", "--cpu-only", "prog.py"], cwd=tmp_path, env=env).expect(0)
    key = home / ".local" / "state" / "scalene" / "command-key"
    assert stat.S_IMODE(key.stat().st_mode) == 0o600 and key.stat().st_size == 32
    assert stat.S_IMODE(key.parent.stat().st_mode) == 0o700
    assert [path.name for path in key.parent.iterdir()] == ["command-key"]


@pytest.mark.parametrize("why", ("others may read the key", "the key is a link", "no home"))
def test_a_key_that_is_not_ones_own_marks_nothing(scalene, tmp_path, why):
    state = tmp_path / "state" / "scalene"
    state.mkdir(parents=True, mode=0o700)
    (tmp_path / "prog.py").write_text("pass\n")
    (tmp_path / "known").write_bytes(b"k" * 32)
    (tmp_path / "known").chmod(0o600)
    env = {**os.environ, "XDG_STATE_HOME": str(state.parent)}
    if why == "others may read the key":
        (state / "command-key").write_bytes(b"k" * 32)
        (state / "command-key").chmod(0o644)
    elif why == "the key is a link":
        (state / "command-key").symlink_to(tmp_path / "known")
    else:
        env.update(HOME="", XDG_STATE_HOME="")
    execute([scalene, "run", "--cpu-only", "prog.py"], cwd=tmp_path, env=env).expect(0)
    with open(tmp_path / "scalene-profile.json", encoding="utf-8") as file:
        assert "command_mark" not in json.load(file)["scalene_c"]


def test_a_foreign_profile_is_measured_with_a_command_of_ones_own(project, tmp_path):
    mark = hostile(project, tmp_path)
    ended = optimize(project, "--measure", "--yes", "--rounds", "1", "--command", sys.executable + " prog.py 5").expect(0)
    assert "output and exit status are the same" in ended.stdout
    assert "    sh -c '%s prog.py 5'\n" % sys.executable in ended.stderr
    assert not mark.exists()


def moved(project, path):
    """The profile speaks of another file."""
    text = PROGRAM
    with open(path, "w", encoding="utf-8") as out:
        out.write(text)
    project.program = str(path)
    return project


@pytest.mark.parametrize("name", ("prog.txt", "prog", ".bashrc", "prog.py.txt"))
def test_only_python_source_is_written(project, tmp_path, name):
    moved(project, tmp_path / name).record()
    ended = optimize(project, "--apply", "--yes", place=(name + ":5-7",)).expect(1)
    assert "is no Python source (*.py)" in ended.stderr
    assert project.read().decode() == PROGRAM


@pytest.mark.parametrize("way", ("absolute", "link", "link to a folder", "dots"))
@pytest.mark.parametrize("is_own", (True, False), ids=("own", "foreign"))
def test_only_files_below_the_program_are_written(project, tmp_path_factory, way, is_own):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    directory = project.directory
    (elsewhere / "victim.py").write_text(PROGRAM)
    name = os.path.join(directory, "victim.py")
    if way == "absolute":
        name = str(elsewhere / "victim.py")
    elif way == "link":
        os.symlink(elsewhere / "victim.py", name)
    elif way == "link to a folder":
        os.symlink(elsewhere, os.path.join(directory, "sub"))
        name = os.path.join(directory, "sub", "victim.py")
    else:
        name = os.path.join(directory, "..", elsewhere.name, "victim.py")
        elsewhere = type(elsewhere)(os.path.realpath(os.path.dirname(name)))
        elsewhere.mkdir(exist_ok=True)
        (elsewhere / "victim.py").write_text(PROGRAM)
    project.program = name
    more = {"entrypoint_dir": directory, "filename": directory} if is_own else {"entrypoint_dir": "/", "filename": str(elsewhere)}
    project.record(is_own=is_own, **more)
    ended = optimize(project, "--apply", "--yes", place=(name + ":5-7",)).expect(1)
    assert "is not in the directory of the program" in ended.stderr or "is not in the current directory" in ended.stderr
    assert (elsewhere / "victim.py").read_text() == PROGRAM
    assert os.listdir(elsewhere) == ["victim.py"]


def test_what_cannot_be_seen_is_shown_and_not_applied_unseen(project):
    answer = "```python\n    result = 0  # \u202e\u2066 count\u200b\u2028\ufeff\x0c\n```\n"
    ended = optimize(project, "--apply", "--yes", answer=answer).expect(1)
    assert "<U+202E><U+2066> count<U+200B><U+2028><U+FEFF>" in ended.stdout
    assert "line 5 would have the character U+202E in it, which changes the order in which text is shown" in ended.stdout
    assert "WARNING" in ended.stdout and "not what it looks like" in ended.stderr
    assert not re.search(UNSEEN, ended.stdout + ended.stderr)
    assert project.read().decode() == PROGRAM


def test_letters_of_another_encoding_are_not_replaced_unseen(project):
    text = PROGRAM + "name = 'caf\udce9'  # latin-1\n"
    project.record(text)
    with open(project.program, "wb") as out:
        out.write(text.encode("utf-8", "surrogateescape"))
    for answer, status in (("name = 'caf\ufffd'.title()", 1), ("name = 'x'", 0)):
        with StandIn(ANTHROPIC, "```python\n%s\n```\n" % answer) as stand_in:
            ended = project.optimize("prog.py:12", "--apply", "--yes", stand_in=stand_in).expect(status)
        assert ("line 12 would have letters in UTF-8 in it" in ended.stdout) == bool(status)


def test_nothing_of_a_profile_reaches_the_terminal_raw(project):
    odd = "\x1b]0;owned\x07\u202e\x9b2J"
    project.program = "/nowhere/%s/prog.py" % odd
    project.record(is_own=False, args=[odd])
    two = asking.profile_of("/else/%s/prog.py" % odd, PROGRAM)
    path = os.path.join(project.directory, "scalene-profile.json")
    with open(path, encoding="utf-8") as file:
        profile = json.load(file)
    profile["files"].update(two["files"])
    with open(path, "w", encoding="utf-8") as out:
        json.dump(profile, out)
    for place in ("prog.py:5", odd + "/prog.py:99", odd + ".py:5", odd):
        ended = project.optimize(place, "--show-prompt")
        assert ended.status == 2 and not re.search(UNSEEN, ended.stdout + ended.stderr), place
    assert "<U+001B>]0;owned<U+0007><U+202E>" in project.optimize("prog.py:5", "--show-prompt").stderr
    for key in (odd, odd + "lines"):
        with open(path, "w", encoding="utf-8") as out:
            json.dump({"files": {key: {"lines": 1, key: 2}}, "elapsed_time_sec": 1}, out)
        for words in (("view", "--cli"), ("view", "--no-browser"), ("optimize", "prog.py:5")):
            ended = execute([project.scalene, *words], cwd=project.directory)
            assert ended.status != 0 and not re.search(UNSEEN, ended.stdout + ended.stderr), words


def test_an_error_without_an_end_is_not_waited_for(project):
    with StandIn(ANTHROPIC, FASTER, "endless:400") as stand_in:
        ended = project.optimize(*LOOP, stand_in=stand_in).expect(1)
        assert "did not take the question (status 400)" in ended.stderr
        assert stand_in.left.wait(300) and stand_in.sent < 64 << 20


def test_a_password_in_an_address_is_not_printed(project):
    keys = {"ANTHROPIC_API_KEY": "sk-ant-not-a-key"}
    for address in ("http://name:s3cret@127.0.0.1:9", "ftp://name:s3cret@host", "http://name:s3cret@192.0.2.1"):
        ended = project.optimize(*LOOP, env={**keys, "ANTHROPIC_BASE_URL": address})
        assert ended.status != 0 and "s3cret" not in ended.stdout + ended.stderr, ended.stderr
