/* accelerator/nvidia.c - see nvidia.h. SPDX-License-Identifier: Apache-2.0 */
#include "accelerator/nvidia.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "accelerator/nvidia_device.h"
#include "accelerator/open_files.h"
#include "base/io.h"
#include "base/mem.h"

struct nvidia {
    struct sc_nvml nvml;
    char proc[PATH_MAX / 2];
    struct sc_nvidia_devices devices;
    struct sc_nvml_samples samples;
    bool has_own_pids;   /* in a container: the driver may list pids of another namespace */
    bool knows_pids;     /* the driver lists pids of our namespace: it has listed some of ours */
    bool looks_at_files; /* this reading has filled in open */
    struct sc_open_devices open; /* what all watched processes together have open */
};

static void close_driver(void *state)
{
    SC_AUTO_FREE struct nvidia *nvidia = state;
    (void)nvidia->nvml.shutdown();
    for (size_t i = 0; i < nvidia->devices.count; i++) {
        sc_vec_done(&nvidia->devices.items[i].users);
        sc_vec_done(&nvidia->devices.items[i].accounts);
    }
    sc_vec_done(&nvidia->samples);
}

void *sc_nvidia_open_at(const char *library, const char *proc, struct sc_str *notes)
{
    char version[PATH_MAX];
    struct sc_err err = {0};
    struct nvidia *nvidia = sc_alloc(1, sizeof(*nvidia));
    (void)snprintf(nvidia->proc, sizeof(nvidia->proc), "%s", proc);
    (void)snprintf(version, sizeof(version), "%s/driver/nvidia/version", nvidia->proc);
    if (sc_nvml_open(&nvidia->nvml, library, version, &err) != SC_NVML_READY) {
        if (err.kind != SC_ERR_NONE)
            sc_accelerator_note(notes, "%s", err.text);
        free(nvidia);
        return NULL;
    }
    nvidia->has_own_pids = sc_has_own_pids(nvidia->proc);
    sc_nvidia_list(&nvidia->nvml, &nvidia->devices, notes);
    if (nvidia->devices.count > 0)
        return nvidia;
    close_driver(nvidia);
    return NULL;
}

static void *open_driver(struct sc_str *notes)
{
    return sc_nvidia_open_at(NULL, "/proc", notes);
}

static size_t list_devices(void *state, struct sc_device *ret, size_t limit)
{
    const struct nvidia *nvidia = state;
    size_t count = nvidia->devices.count < limit ? nvidia->devices.count : limit;
    for (size_t i = 0; i < count; i++)
        ret[i] = nvidia->devices.items[i].description;
    return count;
}

static void lose(const struct nvidia *nvidia, struct sc_nvidia_device *device, int result,
                 struct sc_str *notes)
{
    device->is_gone = true;
    sc_accelerator_note(notes,
                        "GPU %u (%s) has gone while the program ran, so it is measured up to there "
                        "only: NVIDIA's driver says \"%s\"",
                        device->description.index, device->description.name,
                        sc_nvml_text(&nvidia->nvml, result));
}

/* The device memory in use by all processes on the machine. */
static uint64_t used_by_all(const struct sc_nvml *nvml, const struct sc_nvidia_device *device)
{
    struct sc_nvml_memory_v2 without_reserved = {.version = SC_NVML_MEMORY_V2};
    struct sc_nvml_memory memory = {0};
    if (nvml->memory_v2 != NULL &&
        nvml->memory_v2(device->handle, &without_reserved) == SC_NVML_SUCCESS)
        return without_reserved.used;
    if (nvml->memory != NULL && nvml->memory(device->handle, &memory) == SC_NVML_SUCCESS)
        return memory.used;
    return 0;
}

static bool is_listed(const struct sc_nvidia_device *device, const struct sc_watched *watched)
{
    for (size_t i = 0; i < device->users.count; i++)
        if (sc_watches(watched, device->users.items[i].pid))
            return true;
    return false;
}

/* Whether a watched process has opened the device for CUDA. The open files are read once per
 * reading, and only when the driver's lists do not show which processes use it. */
static bool is_open(struct nvidia *nvidia, const struct sc_nvidia_device *device,
                    const struct sc_watched *watched)
{
    if (!nvidia->looks_at_files) {
        nvidia->looks_at_files = true;
        nvidia->open = (struct sc_open_devices){0};
        for (size_t i = 0; i < watched->count; i++) {
            struct sc_open_devices open;
            sc_open_devices_read(nvidia->proc, watched->pids[i], &open);
            if (!open.computes)
                continue;
            nvidia->open.minors |= open.minors;
            nvidia->open.all |= open.all;
        }
    }
    return nvidia->open.all ||
           (device->minor < 64 && (nvidia->open.minors >> device->minor & 1) != 0);
}

/* The memory of the watched processes according to the driver's list; false when the driver does
 * not report it per process. */
static bool memory_of(const struct sc_nvidia_device *device, const struct sc_watched *watched,
                      uint64_t *ret_bytes)
{
    uint64_t bytes = 0;
    SC_EACH(const struct sc_nvml_user, user, &device->users) {
        if (!sc_watches(watched, user->pid))
            continue;
        if (user->used_bytes == SC_NVML_NOT_AVAILABLE)
            return false;
        bytes += user->used_bytes;
    }
    *ret_bytes = bytes;
    return true;
}

static void read_lists(struct nvidia *nvidia, const struct sc_watched *watched,
                       struct sc_str *notes)
{
    nvidia->looks_at_files = false;
    SC_EACH(struct sc_nvidia_device, device, &nvidia->devices) {
        if (device->is_gone)
            continue;
        int result = sc_nvml_users_read(&nvidia->nvml, device->handle, &device->users);
        device->has_list = result == SC_NVML_SUCCESS;
        if (sc_nvml_is_gone(result))
            lose(nvidia, device, result, notes);
        else if (is_listed(device, watched))
            nvidia->knows_pids = true;
    }
}

/* Notes for the user what the driver does not report about a device. */
static void note_limits(const struct nvidia *nvidia, struct sc_nvidia_device *device, bool listed,
                        enum sc_nvidia_load load, const struct sc_device_state *state,
                        struct sc_str *notes)
{
    unsigned index = device->description.index;
    if (load == SC_LOAD_UNKNOWN)
        sc_accelerator_note(notes, "NVIDIA's driver does not report the load of GPU %u%s", index,
                            device->is_mig ? ", since it is divided into instances (MIG)" : "");
    if (!listed)
        sc_accelerator_note(notes,
                            "NVIDIA's driver does not report which processes here use GPU %u%s, so "
                            "its %s of the whole device",
                            index, nvidia->has_own_pids ? " (this is a container)" : "",
                            load == SC_LOAD_UNKNOWN ? "memory is that"
                                                    : "load and memory are those");
    if (listed && load == SC_LOAD_OF_DEVICE)
        sc_accelerator_note(
            notes,
            "NVIDIA's driver reports the load of GPU %u as a whole only, so that of "
            "other programs is in it%s",
            index,
            sc_nvidia_lacks_accounting(&nvidia->nvml, device)
                ? "; 'scalene set-nvidia-gpu-modes' makes it report it by process"
                : "");
    if (listed && state->is_shared_memory)
        sc_accelerator_note(notes,
                            "NVIDIA's driver does not report the memory of single processes on GPU "
                            "%u, so it is what the whole device has in use more than at the start",
                            index);
}

static void read_used(struct nvidia *nvidia, struct sc_nvidia_device *device,
                      const struct sc_watched *watched, bool listed, struct sc_device_state *ret,
                      struct sc_str *notes)
{
    enum sc_nvidia_load load = sc_nvidia_load_read(&nvidia->nvml, device, watched, listed,
                                                   sc_now_ns(), &nvidia->samples, &ret->load);
    ret->is_used = true;
    ret->is_shared_load = load == SC_LOAD_OF_DEVICE;
    ret->is_shared_memory = !listed || !memory_of(device, watched, &ret->used_bytes);
    if (listed && !is_listed(device, watched))
        ret->used_bytes = device->listed_bytes;
    device->listed_bytes = ret->used_bytes;
    if (ret->is_shared_memory) {
        uint64_t used = used_by_all(&nvidia->nvml, device);
        ret->used_bytes = used > device->used_at_start ? used - device->used_at_start : 0;
    }
    unsigned limits = 1U << load | (listed ? 8U : 0U) | (ret->is_shared_memory ? 16U : 0U);
    if (limits != device->noted_limits)
        note_limits(nvidia, device, listed, load, ret, notes);
    device->noted_limits = limits;
}

static void read_device(struct nvidia *nvidia, struct sc_nvidia_device *device,
                        const struct sc_watched *watched, struct sc_device_state *ret,
                        struct sc_str *notes)
{
    bool is_now = is_listed(device, watched);
    bool listed = is_now || device->was_listed; /* a process that has ended may have samples left */
    device->was_listed = is_now;
    bool knows_processes = device->has_list && (!nvidia->has_own_pids || nvidia->knows_pids);
    bool is_used = listed || (!knows_processes && is_open(nvidia, device, watched));
    if (!device->has_started) {
        device->has_started = true;
        device->used_at_start = is_used ? 0 : used_by_all(&nvidia->nvml, device);
        sc_nvidia_load_begin(&nvidia->nvml, device, &nvidia->samples);
    }
    if (is_used)
        read_used(nvidia, device, watched, listed, ret, notes);
}

static void read_devices(void *state, const struct sc_watched *watched, struct sc_device_state *ret,
                         size_t count, struct sc_str *notes)
{
    struct nvidia *nvidia = state;
    read_lists(nvidia, watched, notes);
    for (size_t i = 0; i < count && i < nvidia->devices.count; i++) {
        ret[i].is_gone = nvidia->devices.items[i].is_gone;
        if (!ret[i].is_gone)
            read_device(nvidia, &nvidia->devices.items[i], watched, &ret[i], notes);
    }
}

const struct sc_accelerator sc_nvidia = {
    .kind = "GPU",
    .open = open_driver,
    .devices = list_devices,
    .read = read_devices,
    .close = close_driver,
};
