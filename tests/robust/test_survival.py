# tests/robust/test_survival.py - the profile is there, and right, after rough treatment.
#
# SPDX-License-Identifier: Apache-2.0
"""Ends, limits and closed doors: what has been measured is not lost."""

import os
import signal
import time

import pytest

from conftest import until

WORK = """
import os, signal, sys, threading, time


def work(cpu_s=0.5):
    end = time.thread_time() + cpu_s
    while time.thread_time() < end:
        for i in range(2000):
            i ^ 5  #: work

"""

# How the program goes on after its work, and how it ends.
ENDS = {
    "killed": ("work()\nos.kill(os.getpid(), signal.SIGKILL)", -signal.SIGKILL),
    "os_exit": ("work()\nos._exit(3)", 3),
    "crash": ("work()\nimport ctypes\nctypes.string_at(0)", -signal.SIGSEGV),
    "abort": ("work()\nos.abort()", -signal.SIGABRT),
    "terminated": ("work()\nos.kill(os.getpid(), signal.SIGTERM)", -signal.SIGTERM),
    "exception": ("work()\nraise ValueError", 1),
    "exec": ("work()\nos.execv('/bin/true', ['true'])", 0),
    "os_exit_in_a_thread": ("t = threading.Thread(target=lambda: (work(), os._exit(4)))\nt.start()\nt.join()", 4),
    "killed_with_a_thread_at_work": (
        "t = threading.Thread(target=work, args=(60,))\nt.start()\nclock = time.pthread_getcpuclockid(t.ident)\n"
        "while time.clock_gettime(clock) < 0.5:\n    time.sleep(0.01)\nos.kill(os.getpid(), signal.SIGKILL)",
        -signal.SIGKILL,
    ),
    "closed_descriptors": ("os.closerange(3, 65536)\nwork()", 0),
    "all_descriptors_closed": ("os.closerange(0, 65536)\nwork()", 0),
    "low_descriptor_limit": ("import resource\nresource.setrlimit(resource.RLIMIT_NOFILE, (3, 3))\nwork()", 0),
    "all_signals_blocked": ("signal.pthread_sigmask(signal.SIG_SETMASK, signal.valid_signals())\nwork()", 0),
    "all_signals_blocked_in_a_thread": (
        "signal.pthread_sigmask(signal.SIG_SETMASK, signal.valid_signals())\nt = threading.Thread(target=work)\nt.start()\nt.join()",
        0,
    ),
    "signal_ignored": ("signal.signal(signal.SIGURG, signal.SIG_IGN)\nwork()", 0),
    "changed_directory": ("os.chdir('/')\nwork()", 0),
    "empty_environment": ("os.environ.clear()\nwork()", 0),
    "alternate_stack": ("import faulthandler\nfaulthandler.enable()\nwork()\nfaulthandler.disable()", 0),
    "switch_interval": ("sys.setswitchinterval(1e-6)\nwork()", 0),
    "after_fork": ("os.fork() or os._exit(0)\nos.wait()\nwork()", 0),
    "trace_function": ("sys.settrace(lambda *a: None)\nwork()", 0),
}


@pytest.mark.parametrize("name", ENDS)
@pytest.mark.statistical
def test_work_is_in_the_profile(profile, python, name):
    text, status = ENDS[name]
    ended = profile(WORK + text + "\n", python).expect(status)
    found = ended.profile
    work = found.inside("work")
    # One of them is watched by a thread that sleeps beside it, and counts where the worker gets no CPU.
    assert work.total >= (30 if "at_work" in name else 80), found.hottest()
    assert 0.4 <= found.cpu_inside("work") <= 0.6, found.hottest()
    kind, value = ("signal", -status) if status < 0 else ("exit", status)
    assert (found.own["exit_kind"], found.own["exit_value"]) == (kind, value)


ON_AND_ON = WORK + """
open("ready", "w").close()
work()
work()
threading.Thread(target=work).start()
open("done", "w").write("done")
"""


def test_program_goes_on_when_the_profiler_is_killed(profile, python, tmp_path):
    def kill(process):
        until((tmp_path / "ready").exists)
        time.sleep(0.2)
        os.kill(process.pid, signal.SIGKILL)
        until((tmp_path / "done").exists)

    ended = profile(ON_AND_ON, python, act=kill, expects_profile=False)
    assert ended.status == -signal.SIGKILL
    assert (tmp_path / "done").read_text() == "done"


# The code objects of one turn are freed in the next, so that their addresses are used again.
CHURN = """
import time

SOURCE = '''
def made_%d(n):
    for i in range(n):
        i ^ 5
'''


def use(k):
    space = {}
    exec(compile(SOURCE % k, "<made>", "exec"), space)
    space["made_%d" % k](20000)  #: made


def plain(k):
    for i in range(20000):
        i ^ 5


made = own = 0.0
for k in range(400):
    begin = time.thread_time()
    use(k)
    middle = time.thread_time()
    plain(k)
    made += middle - begin
    own += time.thread_time() - middle
import json
print(json.dumps({"use": made, "plain": own}))
"""


@pytest.mark.statistical
def test_code_objects_that_come_and_go(profile, python):
    """Two halves of about 0.5 s in turns of 1 ms: 125 samples each, an error of 4 points."""
    ended = profile(CHURN, python, [], ["--cpu-sampling-rate", "0.004"]).expect(0)
    truth, found = ended.facts, ended.profile
    seconds = {name: found.cpu_inside(name) for name in truth}
    share = seconds["use"] / sum(seconds.values())
    assert abs(share - truth["use"] / sum(truth.values())) <= 0.12, "%s, true %s\n%s" % (seconds, truth, found.hottest())
