/* accelerator/nvidia_modes.c - see nvidia_modes.h. SPDX-License-Identifier: Apache-2.0 */
#include "accelerator/nvidia_modes.h"

#include <stdio.h>

static enum sc_nvidia_switch read_switch(int (*get)(sc_nvml_device device, int *is_on),
                                         const void *set, sc_nvml_device device)
{
    int is_on = 0;
    if (get == NULL || set == NULL || get(device, &is_on) != SC_NVML_SUCCESS)
        return SC_SWITCH_MISSING;
    return is_on != 0 ? SC_SWITCH_ON : SC_SWITCH_OFF;
}

static bool read_mode(struct sc_nvidia_modes *modes, unsigned index, struct sc_err *err)
{
    const struct sc_nvml *nvml = &modes->nvml;
    struct sc_nvidia_mode *mode = &modes->items[modes->count];
    *mode = (struct sc_nvidia_mode){.index = index};
    int result = nvml->device(index, &mode->handle);
    if (result != SC_NVML_SUCCESS)
        return sc_fail(err, SC_ERR_FAILED, "GPU %u: NVIDIA's driver says \"%s\"", index,
                       sc_nvml_text(nvml, result));
    if (nvml->name == NULL ||
        nvml->name(mode->handle, mode->name, sizeof(mode->name)) != SC_NVML_SUCCESS)
        (void)snprintf(mode->name, sizeof(mode->name), "NVIDIA GPU");
    mode->persistence =
        read_switch(nvml->persistence, nvml->set_persistence != NULL ? mode : NULL, mode->handle);
    mode->accounting =
        read_switch(nvml->accounting, nvml->set_accounting != NULL ? mode : NULL, mode->handle);
    modes->count++;
    return true;
}

bool sc_nvidia_modes_open(struct sc_nvidia_modes *modes, struct sc_err *err)
{
    struct sc_err cause = {0};
    unsigned count = 0;
    enum sc_nvml_found found =
        sc_nvml_open(&modes->nvml, NULL, "/proc/driver/nvidia/version", &cause);
    if (found == SC_NVML_BROKEN)
        return sc_fail(err, SC_ERR_FAILED, "%s", cause.text);
    modes->is_open = found == SC_NVML_READY;
    if (modes->is_open && modes->nvml.count(&count) != SC_NVML_SUCCESS)
        count = 0;
    bool good = true;
    for (unsigned i = 0; i < count && modes->count < SC_DEVICES_MAX && good; i++)
        good = read_mode(modes, i, err);
    if (good && modes->count == 0)
        good = sc_fail(err, SC_ERR_FAILED, "there is no NVIDIA GPU here, or no driver for it");
    return good;
}

void sc_nvidia_modes_close(struct sc_nvidia_modes *modes)
{
    if (modes->is_open)
        (void)modes->nvml.shutdown();
    modes->is_open = false;
}

bool sc_nvidia_modes_are_off(const struct sc_nvidia_modes *modes)
{
    for (size_t i = 0; i < modes->count; i++)
        if (modes->items[i].persistence == SC_SWITCH_OFF ||
            modes->items[i].accounting == SC_SWITCH_OFF)
            return true;
    return false;
}

static bool set_one(const struct sc_nvidia_modes *modes, const struct sc_nvidia_mode *mode,
                    int (*set)(sc_nvml_device device, int is_on), const char *what,
                    enum sc_nvidia_switch *kept, bool *ret_is_refused, struct sc_err *err)
{
    if (*kept != SC_SWITCH_OFF)
        return true;
    int result = set(mode->handle, 1);
    if (result == SC_NVML_SUCCESS) {
        *kept = SC_SWITCH_ON;
        return true;
    }
    *ret_is_refused = result == SC_NVML_NO_PERMISSION;
    if (result == SC_NVML_NOT_SUPPORTED)
        *kept = SC_SWITCH_MISSING;
    return result == SC_NVML_NOT_SUPPORTED ||
           sc_fail(err, SC_ERR_FAILED, "GPU %u: %s mode stays off: NVIDIA's driver says \"%s\"",
                   mode->index, what, sc_nvml_text(&modes->nvml, result));
}

bool sc_nvidia_mode_set(const struct sc_nvidia_modes *modes, struct sc_nvidia_mode *mode,
                        bool *ret_is_refused, struct sc_err *err)
{
    *ret_is_refused = false;
    return set_one(modes, mode, modes->nvml.set_persistence, "persistence", &mode->persistence,
                   ret_is_refused, err) &&
           set_one(modes, mode, modes->nvml.set_accounting, "accounting", &mode->accounting,
                   ret_is_refused, err);
}
