# tests/gpu/test_driver_runs.py - what a run says of the GPUs' load and memory.
#
# The program under test writes the script of the stand-in itself: what it says of the GPUs is so from then on.
#
# SPDX-License-Identifier: Apache-2.0
"""Load and memory of GPUs by a stand-in for NVIDIA's library."""

import subprocess

import pytest

import standins

nvml, make_nvml = standins.nvml, standins.make_nvml

pytestmark = pytest.mark.one_python

# What each program begins with: gpu(text) says what the GPUs do, with PID for its own number.
PRELUDE = """
import os, subprocess, sys, time
def gpu(text):
    with open(os.environ["SC_STANDIN_NVML"] + ".mine", "w") as stream:
        stream.write(text.replace("PID", str(os.getpid())))
    os.rename(os.environ["SC_STANDIN_NVML"] + ".mine", os.environ["SC_STANDIN_NVML"])
def until(seconds):
    return time.perf_counter() + seconds
"""

# Somebody else computes on it all the time.
OTHERS = "device name=NVIDIA_H200 uuid=GPU-7 total_mb=80000 used_mb=5000 rate=95\\nprocess pid=77 mb=3000 sm=60\\n"


@pytest.fixture
def run(python, profile, nvml):
    def run(program, options=(), library=nvml, **how):
        environment = {**library.environment, **how.pop("env", {})}
        return profile(PRELUDE + program, python, options=["--gpu", *options], env=environment, **how).expect(0)

    return run


def gpu_of(profile, mark):
    line = profile.record(mark)
    return line["n_gpu_percent"], line["n_gpu_avg_memory_mb"], line["n_gpu_peak_memory_mb"]


def devices_of(profile):
    return profile.own.get("gpu_devices", [])


def notes_of(ended):
    """Of the driver."""
    return [note for note in ended.profile.own.get("notes", []) if "NVIDIA" in note or "GPU" in note]


@pytest.mark.statistical
def test_load_and_memory_are_those_of_the_line_and_the_program(run, nvml):
    nvml.write(OTHERS.replace("\\n", "\n"))
    ended = run(f"""
gpu("{OTHERS}process pid=PID mb=1000 sm=35\\n")
end = until(2)
while time.perf_counter() < end: pass  #: hot
gpu("{OTHERS}process pid=PID mb=1500 sm=0\\n")
end = until(2)
while time.perf_counter() < end: pass  #: cold
""")
    data = ended.profile.data
    assert data["gpu"] is True and data["gpu_device"] == "GPU"
    percent, average, peak = gpu_of(ended.profile, "hot")
    assert 25 <= percent <= 36, percent
    assert 850 <= average <= 1200, average
    assert 1000 <= peak <= 1500
    percent, average, peak = gpu_of(ended.profile, "cold")
    assert percent <= 9, percent
    assert 1300 <= average <= 1500.01, average
    assert peak == 1500
    (device,) = devices_of(ended.profile)
    assert (device["name"], device["uuid"], device["index"]) == ("NVIDIA H200", "GPU-7", 0)
    assert device["total_mb"] == 80000 and device["peak_mb"] == 1500
    assert 12 <= device["load_percent"] <= 20
    assert not device.get("shared_load") and not device.get("shared_memory")
    assert notes_of(ended) == []


def test_a_program_without_a_gpu_reads_nothing_of_others(run, nvml):
    nvml.write(OTHERS.replace("\\n", "\n"))
    ended = run("""
end = until(1)
while time.perf_counter() < end: pass  #: hot
""")
    assert gpu_of(ended.profile.exact, "hot") == (0, 0, 0)
    (device,) = devices_of(ended.profile.exact)
    assert (device["load_percent"], device["peak_mb"]) == (0, 0)
    assert notes_of(ended) == []


@pytest.mark.statistical
def test_children_are_part_of_the_program(run, nvml):
    nvml.write(OTHERS.replace("\\n", "\n"))
    ended = run(f"""
if os.fork() == 0:
    gpu("{OTHERS}process pid=PID mb=700 sm=40\\n")
    end = until(1.5)
    while time.perf_counter() < end: pass  #: child
    os._exit(0)
os.wait()
""")
    percent, _, peak = gpu_of(ended.profile, "child")
    assert 25 <= percent <= 41, percent
    assert peak == 700


@pytest.mark.statistical
def test_what_is_of_the_whole_device_is_labelled(run, make_nvml):
    library = make_nvml("-DNO_SAMPLES")
    library.write(OTHERS.replace("\\n", "\n"))
    ended = run(
        f"""
gpu("{OTHERS}process pid=PID mb=-1\\n")
end = until(1)
while time.perf_counter() < end: pass  #: hot
""",
        library=library,
    )
    percent, _, _ = gpu_of(ended.profile, "hot")
    assert 80 <= percent <= 95.01, percent
    (device,) = devices_of(ended.profile)
    assert device["shared_load"] is True and device["shared_memory"] is True
    assert notes_of(ended) == [
        "NVIDIA's driver reports the load of GPU 0 as a whole only, so that of other programs is in it; "
        "'scalene set-nvidia-gpu-modes' makes it report it by process",
        "NVIDIA's driver does not report the memory of single processes on GPU 0, so it is what the whole device has "
        "in use more than at the start",
    ]


@pytest.mark.statistical
def test_of_several_gpus_those_in_use_count(run, nvml):
    nvml.write("device\ndevice\ndevice\n")
    ended = run("""
gpu("device rate=80\\nprocess pid=PID mb=100 sm=80\\ndevice rate=20\\nprocess pid=PID mb=50 sm=20\\n"
    "device rate=99\\nprocess pid=7 mb=9 sm=99\\n")
end = until(2)
while time.perf_counter() < end: pass  #: hot
""")
    percent, _, peak = gpu_of(ended.profile, "hot")
    assert 40 <= percent <= 51, percent
    assert peak == 150
    assert [device["peak_mb"] for device in devices_of(ended.profile)] == [100, 50, 0]


@pytest.mark.parametrize(
    "script, words",
    [
        ("init 9 0\n", "--gpu was given, but no GPU was found"),
        ("init 18 0\n", "GPUs are not measured: the NVIDIA driver that runs and its libraries are of different versions"),
        ("init 4 0\n", "GPUs are not measured: this user may not open"),
    ],
)
def test_without_a_device_that_works_there_is_no_gpu(run, nvml, script, words):
    nvml.write(script)
    ended = run("end = until(0.3)\nwhile time.perf_counter() < end: pass  #: hot\n")
    assert ended.profile.data["gpu"] is False and ended.profile.data["gpu_device"] == ""
    assert devices_of(ended.profile.exact) == []
    assert "n_gpu_percent" in ended.profile.exact.record("hot") and gpu_of(ended.profile.exact, "hot") == (0, 0, 0)
    (note,) = notes_of(ended)
    assert note.startswith(words)


@pytest.mark.statistical
def test_a_gpu_that_vanishes_does_not_end_the_run(run, nvml):
    nvml.write("device\n")
    ended = run("""
gpu("device\\nprocess pid=PID mb=100 sm=80\\n")
end = until(1)
while time.perf_counter() < end: pass  #: hot
gpu("device\\nerror nvmlDeviceGetComputeRunningProcesses_v3 15\\n")
end = until(1)
while time.perf_counter() < end: pass  #: lost
print("done")
""")
    assert ended.stdout == "done\n"
    assert gpu_of(ended.profile, "hot")[0] >= 40
    assert gpu_of(ended.profile, "lost")[0] <= 25
    (note,) = notes_of(ended)
    assert note.startswith("GPU 0 (NVIDIA Standin) has gone while the program ran")


@pytest.mark.parametrize("function", ["nvmlInit_v2", "nvmlDeviceGetComputeRunningProcesses_v3"])
def test_a_driver_that_hangs_delays_nobody(run, nvml, function):
    nvml.write("device\nhang %s 50000\n" % function)
    ended = run("sys.exit(3) if len(sys.argv) > 9 else print('done')\n")
    assert ended.stdout == "done\n"


def test_with_time_alone_the_driver_is_not_asked(python, profile, nvml):
    nvml.write("init 18 0\n")
    ended = profile(PRELUDE + "end = until(0.3)\nwhile time.perf_counter() < end: pass\n", python, env=nvml.environment)
    assert notes_of(ended.expect(0)) == []


def can_make_a_container():
    made = subprocess.run(["unshare", "-mpf", "--mount-proc", "true"], capture_output=True, check=False)
    return made.returncode == 0


@pytest.mark.skipif(not can_make_a_container(), reason="may not make name spaces for mounts and processes")
@pytest.mark.statistical
def test_in_a_container_an_open_device_is_evidence(run, nvml):
    """With other process numbers than the driver's, and files of its own in /dev."""
    nvml.write("device minor=0 used_mb=100 rate=50\ndevice minor=1 used_mb=300 rate=80\n")
    make = "mkdir {0}/dev && mount --bind {0}/dev /dev/shm && mount -t tmpfs none /dev && ".format(nvml.folder)
    make += 'touch /dev/nvidia-uvm /dev/nvidia0 /dev/nvidia1 && mknod -m 666 /dev/null c 1 3 && exec "$@"'
    ended = run(
        """
files = [open(name) for name in ("/dev/nvidia-uvm", "/dev/nvidia1")]
gpu("device minor=0 used_mb=100 rate=50\\ndevice minor=1 used_mb=900 rate=80\\n")
end = until(1)
while time.perf_counter() < end: pass  #: hot
""",
        before=["unshare", "-mpf", "--mount-proc", "sh", "-c", make, "sh"],
    )
    percent, _, peak = gpu_of(ended.profile, "hot")
    assert 65 <= percent <= 80.01, percent
    first, second = devices_of(ended.profile)
    assert (first["load_percent"], first["peak_mb"]) == (0, 0)
    assert second["shared_load"] is True and second["shared_memory"] is True
    assert peak == second["peak_mb"]
    assert notes_of(ended) == [
        "NVIDIA's driver does not report which processes here use GPU 1 (this is a container), so its load and memory "
        "are those of the whole device"
    ]
