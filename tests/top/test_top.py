# tests/top/test_top.py - `scalene top` in a terminal emulator: keys, ends, and what becomes of the terminal.
#
# A program waits until the test has seen what it wants to see, so how fast the machine is decides nothing. Which numbers
# stand in the rows is tested with given profiles (tests/unit/report_live_test.c, render_live_test.c).
#
# SPDX-License-Identifier: Apache-2.0
"""`scalene top` on programs that wait."""

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time

import pytest

from conftest import clean_environment, execute

pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")

# Goes on when there is a file "go".
WAITS = """
import os, sys, time
print("begins", flush=True)
%s
while not os.path.exists("go"):
    time.sleep(0.02)
sys.exit(3)
"""


TIMEOUT_S = 60


class Terminal:
    """A terminal emulator, in which a shell runs one line and says its status."""

    def __init__(self, directory, command, columns=80, rows=24, **variables):
        self.directory = str(directory)
        # a dash ends by Ctrl-C, too
        line = "trap : INT; stty -g > before; %s; echo status $?; stty -g > after; touch over; exec cat" % shlex.join(command)
        os.makedirs(self.path("temporary"), exist_ok=True)
        environment = clean_environment({"TMPDIR": self.path("temporary"), "LC_ALL": "C.UTF-8", **variables})
        self.tmux("new-session", "-d", "-x", str(columns), "-y", str(rows), line, env=environment)

    def tmux(self, *words, check=True, **how):
        """The socket is named from its folder: a name has room for 108 bytes."""
        return subprocess.run(["tmux", "-S", "tmux", "-u", "-f", "/dev/null", *words], cwd=self.directory, check=check, stdout=subprocess.PIPE, encoding="utf-8", **how)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.tmux("kill-server", check=False)

    def path(self, name):
        return os.path.join(self.directory, name)

    def keys(self, *keys):
        self.tmux("send-keys", *keys)

    def resize(self, columns, rows):
        self.tmux("resize-window", "-x", str(columns), "-y", str(rows))

    def screen(self):
        return self.tmux("capture-pane", "-p").stdout

    def wait_until(self, is_there):
        """What the screen shows once is_there(it) holds."""
        end = time.monotonic() + TIMEOUT_S
        while True:
            shown = self.screen()
            if is_there(shown):
                return shown
            assert time.monotonic() < end, shown
            time.sleep(0.05)

    def wait_for(self, text):
        return self.wait_until(lambda shown: text in shown)

    def go(self):
        open(self.path("go"), "w").close()

    def wait_for_end(self):
        """The status of the command, and what is on the screen behind it. The terminal is as it was before."""
        self.wait_until(lambda _: os.path.exists(self.path("over")))
        shown = self.wait_for("status ")
        with open(self.path("before"), encoding="ascii") as before, open(self.path("after"), encoding="ascii") as after:
            assert before.read() == after.read()
        return int(shown.rpartition("status ")[2].split()[0]), shown

    def left_behind(self):
        """The files below TMPDIR, with what is in them."""
        texts = {}
        for folder, _, names in os.walk(self.path("temporary")):
            for name in names:
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    texts[name] = file.read()
        return texts


@pytest.fixture
def top(scalene, tmp_path):
    """top(text) -> a Terminal in which `scalene top prog.py` has shown the first numbers."""

    def start(first="", options=(), before=(), shows="  threads 1  processes 1", **how):
        (tmp_path / "prog.py").write_text(WAITS % first)
        terminal = Terminal(tmp_path, [*before, scalene, "top", *options, "--python", sys.executable, "prog.py"], **how)
        terminal.wait_for(shows)
        return terminal

    return start


def test_the_last_screen_stays_until_q_and_the_status_is_the_programs(top):
    with top() as terminal:
        assert "ended" not in terminal.screen()
        terminal.go()
        shown = terminal.wait_for("ended; q leaves")
        assert "ended: exit status 3" in shown.splitlines()[0]
        terminal.keys("q")
        status, shown = terminal.wait_for_end()
        assert status == 3
        assert terminal.left_behind() == {"output.txt": "begins\n"}
        assert "the program's output is in " + terminal.path("temporary") in shown.replace("\n", "")


@pytest.mark.parametrize("key", ["q", "C-c"])
def test_q_and_ctrl_c_end_the_program_as_ctrl_c_does(top, key):
    program = "import signal\nsignal.signal(signal.SIGINT, lambda *_: (print('interrupted'), sys.exit(7)))"
    with top(program) as terminal:
        terminal.keys(key)
        assert terminal.wait_for_end()[0] == 7
        assert terminal.left_behind() == {"output.txt": "begins\ninterrupted\n"}


def test_a_program_that_does_not_end_is_ended_by_force(top):
    program = "import signal\nfor number in (2, 15): signal.signal(number, lambda number, _: print('signal', number, flush=True))"
    with top(program) as terminal:
        terminal.keys("q")
        terminal.wait_for("ending...")
        terminal.keys("o")
        terminal.wait_for("signal 2")
        terminal.keys("x", "q")
        terminal.wait_for("ending by force...")
        terminal.keys("o")
        terminal.wait_for("signal 15")
        terminal.keys("x", "q")
        assert terminal.wait_for_end()[0] == 128 + signal.SIGKILL


def pid_of_parent(pid):
    with open("/proc/%d/status" % pid, encoding="ascii") as file:
        return int(next(line.split()[1] for line in file if line.startswith("PPid:")))


def pid_shown(terminal):
    return int(terminal.screen().split()[2])


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_ends_it_and_is_passed_on(top, number):
    with top() as terminal:
        program = pid_shown(terminal)
        os.kill(pid_of_parent(pid_of_parent(program)), number)
        assert terminal.wait_for_end()[0] == 128 + number
        assert not os.path.exists("/proc/%d" % program)


def test_a_crash_gives_the_terminal_back_and_ends_the_program(top):
    with top() as terminal:
        program = pid_shown(terminal)
        os.kill(pid_of_parent(pid_of_parent(program)), signal.SIGSEGV)
        assert terminal.wait_for_end()[0] == 128 + signal.SIGSEGV
        terminal.wait_until(lambda _: not os.path.exists("/proc/%d" % program))


def test_the_end_of_the_child_leaves_a_good_terminal(top):
    with top() as terminal:
        program = pid_shown(terminal)
        os.kill(pid_of_parent(program), signal.SIGKILL)
        terminal.wait_for("ended; q leaves")
        terminal.keys("q")
        assert terminal.wait_for_end()[0] == 128 + signal.SIGKILL
        terminal.go()


def test_a_filter_of_other_letters(top):
    """They are read, erased and compared as letters, whatever their case."""
    with top("def Größe_世():\n    sum(range(10**6))\nfor _ in range(20): Größe_世()") as terminal:
        terminal.wait_for("Größe_世")
        terminal.keys("/", "ö", "ä", "世", "BSpace", "BSpace", "ß")
        terminal.wait_for("filter: öß_")
        terminal.keys("BSpace", "x", "Enter")
        terminal.wait_until(lambda shown: " filter: öx " in shown and "Größe" not in shown)
        terminal.keys("Escape", "/", "G", "R", "Ö", "Enter")
        terminal.wait_until(lambda shown: " filter: GRÖ " in shown and "Größe_世" in shown)
        terminal.go()


def test_keys_choose_what_is_shown(top):
    with top() as terminal:
        for key, heading in ("2", "LINE"), ("3", "THREAD"), ("4", "PROCESS"), ("5", "TASK"), ("1", "FUNCTION"), ("BTab", "TASK"), ("Tab", "FUNCTION"):
            terminal.keys(key)
            assert terminal.wait_until(lambda shown, word=heading: shown.splitlines()[3].endswith(" " + word))
        for key, sign in (">", ">py%"), ("Right", ">nat%"), ("<", ">py%"), ("Left", ">now%"), ("Left", ">alloc"):
            terminal.keys(key)
            terminal.wait_for(sign)
        terminal.keys("p")
        terminal.wait_for(" paused ")
        terminal.keys("p")
        terminal.wait_until(lambda shown: "paused" not in shown)
        terminal.keys("/", "q", "x", "BSpace", "q")
        terminal.wait_for("filter: qq_")
        terminal.keys("Enter")
        terminal.wait_for(" filter: qq ")
        terminal.keys("Escape")
        terminal.wait_until(lambda shown: "filter: " not in shown)
        terminal.keys("h")
        terminal.wait_for("Any key leaves this text.")
        terminal.keys("x", "o")
        assert terminal.wait_for("any key leaves; the output is in").splitlines()[0] == "begins"
        terminal.keys("x")
        terminal.wait_for("FUNCTION")
        terminal.keys("q")
        terminal.wait_for_end()


def test_any_size_is_drawn_on(top):
    with top(columns=20, rows=5, shows="FUNCTION") as terminal:
        terminal.resize(80, 24)
        terminal.wait_for("  threads 1  processes 1")
        for size in (1, 1), (20, 2), (200, 60), (80, 24):
            terminal.resize(*size)
            terminal.keys("3", "Down", "End", "PageUp", "h", "x", "o", "x")
        terminal.wait_for("THREAD")
        terminal.keys("q")
        assert terminal.wait_for_end()[0] == 128 + signal.SIGINT


def test_a_process_that_runs_already_is_left(scalene, tmp_path):
    (tmp_path / "prog.py").write_text(WAITS % "")
    process = subprocess.Popen([sys.executable, "prog.py"], stdout=subprocess.PIPE, text=True, cwd=tmp_path, env=clean_environment())
    try:
        assert process.stdout.readline() == "begins\n"
        with Terminal(tmp_path, [scalene, "top", str(process.pid)]) as terminal:
            shown = terminal.wait_for("  threads 1  processes 1")
            assert shown.startswith("scalene top  %d  /" % process.pid)
            terminal.keys("o")
            terminal.wait_for("any key leaves; the process prints elsewhere")
            terminal.keys("q")
            assert terminal.wait_for_end()[0] == 0
            assert terminal.left_behind() == {}
            assert process.poll() is None
            terminal.go()
        assert process.wait(TIMEOUT_S) == 3
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def test_the_program_has_neither_terminal_nor_input(top):
    program = "print(repr(sys.stdin.read()))\ntry: open('/dev/tty')\nexcept OSError as error: print(error.errno, flush=True)"
    with top(program) as terminal:
        terminal.keys("q")
        terminal.wait_for_end()
        assert terminal.left_behind()["output.txt"].startswith("begins\n''\n6\n")


@pytest.mark.parametrize("how", [{"options": ["-b"]}, {"before": ["env", "TERM=dumb"]}])
def test_screens_follow_each_other_where_none_can_be_drawn(top, how):
    with top(**how) as terminal:
        terminal.go()
        status, shown = terminal.wait_for_end()
        assert status == 3
        assert "ended: exit status 3" in shown
        assert ("cannot be drawn on" in shown) == ("before" in how)


ENDS = "import time\nend = time.monotonic() + 0.5\nwhile time.monotonic() < end: pass\nprint('said')\n"


def ended_in_batch(scalene, directory, *words, text=ENDS):
    (directory / "prog.py").write_text(text)
    temporary = directory / "temporary"
    temporary.mkdir(exist_ok=True)
    return execute([scalene, "top", *words], cwd=directory, env=clean_environment({"TMPDIR": str(temporary)}))


def test_to_a_file_it_writes_plain_screens(scalene, tmp_path):
    ended = ended_in_batch(scalene, tmp_path, "prog.py", "\x1b[2J\x1b]2;title\x07", text="import time\n" + ENDS.replace("0.5", "2")).expect(0)
    assert ended.stdout.startswith("scalene top  ")
    assert "  ended" in ended.stdout.rpartition("scalene top  ")[2].splitlines()[0]
    assert "\x1b" not in ended.stdout and "\x07" not in ended.stdout
    assert "[2J" in ended.stdout  # what is left of it can be read
    assert "said" not in ended.stdout
    path = ended.stderr.strip().rpartition(" ")[2]
    with open(path, encoding="utf-8") as file:
        assert file.read() == "said\n"


CHILDREN = """
import os
import time

def works(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass

for _ in range(3):
    if os.fork() == 0:
        works(0.3)
        os._exit(0)
    os.wait()
works(1.5)
"""


def test_threads_of_children_that_have_ended_are_none_any_more(scalene, tmp_path):
    ended = ended_in_batch(scalene, tmp_path, "--show", "threads", "prog.py", text=CHILDREN).expect(0)
    last = ended.stdout.rpartition("scalene top  ")[2]
    assert "threads 1  processes " in last
    assert "[3 threads]" in last


def test_the_profile_is_kept_on_demand(scalene, tmp_path):
    ended_in_batch(scalene, tmp_path, "-o", "kept", "--cpu-only", "prog.py").expect(0)
    with open(tmp_path / "kept.json", encoding="utf-8") as file:
        profile = json.load(file)
    assert profile["program"] == str(tmp_path / "prog.py") and not profile["memory"]


def test_a_profile_that_cannot_be_kept_changes_no_status(scalene, tmp_path):
    ended = ended_in_batch(scalene, tmp_path, "-o", "/dev/full", "prog.py", text=ENDS + "raise SystemExit(3)").expect(3)
    assert "\nscalene: top: cannot write '/dev/full': " in ended.stderr


def test_without_a_profile_there_is_what_was_said(scalene, tmp_path):
    ended = ended_in_batch(scalene, tmp_path, "-o", "kept", "missing.py").expect(1)
    assert ended.stdout == ""
    assert "cannot run '%s/missing.py'" % tmp_path in ended.stderr and "profile.json" not in ended.stderr
    assert not list((tmp_path / "temporary").iterdir())


def test_without_proc_it_says_what_it_needs(scalene, tmp_path):
    hidden = ["unshare", "-m" if os.geteuid() == 0 else "-Urm", "sh", "-c", 'mount -t tmpfs none /proc && exec "$@"', "sh"]
    if subprocess.run([*hidden, "true"], stderr=subprocess.DEVNULL, check=False).returncode != 0:
        pytest.skip("no mount namespace can be made")
    (tmp_path / "prog.py").write_text("")
    ended = execute([*hidden, scalene, "top", "prog.py"], cwd=tmp_path, env=clean_environment({"TMPDIR": str(tmp_path)})).expect(1)
    assert "'/proc/self/exe' cannot be started" in ended.stderr


@pytest.mark.parametrize(
    "words, status, said",
    [
        ((), 2, "top: nothing was named"), (("--nonsense", "prog.py"), 2, "top: no such option: '--nonsense'"),
        (("--profile-interval", "0", "prog.py"), 2, "top: --profile-interval"), (("-o", ".", "prog.py"), 1, "is a directory"),
        (("--show", "thread", "prog.py"), 2, "top: --show: no 'thread'; there are functions, lines, threads, processes and tasks"),
        (("12", "prog.py"), 2, "follows the number of a process"), (("2147483647",), 1, "process 2147483647"),
    ],
)
def test_mistakes_are_found_before_anything_starts(scalene, tmp_path, words, status, said):
    ended = ended_in_batch(scalene, tmp_path, *words).expect(status)
    assert said in ended.stderr
    assert not list((tmp_path / "temporary").iterdir())


# A signal that comes as soon as there is a folder.
EARLY = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
char *mkdtemp(char *name) { name = ((char *(*)(char *))dlsym(RTLD_NEXT, "mkdtemp"))(name); raise(SIGTERM); return name; }
"""


def test_a_signal_at_the_beginning_leaves_nothing(scalene, tmp_path):
    (tmp_path / "early.c").write_text(EARLY)
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", tmp_path / "early.so", tmp_path / "early.c"], check=True)
    (tmp_path / "prog.py").write_text(ENDLESS)
    (tmp_path / "temporary").mkdir()
    environment = clean_environment({"TMPDIR": str(tmp_path / "temporary"), "LD_PRELOAD": str(tmp_path / "early.so")})
    execute([scalene, "top", "prog.py"], cwd=tmp_path, env=environment).expect(128 + signal.SIGTERM)
    assert not list((tmp_path / "temporary").iterdir())


ENDLESS = "import time\nwhile True: time.sleep(0.01)\n"


def test_it_ends_when_nobody_reads_any_more(scalene, tmp_path):
    (tmp_path / "prog.py").write_text(ENDLESS)
    with subprocess.Popen([scalene, "top", "-d", "0.2", "prog.py"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env=clean_environment({"TMPDIR": str(tmp_path)})) as process:
        assert process.stdout.readline().startswith("scalene top  ")
        process.stdout.close()
        try:
            assert process.wait(TIMEOUT_S) == 128 + signal.SIGTERM
        finally:
            process.kill()
        assert "cannot write" not in process.stderr.read()


def test_code_of_others_is_measured_and_said_to_be_theirs(scalene, tmp_path):
    (tmp_path / "prog.py").write_text(ENDS.replace("0.5", "2"))
    (tmp_path / "elsewhere").mkdir()
    ended = ended_in_batch(scalene, tmp_path / "elsewhere", "--", sys.executable, str(tmp_path / "prog.py"))
    assert "processes 1" in ended.stdout
    assert "top: not shown: %s, " % (tmp_path / "prog.py") in ended.stderr
