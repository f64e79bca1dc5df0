# tests/assist/test_optimize.py - what `scalene optimize` asks, shows, applies and measures.
#
# SPDX-License-Identifier: Apache-2.0
"""Questions, proposals and what becomes of them."""

import glob
import os
import re
import signal
import stat
import subprocess
import time
import zipfile

import pytest

import asking
from conftest import execute
from asking import FASTER, LOOP, PROGRAM, WRONG
from sampled import claimed
from services import SERVICES
from stand_in import StandIn

project = asking.project
ANTHROPIC = SERVICES["anthropic"]

NEW = PROGRAM.replace(
    "    result = 0\n    for number in range(count):\n        result += number * number\n",
    "    result = (count - 1) * count * (2 * count - 1) // 6\n",
)


def shown(project, *words):
    return project.optimize(*words, "--show-prompt").expect(0).stdout


def test_the_question_can_be_seen_and_nothing_is_sent(project):
    with StandIn(ANTHROPIC, FASTER) as stand_in:
        ended = project.optimize(*LOOP, "--show-prompt", stand_in=stand_in).expect(0)
    assert not stand_in.requests
    assert "# >>> replace from here\n    result = 0\n    for number" in ended.stdout
    assert "result += number * number\n    # <<< to here" in ended.stdout
    assert "import sys" in ended.stdout
    assert "Machine: " in ended.stdout and "processor(s)" in ended.stdout
    assert "Time: 90% of the run's" in ended.stdout


def test_what_is_shown_is_what_is_sent(project):
    text = shown(project, *LOOP)
    with StandIn(ANTHROPIC, FASTER) as stand_in:
        project.optimize(*LOOP, stand_in=stand_in).expect(0)
    system, user = stand_in.requests[0].asked
    assert text == "--- instructions ---\n%s\n--- question ---\n%s" % (system, user)


def test_the_goal_changes_the_question(project):
    time = shown(project, *LOOP)
    memory = shown(project, *LOOP, "--goal", "memory")
    assert "Goal: less time" in time and "Goal: less time" not in memory
    assert "Goal: a lower peak of memory" in memory
    assert time.split("--- question")[0] != memory.split("--- question")[0]


def test_a_large_file_is_cut_and_that_is_said(project):
    text = PROGRAM + "".join("value_%d = %d\n" % (i, i) for i in range(5000))
    project.write(text)
    project.record(text)
    question = shown(project, *LOOP)
    assert len(question) < 40000
    assert "of the 5011 lines of the file," in question
    assert "value_4000" not in question


def test_a_place_that_is_too_large_is_refused(project):
    text = PROGRAM + "".join("value_%d = %d\n" % (i, i) for i in range(5000))
    project.record(text)
    assert "too many to ask about" in project.optimize("prog.py:1-1000", "--show-prompt").expect(2).stderr
    text = PROGRAM + "x = '%s'\n" % ("y" * 50000)
    project.record(text)
    assert "too large to ask about" in project.optimize("prog.py:12", "--show-prompt").expect(2).stderr


def test_a_changed_file_is_asked_about_as_it_ran(project):
    project.write(PROGRAM.replace("number * number", "number ** 2"))
    question = shown(project, *LOOP)
    assert "number * number" in question and "number ** 2" not in question
    assert "has changed since the run" in question


def test_a_pipe_in_the_place_of_the_file_is_not_waited_for(project):
    os.unlink(project.program)
    os.mkfifo(project.program)
    question = shown(project, *LOOP)
    assert "number * number" in question and "has changed since the run" in question


@pytest.mark.parametrize(
    "place, said",
    [
        ("other.py:3", "no file 'other.py'"), ("prog.py:0", "is no place"), ("prog.py:77", "has the lines 1 to 11"),
        ("prog.py:9-3", "lines 9-3 end before they begin"), ("prog.py", "is no place"), ("/etc/passwd:1", "no file '/etc/passwd'"),
        ("og.py:1", "no file 'og.py'"),
    ],
)
def test_only_places_of_the_profile_can_be_asked_about(project, place, said):
    ended = project.optimize(place, "--show-prompt").expect(2)
    assert said in ended.stderr


def test_bytes_that_are_no_text_are_asked_about_too(project):
    text = PROGRAM + "name = '\udcff\udc80'  # latin\n"
    project.record(text)
    with StandIn(ANTHROPIC, FASTER) as stand_in:
        project.optimize(*LOOP, stand_in=stand_in).expect(0)
    assert "name = '\ufffd\ufffd'" in stand_in.requests[0].asked[1]


def test_control_characters_of_an_answer_do_not_reach_the_terminal(project):
    answer = FASTER.replace("closed form", "\x1b]0;title\x07 \x9b31m form").replace("// 6", "// 6  # \x1b[2J")
    with StandIn(ANTHROPIC, answer) as stand_in:
        ended = project.optimize(*LOOP, stand_in=stand_in).expect(0)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f]", ended.stdout)


@pytest.mark.parametrize(
    "answer, said",
    [
        ("I know nothing better.", "the answer proposes no code: I know nothing better."),
        ("```python\n    result = 0\n", "not complete: the answer ends within it"),
        ("```python\n    result = sum(\n        1\n```\n", "not complete: a bracket, a string or a block is open"),
        ('```python\n    result = """\n```\nx\n```\n"""\n```\n', "not complete: a bracket, a string or a block is open"),
        ("```python\ndef total(count):\n    return 7\n```\n", "gives more than the lines that it was asked about: the function"),
        ("```python\n    for number in ():\n```\n", "not complete: a bracket, a string or a block is open"),
        ("```python\n    result = 1\n    # ... the rest as before\n```\n", 'not complete: it has "..." in the place of code'),
        ("```\n" + "".join(PROGRAM.splitlines(True)[4:7]) + "```\n", "the code that is there already"),
    ],
)
def test_answers_without_something_new_are_no_proposals(project, answer, said):
    with StandIn(ANTHROPIC, answer) as stand_in:
        assert said in project.optimize(*LOOP, stand_in=stand_in).expect(1).stderr


def test_code_is_indented_for_its_place_and_imports_go_to_the_top(project):
    answer = "```python\nimport math\nimport sys\n```\n\nand\n\n```python\nresult = sum(\n    map(math.prod, ())\n)\n```\n"
    with StandIn(ANTHROPIC, answer) as stand_in:
        project.optimize(*LOOP, "--apply", "--yes", stand_in=stand_in).expect(0)
    text = project.read().decode()
    assert text.startswith("import math\nimport sys\n\n")
    assert "def total(count):\n    result = sum(\n        map(math.prod, ())\n    )\n    return result\n" in text


def test_imports_of_several_lines_are_imports(project):
    answer = "1. First\n   ```python\n   from itertools import (\n       chain,\n   )\n   ```\n\n```python\nresult = sum(chain())\n```\n"
    with StandIn(ANTHROPIC, answer) as stand_in:
        project.optimize(*LOOP, "--apply", "--yes", stand_in=stand_in).expect(0)
    text = project.read().decode()
    assert text.startswith("from itertools import (\n    chain,\n)\n")
    assert "def total(count):\n    result = sum(chain())\n    return result\n" in text


def test_imports_alone_do_not_replace_code(project):
    with StandIn(ANTHROPIC, "```python\nfrom functools import cache\n```\n") as stand_in:
        assert "proposes no code" in project.optimize(*LOOP, "--apply", "--yes", stand_in=stand_in).expect(1).stderr
    assert project.read().decode() == PROGRAM


def test_a_place_that_begins_with_an_empty_line_keeps_its_depth(project):
    text = PROGRAM.replace("    result = 0\n", "\n    result = 0\n")
    project.write(text)
    project.record(text)
    with StandIn(ANTHROPIC, "```python\nresult = 7\n```\n") as stand_in:
        project.optimize("prog.py:5-8", "--apply", "--yes", stand_in=stand_in).expect(0)
    assert "def total(count):\n    result = 7\n" in project.read().decode()


def test_a_place_that_begins_within_a_block_keeps_its_depth(project):
    """And one that begins with a comment."""
    with StandIn(ANTHROPIC, "```python\n        result += number ** 2\n    return result\n```\n") as stand_in:
        project.optimize("prog.py:7-8", "--apply", "--yes", stand_in=stand_in).expect(0)
    assert project.read().decode() == PROGRAM.replace("number * number", "number ** 2")
    text = PROGRAM.replace("    result = 0\n", "# the sum\n    result = 0\n")
    project.write(text)
    project.record(text)
    with StandIn(ANTHROPIC, "```python\n# the sum\n    result = 1 - 1\n```\n") as stand_in:
        project.optimize("prog.py:5-6", "--apply", "--yes", stand_in=stand_in).expect(0)
    assert "def total(count):\n    # the sum\n    result = 1 - 1\n    for" in project.read().decode()


def test_a_proposal_is_applied_beside_a_copy(project):
    os.chmod(project.program, 0o754)
    with StandIn(ANTHROPIC, FASTER) as stand_in:
        ended = project.optimize(*LOOP, "--apply", "--yes", stand_in=stand_in).expect(0)
    assert project.read().decode() == NEW
    backup = project.program + ".scalene-backup"
    assert backup in ended.stderr
    with open(backup, encoding="utf-8") as file:
        assert file.read() == PROGRAM
    for path in (project.program, backup):
        assert stat.S_IMODE(os.stat(path).st_mode) == 0o754


def test_a_second_backup_does_not_replace_the_first(project):
    for _ in range(2):
        project.write(PROGRAM)
        with StandIn(ANTHROPIC, FASTER) as stand_in:
            project.optimize(*LOOP, "--apply", "--yes", stand_in=stand_in).expect(0)
    names = sorted(name for name in os.listdir(project.directory) if "backup" in name)
    assert names == ["prog.py.scalene-backup", "prog.py.scalene-backup-1"]


def test_line_endings_are_kept(project):
    project.write(PROGRAM, newline="\r\n")
    with StandIn(ANTHROPIC, FASTER) as stand_in:
        project.optimize(*LOOP, "--apply", "--yes", stand_in=stand_in).expect(0)
    assert project.read() == NEW.replace("\n", "\r\n").encode()


def test_a_changed_file_is_left_alone(project):
    changed = PROGRAM + "# more\n"
    project.write(changed)
    with StandIn(ANTHROPIC, FASTER) as stand_in:
        ended = project.optimize(*LOOP, "--apply", "--yes", stand_in=stand_in).expect(1)
    assert "has changed since the run" in ended.stderr
    assert project.read().decode() == changed
    assert sorted(os.listdir(project.directory)) == ["prog.py", "scalene-profile.json"]


def test_a_file_in_an_archive_is_left_alone(project):
    os.unlink(project.program)
    archive = os.path.join(project.directory, "app.pyz")
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("prog.py", PROGRAM)
    with open(archive, "rb") as file:
        before = file.read()
    project.program = os.path.join(archive, "prog.py")
    project.record()
    with StandIn(ANTHROPIC, FASTER) as stand_in:
        ended = project.optimize(*LOOP, "--apply", "--yes", stand_in=stand_in).expect(1)
    assert "is inside an archive, which is not changed" in ended.stderr
    with open(archive, "rb") as file:
        assert file.read() == before
    assert sorted(os.listdir(project.directory)) == ["app.pyz", "scalene-profile.json"]


@pytest.mark.parametrize("name", ["[3]", "<exec@prog.py:9>"])
def test_code_that_is_in_no_file_is_asked_about_and_not_applied(project, name):
    project.program = name
    project.record()
    place = (name + ":5-7",)
    assert "has changed" not in shown(project, *place)
    with StandIn(ANTHROPIC, FASTER) as stand_in:
        for words in (("--apply",), ("--measure", "--command", "true")):
            ended = project.optimize(*place, *words, "--yes", stand_in=stand_in).expect(1)
            assert "has changed" not in ended.stdout and "'%s' is in no file" % name in ended.stderr


def test_a_file_without_text_is_not_asked_about(project):
    project.record("\n" * 9)
    assert "does not hold the whole text" in project.optimize(*LOOP, "--show-prompt").expect(1).stderr


def test_a_link_stays_one(project):
    real = os.path.join(project.directory, "real.py")
    os.rename(project.program, real)
    os.symlink("real.py", project.program)
    with StandIn(ANTHROPIC, FASTER) as stand_in:
        project.optimize(*LOOP, "--apply", "--yes", stand_in=stand_in).expect(0)
    assert os.readlink(project.program) == "real.py"
    with open(real, encoding="utf-8") as file:
        assert file.read() == NEW


@pytest.mark.parametrize("word", ["--apply", "--measure"])
def test_nothing_is_run_or_written_unless_it_is_allowed(project, word):
    with StandIn(ANTHROPIC, FASTER) as stand_in:
        ended = project.optimize(*LOOP, word, stand_in=stand_in).expect(2)
    assert "--yes" in ended.stderr
    assert project.read().decode() == PROGRAM


def measured(project, answer, *words, env=None, expect=0):
    with StandIn(ANTHROPIC, answer) as stand_in:
        return project.optimize(*LOOP, "--measure", "--yes", *words, env=env, stand_in=stand_in, timeout=600).expect(expect)


def temporary(tmp_path):
    folder = tmp_path / "temporary"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.mark.statistical
def test_a_faster_proposal_is_measured_to_be_faster(project, tmp_path):
    folder = temporary(tmp_path)
    project.record(args=["20000000"])
    ended = measured(project, FASTER, "--rounds", "4", env={"TMPDIR": str(folder)})
    row = re.search(r"^  time +([\d.]+) ± [\d.]+ +([\d.]+) ± [\d.]+ +(-?[\d.]+) ±", ended.stdout, re.MULTILINE)
    original, changed, percent = map(float, row.groups())
    assert changed < original / 2 and percent < -50
    assert claimed("less time" in ended.stdout)
    assert "output and exit status are the same" in ended.stdout
    assert "exit         status 0, status 0" in ended.stdout
    assert ended.stderr.count("of the original") == ended.stderr.count("of the proposal") == 5
    assert project.read().decode() == PROGRAM
    assert not list(folder.iterdir())


def test_a_proposal_that_changes_the_output_is_flagged_and_not_applied(project):
    ended = measured(project, WRONG, "--rounds", "1", "--apply", expect=1)
    assert "THE OUTPUT HAS CHANGED" in ended.stdout
    assert 'line 1 of the output was "333332833333500000" and is now "333332833333500001"' in ended.stdout
    assert "is not applied, as the program does something else" in ended.stderr
    assert project.read().decode() == PROGRAM


def test_where_the_program_itself_fails_nothing_is_applied(project):
    with StandIn(ANTHROPIC, CALLED_OTHERWISE) as stand_in:
        ended = project.optimize("prog.py:4-8", "--apply", "--measure", "--command", "echo no: config; false", "--rounds", "1", "--yes", stand_in=stand_in, timeout=600).expect(1)
    assert "not applied, as the program itself fails here" in ended.stderr
    assert 'the last line that the original writes is "no: config"' in ended.stdout
    assert project.read().decode() == PROGRAM


def test_an_environment_within_the_project_can_measure(project):
    """By a relative name, and though its own files are no part of the copy."""
    folder = os.path.join(project.directory, ".venv")
    subprocess.run(["/usr/bin/python3", "-m", "venv", "--without-pip", folder], check=True)
    (site,) = glob.glob(os.path.join(folder, "lib", "python*", "site-packages"))
    with open(os.path.join(site, "helper.py"), "w", encoding="utf-8") as out:
        out.write("import time\n\ndef spin():\n    end = time.process_time() + 0.3\n    while time.process_time() < end:\n        pass\n")
    text = PROGRAM.replace("import sys\n", "import sys\nimport helper\n\nhelper.spin()\n", 1)
    project.write(text)
    at = text[: text.index("    result = 0")].count("\n") + 1
    with StandIn(ANTHROPIC, FASTER) as stand_in:
        execute([project.scalene, "run", "--python", ".venv/bin/python", "-o", "scalene-profile.json", "prog.py", "3000000"], cwd=project.directory).expect(0)
        ended = project.optimize("prog.py:%d-%d" % (at, at + 2), "--measure", "--python", ".venv/bin/python", "--rounds", "1", "--yes", stand_in=stand_in, timeout=600).expect(0)
    assert "exit         status 0, status 0" in ended.stdout


def test_a_proposal_that_fails_is_flagged(project):
    ended = measured(project, "```python\nraise SystemExit('what\\nfor')\n```\n", "--rounds", "1")
    assert "exit         status 0, status 1" in ended.stdout
    assert 'the last line that the proposal writes is "for"' in ended.stdout
    assert "THE EXIT STATUS HAS CHANGED" in ended.stdout


def test_a_proposal_that_changes_nothing_is_not_called_faster(project):
    answer = "```python\nresult = 0\nfor each in range(count):\n    result += each * each\n```\n"
    ended = measured(project, answer, "--rounds", "4")
    assert "no difference in time" in ended.stdout or re.search(r"\b[1-9]?\d% (less|more) time", ended.stdout)
    assert "output and exit status are the same" in ended.stdout


def test_a_run_that_never_comes_to_the_lines_is_noticed(project):
    text = PROGRAM.replace("print(total(int(sys.argv[1])))", "if len(sys.argv) > 2:\n    print(total(int(sys.argv[1])))")
    project.write(text)
    project.record(text)
    ended = measured(project, FASTER, "--rounds", "3", "--apply", expect=1)
    assert "neither version was seen in the lines of the proposal" in ended.stdout
    assert "no difference in" not in ended.stdout
    assert "not applied, as what was run did not try it" in ended.stderr
    assert project.read().decode() == text


def test_lines_that_take_their_time_elsewhere_are_seen(project):
    with open(os.path.join(project.directory, "work.py"), "w", encoding="utf-8") as out:
        out.write("def work(count):\n    result = 0\n    for number in range(count):\n        result += number\n    return result\n")
    text = "import work\n\n\ndef run():\n    result = work.work(3000000)\n    return result\n\n\nprint(run())\n"
    project.write(text)
    project.record(text)
    with StandIn(ANTHROPIC, "```python\nimport sys\n```\n```python\n    result = sum(range(3000000))\n```\n") as stand_in:
        ended = project.optimize("prog.py:5", "--measure", "--yes", "--rounds", "3", stand_in=stand_in, timeout=600).expect(0)
    assert "neither version" not in ended.stdout
    assert "output and exit status are the same" in ended.stdout


CALLED_OTHERWISE = """\
```python
def total(count, start=0):
    return sum(number * number for number in range(start, count))
```
"""


def test_a_changed_signature_is_flagged_and_not_applied_unseen(project):
    with StandIn(ANTHROPIC, CALLED_OTHERWISE) as stand_in:
        ended = project.optimize("prog.py:4-8", "--apply", "--yes", stand_in=stand_in).expect(1)
        assert "the parameters of total were (count) and are (count, start=0)" in ended.stdout
        assert "not applied, as other code may call what it changes" in ended.stderr
        assert project.read().decode() == PROGRAM
        project.optimize("prog.py:4-8", "--apply", "--measure", "--rounds", "1", "--yes", stand_in=stand_in, timeout=600).expect(0)
    assert "def total(count, start=0):" in project.read().decode()


def test_output_that_always_differs_is_said(project):
    text = PROGRAM + "import os\nprint(os.urandom(8))\n"
    project.write(text)
    project.record(text)
    assert "differs from run to run, but what does not is the same" in measured(project, FASTER, "--rounds", "2").stdout
    ended = measured(project, WRONG, "--rounds", "1", "--apply", expect=1)
    assert "THE OUTPUT HAS CHANGED" in ended.stdout
    assert project.read().decode() == text


def test_another_command_can_be_measured(project):
    ended = measured(project, FASTER, "--rounds", "1", "--command", "python3 prog.py 5 && echo done")
    assert "output and exit status are the same" in ended.stdout


def test_the_program_sees_the_files_beside_it_and_its_own_copy(project):
    text = PROGRAM + "import os\nprint(open('data.txt').read(), os.path.exists('.git'))\nopen('data.txt', 'a').write('x')\n"
    project.write(text)
    project.record(text)
    os.mkdir(os.path.join(project.directory, ".git"))
    data = os.path.join(project.directory, "data.txt")
    with open(data, "w", encoding="utf-8") as out:
        out.write("some data")
    ended = measured(project, FASTER, "--rounds", "1")
    assert "output and exit status are the same" in ended.stdout
    with open(data, encoding="utf-8") as file:
        assert file.read() == "some data"


def test_the_proposed_code_does_not_see_keys(project):
    answer = (
        "```python\nimport os\nresult = [name for name in sorted(os.environ) if 'API_KEY' in name]\n```\n"
    )
    ended = measured(project, answer, "--rounds", "1")
    assert 'is now "[]"' in ended.stdout


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_no_copy_is_left_when_it_is_ended(project, tmp_path, number):
    begun = tmp_path / "begun"
    text = PROGRAM + "import time\nopen(%r, 'w').close()\ntime.sleep(600)\n" % str(begun)
    project.write(text)
    project.record(text)
    folder = temporary(tmp_path)

    def end(process):
        limit = time.monotonic() + 300
        while not begun.exists() and time.monotonic() < limit:
            time.sleep(0.02)
        os.kill(process.pid, number)

    with StandIn(ANTHROPIC, FASTER) as stand_in:
        ended = project.optimize(*LOOP, "--measure", "--yes", env={"TMPDIR": str(folder)}, stand_in=stand_in, act=end, timeout=600).expect(1)
    assert ended.stderr.splitlines()[-1] == "scalene: optimize: cancelled"
    assert not list(folder.iterdir())


def test_code_that_is_taken_from_elsewhere_cannot_be_measured(project):
    text = "import sys\nsys.path.insert(0, %r)\nimport work\nwork.run()\n" % project.directory
    project.write(text)
    work = os.path.join(project.directory, "work.py")
    with open(work, "w", encoding="utf-8") as out:
        out.write("def run():\n    result = 0\n    for number in range(6000000):\n        result += number\n")
    project.record(text)
    with StandIn(ANTHROPIC, "```python\nimport work, os\n```\n") as stand_in:
        ended = project.optimize("prog.py:3", "--measure", "--yes", "--rounds", "1", stand_in=stand_in, timeout=600).expect(1)
    assert "not from the copy" in ended.stderr


def test_a_profile_without_a_program_needs_a_command(project):
    project.record(program="<code>")
    with StandIn(ANTHROPIC, FASTER) as stand_in:
        ended = project.optimize(*LOOP, "--measure", "--yes", stand_in=stand_in).expect(2)
    assert "give a command" in ended.stderr
