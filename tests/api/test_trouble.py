# tests/api/test_trouble.py - scalene_profiler where something goes wrong, or is odd.
#
# SPDX-License-Identifier: Apache-2.0
"""The program runs on, and later profiles are made."""

import os

import pytest

import test_api

own = test_api.own  # the fixture


INTERRUPTED = """
import subprocess
from scalene import _session
def interrupt(*args):
    raise KeyboardInterrupt
def answered(*args, **how):
    run(*args, **how)
    interrupt()
def unread(line, **how):
    ours, its = os.pipe()
    os.close(ours)
    run(line, **{**how, "stdout": its})
    interrupt()
run = subprocess.run
for module, name, stand_in in ((subprocess, "run", answered), (subprocess, "run", unread), (_session, "_name_threads", interrupt)):
    ours, its = os.pipe()
    whole = getattr(module, name)
    setattr(module, name, stand_in)
    try:
        _session.Session("prog.py", ["--quiet", "-o", "interrupted.json", "---"], errors=its)
    except KeyboardInterrupt:
        setattr(module, name, whole)
    os.close(its)
    print("said", os.read(ours, 1000), flush=True)  # is at its end when the observer has ended, which has the other end
scalene_profiler.start("--quiet")
scalene_profiler.stop()
"""


@pytest.mark.few_pythons
def test_ctrl_c_while_it_begins_leaves_no_observer(own, python):
    ended = own(INTERRUPTED, python).expect(0)
    assert ended.stdout == "said b''\n" * 3
    assert ended.profile is not None


INHERITS = """
import ctypes
from scalene import _session
ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER: as a container's first process
scalene_profiler.start("--quiet")
_session.order_to = lambda *order: None  # as for one that has changed to another user
"""


@pytest.mark.one_python
def test_who_inherits_an_observer_that_takes_no_orders_ends_all_the_same(own, python):
    assert own(INHERITS, python).expect(0).stderr == ""


ODD = """
import resource
def try_it(*options):
    with scalene_profiler.enable_profiling(*options):
        pass
    scalene_profiler.REFUSED_S = 0
    print("gone on", flush=True)
held = []
resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40))
try:
    while True:
        held.append(os.open("/dev/null", os.O_RDONLY))
except OSError:
    pass
try_it()
while held:
    os.close(held.pop())
try_it("-o", "a\\0b")
try_it(5)
sys.argv.clear()
os.mkdir("gone")
os.chdir("gone")
os.rmdir("../gone")
try_it()
sys.modules["ctypes"] = None
del sys.argv, sys.modules["scalene._session"]
try_it()
"""


def test_what_is_odd_in_a_program_raises_nothing(own, python):
    ended = own(ODD, python).expect(0)
    assert ended.stdout == "gone on\n" * 5 and "Traceback" not in ended.stderr, ended.stderr
    assert ended.profile is None


@pytest.mark.few_pythons
def test_what_cannot_be_said_raises_nothing(own, python):
    text = "sys.stderr.close()\nscalene_profiler.start('-o', 'a\\0b')\nprint('gone on')\n"
    assert own(text, python).expect(0).stdout == "gone on\n"


TOGETHER = """
both, calls, order = threading.Barrier(2), [], scalene_profiler.order
def first_together(*args):
    answer = order(*args)
    calls.append(answer)
    if len(calls) <= 2:
        both.wait()
    return answer
scalene_profiler.order = first_together
threads = [threading.Thread(target=scalene_profiler.start, args=("--quiet",)) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
scalene_profiler.stop()
"""


@pytest.mark.few_pythons
def test_two_threads_may_begin_together(own, python):
    ended = own(TOGETHER, python).expect(0)
    assert ended.stderr == "" and ended.profile is not None


WORKER = """
ours, its = os.pipe()
worker = os.fork()
if worker == 0:
    os.close(its)
    os.read(ours, 1)  # until the profile has begun
    with scalene_profiler.enable_profiling():
        pass
    os._exit(0)
scalene_profiler.start("--quiet")
os.close(its)
assert os.waitpid(worker, 0)[1] == 0
print(scalene_profiler.order("state", os.getpid()))
follower = os.fork()
if follower == 0:
    scalene_profiler.stop()
    os._exit(0)
os.waitpid(follower, 0)
print(scalene_profiler.order("state", os.getpid()))
"""


@pytest.mark.few_pythons
def test_a_worker_that_is_not_followed_switches_nothing(own, python):
    ended = own(WORKER, python).expect(0)
    assert ended.stdout == "True\nFalse\n"
    assert "does not follow this one" in ended.stderr and ended.stderr.count("\n") == 1


REFUSED_AS_IN_USE = """
from scalene import _session
scalene_profiler.start("--quiet")
child = os.fork()
if child == 0:
    scalene_profiler.order = _session.order = lambda *_: None  # as if no observer answered
    _session._observe = lambda *_: [b"%d" % os.getpid(), b"", b"1", b"", b"", b""]
    scalene_profiler.start()
    print("profile" in dir(__builtins__), flush=True)
    os._exit(3)
os.waitpid(child, 0)
"""


@pytest.mark.few_pythons
def test_who_is_refused_stays_in_the_profile_that_follows_it(own, python):
    ended = own(REFUSED_AS_IN_USE, python).expect(0)
    assert ended.stdout == "True\n" and "it is in use" in ended.stderr
    child = ended.profile.exact.own["processes"][1]
    assert (child["exit_kind"], child["exit_value"]) == ("exit", 3)


DAEMON = """
ours, its = os.pipe()
if os.fork() == 0:
    first = os.getpid()
    if os.fork() == 0:
        while os.getppid() == first:
            time.sleep(0.01)
        scalene_profiler.start()
        print(scalene_profiler.order("state", os.getpid()), flush=True)
        scalene_profiler.stop()
        print(scalene_profiler.order("state", os.getpid()), flush=True)
    os._exit(0)
os.close(its)
os.wait()
os.read(ours, 1)  # until the daemon has ended
"""


@pytest.mark.few_pythons
def test_a_daemon_switches_the_profile_that_follows_it(own, profile, python):
    ended = profile(test_api.HEAD + DAEMON, python, options=["--off", "--quiet"], env={"PYTHONPATH": own.site}).expect(0)
    assert ended.stdout == "True\nFalse\n" and ended.stderr == ""
    assert not os.path.exists(os.path.join(os.path.dirname(ended.program), "scalene-profile.json"))
    ended = own("scalene_profiler.start('--quiet')\n" + DAEMON, python).expect(0)
    assert ended.stdout == "True\nFalse\n" and ended.stderr == ""


@pytest.mark.one_python
def test_a_second_agent_is_not_loaded_beside_a_preloaded_one(own, profile, python):
    text = test_api.HEAD + "os.kill(os.getppid(), 9)\nscalene_profiler.start('--quiet')\n"
    ended = profile(text, python, expects_profile=False, env={"PYTHONPATH": own.site})
    assert ended.status == -9 and "it was preloaded without its observer" in ended.stderr


RETRIED = """
def begin():
    scalene_profiler.start("--quiet", "-o", "new/p.json")
begin()
begin()
scalene_profiler.REFUSED_S = 0
begin()
os.mkdir("new")
begin()
scalene_profiler.stop()
print(os.listdir("new"))
"""


@pytest.mark.few_pythons
def test_what_was_refused_is_tried_again_later(own, python):
    ended = own(RETRIED, python).expect(0)
    assert ended.stdout == "['p.json']\n" and ended.stderr.count("\n") == 2


ALARM = """
import signal
def alarm(*_):
    raise TimeoutError("of the program")
signal.signal(signal.SIGALRM, alarm)
scalene_profiler.start("--quiet")
observer = scalene_profiler._session._observer
os.kill(observer, signal.SIGSTOP)
try:
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    scalene_profiler.stop()
except TimeoutError as error:
    print(error)
finally:
    os.kill(observer, signal.SIGCONT)
"""


@pytest.mark.few_pythons
def test_an_alarm_of_the_program_ends_what_waits_for_the_observer(own, python):
    assert own(ALARM, python).expect(0).stdout == "of the program\n"


SLOW_OBSERVER = """
import signal, socket
from scalene.profile import order_to
ours, its = os.pipe()
pid = os.fork()
if pid == 0:
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listener.bind("\\0scalene-control-%d" % os.getpid())
    listener.listen(5)
    os.write(its, b"x")
    client = listener.accept()[0]
    client.recv(40)
    time.sleep(1)
    client.send(b"on")
    time.sleep(1000)
os.read(ours, 1)
print(order_to("state", pid, 0.1))
os.kill(pid, signal.SIGSTOP)
os.waitpid(pid, os.WUNTRACED)
print(order_to("state", pid, 0.1))
os.kill(pid, signal.SIGKILL)
"""


@pytest.mark.few_pythons
def test_an_observer_that_is_busy_is_waited_for_and_not_one_that_is_stopped(own, python):
    assert own(SLOW_OBSERVER, python).expect(0).stdout == "True\nNone\n"


BODIES = """
def state():
    return scalene_profiler.order("state", os.getpid())
def other():
    with scalene_profiler.enable_profiling():
        entered.set()
        go_on.wait()
entered, go_on = threading.Event(), threading.Event()
thread = threading.Thread(target=other)
with scalene_profiler.enable_profiling("--quiet"):
    thread.start()
    entered.wait()
    with scalene_profiler.enable_profiling():
        pass
    print(state())
print(state())
go_on.set()
thread.join()
print(state())
"""


@pytest.mark.few_pythons
def test_profiling_is_on_until_the_last_body_ends(own, python):
    assert own(BODIES, python).expect(0).stdout == "True\nTrue\nFalse\n"


OUTLIVES = """
scalene_profiler.start("--quiet")
child = os.fork()
if child == 0:
    os._exit(3)
os.waitpid(child, 0)
"""


@pytest.mark.few_pythons
def test_the_program_outlives_a_profile_of_its_own(own, python):
    ended = own(OUTLIVES, python).expect(0)
    assert [one["exit_kind"] for one in ended.profile.exact.own["processes"]] == ["running", "exit"]
