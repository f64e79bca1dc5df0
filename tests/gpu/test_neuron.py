# tests/gpu/test_neuron.py - AWS Neuron devices by line, with scripts in place of its tools.
#
# The stand-in of neuron-monitor reports five times a second what the program has written into a file:
# its process and a load.
#
# SPDX-License-Identifier: Apache-2.0
"""Load and memory of Neuron devices, and what becomes of the tools."""

import os
import signal
import time

import pytest

from conftest import SEEN, UNTIL_SEEN, has_ended, until

pytestmark = pytest.mark.few_pythons

LIST = """#!/bin/sh
: > "$STANDIN/was-asked"
cat "$STANDIN/devices"
"""

DEVICES = """[{"neuron_device": 0, "nc_count": 2, "memory_size": 34359738368, "neuroncore_ids": [0, 1],
"instance_type": "trn1.2xlarge"}]"""

# The file that the program writes has two lines: its process, and the load of core 0 in percent.
MONITOR = """#!/bin/sh
echo $$ > "$STANDIN/monitor"
while :; do
    if { read pid && read load; } < "$STANDIN/state"; then
        sed -e "s/PID/$pid/" -e "s/LOAD/$load/" "$STANDIN/report"
    fi 2> /dev/null
    sleep 0.2
done
"""

REPORT = (
    '{"neuron_runtime_data": [{"pid": PID, "report": {"neuroncore_counters": {"neuroncores_in_use": '
    '{"0": {"neuroncore_utilization": LOAD}, "1": {"neuroncore_utilization": 0}}}, "memory_used": '
    '{"neuron_runtime_used_bytes": {"neuron_device": 314572800, "usage_breakdown": '
    '{"neuroncore_memory_usage": {"0": {"tensors": 314572800}}}}}}}]}\n'
)

PROGRAM = """
import os, time
def load(percent):
    path = os.environ["STANDIN"] + "/state"
    with open(path + ".new", "w") as out:
        out.write("%d\\n%d\\n" % (os.getpid(), percent))
    os.rename(path + ".new", path)
load(80)
time.sleep(2)  #: busy
load(0)
time.sleep(2)  #: idle
"""

# Ends when the first file is there, and then the second text is in the profile.
SHORT = (
    SEEN
    + """
import os, sys, time
while not os.path.exists(os.environ["STANDIN"] + "/" + sys.argv[1]):
    time.sleep(0.02)
wait_until_seen(sys.argv[2] if sys.argv[2:] else "")
print(3)
"""
)


@pytest.fixture
def neuron(profile, python, tmp_path_factory):
    """Runs a program where these tools are on PATH: neuron(text, env={}, ...) -> Ended."""
    folder = tmp_path_factory.mktemp("neuron")

    def put(name, text):
        path = folder / name
        path.write_text(text)
        path.chmod(0o755)

    def run(text=PROGRAM, env=(), options=("--gpu",), **how):
        variables = {"PATH": "%s:%s" % (folder, os.environ["PATH"]), "STANDIN": str(folder)}
        ended = profile(text, python, options=[*options, *(UNTIL_SEEN if text is SHORT else ())], env={**variables, **dict(env)}, **how)
        return ended

    put("neuron-ls", LIST)
    put("devices", DEVICES)
    put("neuron-monitor", MONITOR)
    put("report", REPORT)
    run.put, run.folder = put, folder
    return run


def own_notes(ended):
    return [note for note in ended.profile.own.get("notes", ()) if "euron" in note]


def await_end(folder):
    """Waits until the process that has written its number runs no more."""
    pid = int((folder / "monitor").read_text())
    until(lambda: has_ended(pid), "the end of the tool")


@pytest.mark.statistical
def test_load_and_memory_go_to_the_line_that_ran(neuron):
    ended = neuron().expect(0)
    data = ended.profile.data
    assert data["gpu"] is True and data["gpu_device"] == "Neuron"
    busy, idle = ended.profile.record("busy"), ended.profile.record("idle")
    # a report is about the time since the one before, so one of ten is about both lines
    assert 60 < busy["n_gpu_percent"] < 80.01
    assert 0 <= idle["n_gpu_percent"] < 20
    assert busy["n_gpu_peak_memory_mb"] == pytest.approx(300)
    (device,) = ended.profile.own["gpu_devices"]
    assert device["name"] == "AWS Neuron of trn1.2xlarge" and device["total_mb"] == 32768
    assert 25 < device["load_percent"] < 55 and device["peak_mb"] == pytest.approx(300)
    assert own_notes(ended) == []
    await_end(neuron.folder)


def test_tools_are_not_started_where_nothing_is_to_be_measured(neuron):
    neuron(SHORT, args=["devices"], options=["--cpu-only"]).expect(0)
    assert not (neuron.folder / "was-asked").exists()


def test_a_machine_without_devices_is_no_news(neuron):
    neuron.put("neuron-ls", "#!/bin/sh\n: > $STANDIN/was-asked\necho 'No neuron devices found'; exit 1\n")
    ended = neuron(SHORT, args=["was-asked"]).expect(0)
    assert ended.profile.data["gpu"] is False and ended.profile.data["gpu_device"] == ""
    assert own_notes(ended) == [] and "euron" not in ended.stderr


@pytest.mark.parametrize(
    "monitor, says",
    [("exit 1\n", "neuron-monitor has ended"), ("echo nonsense; exec sleep 100\n", "no report"), (None, "no neuron-monitor")],
)
def test_tools_that_do_not_work_are_one_sentence(neuron, monitor, says):
    if monitor is None:
        (neuron.folder / "neuron-monitor").unlink()
    else:
        neuron.put("neuron-monitor", '#!/bin/sh\necho $$ > "$STANDIN/monitor"\n' + monitor)
    ended = neuron(SHORT, args=["was-asked" if monitor is None else "monitor", says]).expect(0)
    (note,) = own_notes(ended)
    assert says in note and "\n" not in note
    if monitor is not None:
        await_end(neuron.folder)


def test_a_tool_that_hangs_delays_nobody(neuron):
    neuron.put("neuron-ls", '#!/bin/sh\necho $$ > "$STANDIN/monitor"\nexec sleep 1000\n')
    ended = neuron(SHORT, args=["monitor"]).expect(0)
    assert ended.stdout == "3\n" and ended.profile.data["gpu"] is False
    await_end(neuron.folder)


def test_nothing_is_left_when_the_profiler_is_killed(neuron):
    def kill(process):
        until((neuron.folder / "monitor").exists)
        time.sleep(0.2)
        os.kill(process.pid, signal.SIGKILL)

    neuron("import os, time\nparent = os.getppid()\nwhile os.getppid() == parent: time.sleep(0.05)\n", act=kill, expects_profile=False)
    await_end(neuron.folder)


@pytest.mark.statistical
def test_a_key_at_the_terminal_does_not_reach_the_tools(neuron):
    text = PROGRAM.replace("load(80)\n", """
pressed = []
signal.signal(signal.SIGINT, lambda *_: pressed.append(1))
load(0)
while not pressed:
    time.sleep(0.05)
load(80)
""").replace("import os,", "import os, signal,")

    def interrupt(process):
        until(lambda: all((neuron.folder / name).exists() for name in ("monitor", "state")))
        time.sleep(0.5)
        os.killpg(process.pid, signal.SIGINT)

    ended = neuron(text, act=interrupt).expect(0)
    assert own_notes(ended) == []
    assert ended.profile.record("busy")["n_gpu_percent"] > 50
