/*
 * accelerator/open_files.h - whether there are NVIDIA devices, and which of them a process has
 * open.
 *
 * /dev/nvidia-uvm shows it: only CUDA opens that file, while tools that just query the devices
 * (nvidia-smi, NVML) open only /dev/nvidiactl and /dev/nvidia0. In the Windows Subsystem for Linux
 * the only device is /dev/dxg.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct sc_open_devices {
    bool computes;   /* CUDA was initialised */
    uint64_t minors; /* bit N: /dev/nvidiaN is open, N < 64 */
    bool all;        /* which device is open is not known */
};

/* proc is "/proc". Nothing is set for a process that is gone or that we may not look at. */
void sc_open_devices_read(const char *proc, pid_t pid, struct sc_open_devices *ret);

/* Whether this process is in a pid namespace of its own, as in most containers. */
bool sc_has_own_pids(const char *proc);

/* Whether this machine or container has a device that CUDA could use. root is "", except in tests.
 */
bool sc_has_nvidia_devices(const char *root);
