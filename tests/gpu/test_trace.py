# tests/gpu/test_trace.py - what GPUs do, by line, with stand-ins for CUDA's driver and for CUPTI.
#
# A kernel takes as many microseconds as the program asks for, so all sums are known to the nanosecond.
#
# SPDX-License-Identifier: Apache-2.0
"""Exact GPU time, copies and device memory of programs that use CUDA."""

import shutil

import pytest

import cuda_programs
from cuda_programs import line, losses, notes, same, total
from sampled import claimed

standins, trace = cuda_programs.standins, cuda_programs.trace

pytestmark = pytest.mark.few_pythons


def test_two_lines(trace):
    ended = trace("""
cuda.cuInit(0)
def short():
    kernel(None, 2000)  #: short
def long():
    for _ in range(2):
        kernel(None, 3000)  #: long
for _ in range(20):
    short()
    long()
wait()
""")
    assert line(ended, "short", "n_gpu_s") == same(0.040)
    assert line(ended, "long", "n_gpu_s") == same(0.120)
    assert line(ended, "short", "n_gpu_launches") == 20
    assert line(ended, "long", "n_gpu_launches") == 40
    assert total(ended, "n_gpu_s") == same(0.160)
    assert ended.profile.own["gpu_trace"] == "CUPTI 12.9"
    assert ended.profile.exact.own["gpu_kernel_s"] == same(0.160)
    assert losses(ended) == {}
    names = [thread["name"] for thread in ended.profile.own["threads"]]
    assert "scalene-gpu" not in names


def test_calls_of_the_runtime_library_and_graphs(trace):
    ended = trace("""
cuda.cuInit(0)
for _ in range(10):
    cuda.cudaLaunchKernel(1500)  #: runtime
for _ in range(3):
    cuda.cuGraphLaunch(ctypes.c_uint64(40 << 32 | 200), None)  #: graph
wait()
""")
    assert line(ended, "runtime", "n_gpu_s") == same(0.015)
    assert line(ended, "graph", "n_gpu_s") == same(0.024)
    assert line(ended, "graph", "n_gpu_launches") == 120
    assert losses(ended) == {}


@pytest.mark.parametrize("name", ("cudaLaunchKernel", "__cudaLaunchKernel"))
def test_launches_that_only_the_runtime_library_knows(trace, name):
    """The first of them are unknown, which is counted; then its calls are followed, too."""
    ended = trace("""
cuda.cuInit(0)
launch = getattr(cuda, os.environ["LAUNCH"])
for _ in range(100):
    launch(1000)  #: runtime
    time.sleep(0.01)
wait()
""", env={"STANDIN_CUDA": "outer", "LAUNCH": name})
    unknown = losses(ended)["gpu_unknown"]
    assert 32 <= unknown <= 90
    assert line(ended, "runtime", "n_gpu_launches") == 100 - unknown
    assert line(ended, "runtime", "n_gpu_s") == same((100 - unknown) / 1000)
    assert ended.profile.exact.own["gpu_kernel_s"] == same(0.100)


@pytest.mark.parametrize("way", ("both", "outer"))
def test_memory_by_the_runtime_library(trace, way):
    ended = trace("""
cuda.cuInit(0)
kept = address()
cuda.cudaMalloc(ctypes.byref(kept), size(3 << 20))  #: kept
for _ in range(10):
    at = address()
    cuda.cudaMalloc(ctypes.byref(at), size(2 << 20))  #: again
    cuda.cudaFree(at)
    cuda.cuMemAlloc_v2(ctypes.byref(at), size(1 << 20))  #: driver
    cuda.cuMemFree_v2(at)
""", env={"STANDIN_CUDA": way})
    for mark, malloc_mb, peak_mb in (("kept", 3, 3), ("again", 20, 2), ("driver", 10, 1)):
        assert line(ended, mark, "n_gpu_malloc_mb") == same(malloc_mb), mark
        assert line(ended, mark, "n_gpu_live_peak_mb") == same(peak_mb), mark
    assert losses(ended) == {}


def test_copies(trace):
    mib = 1024 * 1024
    ended = trace("""
cuda.cuInit(0)
at = address()
n = size(3 * 1024 * 1024)
cuda.cuMemcpyHtoD_v2(at, None, n)  #: to
cuda.cuMemcpyHtoD_v2(at, None, n)  #: to
cuda.cuMemcpyDtoH_v2(None, at, n)  #: from
cuda.cuMemcpyDtoD_v2(at, at, n)  #: within
cuda.cuMemcpyPeer(at, None, at, None, n)  #: peer
cuda.cuMemsetD8_v2(at, 0, n)  #: set
""")
    one_s = 3 * mib // 1000 / 1e6
    assert line(ended, "to", "n_gpu_to_device_mb") == same(6)
    assert line(ended, "to", "n_gpu_from_device_mb") == 0
    assert line(ended, "from", "n_gpu_from_device_mb") == same(3)
    assert total(ended, "n_gpu_to_device_mb") == same(6)
    assert total(ended, "n_gpu_from_device_mb") == same(3)
    for mark, times in (("to", 2), ("from", 1), ("within", 1), ("peer", 1), ("set", 1)):
        assert line(ended, mark, "n_gpu_s") == same(times * one_s), mark
        assert line(ended, mark, "n_gpu_launches") == 0
    assert ended.profile.exact.own["gpu_copy_s"] == same(6 * one_s)


def test_device_memory(trace):
    ended = trace("""
cuda.cuInit(0)
mib = 1024 * 1024
first, second, third, pitched, made, failed, pitch = (address() for _ in range(7))
cuda.cuMemAlloc_v2(ctypes.byref(first), size(100 * mib))  #: first
cuda.cuMemAllocAsync(ctypes.byref(second), size(50 * mib), None)  #: second
cuda.cuMemFree_v2(first)
cuda.cuMemAlloc_v2(ctypes.byref(third), size(30 * mib))  #: third
cuda.cuMemAllocPitch_v2(ctypes.byref(pitched), ctypes.byref(pitch), size(1000), size(1024), 4)  #: pitched
cuda.cuMemCreate(ctypes.byref(made), size(2 * mib), None, ctypes.c_uint64(0))  #: made
assert cuda.cuMemAlloc_v2(ctypes.byref(failed), size(1 << 50)) == 2  #: failed
cuda.cuMemFreeAsync(second, None)
cuda.cuMemRelease(made)
for _ in range(10):
    again = address()
    cuda.cuMemAlloc_v2(ctypes.byref(again), size(7 * mib))  #: again
    cuda.cuMemFree_v2(again)
""")
    expected = {"first": 100, "second": 50, "third": 30, "pitched": 1, "made": 2, "failed": 0}
    for mark, mb in expected.items():
        assert line(ended, mark, "n_gpu_malloc_mb") == same(mb), mark
        assert line(ended, mark, "n_gpu_live_peak_mb") == same(mb), mark
    assert line(ended, "again", "n_gpu_malloc_mb") == same(70)
    assert line(ended, "again", "n_gpu_live_peak_mb") == same(7)
    assert losses(ended) == {}


def test_device_memory_ends_with_its_context(trace):
    """As cudaDeviceReset does it; what the program maps itself stays until it is released."""
    ended = trace("""
cuda.cuInit(0)
for _ in range(3):
    block, made = address(), address()
    cuda.cuMemAlloc_v2(ctypes.byref(block), size(100 << 20))  #: block
    cuda.cuMemCreate(ctypes.byref(made), size(2 << 20), None, ctypes.c_uint64(0))  #: made
    cuda.cuDevicePrimaryCtxReset_v2(0)
""")
    assert line(ended, "block", "n_gpu_malloc_mb") == same(300)
    assert line(ended, "block", "n_gpu_live_peak_mb") == same(100)
    assert line(ended, "made", "n_gpu_live_peak_mb") == same(6)


def test_device_memory_ends_with_its_process(trace):
    """One worker after the other: they never have it at once."""
    ended = trace("""
for _ in range(3):
    child = os.fork()
    if child == 0:
        assert cuda.cuInit(0) == 0
        block = address()
        cuda.cuMemAlloc_v2(ctypes.byref(block), size(100 << 20))  #: block
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
""")
    assert line(ended, "block", "n_gpu_malloc_mb") == same(300)
    assert line(ended, "block", "n_gpu_live_peak_mb") == same(100)


def test_many_short_kernels(trace):
    """More than all buffers hold: they are given back full, by a thread of CUPTI's."""
    ended = trace("""
cuda.cuInit(0)
for _ in range(30000):
    kernel(None, 1)  #: many
wait()
""")
    assert line(ended, "many", "n_gpu_launches") == 30000
    assert line(ended, "many", "n_gpu_s") == same(0.030)
    assert losses(ended) == {}


def test_threads_and_devices(trace):
    ended = trace("""
import threading
cuda.cuInit(0)
def work(device):
    cuda.standin_device(device)
    for _ in range(50):
        kernel(None, 1000)  #: work
    wait()
threads = [threading.Thread(target=work, args=(device,)) for device in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
""")
    assert line(ended, "work", "n_gpu_launches") == 200
    assert line(ended, "work", "n_gpu_s") == same(0.2)
    # at least a quarter of the sum, where the four run at the same time, and at most all of it, where they run one after the other
    assert 0.0499 <= ended.profile.exact.own["gpu_busy_s"] <= 0.2001


def test_threads_of_a_library(trace):
    """They work for the line that waits for them; beside a thread that runs Python, for none."""
    ended = trace("""
cuda.cuInit(0)
for _ in range(3):
    cuda.standin_backward(1000)  #: waits
kept = ctypes.PyDLL("libcuda.so.1")
kept.standin_backward(1000)  #: runs
wait()
""")
    assert line(ended, "waits", "n_gpu_launches") == 30
    assert line(ended, "waits", "n_gpu_s") == same(0.030)
    assert line(ended, "runs", "n_gpu_launches") == 0
    assert ended.profile.exact.own["gpu_kernel_s"] == same(0.040)
    assert losses(ended) == {}


def test_records_out_of_order(trace):
    ended = trace("""
cuda.cuInit(0)
for _ in range(40):
    kernel(None, 2000)  #: kernel
    time.sleep(0.004)
""", script="backwards")
    assert line(ended, "kernel", "n_gpu_s") == same(0.080)
    assert ended.profile.exact.own["gpu_busy_s"] == pytest.approx(0.080, abs=0.004)


def test_a_cupti_without_a_clock(trace):
    """What devices did is known, but not when."""
    ended = trace("""
cuda.cuInit(0)
for _ in range(10):
    kernel(None, 1000)  #: kernel
wait()
""", script="timeless")
    assert line(ended, "kernel", "n_gpu_s") == same(0.010)
    assert total(ended, "n_gpu_idle_s") == 0
    assert not {"gpu_busy_s", "gpu_traced_s"} & set(ended.profile.exact.own)


def test_what_is_lost_is_counted(trace):
    ended = trace("""
cuda.cuInit(0)
for _ in range(10):
    kernel(None, 1000)  #: kernel
wait()
""", script="strangers dropped")
    assert line(ended, "kernel", "n_gpu_launches") == 5
    assert losses(ended)["gpu_unknown"] == 5
    assert losses(ended)["gpu_lost"] % 3 == 0
    assert ended.profile.exact.own["gpu_kernel_s"] == same(0.010)


def test_a_kernel_that_does_not_end(trace):
    ended = trace("""
cuda.cuInit(0)
kernel(None, 1000)  #: short
wait()
kernel(None, 3600000000)  #: endless
""")
    assert line(ended, "short", "n_gpu_s") == same(0.001)
    assert line(ended, "endless", "n_gpu_s") == 0


@pytest.mark.statistical  # a process that ends at once waits 0.3 s for its last records
def test_ends_at_once(trace):
    ended = trace("""
cuda.cuInit(0)
for _ in range(10):
    kernel(None, 1000)  #: kernel
wait()
os._exit(3)
""", status=3)
    assert claimed(line(ended, "kernel", "n_gpu_launches") == 10)


def test_executes_another_program(trace):
    ended = trace("""
cuda.cuInit(0)
for _ in range(10):
    kernel(None, 1000)  #: kernel
wait()
try:
    os.execv("/nowhere", ["nowhere"])
except FileNotFoundError:
    pass
for _ in range(5):
    kernel(None, 1000)  #: again
wait()
os.execv("/bin/true", ["true"])
""")
    assert line(ended, "kernel", "n_gpu_launches") == 10
    assert line(ended, "again", "n_gpu_launches") == 5


def test_cupti_that_never_answers(trace):
    ended = trace("""
cuda.cuInit(0)
kernel(None, 1000)
print("done", flush=True)
""", script="hangs")
    assert ended.stdout == "done\n"
    assert total(ended, "n_gpu_launches") == 0


@pytest.mark.parametrize("where", ("path", "beside", "wheel", "loaded"))
def test_cupti_is_found(trace, standins, tmp_path_factory, where):
    """By name along the loader's path, beside a library of CUDA's, in NVIDIA's wheels, or loaded already."""
    root = tmp_path_factory.mktemp("found")
    site = root / "lib" / "site-packages" / "nvidia"
    folders = {"path": root, "beside": root / "cuda_cupti" / "lib", "wheel": site / "cuda_cupti" / "lib", "loaded": root}
    folders[where].mkdir(parents=True, exist_ok=True)
    shutil.copy(standins.cupti, folders[where] / "libcupti.so.12")
    runtime = root / "cuda_runtime" / "lib" if where == "beside" else site / "other"
    runtime.mkdir(parents=True)
    shutil.copy(standins.others / "libinjected.so", runtime / "libcudart.so.12")
    path = str(standins.driver) + (":" + str(root) if where == "path" else "")
    load = {"loaded": root / "libcupti.so.12", "path": "libc.so.6"}.get(where, runtime / "libcudart.so.12")
    ended = trace("""
loaded = ctypes.CDLL(os.environ["LOAD"])
cuda.cuInit(0)
kernel(None, 1000)  #: kernel
wait()
""", env={"LD_LIBRARY_PATH": path, "CUDA_HOME": "", "LOAD": str(load)})
    assert line(ended, "kernel", "n_gpu_s") == same(0.001)


def test_another_profiler_comes(trace):
    """It was there first, in its own eyes: what the agent has followed until then stays."""
    ended = trace("""
cuda.cuInit(0)
for _ in range(10):
    kernel(None, 1000)  #: before
wait()
other = ctypes.CDLL(os.environ["OTHERS"] + "/libother.so")
assert other.other_begin() == 0
for _ in range(20):
    kernel(None, 1000)  #: after
wait()
print(other.other_calls(), other.other_bytes())
""")
    assert ended.stdout.split() == ["40", str(20 * 208)]
    assert line(ended, "before", "n_gpu_launches") == 10
    assert line(ended, "after", "n_gpu_launches") == 0
    assert "another profiler" in notes(ended)


def test_another_profiler_that_looks_cupti_up(trace, standins):
    """As XLA's does, which is not linked to it. Looking up alone takes nothing from the agent."""
    ended = trace("""
cupti = ctypes.CDLL(os.environ["CUPTI"])
subscribe, found = cupti.cuptiSubscribe, cupti.cuptiActivityRegisterCallbacks
cuda.cuInit(0)
for _ in range(10):
    kernel(None, 1000)  #: before
wait()
calls = []
called = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint32, ctypes.c_void_p)(lambda *_: calls.append(1))
own = ctypes.c_void_p()
print(subscribe(ctypes.byref(own), called, None), cupti.cuptiEnableCallback(1, own, 1, 307))
for _ in range(20):
    kernel(None, 1000)  #: after
wait()
print(len(calls))
""", env={"CUPTI": standins.cupti})
    assert ended.stdout.split() == ["0", "0", "40"]
    assert line(ended, "before", "n_gpu_launches") == 10
    assert line(ended, "after", "n_gpu_launches") == 0
    assert "another profiler" in notes(ended)


def test_an_old_cupti(trace):
    ended = trace("""
cuda.cuInit(0)
kernel(None, 1000)  #: kernel
wait()
""", script="old")
    assert line(ended, "kernel", "n_gpu_s") == same(0.001)
    assert ended.profile.own["gpu_trace"] == "CUPTI 11.2"


def test_switched_off(trace):
    ended = trace("""
cuda.cuInit(0)
at = address()
kernel(None, 1000)
cuda.cuMemAlloc_v2(ctypes.byref(at), size(1 << 20))
wait()
""", options=["--off"])
    assert total(ended, "n_gpu_launches") == 0
    assert total(ended, "n_gpu_malloc_mb") == 0
    assert losses(ended) == {}


def test_a_child_after_use(trace):
    """It has no CUDA, and calls of it change nothing; its parent goes on."""
    ended = trace("""
cuda.cuInit(0)
kernel(None, 1000)  #: parent
child = os.fork()
if child == 0:
    kernel(None, 1000)  #: child
    time.sleep(0.1)
    sys.exit(7)
assert os.waitpid(child, 0)[1] >> 8 == 7
for _ in range(4):
    kernel(None, 1000)  #: parent
wait()
""")
    assert line(ended, "parent", "n_gpu_launches") == 5
    assert line(ended, "child", "n_gpu_launches") == 0


@pytest.mark.statistical
def test_only_a_child_uses_it(trace):
    ended = trace("""
child = os.fork()
if child == 0:
    assert cuda.cuInit(0) == 0
    for _ in range(3):
        kernel(None, 1000)  #: child
    wait()
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
""")
    assert claimed(line(ended, "child", "n_gpu_launches") == 3)


def test_with_memory(trace):
    """The other agent, whose allocator must not be asked for what CUPTI's buffers need."""
    ended = trace("""
cuda.cuInit(0)
data = bytearray(50 << 20)
for _ in range(10):
    kernel(None, 1000)  #: kernel
wait()
""", options=["--memory"])
    assert line(ended, "kernel", "n_gpu_launches") == 10
    assert line(ended, "kernel", "n_malloc_mb") < 1


ASKED = """
libc = ctypes.CDLL(None)
libc.getenv.restype = ctypes.c_char_p
name = "CUDA_INJECTION64_PATH"
print(libc.getenv(b"HOME") == os.environ["HOME"].encode(), libc.getenv(b"CUDA_INJECTION64_PAT"), libc.getenv(b""),
      libc.getenv(b"CUDA_INJECTION64_PATHS"), name in os.environ, os.getenv(name))
print(libc.getenv(name.encode()))
"""


def test_only_the_driver_sees_a_variable(trace):
    ended = trace(ASKED + """
import subprocess
print(subprocess.run(["env"], stdout=subprocess.PIPE).stdout.count(name.encode()))
""")
    first, second, third = ended.stdout.splitlines()
    assert first == "True None None None False None"
    assert "libscalene" in second  # who asks like the driver is answered like the driver
    assert third == "0"


def test_not_asked_for(trace):
    ended = trace(ASKED + "cuda.cuInit(0)\nkernel(None, 1000)\nwait()\n", options=["--no-gpu-trace"])
    assert ended.stdout.splitlines() == ["True None None None False None", "None"]
    assert total(ended, "n_gpu_launches") == 0


def test_the_users_own_injection(trace, standins):
    own = str(standins.others / "libinjected.so")
    ended = trace(ASKED + "cuda.cuInit(0)\nkernel(None, 1000)\nwait()\n", env={"CUDA_INJECTION64_PATH": own})
    assert sorted(ended.stdout.splitlines())[1:] == [str(own.encode()), "injected by the user"]
    assert total(ended, "n_gpu_launches") == 0
