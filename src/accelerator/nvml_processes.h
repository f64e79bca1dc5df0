/*
 * accelerator/nvml_processes.h - the driver's lists of the processes on a device, for all driver
 * versions.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <sys/types.h>

#include "accelerator/nvml.h"
#include "base/vec.h"

struct sc_nvml_user {
    pid_t pid;
    uint64_t used_bytes; /* or SC_NVML_NOT_AVAILABLE */
    bool has_server;     /* it is only in the list of those that compute through an MPS server */
};

struct sc_nvml_users SC_VEC_OF(struct sc_nvml_user);

/* Replaces users by the processes that compute or draw on the device, each once: a process that
 * does both is in two lists, with the same memory. Returns NVML's result; SC_NVML_NOT_SUPPORTED
 * when the driver has no such list. */
int sc_nvml_users_read(const struct sc_nvml *nvml, sc_nvml_device device,
                       struct sc_nvml_users *users);

/* Samples of processes newer than a time. */
struct sc_nvml_samples SC_VEC_OF(struct sc_nvml_sample);

/* Replaces samples; SC_NVML_SUCCESS also when there are none. */
int sc_nvml_samples_read(const struct sc_nvml *nvml, sc_nvml_device device,
                         unsigned long long newer_than_us, struct sc_nvml_samples *samples);
