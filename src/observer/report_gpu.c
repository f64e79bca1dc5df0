/*
 * observer/report_gpu.c - what the profile says of the machine's GPUs, beside its lines.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/report_gpu.h"

#include <stdlib.h>

#include "observer/observation.h"

/* The number is CUPTI's own, 1000 times the major and 10 times the minor version at the least. */
static char *trace_name(uint32_t detail)
{
    if (detail >= 100000) /* since CUDA 13 two digits more */
        return sc_format("CUPTI %u.%u", detail / 10000, detail / 100 % 100);
    return sc_format("CUPTI %u", detail);
}

/* Each sentence once, whatever the number of processes. */
static void note_traces(const struct sc_observation *observation, struct sc_profile *profile)
{
    bool lacks = false;
    bool taken = false;
    uint32_t refusal = 0;
    for (size_t i = 0; i < observation->processes.count; i++) {
        const struct sc_devices *devices = &observation->processes.items[i]->devices;
        lacks = lacks || (devices->has_state && devices->state == SC_GPU_NO_CUPTI);
        taken = taken || (devices->has_state && devices->state == SC_GPU_TAKEN);
        if (devices->has_state && devices->state == SC_GPU_REFUSED)
            refusal = devices->detail;
        if (profile->gpu_trace == NULL && devices->version != 0)
            profile->gpu_trace = trace_name(devices->version);
    }
    if (lacks)
        sc_vec_push(&profile->notes,
                    sc_strdup("the GPU's time by line is not known exactly: there is no libcupti "
                              "to be found (it comes with the CUDA toolkit, and as the package "
                              "nvidia-cuda-cupti)"));
    if (refusal != 0)
        sc_vec_push(&profile->notes, sc_format("the GPU's time by line is not known exactly: CUPTI "
                                               "refused (its error %u)",
                                               refusal));
    if (taken)
        sc_vec_push(&profile->notes,
                    sc_strdup("another profiler in the program uses CUPTI: from then on the GPU's "
                              "time by line is not known exactly"));
}

void sc_report_gpu(const struct sc_observation *observation, struct sc_profile *profile)
{
    free(profile->gpu_device);
    profile->gpu_device = sc_strdup("");
    if (!observation->plan->gpu)
        return;
    note_traces(observation, profile);
    if (profile->gpu_device[0] == '\0' && profile->gpu_trace != NULL) {
        free(profile->gpu_device);
        profile->gpu_device = sc_strdup("GPU");
    }
    profile->gpu = profile->gpu_device[0] != '\0';
}
