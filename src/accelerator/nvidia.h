/*
 * accelerator/nvidia.h - NVIDIA's GPUs, measured through their management library NVML.
 *
 * Whose load and memory is reported (docs/design/0012-gpu.md has the reasons):
 * - A device is used when a watched process is in the driver's list of its processes. In a
 *   container the driver may list pids of another namespace; there it is also used when a watched
 *   process has opened it for CUDA and no watched process is in any list.
 * - Load comes from the driver's samples per process; else from its accounting of the processes, if
 *   that is fine enough; else it is that of the whole device.
 * - Memory is what the driver's lists report for the watched processes; else what is in use on the
 *   whole device, less what was in use before the program used it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "accelerator/accelerator.h"

extern const struct sc_accelerator sc_nvidia;

/* What open does, for tests: with another library (as in nvml.h) and another root of /proc. */
void *sc_nvidia_open_at(const char *library, const char *proc, struct sc_str *notes);
