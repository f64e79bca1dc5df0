/*
 * accelerator/open_files.h - whether there are devices of NVIDIA's, and who has opened them.
 *
 * What tells is /dev/nvidia-uvm: only CUDA opens it, while tools that just ask about the devices
 * (nvidia-smi, NVML) open /dev/nvidiactl and /dev/nvidia0 alone. In the Windows Subsystem for Linux
 * the one device is /dev/dxg.
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
    bool all;        /* the file does not tell which device */
};

/* proc is "/proc". Nothing is set for a process that is gone or that we may not look at. */
void sc_open_devices_read(const char *proc, pid_t pid, struct sc_open_devices *ret);

/* Whether process numbers here are others than those of the kernel itself, as in most containers.
 */
bool sc_has_own_pids(const char *proc);

/* Whether this machine or container has a device that CUDA could use. root is "" but in tests. */
bool sc_has_nvidia_devices(const char *root);
