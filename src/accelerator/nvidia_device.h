/*
 * accelerator/nvidia_device.h - one GPU, or one instance of a partitioned GPU (MIG), and what is
 * remembered of it between two readings.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "accelerator/accelerator.h"
#include "accelerator/nvml_processes.h"

/* The driver's accounting totals of a process at the previous reading. */
struct sc_nvidia_account {
    pid_t pid;
    unsigned sample_count;
    unsigned long long sum;
};

struct sc_nvidia_device {
    sc_nvml_device handle;
    struct sc_device description;
    unsigned minor; /* the N of /dev/nvidiaN; for an instance, that of its GPU */
    bool is_mig;
    bool is_gone;
    bool has_started; /* the first reading was made */

    struct sc_nvml_users users; /* as last listed */
    bool has_list;
    bool was_listed;        /* a watched process was in users at the previous reading */
    uint64_t listed_bytes;  /* memory of the watched processes at the previous reading */
    uint64_t used_at_start; /* device memory in use by all processes, before the program used it */
    unsigned noted_limits;  /* what the driver did not report at the last reading, as bits */

    unsigned long long newest_us; /* time of the newest sample seen */
    bool has_samples;             /* the driver has given at least one sample, of any process */
    bool has_no_samples;          /* the driver takes none */
    bool has_own_samples;         /* at least one sample was of a watched process */
    uint64_t busy_since_ns; /* since when the device has load but no samples; 0: not the case */
    double load;            /* of the watched processes, by the last sample or accounting total */
    uint64_t load_ns;       /* when load was set */
    SC_VEC(struct sc_nvidia_account) accounts;
};

struct sc_nvidia_devices {
    struct sc_nvidia_device items[SC_DEVICES_MAX];
    size_t count;
};

/* Finds all devices; a device that cannot be used adds a note. */
void sc_nvidia_list(const struct sc_nvml *nvml, struct sc_nvidia_devices *ret,
                    struct sc_str *notes);

/* Where a load comes from. */
enum sc_nvidia_load { SC_LOAD_OF_PROCESSES, SC_LOAD_OF_DEVICE, SC_LOAD_UNKNOWN };

/* The load of the watched processes since the previous reading, 0..1. is_listed: some of them are
 * in the device's list, so they can be distinguished from other processes. samples is scratch
 * space. */
enum sc_nvidia_load sc_nvidia_load_read(const struct sc_nvml *nvml, struct sc_nvidia_device *device,
                                        const struct sc_watched *watched, bool is_listed,
                                        uint64_t now_ns, struct sc_nvml_samples *samples,
                                        double *ret_load);

/* Notes the newest sample so far, so that samples from before the run do not count. */
void sc_nvidia_load_begin(const struct sc_nvml *nvml, struct sc_nvidia_device *device,
                          struct sc_nvml_samples *samples);

/* Whether the driver could account the load per process, but accounting mode is off. */
bool sc_nvidia_lacks_accounting(const struct sc_nvml *nvml, const struct sc_nvidia_device *device);

static inline bool sc_watches(const struct sc_watched *watched, pid_t pid)
{
    for (size_t i = 0; i < watched->count; i++)
        if (watched->pids[i] == pid)
            return true;
    return false;
}
