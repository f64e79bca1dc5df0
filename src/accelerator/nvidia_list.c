/*
 * accelerator/nvidia_list.c - finds the GPUs, and the MIG instances of those that are partitioned.
 *
 * For a GPU in MIG mode only its instances are listed, not the GPU itself, so nothing is counted
 * twice.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>

#include "accelerator/nvidia_device.h"

static void add(const struct sc_nvml *nvml, struct sc_nvidia_devices *ret, sc_nvml_device handle,
                unsigned index, unsigned minor, bool is_mig)
{
    if (ret->count == SC_DEVICES_MAX)
        return;
    struct sc_nvidia_device *device = &ret->items[ret->count++];
    *device = (struct sc_nvidia_device){.handle = handle, .minor = minor, .is_mig = is_mig};
    struct sc_device *description = &device->description;
    description->index = index;
    if (nvml->name == NULL ||
        nvml->name(handle, description->name, sizeof(description->name)) != SC_NVML_SUCCESS)
        (void)snprintf(description->name, sizeof(description->name), "NVIDIA GPU");
    if (nvml->uuid == NULL ||
        nvml->uuid(handle, description->uuid, sizeof(description->uuid)) != SC_NVML_SUCCESS)
        description->uuid[0] = '\0';
    struct sc_nvml_memory memory = {0};
    if (nvml->memory != NULL && nvml->memory(handle, &memory) == SC_NVML_SUCCESS)
        description->total_bytes = memory.total;
}

static void add_instances(const struct sc_nvml *nvml, struct sc_nvidia_devices *ret,
                          sc_nvml_device gpu, unsigned index, unsigned minor, struct sc_str *notes)
{
    unsigned limit = 0;
    size_t before = ret->count;
    if (nvml->mig_limit == NULL || nvml->mig_device == NULL ||
        nvml->mig_limit(gpu, &limit) != SC_NVML_SUCCESS)
        limit = 0;
    for (unsigned i = 0; i < limit; i++) {
        sc_nvml_device instance = NULL;
        if (nvml->mig_device(gpu, i, &instance) == SC_NVML_SUCCESS)
            add(nvml, ret, instance, index, minor, true);
    }
    if (ret->count == before)
        sc_accelerator_note(notes,
                            "GPU %u is not measured: it is in MIG mode, without an instance that "
                            "this user can see",
                            index);
}

void sc_nvidia_list(const struct sc_nvml *nvml, struct sc_nvidia_devices *ret, struct sc_str *notes)
{
    unsigned count = 0;
    int result = nvml->count(&count);
    if (result != SC_NVML_SUCCESS)
        sc_accelerator_note(notes, "GPUs are not measured: NVIDIA's driver says \"%s\"",
                            sc_nvml_text(nvml, result));
    for (unsigned i = 0; i < count && ret->count < SC_DEVICES_MAX; i++) {
        sc_nvml_device gpu = NULL;
        result = nvml->device(i, &gpu);
        if (result != SC_NVML_SUCCESS) {
            sc_accelerator_note(notes, "GPU %u is not measured: NVIDIA's driver says \"%s\"", i,
                                sc_nvml_text(nvml, result));
            continue;
        }
        unsigned minor = i;
        unsigned is_mig = 0;
        unsigned is_mig_later = 0;
        if (nvml->minor != NULL)
            (void)nvml->minor(gpu, &minor);
        if (nvml->mig_mode != NULL &&
            nvml->mig_mode(gpu, &is_mig, &is_mig_later) != SC_NVML_SUCCESS)
            is_mig = 0;
        if (is_mig != 0)
            add_instances(nvml, ret, gpu, i, minor, notes);
        else
            add(nvml, ret, gpu, i, minor, false);
    }
}
