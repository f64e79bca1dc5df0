/*
 * accelerator/nvml.h - NVIDIA's management library NVML, loaded at run time; its header is not
 * needed.
 *
 * Names, numbers and layouts are those of nvml.h as NVIDIA documents it (NVML API Reference Guide,
 * R535 to R580) and as its own Python binding, nvidia-ml-py, has them in ctypes. NVIDIA keeps them
 * stable: a changed structure gets a function with another name (tools/check_nvml.py compares).
 * Older drivers lack newer functions, so every pointer not marked "needed" may be NULL.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* nvmlReturn_t, only the values that we use */
enum sc_nvml_result {
    SC_NVML_SUCCESS = 0,
    SC_NVML_UNINITIALIZED = 1,
    SC_NVML_NOT_SUPPORTED = 3,
    SC_NVML_NO_PERMISSION = 4,
    SC_NVML_NOT_FOUND = 6,
    SC_NVML_INSUFFICIENT_SIZE = 7,
    SC_NVML_DRIVER_NOT_LOADED = 9,
    SC_NVML_FUNCTION_NOT_FOUND = 13,
    SC_NVML_GPU_IS_LOST = 15,
    SC_NVML_RESET_REQUIRED = 16,
    SC_NVML_VERSION_MISMATCH = 18, /* NVML_ERROR_LIB_RM_VERSION_MISMATCH */
    SC_NVML_GPU_NOT_FOUND = 28,
};

#define SC_NVML_NOT_AVAILABLE UINT64_MAX /* NVML_VALUE_NOT_AVAILABLE as a 64-bit number */

typedef struct nvmlDevice_st *sc_nvml_device; /* nvmlDevice_t */

struct sc_nvml_memory { /* nvmlMemory_t */
    unsigned long long total, free, used;
};

struct sc_nvml_memory_v2 { /* nvmlMemory_v2_t; used excludes what the driver reserves */
    unsigned version;      /* SC_NVML_MEMORY_V2 */
    unsigned long long total, reserved, free, used;
};
#define SC_NVML_MEMORY_V2 ((unsigned)sizeof(struct sc_nvml_memory_v2) | 2U << 24)

struct sc_nvml_rates { /* nvmlUtilization_t, percent */
    unsigned gpu, memory;
};

struct sc_nvml_process_v1 { /* nvmlProcessInfo_v1_t: of the functions without a version in their
                             * name */
    unsigned pid;
    unsigned long long used_bytes; /* or SC_NVML_NOT_AVAILABLE */
};

struct sc_nvml_process { /* nvmlProcessInfo_v2_t, which the _v3 functions use too */
    unsigned pid;
    unsigned long long used_bytes;
    unsigned gpu_instance, compute_instance;
};

struct sc_nvml_process_535 { /* what _v3 returned in the first drivers of R535 only */
    struct sc_nvml_process common;
    unsigned long long protected_bytes;
};

struct sc_nvml_sample { /* nvmlProcessUtilizationSample_t */
    unsigned pid;
    unsigned long long time_us;
    unsigned sm_percent, memory_percent, encoder_percent, decoder_percent;
};

struct sc_nvml_account_v2 { /* nvmlAccountingStats_v2_t */
    unsigned pid;           /* set by the caller */
    unsigned is_running, gpu_percent, memory_percent;
    unsigned long long peak_bytes;
    unsigned sample_count;      /* since the process began */
    unsigned long long sum_gpu; /* of those samples, in hundredths of a percent */
    unsigned long long sum_memory;
    unsigned long long time_ms, start_us;
};

_Static_assert(sizeof(struct sc_nvml_process_v1) == 16 && sizeof(struct sc_nvml_process) == 24 &&
                   sizeof(struct sc_nvml_process_535) == 32 &&
                   sizeof(struct sc_nvml_sample) == 32 && sizeof(struct sc_nvml_account_v2) == 64 &&
                   sizeof(struct sc_nvml_memory_v2) == 40,
               "the driver's layouts");

/* Reads one of the lists of processes. All have this signature; the layout of the items depends on
 * the version. */
typedef int sc_nvml_list_function(sc_nvml_device device, unsigned *count, void *processes);

/* needed or not, our name, NVML's name, arguments */
#define SC_NVML_FUNCTIONS(X)                                                                       \
    X(true, init, "nvmlInit_v2", (void))                                                           \
    X(true, shutdown, "nvmlShutdown", (void))                                                      \
    X(true, count, "nvmlDeviceGetCount_v2", (unsigned *count))                                     \
    X(true, device, "nvmlDeviceGetHandleByIndex_v2", (unsigned index, sc_nvml_device *device))     \
    X(false, name, "nvmlDeviceGetName", (sc_nvml_device device, char *name, unsigned size))        \
    X(false, uuid, "nvmlDeviceGetUUID", (sc_nvml_device device, char *uuid, unsigned size))        \
    X(false, minor, "nvmlDeviceGetMinorNumber", (sc_nvml_device device, unsigned *minor))          \
    X(false, memory, "nvmlDeviceGetMemoryInfo",                                                    \
      (sc_nvml_device device, struct sc_nvml_memory * memory))                                     \
    X(false, memory_v2, "nvmlDeviceGetMemoryInfo_v2",                                              \
      (sc_nvml_device device, struct sc_nvml_memory_v2 * memory))                                  \
    X(false, rates, "nvmlDeviceGetUtilizationRates",                                               \
      (sc_nvml_device device, struct sc_nvml_rates * rates))                                       \
    X(false, samples, "nvmlDeviceGetProcessUtilization",                                           \
      (sc_nvml_device device, struct sc_nvml_sample * samples, unsigned *count,                    \
       unsigned long long newer_than_us))                                                          \
    X(false, accounting, "nvmlDeviceGetAccountingMode", (sc_nvml_device device, int *is_on))       \
    X(false, account_v2, "nvmlDeviceGetAccountingStats_v2",                                        \
      (sc_nvml_device device, struct sc_nvml_account_v2 * account))                                \
    X(false, persistence, "nvmlDeviceGetPersistenceMode", (sc_nvml_device device, int *is_on))     \
    X(false, set_accounting, "nvmlDeviceSetAccountingMode", (sc_nvml_device device, int is_on))    \
    X(false, set_persistence, "nvmlDeviceSetPersistenceMode", (sc_nvml_device device, int is_on))  \
    X(false, mig_mode, "nvmlDeviceGetMigMode",                                                     \
      (sc_nvml_device device, unsigned *current, unsigned *pending))                               \
    X(false, mig_limit, "nvmlDeviceGetMaxMigDeviceCount",                                          \
      (sc_nvml_device device, unsigned *count))                                                    \
    X(false, mig_device, "nvmlDeviceGetMigDeviceHandleByIndex",                                    \
      (sc_nvml_device device, unsigned index, sc_nvml_device *mig))                                \
    X(false, compute_v1, "nvmlDeviceGetComputeRunningProcesses",                                   \
      (sc_nvml_device device, unsigned *count, void *processes))                                   \
    X(false, compute_v2, "nvmlDeviceGetComputeRunningProcesses_v2",                                \
      (sc_nvml_device device, unsigned *count, void *processes))                                   \
    X(false, compute_v3, "nvmlDeviceGetComputeRunningProcesses_v3",                                \
      (sc_nvml_device device, unsigned *count, void *processes))                                   \
    X(false, graphics_v1, "nvmlDeviceGetGraphicsRunningProcesses",                                 \
      (sc_nvml_device device, unsigned *count, void *processes))                                   \
    X(false, graphics_v2, "nvmlDeviceGetGraphicsRunningProcesses_v2",                              \
      (sc_nvml_device device, unsigned *count, void *processes))                                   \
    X(false, graphics_v3, "nvmlDeviceGetGraphicsRunningProcesses_v3",                              \
      (sc_nvml_device device, unsigned *count, void *processes))                                   \
    X(false, mps_v1, "nvmlDeviceGetMPSComputeRunningProcesses",                                    \
      (sc_nvml_device device, unsigned *count, void *processes))                                   \
    X(false, mps_v2, "nvmlDeviceGetMPSComputeRunningProcesses_v2",                                 \
      (sc_nvml_device device, unsigned *count, void *processes))                                   \
    X(false, mps_v3, "nvmlDeviceGetMPSComputeRunningProcesses_v3",                                 \
      (sc_nvml_device device, unsigned *count, void *processes))

struct sc_nvml {
#define X_POINTER(needed, field, name, arguments) int(*field) arguments;
    SC_NVML_FUNCTIONS(X_POINTER)
#undef X_POINTER
    const char *(*error_text)(int result); /* nvmlErrorString, may be NULL */
};

/* The result of sc_nvml_open. */
enum sc_nvml_found {
    SC_NVML_NONE,   /* no NVIDIA driver here: nothing to report */
    SC_NVML_BROKEN, /* there is one, and err says why it cannot be used */
    SC_NVML_READY,
};

/* Loads the library and initialises it, which may take seconds. library is a file's name as dlopen
 * takes it; NULL for the usual ones. When the library is missing but the file driver_version
 * (/proc/driver/nvidia/version) exists, there is a driver, and the result is SC_NVML_BROKEN. */
enum sc_nvml_found sc_nvml_open(struct sc_nvml *ret, const char *library,
                                const char *driver_version, struct sc_err *err);

/* The library's own text for a result. Never NULL. */
const char *sc_nvml_text(const struct sc_nvml *nvml, int result);

/* Whether the result means that the device is gone for good. */
bool sc_nvml_is_gone(int result);
