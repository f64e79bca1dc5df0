# tests/attach/test_attach.py - `scalene attach`: what becomes of the process, and what is in the profile.
#
# The programs work until they are told to end, so how fast the machine is decides nothing: a profile is
# repeated, longer each time, until it holds what it must.
#
# SPDX-License-Identifier: Apache-2.0
"""`scalene attach` to programs that run."""

import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import time

import pytest

from conftest import TIMEOUT_S, Profile, clean_environment, execute, kill_group, until

HERE = os.path.dirname(os.path.abspath(__file__))

pytestmark = pytest.mark.by_version


class Running:
    """A program of tests/attach/programs in a folder of its own, which has printed that it is ready."""

    def __init__(self, scalene, command, folder, name):
        self.scalene = scalene
        self.folder = folder
        self.name = name
        shutil.copy(os.path.join(HERE, "programs", name), folder)
        self.process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
            cwd=folder, env=clean_environment())
        self.pid = self.process.pid
        assert self.process.stdout.readline() == "ready\n"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        kill_group(self.process)
        self.process.stdout.close()
        self.process.stderr.close()

    def attach(self, *options):
        return execute([self.scalene, "attach", *options, str(self.pid)], cwd=self.folder)

    def profile(self, *options, duration=0.5):
        self.attach("--duration", str(duration), "-o", "profile.json", *options).expect(0)
        return Profile.read(os.path.join(self.folder, "profile.json"), os.path.join(self.folder, self.name))

    def profile_with(self, is_there, *options):
        """The first profile for which is_there holds."""
        end = time.monotonic() + TIMEOUT_S
        duration = 0.3
        while True:
            found = self.profile(*options, duration=duration)
            if is_there(found):
                return found
            assert time.monotonic() < end, json.dumps(found.own, indent=1)
            duration *= 2

    def end(self):
        """The rest of the output and the errors of the program, told to end; it ends with 7."""
        with open(os.path.join(self.folder, "end"), "w", encoding="utf-8"):
            pass
        rest, errors = self.process.communicate(timeout=TIMEOUT_S)
        assert self.process.returncode == 7
        return rest, errors


@pytest.fixture
def start(scalene, python, tmp_path):
    def start_one(*words, options=(), name="works.py"):
        return Running(scalene, [python.path, *options, name, *words], str(tmp_path), name)

    return start_one


def loads_agent(python):
    return python.version >= (3, 14)


def functions(profile):
    return {record["line"] for record in profile.files.get(profile.program, {}).get("functions", ())}


def is_from_outside(profile):
    return any("was read from outside" in note for note in profile.own["notes"])


def thread_names(profile):
    return {thread["name"] for thread in profile.own["threads"]}


@pytest.mark.parametrize("words", [[], ["aside"]], ids=["first", "aside"])
def test_profile_of_a_running_program(start, python, words):
    with start(*words) as program:
        found = program.profile_with(lambda found: {"works", "waits"} <= functions(found))
        assert thread_names(found) >= {"MainThread", "waiting", *(["working"] if words else [])}
        assert is_from_outside(found) == (not loads_agent(python))
        assert found.data["memory"] == loads_agent(python)
        assert program.end() == ("ended\n", "")


def test_a_source_that_has_changed_before(start):
    """The process runs what was there when it began."""
    with start() as program:
        assert "source_changed" not in program.profile_with(functions).file()
        time.sleep(0.05)  # the kernel counts beginnings in ticks of 10 ms
        os.utime(os.path.join(program.folder, program.name))
        assert program.profile_with(functions).file()["source_changed"]
        assert program.end() == ("ended\n", "")


def test_a_program_that_has_left_its_directory(scalene, python, tmp_path):
    """Its name is relative to where it was."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "end").symlink_to(tmp_path / "end")
    with Running(scalene, ["env", "PWD=%s" % tmp_path, python.path, "works.py", "moves"], str(tmp_path), "works.py") as program:
        assert program.profile_with(functions)
        assert program.end() == ("ended\n", "")


def mapped(pid, name="libscalene"):
    with open("/proc/%d/maps" % pid, encoding="utf-8") as file:
        return name in file.read()


def count_of(pid, what):
    return len(os.listdir("/proc/%d/%s" % (pid, what)))


def test_the_process_is_left_as_it_was(start, python):
    with start() as program:
        program.profile()  # the first one imports ctypes, whose library keeps a file open
        before = {what: count_of(program.pid, what) for what in ("fd", "task")}
        for _ in range(2):
            program.profile()
        assert {what: count_of(program.pid, what) for what in ("fd", "task")} == before
        assert mapped(program.pid) == loads_agent(python)
        assert sorted(os.listdir(program.folder)) == ["profile.json", "works.py"]
        assert program.end() == ("ended\n", "")


def test_nothing_is_loaded_where_that_is_not_wanted(start, python):
    with start() as program:
        found = program.profile("--from-outside")
        assert is_from_outside(found) and not mapped(program.pid)
        assert "--off would stay for ever" in program.attach("--from-outside", "--off").expect(2).stderr
        assert program.end() == ("ended\n", "")


def test_more_threads_than_files(start):
    with start("crowd", "aside") as program:
        command = [program.scalene, "attach", "--from-outside", "--duration", "0.1", "-o", "profile.json", str(program.pid)]
        most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        execute(command, cwd=program.folder, prepare=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (1024, most))).expect(0)
        notes = Profile.read(os.path.join(program.folder, "profile.json")).own["notes"]
        assert not any("limit on open files" in note for note in notes) or most < 2048
        assert program.end() == ("ended\n", "")


def test_more_threads_than_are_noted(start):
    """That one beyond the first 512 is none of them says nothing of what the system permits."""
    said = []
    for words in (["aside"], ["aside", "crowd"]):
        with start(*words) as program:
            found = program.profile_with(lambda found: found.exact.own["samples_taken"] > 0, "--from-outside")
            said.append(any("permits no perf events" in note for note in found.own["notes"]))
    assert said[0] == said[1]


def test_a_python_that_takes_no_scripts(start, python):
    if not loads_agent(python):
        pytest.skip("needs a Python of 3.14 or later")
    with start(options=["-X", "disable-remote-debug"]) as program:
        (note,) = [note for note in program.profile().own["notes"] if "was read from outside" in note]
        assert "(its Python was told to take no scripts from outside)" in note
        assert not mapped(program.pid)
        assert program.end() == ("ended\n", "")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has rights to give up")
def test_a_process_with_fewer_rights(scalene, python, tmp_path):
    """It cannot open our files, and would say so."""
    if not loads_agent(python):
        pytest.skip("needs a Python of 3.14 or later")
    with Running(scalene, ["setpriv", "--bounding-set", "-sys_ptrace", python.path, "works.py"], str(tmp_path), "works.py") as program:
        (note,) = [note for note in program.profile().own["notes"] if "was read from outside" in note]
        assert "(it has fewer rights than scalene attach, " in note and not mapped(program.pid)
        assert program.end() == ("ended\n", "")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_a_process_that_gives_up_its_rights_meanwhile(start, python, tmp_path):
    tmp_path.chmod(0o755)
    with start("drops") as program:
        command = [program.scalene, "attach", "-o", "profile.json", str(program.pid)]
        with subprocess.Popen(command, cwd=program.folder, stderr=subprocess.PIPE, text=True, env=clean_environment()) as attached:
            try:
                attached.stderr.readline()
                (tmp_path / "drop").touch()
                until(lambda: os.stat("/proc/%d" % program.pid).st_uid != 0)
                attached.send_signal(signal.SIGINT)
                attached.stderr.read()
            finally:
                attached.kill()
        assert program.end() == ("ended\n", "")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_profile_alone(start, number):
    with start() as program:
        command = [program.scalene, "attach", "-o", "profile.json", str(program.pid)]
        with subprocess.Popen(command, cwd=program.folder, stderr=subprocess.PIPE, text=True, env=clean_environment()) as attached:
            assert "profiling process %d" % program.pid in attached.stderr.readline()
            attached.send_signal(number)
            attached.stderr.read()
            assert attached.wait(TIMEOUT_S) == 0
        assert Profile.read(os.path.join(program.folder, "profile.json")).own["processes"][0]["pid"] == program.pid
        assert program.end() == ("ended\n", "")


@pytest.mark.one_python
@pytest.mark.parametrize("words", [["attach"], ["top", "--batch"], ["live", "--no-browser"]], ids=lambda words: words[0])
def test_nohup(start, words):
    with start() as program:
        command = ["nohup", program.scalene, *words, "-o", "profile.json", str(program.pid)]
        with subprocess.Popen(command, cwd=program.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              env=clean_environment()) as kept:
            try:
                assert kept.stdout.readline()
                kept.send_signal(signal.SIGHUP)
                with pytest.raises(subprocess.TimeoutExpired):
                    kept.wait(0.5)
                kept.terminate()
                assert kept.wait(TIMEOUT_S) == 0
            finally:
                kept.kill()
        assert program.end() == ("ended\n", "")


SLOW_CTYPES = """
import importlib.util, os, sys, time
open("loading", "w").close()
while not os.path.exists("go"):
    time.sleep(0.01)
sys.path.remove(os.path.dirname(os.path.abspath(__file__)))
del sys.modules["ctypes"]
sys.modules["ctypes"] = importlib.import_module("ctypes")
"""


def test_a_signal_while_the_agent_is_loaded(start, python, tmp_path):
    """The agent begins after the user wants the profile no more, and goes dormant again: without the segment that it writes to."""
    if not loads_agent(python):
        pytest.skip("needs a Python of 3.14 or later")
    (tmp_path / "ctypes.py").write_text(SLOW_CTYPES, encoding="utf-8")
    with start() as program:
        command = [program.scalene, "attach", "-o", "profile.json", str(program.pid)]
        with subprocess.Popen(command, cwd=program.folder, stderr=subprocess.PIPE, text=True, env=clean_environment()) as attached:
            until(lambda: os.path.exists(tmp_path / "loading"))
            attached.send_signal(signal.SIGINT)
            time.sleep(0.1)  # it has noticed that
            (tmp_path / "go").touch()
            attached.stderr.read()
            attached.wait(TIMEOUT_S)
        assert mapped(program.pid) and not mapped(program.pid, "/memfd:scalene")
        assert program.end() == ("ended\n", "")


def test_the_program_ends_first(start):
    with start() as program:
        command = [program.scalene, "attach", "-o", "profile.json", str(program.pid)]
        with subprocess.Popen(command, cwd=program.folder, stderr=subprocess.PIPE, text=True, env=clean_environment()) as attached:
            attached.stderr.readline()
            assert program.end() == ("ended\n", "")
            attached.stderr.read()
            assert attached.wait(TIMEOUT_S) == 0


def test_children(start, python):
    with start("forks", "aside") as program:
        found = program.profile_with(lambda found: len(found.own["processes"]) == 2, "--children")
        children = [one for one in found.own["processes"] if one["pid"] != program.pid]
        assert [one["parent_pid"] for one in children] == [program.pid]
        assert len(program.profile().own["processes"]) == 1
        assert program.end() == ("ended\n", "")


def test_a_process_that_c_code_has_forked(start):
    """Its Python has another number for the thread than the kernel has, as in workers of uWSGI."""
    with start("forks_in_c", "aside") as program:
        with open("/proc/%d/task/%d/children" % (program.pid, program.pid), encoding="utf-8") as file:
            child = int(file.read())
        program.pid = child
        found = program.profile_with(lambda found: "works" in functions(found), "--from-outside")
        (main,) = found.own["threads"]
        assert main["name"] == "MainThread", found.own["threads"]
        program.end()


def test_sources_of_another_container(scalene, python, tmp_path):
    """Here its file's name is another file's; there it can be read after the end, too."""
    alone = ["unshare", "-m" if os.geteuid() == 0 else "-Urm", "sh", "-c", 'mount --bind . "$0" && cd "$0" && exec "$@"', tmp_path / "prog"]
    inside = tmp_path / "inside"
    for folder in (inside, tmp_path / "prog"):
        folder.mkdir()
    (tmp_path / "prog" / "works.py").write_text("elsewhere()\n" * 60, encoding="utf-8")
    if subprocess.run([*alone, "true"], cwd=inside, stderr=subprocess.DEVNULL, check=False).returncode != 0:
        pytest.skip("no mount namespace can be made")
    name = str(tmp_path / "prog" / "works.py")
    with Running(scalene, [*alone, python.path, name], str(inside), "works.py") as program:
        path = os.path.join(program.folder, "profile.json")
        command = [scalene, "attach", "--from-outside", "--profile-interval", "0.2", "-o", path, str(program.pid)]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=clean_environment()) as attached:
            try:
                until(lambda: os.path.exists(path) and "works" in functions(Profile.read(path, name)))
                assert program.end() == ("ended\n", "")
                attached.stderr.read()
            finally:
                attached.kill()
        with open(os.path.join(HERE, "programs", "works.py"), encoding="utf-8") as source:
            assert [line["line"] for line in Profile.read(path, name).file()["lines"]] == source.readlines()


def test_where_nothing_can_be_attached_to_no_child_gets_an_agent(scalene, python, tmp_path):
    """The shell that started a Python is none."""
    shutil.copy(os.path.join(HERE, "programs", "works.py"), tmp_path)
    words = "'%s' works.py; true" % python.path
    with subprocess.Popen(["sh", "-c", words], cwd=tmp_path, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, start_new_session=True, env=clean_environment()) as shell:
        try:
            assert shell.stdout.readline() == "ready\n"
            with open("/proc/%d/task/%d/children" % (shell.pid, shell.pid), encoding="utf-8") as text:
                (child,) = map(int, text.read().split())
            refused = execute([scalene, "attach", "--children", "--duration=0.1", str(shell.pid)], cwd=tmp_path).expect(1)
            assert "it is no Python" in refused.stderr and not mapped(child)
        finally:
            kill_group(shell)


def test_children_of_children(start):
    """A child whose parent has ended is none of the process's, but was one when it was met, and so are those that it starts."""
    with start("daemon") as program:
        path = os.path.join(program.folder, "profile.json")
        command = [program.scalene, "attach", "--children", "--from-outside", "--profile-interval", "0.2", "-o", path, str(program.pid)]
        with subprocess.Popen(command, cwd=program.folder, stderr=subprocess.PIPE, text=True, env=clean_environment()) as attached:
            until(lambda: os.path.exists(path) and len(Profile.read(path).own["processes"]) >= 3)
            folder = pathlib.Path(program.folder)
            (folder / "leave").touch()
            until((folder / "left").exists)
            (folder / "begin").touch()
            until(lambda: len(Profile.read(path).own["processes"]) >= 4)
            attached.send_signal(signal.SIGINT)
            attached.stderr.read()
        program.end()


def test_a_directory_is_no_file(start):
    with start() as program:
        wrong = program.attach("-o", ".").expect(1)
        assert wrong.stderr == "scalene: attach: --outfile: '.' is a directory; give the name of a file\n"
        program.end()


def test_one_profile_at_a_time(start):
    with start() as program:
        command = [program.scalene, "attach", "-o", "first.json", str(program.pid)]
        with subprocess.Popen(command, cwd=program.folder, stderr=subprocess.PIPE, text=True, env=clean_environment()) as attached:
            attached.stderr.readline()
            second = program.attach("-o", "second.json").expect(1)
            assert second.stderr == "scalene: attach: process %d: it is being profiled already\n" % program.pid
            attached.send_signal(signal.SIGINT)
            attached.stderr.read()
        assert not os.path.exists(os.path.join(program.folder, "second.json"))


def test_a_program_that_executes_itself(start):
    with start(name="executes.py") as program:
        found = program.profile_with(lambda found: {"first", "second"} <= functions(found))
        assert {one["pid"] for one in found.own["processes"]} == {program.pid}
        program.end()


def test_a_program_that_is_just_starting_is_not_harmed(start):
    """Its import system is half made, and a script that the interpreter runs then may crash it."""
    with start(name="starts.py") as program:
        for _ in range(12):
            program.attach("--duration", "0.1", "-o", "profile.json")
        assert program.end() == ("ended\n", "")


def test_a_program_that_is_ending_is_not_harmed(start):
    with start(name="ends.py") as program:
        program.attach("--duration", "0.1", "-o", "profile.json")
        assert program.end() == ("ended\n", "")


def test_threads_whose_names_are_no_names(start):
    with start("oddly") as program:
        found = program.profile()
        assert [one["pid"] for one in found.own["processes"]] == [program.pid]
        assert program.end() == ("ended\n", "")


def test_a_child_of_a_process_that_is_profiled(start, scalene, python):
    """Its agent stays with the observer that has it."""
    with start("forks", "aside") as program:
        with open("/proc/%d/task/%d/children" % (program.pid, program.pid), encoding="utf-8") as file:
            child = file.read().strip()
        command = [scalene, "attach", "--children", "-o", "all.json", str(program.pid)]
        with subprocess.Popen(command, cwd=program.folder, stderr=subprocess.PIPE, text=True, env=clean_environment()) as attached:
            attached.stderr.readline()
            execute([scalene, "attach", "--duration", "0.3", "-o", "one.json", child], cwd=program.folder).expect(0)
            attached.send_signal(signal.SIGINT)
            attached.stderr.read()
        one, both = (Profile.read(os.path.join(program.folder, name)) for name in ("one.json", "all.json"))
        assert is_from_outside(one) and is_from_outside(both) == (not loads_agent(python))
        assert program.end() == ("ended\n", "")


def test_a_profile_that_cannot_be_written(start):
    with start() as program:
        assert "cannot write '/dev/full'" in program.attach("--duration", "0.1", "-o", "/dev/full").expect(1).stderr
        assert program.end() == ("ended\n", "")


def test_what_cannot_be_attached_to(scalene, tmp_path):
    def line(*words):
        return execute([scalene, "attach", *words], cwd=str(tmp_path))

    with subprocess.Popen(["sleep", "1000"]) as other:
        no_python = line(str(other.pid)).expect(1).stderr
        other.kill()
    assert no_python.startswith("scalene: attach: process %d: it is no Python that is known here" % other.pid)
    assert "there is no such process" in line(str(other.pid)).expect(1).stderr
    assert "is no number of a process" in line("works.py").expect(2).stderr
    assert "name one process" in line().expect(2).stderr
    assert "no such option: '--walk'" in line("--walk", "1").expect(2).stderr
    assert not os.listdir(tmp_path)
