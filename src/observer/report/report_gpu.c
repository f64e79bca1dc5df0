/* observer/report/report_gpu.c - see report_gpu.h. SPDX-License-Identifier: Apache-2.0 */
#include "observer/report/report_gpu.h"

#include <stdlib.h>
#include <string.h>

#include "accelerator/open_files.h"
#include "observer/lifecycle/observation.h"

#define DEVICES_MAX 64U
#define MB          (1024.0 * 1024.0)

static void list_devices(const struct sc_observation *observation, struct sc_profile *profile)
{
    struct sc_device devices[DEVICES_MAX];
    size_t count = sc_accelerators_devices(observation->loads.accelerators, devices, DEVICES_MAX);
    for (size_t i = 0; i < count; i++) {
        const struct sc_device *device = &devices[i];
        double percent = device->measured_s > 0 ? 100 * device->load_s / device->measured_s : 0;
        struct sc_gpu_device shown = {
            .name = sc_strdup(device->name),
            .uuid = sc_strdup(device->uuid),
            .index = device->index,
            .total_mb = (double)device->total_bytes / MB,
            .load_percent = percent < 100 ? percent : 100,
            .peak_mb = (double)device->peak_bytes / MB,
            .is_shared_load = device->is_shared_load,
            .is_shared_memory = device->is_shared_memory,
        };
        sc_vec_push(&profile->gpu_devices, shown);
    }
}

static void add_lines(char *text, struct sc_profile *profile)
{
    char *rest = NULL;
    for (char *line = strtok_r(text, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest))
        sc_vec_push(&profile->notes, sc_strdup(line));
}

/* CUDA's way to number versions: 12090 is 12.9. */
static char *trace_name(uint32_t detail)
{
    return sc_format("CUPTI %u.%u", detail / 1000, detail % 1000 / 10);
}

/* Why CUPTI refuses, by its CUptiResult; NULL where that says nothing to a user. */
static const char *why_refused(uint32_t error)
{
    switch (error) {
    case 15: /* NOT_INITIALIZED */
        return "it cannot work with the driver, perhaps because it is newer";
    case 33: /* VIRTUALIZED_DEVICE_NOT_SUPPORTED */
        return "the GPU is a virtual one";
    case 35: /* INSUFFICIENT_PRIVILEGES */
        return "an administrator has kept it to himself (NVreg_RestrictProfilingToAdminUsers)";
    case 39: /* MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED */
        return "another tool has it already (nsys, ncu, compute-sanitizer, cuda-gdb or the like)";
    case 40: /* VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES */
        return "the hypervisor does not allow it";
    case 41: /* CONFIDENTIAL_COMPUTING_NOT_SUPPORTED */
        return "the GPU computes confidentially";
    case 43: /* MIG_DEVICE_NOT_SUPPORTED */
        return "the GPU is divided into instances (MIG)";
    case 45: /* WSL_DEVICE_NOT_SUPPORTED */
        return "the Windows Subsystem for Linux does not allow it";
    default:
        return NULL;
    }
}

static void note_refusal(uint32_t error, struct sc_profile *profile)
{
    const char *why = why_refused(error);
    sc_vec_push(
        &profile->notes,
        error == 0
            ? sc_strdup("the GPU's time by line is not known exactly: there is no room for "
                        "a thread that asks CUPTI")
            : sc_format("the GPU's time by line is not known exactly: CUPTI refused%s%s (its "
                        "error %u)",
                        why != NULL ? ", " : "", why != NULL ? why : "", error));
}

/* Adds each note once, whatever the number of processes. Without a GPU, a program that only checks
 * whether there is one has missed nothing, and what was traced is nothing. */
static void note_traces(const struct sc_observation *observation, bool has_gpu,
                        struct sc_profile *profile)
{
    struct sc_devices all = {0};
    SC_EACH_PROCESS(process, observation)
        sc_devices_merge_states(&all, &process->devices);
    if (all.version != 0 && (has_gpu || all.has_worked))
        profile->gpu_trace = trace_name(all.version);
    if ((all.states >> SC_GPU_NO_CUPTI & 1U) != 0 && has_gpu)
        sc_vec_push(&profile->notes,
                    sc_strdup("the GPU's time by line is not known exactly: there is no libcupti "
                              "to be found (it comes with the CUDA toolkit, and as the package "
                              "nvidia-cuda-cupti)"));
    if ((all.states >> SC_GPU_NOT_LOADED & 1U) != 0 && has_gpu)
        sc_vec_push(&profile->notes,
                    sc_strdup("the GPU's time by line is not known exactly: the program used CUDA "
                              "before the profile began, and has not loaded libcupti"));
    if ((all.states >> SC_GPU_REFUSED & 1U) != 0 && has_gpu)
        note_refusal(all.refusal, profile);
    if ((all.states >> SC_GPU_TAKEN & 1U) != 0)
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
    bool has_gpu = sc_has_nvidia_devices("");
    if (observation->loads.accelerators != NULL) {
        free(profile->gpu_device);
        profile->gpu_device = sc_strdup(sc_accelerators_kind(observation->loads.accelerators));
        list_devices(observation, profile);
        SC_AUTO_FREE char *notes = sc_accelerators_notes(observation->loads.accelerators);
        has_gpu = has_gpu || profile->gpu_devices.count > 0 || notes[0] != '\0';
        add_lines(notes, profile);
    }
    note_traces(observation, has_gpu, profile);
    if (profile->gpu_device[0] == '\0' && profile->gpu_trace != NULL) {
        free(profile->gpu_device);
        profile->gpu_device = sc_strdup("GPU");
    }
    profile->gpu = profile->gpu_device[0] != '\0';
}
