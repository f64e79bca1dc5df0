/*
 * accelerator/nvidia.h - NVIDIA's GPUs, by their management library NVML.
 *
 * Whose load and memory is told (docs/design/0012-gpu.md has the reasons):
 * - A device is used when a watched process is in the driver's list of its processes. In a
 *   container the driver may list other numbers than ours; there it is also used when a watched
 *   process has opened it for CUDA and none of the watched is in any list.
 * - Load is the driver's samples by process; else, from drivers that account finely enough, what
 *   it accounts to the processes; else the whole device's.
 * - Memory is what the driver's lists say of the watched; else what the whole device has in use,
 *   less what it had before it was used.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "accelerator/accelerator.h"

extern const struct sc_accelerator sc_nvidia;

/* What open does, with other places: library as in nvml.h, and the root of a /proc. */
void *sc_nvidia_open_at(const char *library, const char *proc, struct sc_str *notes);
