/*
 * accelerator/nvml.c - NVIDIA's management library, loaded at run time.
 *
 * It is never unloaded, since it may have started threads.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "accelerator/nvml.h"

#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

static void *load(const char *library)
{
    /* the second is its place in the Windows Subsystem for Linux, where ld.so may not search */
    static const char *const usual[] = {"libnvidia-ml.so.1", "/usr/lib/wsl/lib/libnvidia-ml.so.1"};
    if (library != NULL)
        return dlopen(library, RTLD_NOW | RTLD_LOCAL);
    void *found = NULL;
    for (size_t i = 0; found == NULL && i < sizeof(usual) / sizeof(usual[0]); i++)
        found = dlopen(usual[i], RTLD_NOW | RTLD_LOCAL);
    return found;
}

/* Returns the name of a needed function that is missing, or NULL. */
static const char *find_functions(void *library, struct sc_nvml *ret)
{
    const char *missing = NULL;
/* POSIX lets a function's address be kept in what dlsym returns; ISO C has no cast for it. */
#define X_FIND(is_needed, field, name, arguments)                                                  \
    {                                                                                              \
        void *found = dlsym(library, name);                                                        \
        memcpy(&ret->field, &found, sizeof(found));                                                \
        if ((is_needed) && found == NULL && missing == NULL)                                       \
            missing = (name);                                                                      \
    }
    SC_NVML_FUNCTIONS(X_FIND)
#undef X_FIND
    void *found = dlsym(library, "nvmlErrorString");
    memcpy(&ret->error_text, &found, sizeof(found));
    return missing;
}

static void explain_init(const struct sc_nvml *nvml, int result, struct sc_err *err)
{
    if (result == SC_NVML_VERSION_MISMATCH)
        (void)sc_fail(err, SC_ERR_FAILED,
                      "GPUs are not measured: the NVIDIA driver that runs and its libraries are of "
                      "different versions, as after an update; restart the machine");
    else if (result == SC_NVML_NO_PERMISSION)
        (void)sc_fail(err, SC_ERR_FAILED,
                      "GPUs are not measured: this user may not open NVIDIA's devices "
                      "(/dev/nvidia*)");
    else
        (void)sc_fail(err, SC_ERR_FAILED, "GPUs are not measured: NVIDIA's driver says \"%s\"",
                      sc_nvml_text(nvml, result));
}

enum sc_nvml_found sc_nvml_open(struct sc_nvml *ret, const char *library,
                                const char *driver_version, struct sc_err *err)
{
    void *loaded = load(library);
    if (loaded == NULL) {
        if (access(driver_version, F_OK) != 0)
            return SC_NVML_NONE;
        (void)sc_fail(err, SC_ERR_FAILED,
                      "GPUs are not measured: NVIDIA's driver runs, but its library "
                      "libnvidia-ml.so.1 is not here (in a container: set "
                      "NVIDIA_DRIVER_CAPABILITIES=compute,utility)");
        return SC_NVML_BROKEN;
    }
    const char *missing = find_functions(loaded, ret);
    if (missing != NULL) {
        (void)sc_fail(err, SC_ERR_FAILED,
                      "GPUs are not measured: NVIDIA's driver is too old, its libnvidia-ml.so.1 "
                      "has no %s",
                      missing);
        return SC_NVML_BROKEN;
    }
    int result = ret->init();
    if (result == SC_NVML_SUCCESS)
        return SC_NVML_READY;
    if (result == SC_NVML_DRIVER_NOT_LOADED)
        return SC_NVML_NONE;
    explain_init(ret, result, err);
    return SC_NVML_BROKEN;
}

const char *sc_nvml_text(const struct sc_nvml *nvml, int result)
{
    const char *text = nvml->error_text != NULL ? nvml->error_text(result) : NULL;
    return text != NULL ? text : "error without a name";
}

bool sc_nvml_is_gone(int result)
{
    return result == SC_NVML_GPU_IS_LOST || result == SC_NVML_RESET_REQUIRED ||
           result == SC_NVML_GPU_NOT_FOUND || result == SC_NVML_UNINITIALIZED ||
           result == SC_NVML_DRIVER_NOT_LOADED;
}
