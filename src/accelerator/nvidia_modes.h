/*
 * accelerator/nvidia_modes.h - persistence and accounting mode of NVIDIA's GPUs.
 *
 * Accounting: the driver records for each process how much of the GPU it has used. The mode is lost
 * when the driver unloads the GPU, which it does when no process uses it, unless persistence mode
 * is on.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "accelerator/nvidia_device.h"
#include "base/err.h"

enum sc_nvidia_switch { SC_SWITCH_OFF, SC_SWITCH_ON, SC_SWITCH_MISSING /* no such mode */ };

struct sc_nvidia_mode {
    sc_nvml_device handle;
    unsigned index;
    char name[96];
    enum sc_nvidia_switch persistence, accounting;
};

/* Initialise with {0}. */
struct sc_nvidia_modes {
    struct sc_nvml nvml;
    struct sc_nvidia_mode items[SC_DEVICES_MAX];
    size_t count;
    bool is_open;
};

/* Opens the driver and reads the modes of all GPUs. A partitioned GPU (MIG) counts as one GPU here.
 * To be closed, whatever is returned. */
bool sc_nvidia_modes_open(struct sc_nvidia_modes *modes, struct sc_err *err);
void sc_nvidia_modes_close(struct sc_nvidia_modes *modes);

/* Whether a GPU has a mode that is off. */
bool sc_nvidia_modes_are_off(const struct sc_nvidia_modes *modes);

/* Switches on the modes that the GPU has and that are off. *ret_is_refused: the user lacks the
 * permission. */
bool sc_nvidia_mode_set(const struct sc_nvidia_modes *modes, struct sc_nvidia_mode *mode,
                        bool *ret_is_refused, struct sc_err *err);
