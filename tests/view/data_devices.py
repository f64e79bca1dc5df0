# tests/view/data_devices.py - profiles of programs that used devices: one traced, one known by its driver alone.
#
# SPDX-License-Identifier: Apache-2.0
"""Profiles made by hand, written by make_data.py."""

from data_parts import file, own_part, profile

TRAIN = '''
import torch

from data import batches


def step(model, optimizer, batch, wanted):
    batch = batch.to("cuda")
    wanted = wanted.to("cuda")
    loss = torch.nn.functional.mse_loss(model(batch), wanted)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


def main():
    model = torch.nn.Sequential(*(torch.nn.Linear(4096, 4096) for _ in range(8))).to("cuda")
    optimizer = torch.optim.Adam(model.parameters())
    for number, (batch, wanted) in enumerate(batches("train", size=512)):
        last = step(model, optimizer, batch, wanted)
    print(number, last)


main()
'''


def over_time(elapsed_s, *values):
    """A curve of equal steps from 0 on."""
    step_ns = int(elapsed_s * 1e9) // len(values)
    return [[index * step_ns, value] for index, value in enumerate(values)]


def device(index, name, load_percent, peak_mb, total_mb, shared_load=False, shared_memory=False):
    return {
        "index": index, "load_percent": load_percent, "name": name, "peak_mb": peak_mb, "shared_load": shared_load,
        "shared_memory": shared_memory, "total_mb": total_mb, "uuid": "GPU-00000000-0000-0000-0000-%012d" % index,
    }


def gpu():
    """A device that is traced and mostly idle, another one that is not used."""
    files = {
        "/home/ada/net/train.py": file(
            TRAIN,
            {
                1: {"native": 9.5, "system": 2.0, "gpu": 0.0, "idle_s": 0.4},
                7: {
                    "native": 6.1, "gpu": 61.0, "gpu_mb": 36100.0, "device_s": 1.91, "to_mb": 18350.0, "idle_s": 0.31, "given_mb": 512.0,
                    "held_mb": 16.0,
                },
                8: {"native": 1.2, "gpu": 60.0, "gpu_mb": 36100.0, "device_s": 0.42, "to_mb": 4587.5},
                9: {
                    "python": 2.6, "native": 3.4, "gpu": 88.0, "gpu_mb": 37400.5, "device_s": 2.207, "launches": 12240, "idle_s": 0.05,
                    "given_mb": 30720.0, "held_mb": 24576.0,
                },
                11: {
                    "python": 0.4, "native": 2.0, "gpu": 97.0, "gpu_mb": 38912.0, "device_s": 4.6123, "launches": 24480,
                    "given_mb": 12288.0, "held_mb": 8192.0,
                },
                12: {"python": 5.3, "native": 1.9, "gpu": 71.0, "gpu_mb": 38912.0, "device_s": 0.61, "launches": 98000, "idle_s": 0.2},
                13: {"system": 11.0, "gpu": 99.0, "gpu_mb": 38912.0, "device_s": 0.004, "from_mb": 0.02},
                17: {"native": 1.4, "device_s": 0.21, "to_mb": 512.0, "held_mb": 512.0, "given_mb": 512.0},
                19: {"python": 7.6, "native": 19.3, "system": 26.0, "gpu": 4.0, "idle_s": 9.84},
                20: {"python": 0.3},
            },
            functions=[
                (
                    "step",
                    6,
                    {
                        "python": 8.3, "native": 14.6, "system": 11.0, "gpu": 84.0, "gpu_mb": 38912.0, "device_s": 9.7633,
                        "launches": 134720, "idle_s": 0.56, "held_mb": 32784.0, "with_calls": 33.9,
                    },
                ),
                (
                    "main",
                    16,
                    {
                        "python": 7.9, "native": 20.7, "system": 26.0, "gpu": 5.0, "device_s": 0.21, "idle_s": 9.84, "held_mb": 512.0,
                        "with_calls": 88.0,
                    },
                ),
            ],
            loops=[(19, 20)],
        )
    }
    own = own_part(
        15.2,
        {"python": 3.24, "native": 8.96, "io": 5.2, "kernel": 2.6},
        {"io": 5.2},
        exit_kind="exit",
        exit_value=0,
        gpu_busy_s=8.7,
        gpu_copy_s=2.54,
        gpu_devices=[
            device(0, "NVIDIA A100-SXM4-40GB", 44.6, 38912.0, 40960.0),
            device(1, "NVIDIA A100-SXM4-40GB", 0.0, 0.0, 40960.0, shared_load=True),
        ],
        gpu_kernel_s=7.4333,
        gpu_load=over_time(20.0, 0, 0, 31.0, 78.5, 44.0, 61.0, 52.0, 90.0, 66.0, 22.5),
        gpu_memory=over_time(20.0, 0, 420.0, 20480.0, 36100.0, 37400.5, 38912.0, 38912.0, 38912.0, 38912.0, 420.0),
        gpu_peak_mb=38912.0,
        gpu_trace="CUPTI 12.9",
        gpu_traced_s=19.5,
        losses={"gpu_unknown": 2},
    )
    return profile("/home/ada/net/train.py", 20.0, files, own, gpu=True, gpu_device="GPU")


def neuron():
    """A device that only its driver reports, and that others use too, with the runtime's own trace merged in."""
    traced = {"cpu_samples_nc_overlap_percent": 37.5, "cpu_samples_total_count": 8, "nc_time_ms": 2210.0, "nrt_percent": 100.0, "nrt_time_ms": 3420.0}
    totals = {
        "cpu_samples_nc_overlap_percent_overall": 31.0,
        "neuron_event_count": 40,
        "neuron_total_nc_time_ms": 2210.0,
        "neuron_total_time_ms": 3420.0,
    }
    files = {
        "/srv/infer.py": file(
            "def main():\n    for text in texts:\n        answer = model(encode(text))\n",
            {
                2: {"python": 11.0, "gpu": 31.0, "gpu_mb": 410.0},
                3: {"python": 30.0, "native": 49.0, "gpu": 42.0, "gpu_mb": 910.5, "n_gpu_avg_memory_mb": 900.0, **traced},
            },
            functions=[("main", 1, {"python": 41.0, "native": 49.0, "gpu": 41.0, "gpu_mb": 910.5})],
            loops=[(2, 3)],
        )
    }
    own = own_part(
        7.2,
        {"python": 3.6, "native": 4.0},
        {},
        exit_kind="exit",
        exit_value=0,
        gpu_devices=[
            device(0, "inf2.xlarge", 38.0, 910.5, 16384.0, shared_memory=True),
            device(1, "", 41.0, 880.0, 0.0, shared_load=True, shared_memory=True),
        ],
        gpu_load=over_time(8.0, 12.0, 40.0, 44.0, 43.0),
        gpu_memory=over_time(8.0, 120.0, 700.0, 1790.5, 1790.5),
        gpu_peak_mb=1790.5,
    )
    return profile("/srv/infer.py", 8.0, files, own, gpu=True, gpu_device="Neuron", **totals)
