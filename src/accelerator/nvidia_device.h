/*
 * accelerator/nvidia_device.h - one GPU, or one instance of a GPU that is divided (MIG), and what
 * is remembered of it between two readings.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "accelerator/accelerator.h"
#include "accelerator/nvml_processes.h"

/* What had been accounted to a process at the reading before. */
struct sc_nvidia_account {
    pid_t pid;
    unsigned sample_count;
    unsigned long long sum;
};

struct sc_nvidia_device {
    sc_nvml_device handle;
    struct sc_device told;
    unsigned minor; /* of /dev/nvidiaN; for an instance, of its GPU */
    bool is_mig;
    bool is_gone;
    bool has_started; /* the first reading was made */

    struct sc_nvml_users users; /* as last listed */
    bool has_list;
    bool was_listed;        /* a watched process was among them at the reading before */
    uint64_t listed_bytes;  /* and had so much memory */
    uint64_t used_at_start; /* memory, by anybody */
    unsigned noted_limits;  /* what could not be told at the last reading */

    unsigned long long newest_us; /* sample that was seen */
    bool has_samples;             /* there was ever one, of anybody */
    bool has_no_samples;          /* the driver takes none */
    bool has_own_samples;         /* there was ever one of the watched */
    uint64_t busy_since_ns;       /* with load and without any sample; 0: not so */
    double load;                  /* of the watched, by the last sample or account */
    uint64_t load_ns;             /* when that was */
    SC_VEC(struct sc_nvidia_account) accounts;
};

struct sc_nvidia_devices {
    struct sc_nvidia_device items[SC_DEVICES_MAX];
    size_t count;
};

/* Finds them all; what stands in the way of one is a note. */
void sc_nvidia_list(const struct sc_nvml *nvml, struct sc_nvidia_devices *ret,
                    struct sc_str *notes);

/* Where a load comes from. */
enum sc_nvidia_load { SC_LOAD_OF_PROCESSES, SC_LOAD_OF_DEVICE, SC_LOAD_UNKNOWN };

/* The load of the watched processes since the reading before, 0..1. is_listed: some are in the
 * device's list, so that they can be told from others. samples is room to work in. */
enum sc_nvidia_load sc_nvidia_load_read(const struct sc_nvml *nvml, struct sc_nvidia_device *device,
                                        const struct sc_watched *watched, bool is_listed,
                                        uint64_t now_ns, struct sc_nvml_samples *samples,
                                        double *ret_load);

/* So that samples from before the run do not count. */
void sc_nvidia_load_begin(const struct sc_nvml *nvml, struct sc_nvidia_device *device,
                          struct sc_nvml_samples *samples);

/* Whether accounting is off, and would tell the load by process where nothing else does. */
bool sc_nvidia_lacks_accounting(const struct sc_nvml *nvml, const struct sc_nvidia_device *device);

static inline bool sc_watches(const struct sc_watched *watched, pid_t pid)
{
    for (size_t i = 0; i < watched->count; i++)
        if (watched->pids[i] == pid)
            return true;
    return false;
}
