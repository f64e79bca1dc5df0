# tests/robust/test_trees.py - one profile for a tree of processes, however its processes come to be and end.
#
# SPDX-License-Identifier: Apache-2.0
"""Process trees."""

import os
import shutil
import subprocess

import pytest
from conftest import BUILD, Profile, execute, write_program

SHELL = """
import os
if len(sys.argv) > 1:
    work(0.1)
    sys.exit(int(sys.argv[1]))
print(os.system("'%s' '%s' 4" % (sys.executable, __file__)) >> 8)
import ctypes
libc = ctypes.CDLL(None)
libc.popen.restype = ctypes.c_void_p
stream = libc.popen(("'%s' '%s' 5" % (sys.executable, __file__)).encode(), b"r")
print(libc.pclose(ctypes.c_void_p(stream)) >> 8)
"""

WORK = """
import sys, time
def work(seconds):
    end = time.process_time() + seconds
    total = 0
    while time.process_time() < end:
        for i in range(2000):
            total += i ^ 5  #: work
    return total
"""


def processes(found):
    return found.own["processes"]


def worked_s(found):
    """Seconds on a CPU inside work(), of all processes together."""
    return found.cpu_inside("work")


def expect_work(found, seconds):
    assert abs(worked_s(found) - seconds) <= 0.05 + 0.05 * seconds, (worked_s(found), found.hottest(), processes(found))


FORK = WORK + """
import os
pids = []
for k in range(3):
    pid = os.fork()
    if pid == 0:
        work(0.1)
        os._exit(k)
    pids.append(pid)
work(0.1)
for pid in pids:
    os.waitpid(pid, 0)
"""


def test_fork(profile, python):
    """Each process is shown with its parent and its end, each thread with its process."""
    found = profile(FORK, python).expect(0).profile
    main, *children = processes(found)
    assert {one["parent_pid"] for one in children} == {main["pid"]}
    assert [one["exit_kind"] for one in (main, *children)] == ["exit"] * 4
    assert sorted(one["exit_value"] for one in children) == [0, 1, 2]
    by_pid = {one["pid"]: one for one in found.own["threads"]}
    assert sorted(by_pid) == sorted(one["pid"] for one in (main, *children))
    assert all(thread["tid"] == pid and thread["is_main"] for pid, thread in by_pid.items()), by_pid


SUBPROCESS = WORK + """
import os, subprocess
if len(sys.argv) > 1:
    work(0.3)
    sys.exit(int(sys.argv[1]))
say = lambda *words: print(*words, flush=True)
run = lambda *words, **how: subprocess.call([*words], **how)
say(run(sys.executable, __file__, "1"))
say(run(sys.executable, __file__, "2", env={}))
say(run("sh", "-c", "'%s' '%s' 3; exit 4" % (sys.executable, __file__)))
say(os.system("'%s' '%s' 5" % (sys.executable, __file__)) >> 8)
say(os.spawnv(os.P_WAIT, sys.executable, [sys.executable, __file__, "6"]))
say(os.waitstatus_to_exitcode(os.waitpid(os.posix_spawn(sys.executable, [sys.executable, __file__, "7"], {}), 0)[1])
      if hasattr(os, "waitstatus_to_exitcode") else 7)
say(run("env", "-i", sys.executable, __file__, "8"))
say(run("nice", sys.executable, __file__, "9", close_fds=False))
os.execv(sys.executable, [sys.executable, __file__, "10"])
"""


SMALL_STACK = """
import os, subprocess, sys, threading
if len(sys.argv) > 1:
    sys.exit(int(sys.argv[1]))
variables = {"VARIABLE_%d" % i: "x" for i in range(12000)}
def words(value):
    return [sys.executable, __file__, value]
def spawn():
    os.posix_spawn(sys.executable, words("1"), variables)
    os.posix_spawnp(sys.executable, words("2"), variables)
    if os.fork() == 0:
        os.execve(sys.executable, words("3"), variables)
    kept.append(subprocess.Popen(words("4"), env=variables))
kept = []  # the end of an object waits for a child that has ended
threading.stack_size(65536)
thread = threading.Thread(target=spawn)
thread.start()
thread.join()
print(sorted(os.wait()[1] >> 8 for _ in range(4)))
"""


def test_programs_started_on_a_small_stack(profile, python):
    """Where there is no room for the variables that the agent needs, as after vfork, the profile says so."""
    ended = profile(SMALL_STACK, python).expect(0)
    assert ended.stdout.split() == ["[1,", "2,", "3,", "4]"]
    found = ended.profile
    values = sorted(one["exit_value"] for one in processes(found)[1:] if one["exit_kind"] == "exit")
    assert values in ([1, 2, 3], [1, 2, 3, 4]), processes(found)
    assert found.own["losses"]["child_not_followed"] == 4 - len(values)


@pytest.mark.statistical
def test_every_way_to_start_a_program(profile, python):
    ended = profile(SUBPROCESS, python).expect(10)
    assert ended.stdout.split() == ["1", "2", "4", "5", "6", "7", "8", "9"]
    found = ended.profile
    assert sorted(one["exit_value"] for one in processes(found) if one["exit_kind"] == "exit") in (
        [1, 2, 3, 5, 6, 7, 8, 9, 10],
        [1, 2, 3, 5, 6, 8, 9, 10],
    ), processes(found)
    assert processes(found)[0]["exit_kind"] == "exec"
    # a forked child may say hello before it executes the next one
    expect_work(found, 0.3 * len([one for one in processes(found) if one["exit_kind"] == "exit"]))


EXECUTED_AT = """
import ctypes, os, sys
if len(sys.argv) > 1:
    sys.exit(3)
words = (ctypes.c_char_p * 4)(*map(os.fsencode, [sys.executable, __file__, "again"]), None)
ctypes.CDLL(None).execveat(-100, words[0], words, None, 0)
"""


def test_a_program_executed_by_execveat(profile, python):
    found = profile(EXECUTED_AT, python).expect(3).profile
    assert [one["exit_kind"] for one in processes(found)] == ["exec", "exit"], processes(found)


KILLED = WORK + """
import os, signal, subprocess
def be_killed(ready):
    work(0.5)
    os.write(ready, b"x")
    time.sleep(60)
if len(sys.argv) > 1:
    be_killed(int(sys.argv[1]))
reading, ready = os.pipe()
child = subprocess.Popen([sys.executable, __file__, str(ready)], pass_fds=[ready])
pid = os.fork()
if pid == 0:
    be_killed(ready)
os.read(reading, 1)
os.read(reading, 1)
time.sleep(0.3)
os.kill(pid, signal.SIGKILL)
child.kill()
print(os.waitpid(pid, 0)[1], child.wait())
"""


@pytest.mark.statistical
def test_killed_workers_keep_their_data(profile, python):
    found = profile(KILLED, python).expect(0).profile
    expect_work(found, 1.0)
    cpu_s = sorted(one["cpu_s"] for one in processes(found))
    assert len(cpu_s) == 3, processes(found)
    assert cpu_s[1] >= 0.45 and cpu_s[2] >= 0.45, processes(found)
    ends = [(one["exit_kind"], one["exit_value"]) for one in processes(found)]
    assert ends == [("exit", 0), ("signal", 9), ("signal", 9)], processes(found)
    assert all(one["max_rss_mb"] > 3 for one in processes(found)), processes(found)


KILLED_SOON = WORK + """
import os, signal
for _ in range(40):
    pids = []
    for _ in range(4):
        pids.append(os.fork())
        if pids[-1] == 0:
            work(0.01)
            os.kill(os.getpid(), signal.SIGKILL)
    for pid in pids:
        os.waitpid(pid, 0)
"""


@pytest.mark.few_pythons
def test_killed_children_are_not_among_those_that_are_not_followed(profile, python):
    """What each has used since the last look at it is not known: its parent has waited for it."""
    notes = profile(KILLED_SOON, python).expect(0).profile.own["notes"]
    assert not [note for note in notes if "could not be followed" in note], notes


WAITS = WORK + """
import ctypes, os, signal, threading
libc = ctypes.CDLL(None)
ways = [
    lambda pid: os.waitpid(pid, 0),
    lambda pid: os.wait(),
    lambda pid: os.wait3(0),
    lambda pid: os.wait4(pid, 0),
    lambda pid: os.waitid(os.P_PID, pid, os.WEXITED),
    lambda pid: libc.waitpid(pid, None, 0),
    lambda pid: libc.waitid(1, pid, None, 4),
]
for k, way in enumerate(ways):
    pid = os.fork()
    if pid == 0:
        os.kill(os.getpid(), [signal.SIGKILL, signal.SIGTERM, signal.SIGABRT][k % 3])
    way(pid)
    pid = os.fork()
    if pid == 0:
        libc._exit(20 + k)
    way(pid)
"""


def test_every_way_to_wait(profile, python):
    """How a child ended is known whichever way its parent waits for it."""
    found = profile(WAITS, python).expect(0).profile
    ends = [(one["exit_kind"], one["exit_value"]) for one in processes(found)[1:]]
    expected = []
    for k in range(7):
        expected += [("signal", (9, 15, 6)[k % 3]), ("exit", 20 + k)]
    assert ends == expected


STATIC = "int main(void) { static const char text[] = \"%s\"; return text[0] == 'x'; }\n"


def compile_static(folder, name, text):
    source = folder / (name + ".c")
    source.write_text(STATIC % text)
    done = subprocess.run(["cc", "-static", "-o", str(folder / name), str(source)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip("no static program can be built here: " + done.stderr.strip()[-200:])
    return str(folder / name)


@pytest.mark.few_pythons
def test_what_cannot_be_followed_is_named(profile, python, tmp_path):
    """A static Python, and a program that changes its user, by the names they were executed by."""
    static = compile_static(tmp_path, "snake", "PYTHONHOME")
    other = compile_static(tmp_path, "other", "nothing of the kind")
    script = tmp_path / "script"
    script.write_text("#!%s -x\n" % static)
    script.chmod(0o755)
    text = "import os, subprocess\n"
    text += "".join("subprocess.call([%r])\n" % name for name in (static, other, static, str(script), "/bin/true"))
    text += "os.posix_spawn(%r, ['snake'], {})\nos.wait()\n" % static
    # a name without a slash that is not searched for is in the folder where the process is
    text += "if os.fork() == 0:\n    os.chdir(%r)\n    os.execv('snake', ['snake'])\nos.wait()\n" % str(tmp_path)
    if os.geteuid() == 0:
        os.chown(other, 65534, 65534)
        os.chmod(other, 0o4755)
    found = profile(text, python).expect(0).profile
    notes = [note for note in found.own["notes"] if note.startswith("not followed")]
    assert "'%s' is a statically linked Python" % static in notes[0] and "4 times" in notes[0], notes
    named = 4
    if os.geteuid() == 0:
        assert "'%s' is set-uid" % other in notes[1], notes
        named += 1
        del notes[1]
    assert "'%s'" % script in notes[1], notes
    assert len(notes) == 2
    assert found.own["losses"]["child_not_followed"] == named + 1


@pytest.mark.few_pythons
@pytest.mark.parametrize("root", ["python", "shell"])
def test_what_a_shell_starts_and_cannot_be_followed_is_named(profile, scalene, python, tmp_path, root):
    """Through shells and env, searched and by path, by vfork and by exec; what can be followed is not named."""
    static = compile_static(tmp_path, "snake", "PYTHONHOME")
    other = compile_static(tmp_path, "other", "nothing of the kind")
    plain = compile_static(tmp_path, "plain", "nothing of the kind")
    if os.geteuid() == 0:
        os.chown(other, 65534, 65534)
        os.chmod(other, 0o4755)
    script = tmp_path / "script.sh"
    script.write_text("#!/bin/sh\n'%s'; '%s'\nsnake\nenv snake\n(exec '%s')\n'%s'\n/bin/true\n" % (static, other, static, plain))
    script.chmod(0o755)
    env = {"PATH": "%s:%s" % (tmp_path, os.environ["PATH"])}
    python_words = "'%s' -c 'print(sum(range(1000)))'" % python.path
    if root == "python":
        text = "import os, subprocess\nprint(subprocess.call([%r]), os.system(%r))\n" % (str(script), "exec '%s'" % script)
        ended = profile(text, python, env=env).expect(0)
        found, runs = ended.profile.own, 2
        assert ended.stdout == "0 0\n"
    else:
        out = str(tmp_path / "shell.json")
        command = [scalene, "run", "--cpu-only", "-o", out, "--", "sh", "-c", "'%s'; %s" % (script, python_words)]
        ended = execute(command, cwd=tmp_path, env=env).expect(0)
        assert ended.stdout == "499500\n"
        found, runs = Profile.read(out).own, 1
    notes = [note for note in found["notes"] if note.startswith("not followed")]
    assert "'%s' is a statically linked Python" % static in notes[0] and "%d times" % (4 * runs) in notes[0], notes
    named = 4
    if os.geteuid() == 0:
        assert "'%s' is set-uid" % other in notes[1], notes
        named += 1
    assert len(notes) == named - 3, notes
    assert found["losses"]["child_not_followed"] == named * runs


# The objects of the second have two pointers in front, as --with-trace-refs puts them there.
REFUSED = {"3.7": "Python 3.7 is too old, 3.8 or later is needed",
           "3.9": "this build of Python 3.9 does not describe its memory in a way that is understood"}
REFUSED_PYTHON = """
int _PyRuntime[4096];
const char *Py_GetVersion(void) { return "%s.1 (stand-in)"; }
void *PyType_Type[64] = {0, 0, 0, PyType_Type}, *PyCode_Type[64] = {PyType_Type, PyType_Type, 0, PyType_Type};
int main(void) { return 0; }
"""


@pytest.mark.few_pythons
@pytest.mark.parametrize("version", REFUSED)
def test_a_python_that_is_refused_is_named(profile, python, tmp_path, version):
    (tmp_path / "old.c").write_text(REFUSED_PYTHON % version)
    old = str(tmp_path / ("python" + version))
    done = subprocess.run(["cc", "-rdynamic", "-o", old, str(tmp_path / "old.c")], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip("no program can be built here: " + done.stderr.strip()[-200:])
    text = WORK + "import subprocess\nprint([subprocess.call([%r]) for _ in range(2)])\nwork(0.2)\n" % old
    ended = profile(text, python).expect(0)
    assert ended.stdout == "[0, 0]\n"
    notes = [note for note in ended.profile.own["notes"] if note.startswith("not followed")]
    assert notes == ["not followed: '%s' in 2 processes: %s" % (old, REFUSED[version])], notes
    assert ended.profile.own["losses"]["child_not_followed"] == 2


@pytest.mark.one_python
def test_a_shell_when_the_path_has_a_quote(scalene, python, tmp_path):
    """system and popen start their shell inside libc."""
    build = tmp_path / "it's"
    (build / "src").mkdir(parents=True)
    for part in ("cli", "agent"):
        (build / "src" / part).mkdir()
        for name in ("scalene", "libscalene.so", "libscalene-memory.so"):
            if os.path.exists(os.path.join(BUILD, "src", part, name)):
                shutil.copy(os.path.join(BUILD, "src", part, name), str(build / "src" / part))
    path, _ = write_program(tmp_path, WORK + SHELL, "prog.py")
    out = str(tmp_path / "out.json")
    command = [str(build / "src" / "cli" / "scalene"), "run", "--cpu-only", "--python", python.path, "-o", out, path]
    ended = execute(command, cwd=tmp_path).expect(0)
    assert ended.stdout == "4\n5\n"
    tree = Profile.read(out).own["processes"]
    assert sorted(one["exit_value"] for one in tree) == [0, 4, 5], tree


# Nobody waits for the end of its output.
STARTS_AND_LEAVES = """
import subprocess
outlives = [sys.executable, "-c", "import time; time.sleep(20)"]
subprocess.Popen(outlives, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
work(0.3)
"""


def test_what_outlives_the_program_is_named(profile, python):
    text = WORK + STARTS_AND_LEAVES
    ended = profile(text, python).expect(0)
    assert any("time.sleep(20)" in note and "still running" in note for note in ended.profile.own["notes"])
    assert "still running" not in ended.stderr  # a pool's helper is: nothing that its user has to know
    # a child that is slow on its way to its program was a process before, too
    assert [one["exit_kind"] for one in processes(ended.profile) if one["exit_kind"] != "exec"] == ["exit", "running"]


EXECUTES = WORK + """
import os, threading
threads = [threading.Thread(target=work, args=(0.2,)) for _ in range(2)]
for thread in threads:
    thread.start()
    thread.join()
words = [sys.executable, __file__, *sys.argv[1:], "again"]
if sys.argv[1:] == ["shell"]:
    os.execvp("sh", ["sh", "-c", 'sleep 0.3; exec "$@"', "sh", *words])
elif len(sys.argv) < 4:
    os.execv(sys.executable, words)
"""


@pytest.mark.parametrize("between", ["shell", "nothing"])
@pytest.mark.statistical
def test_what_was_used_before_exec_counts_once(profile, python, between):
    found = profile(EXECUTES, python, [between]).expect(0).profile
    expect_work(found, 1.2)
    assert [one["exit_kind"] for one in processes(found)] == ["exec", "exec", "exit"], processes(found)
    # each has started an interpreter, too
    assert all(0.38 <= one["cpu_s"] <= 0.8 for one in processes(found)), processes(found)


MANY = """
import os, sys, time

def descriptors(pid):
    return len(os.listdir("/proc/%d/fd" % pid))

parents = descriptors(os.getppid())  # the observer, when there is one
for k in range(150):
    if k % 5 == 4:
        pid = os.spawnv(os.P_NOWAIT, sys.executable, [sys.executable, "-S", "-E", "-c", "pass"])
    else:
        pid = os.fork()
        if pid == 0:
            os._exit(0)
    os.waitpid(pid, 0)
end = time.monotonic() + 100
while descriptors(os.getppid()) - parents >= 20 and time.monotonic() < end:
    time.sleep(0.05)
print(descriptors(os.getpid()), [name for name in os.listdir("/dev/shm") if "scalene" in name])
print(descriptors(os.getppid()) - parents < 20)
with open("/proc/self/task/%d/children" % os.getpid()) as children:
    print(children.read().split())
"""


@pytest.mark.few_pythons
def test_many_short_children_leave_nothing(profile, bare, python):
    plain = bare(MANY, python).expect(0)
    ended = profile(MANY, python).expect(0)
    assert ended.stdout == plain.stdout
    ends = {one["pid"]: one["exit_kind"] for one in processes(ended.profile)}
    assert len(ends) == 151 and set(ends.values()) == {"exit"}
    assert not ended.profile.own["notes"], ended.profile.own["notes"]


ENDED = """
import os, time

def parents_kb():  # the observer's, when there is one
    with open("/proc/%d/status" % os.getppid()) as status:
        return int(status.read().split("VmRSS:")[1].split()[0])

def children(count):
    for _ in range(count):
        pid = os.fork()
        if pid == 0:
            time.sleep(0.02)  # long enough to be looked at
            os._exit(0)
        os.waitpid(pid, 0)

children(20)
before = parents_kb()
children(200)
print((parents_kb() - before) // 200)
"""


@pytest.mark.one_python
@pytest.mark.statistical
def test_children_that_have_ended_take_little_memory(profile, python):
    """A tree may have thousands. What is read of one that runs takes half a megabyte, and goes with it."""
    ended = profile(ENDED, python).expect(0)
    assert len(processes(ended.profile)) == 221
    assert ended.facts < 150, "%d KB for each" % ended.facts


MEMORY = """
import os
kept = [bytearray(1 << 20) for _ in range(20)]
for k in range(3):
    pid = os.fork()
    if pid == 0:
        mine = [bytearray(1 << 20) for _ in range(30)]  #: child
        del kept
        os._exit(0)
    os.waitpid(pid, 0)
last = bytearray(5 << 20)  #: last
"""


@pytest.mark.statistical
def test_memory_of_children(profile, python):
    ended = profile(MEMORY, python, options=["--memory", "--malloc-threshold", "0"]).expect(0)
    found = ended.profile
    lines = {line["lineno"]: line for line in found.file()["lines"]}
    (child,) = (line for line in lines.values() if "#: child" in line["line"])
    assert abs(child["n_malloc_mb"] - 90) <= 2, child
    assert abs(child["n_peak_mb"] - 30) <= 2, child
    # what two processes do within one tick is not distinguished: the last block may seem to come first
    assert 48 <= found.data["max_footprint_mb"] <= 57
    assert abs(found.own["live_at_exit_mb"] - 25) <= 2  # what children kept went with them


@pytest.mark.one_python
@pytest.mark.statistical
def test_a_profiler_inside_a_profiler(profile, scalene, python, tmp_path):
    inner = tmp_path / "inner.py"
    inner.write_text(WORK + "work(0.4)\n")
    out = tmp_path / "inner.json"
    text = "import subprocess, sys\nprint(subprocess.call(sys.argv[1:]))\n"
    words = [scalene, "run", "--quiet", "--python", python.path, "-o", str(out), str(inner)]
    assert profile(text, python, words).expect(0).stdout == "0\n"
    assert Profile.read(out).everything().python > 80


@pytest.mark.one_python
@pytest.mark.statistical
def test_a_child_whose_first_thread_has_ended(profile, python):
    """The kernel shows it as a zombie, but its other thread works on."""
    text = WORK + """
import ctypes, os, threading, time
def worker():
    for _ in range(5):
        time.sleep(0.1)
        work(0.1)
    os._exit(0)
if os.fork() == 0:
    threading.Thread(target=worker).start()
    ctypes.CDLL(None).pthread_exit(None)
os.wait()
"""
    expect_work(profile(text, python).expect(0).profile, 0.5)


ORPHANS = """
import ctypes, os, sys, time
if len(sys.argv) > 1:
    assert ctypes.CDLL(None).prctl(36, 1, 0, 0, 0) == 0  # PR_SET_CHILD_SUBREAPER
    os.execvp(sys.argv[1], sys.argv[1:])
pid = os.fork()
if pid == 0:
    if os.fork() == 0:
        os._exit(7)
    os._exit(0)
os.waitpid(pid, 0)
print(os.waitpid(-1, 0)[1] >> 8)
"""


@pytest.mark.one_python
def test_who_inherits_orphans_does_so_under_us(scalene, python, tmp_path):
    """As process 1 of a container."""
    path, _ = write_program(tmp_path, ORPHANS, "orphans.py")
    through = [python.path, path, scalene, "run", "--quiet", "--cpu-only", "--", python.path, path]
    for command in ([python.path, path, python.path, path], through):
        assert execute(command, cwd=tmp_path).expect(0).stdout == "7\n"
