/*
 * tests/gpu/standin/nvml.c - a libnvidia-ml.so.1 that answers what a script says.
 *
 * The script is the file that $SC_STANDIN_NVML names, read anew at every call, so that a test, or
 * the program that it profiles, changes what is so by replacing it. One line each:
 *
 *   init RESULT MS             what nvmlInit_v2 returns, and how long it takes
 *   tick SECONDS               time of the newest sample; without it, the last sixth of a second
 *   device KEY=VALUE ...       a GPU: name uuid minor total_mb used_mb rate (percent), mig,
 *                              accounting, open (what the handle's function returns)
 *   instance KEY=VALUE ...     of the last device, which has to have mig=1
 *   process KEY=VALUE ...      of the last device or instance: pid, mb (-1: not reported),
 *                              sm (percent; -1: no sample; above 100: one of no time that is),
 *                              list (compute, graphics, both, mps),
 *                              samples and sum (accounting)
 *   error FUNCTION RESULT [N]  what a function returns, of the N-th of all devices and instances
 *                              or of all
 *   hang FUNCTION MS           how long a function takes
 *
 * Calls that set something are added to the file that $SC_STANDIN_NVML_LOG names.
 * Built with -DONLY_V1, -DONLY_V2, -DLONG_V3, -DNO_SAMPLES, -DNO_ACCOUNT_V2, -DNO_INIT it is a
 * driver of another age. Layouts and numbers: see src/accelerator/nvml.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "accelerator/nvml.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define DEVICES   16
#define PROCESSES 256

struct process {
    unsigned pid, samples;
    long sm, mb;
    unsigned long long sum;
    char list[16];
};

struct device {
    char name[64], uuid[64];
    unsigned minor, rate, mig, accounting, open;
    unsigned long long total_mb, used_mb;
    int parent; /* -1: a GPU */
    struct process processes[PROCESSES];
    unsigned process_count;
};

static struct {
    struct device devices[DEVICES];
    unsigned count;
    int init;
    unsigned init_ms;
    double tick_s; /* < 0: by the clock */
    int result;    /* of the function that reads it */
    unsigned hang_ms;
} script;

static void read_keys(char *line, struct device *device, struct process *process)
{
    char *rest = NULL;
    for (char *word = strtok_r(line, " \n", &rest); word != NULL;
         word = strtok_r(NULL, " \n", &rest)) {
        char *value = strchr(word, '=');
        if (value == NULL)
            continue;
        *value++ = '\0';
        unsigned long long number = strtoull(value, NULL, 10);
#define KEY(thing, key, field, type)                                                               \
    if (thing != NULL && strcmp(word, key) == 0)                                                   \
        thing->field = (type)number;
        KEY(device, "minor", minor, unsigned)
        KEY(device, "rate", rate, unsigned)
        KEY(device, "mig", mig, unsigned)
        KEY(device, "accounting", accounting, unsigned)
        KEY(device, "open", open, unsigned)
        KEY(device, "total_mb", total_mb, unsigned long long)
        KEY(device, "used_mb", used_mb, unsigned long long)
        KEY(process, "pid", pid, unsigned)
        KEY(process, "samples", samples, unsigned)
        KEY(process, "sum", sum, unsigned long long)
        KEY(process, "sm", sm, long)
        KEY(process, "mb", mb, long)
        if (device != NULL && strcmp(word, "name") == 0)
            (void)snprintf(device->name, sizeof(device->name), "%s", value);
        if (device != NULL && strcmp(word, "uuid") == 0)
            (void)snprintf(device->uuid, sizeof(device->uuid), "%s", value);
        if (process != NULL && strcmp(word, "list") == 0)
            (void)snprintf(process->list, sizeof(process->list), "%s", value);
    }
    if (device != NULL) /* a name is one word in the script */
        for (char *place = device->name; (place = strchr(place, '_')) != NULL;)
            *place = ' ';
}

static void read_device(char *line, bool is_instance)
{
    static int last_gpu;
    if (script.count == DEVICES)
        abort();
    struct device *device = &script.devices[script.count];
    *device = (struct device){.parent = is_instance ? last_gpu : -1};
    (void)snprintf(device->name, sizeof(device->name), "NVIDIA_Standin");
    if (!is_instance)
        last_gpu = (int)script.count;
    read_keys(line, device, NULL);
    script.count++;
}

static void read_process(char *line)
{
    struct device *device = &script.devices[script.count - 1];
    if (script.count == 0 || device->process_count == PROCESSES)
        abort();
    struct process *process = &device->processes[device->process_count++];
    *process = (struct process){.list = "compute", .sm = -1};
    read_keys(line, NULL, process);
}

/* number: of all devices; -1: the function is of none. */
static int begin(const char *function, int number)
{
    const char *path = getenv("SC_STANDIN_NVML");
    FILE *file = path != NULL ? fopen(path, "re") : NULL;
    if (file == NULL)
        return SC_NVML_DRIVER_NOT_LOADED;
    char line[512];
    char name[64];
    int result = 0;
    int where = 0;
    unsigned ms = 0;
    script.count = script.init_ms = script.hang_ms = 0;
    script.init = script.result = 0;
    script.tick_s = -1;
    while (fgets(line, sizeof(line), file) != NULL) {
        if (strncmp(line, "device", 6) == 0)
            read_device(line, false);
        else if (strncmp(line, "instance", 8) == 0)
            read_device(line, true);
        else if (strncmp(line, "process", 7) == 0)
            read_process(line);
        else if (sscanf(line, "init %d %u", &script.init, &script.init_ms) > 0 ||
                 sscanf(line, "tick %lf", &script.tick_s) > 0)
            continue;
        else if (sscanf(line, "hang %63s %u", name, &ms) == 2 && strcmp(name, function) == 0)
            script.hang_ms = ms;
        else if ((where = -1, sscanf(line, "error %63s %d %d", name, &result, &where)) >= 2 &&
                 strcmp(name, function) == 0 && (where < 0 || where == number))
            script.result = result;
    }
    (void)fclose(file);
    if (script.hang_ms > 0)
        (void)usleep(script.hang_ms * 1000);
    return script.result;
}

static int number_of(sc_nvml_device device)
{
    return (int)(uintptr_t)device - 1;
}

/* For functions of a device: reads the script, and leaves when it says so. */
#define BEGIN(device)                                                                              \
    int begun = begin(__func__, number_of(device));                                                \
    if (begun != 0)                                                                                \
        return begun;                                                                              \
    struct device *of = &script.devices[number_of(device)];                                        \
    if (number_of(device) < 0 || number_of(device) >= (int)script.count)                           \
        return SC_NVML_GPU_IS_LOST;                                                                \
    (void)of

#ifndef NO_INIT
int nvmlInit_v2(void);
int nvmlInit_v2(void)
{
    int result = begin(__func__, -1);
    (void)usleep(script.init_ms * 1000);
    return result != 0 ? result : script.init;
}
#endif

int nvmlShutdown(void);
int nvmlShutdown(void)
{
    return begin(__func__, -1);
}

const char *nvmlErrorString(int result);
const char *nvmlErrorString(int result)
{
    return result == SC_NVML_GPU_IS_LOST     ? "GPU is lost"
           : result == SC_NVML_NOT_SUPPORTED ? "Not Supported"
           : result == SC_NVML_NO_PERMISSION ? "Insufficient Permissions"
                                             : "Unknown Error";
}

int nvmlDeviceGetCount_v2(unsigned *count);
int nvmlDeviceGetCount_v2(unsigned *count)
{
    int result = begin(__func__, -1);
    *count = 0;
    for (unsigned i = 0; i < script.count; i++)
        *count += script.devices[i].parent < 0;
    return result;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, sc_nvml_device *device);
int nvmlDeviceGetHandleByIndex_v2(unsigned index, sc_nvml_device *device)
{
    int result = begin(__func__, -1);
    for (unsigned i = 0; result == 0 && i < script.count; i++)
        if (script.devices[i].parent < 0 && index-- == 0) {
            *device = (sc_nvml_device)(uintptr_t)(i + 1);
            return (int)script.devices[i].open;
        }
    return result != 0 ? result : 2;
}

int nvmlDeviceGetName(sc_nvml_device device, char *name, unsigned size);
int nvmlDeviceGetName(sc_nvml_device device, char *name, unsigned size)
{
    BEGIN(device);
    (void)snprintf(name, size, "%s", of->name);
    return 0;
}

int nvmlDeviceGetUUID(sc_nvml_device device, char *uuid, unsigned size);
int nvmlDeviceGetUUID(sc_nvml_device device, char *uuid, unsigned size)
{
    BEGIN(device);
    (void)snprintf(uuid, size, "%s", of->uuid);
    return 0;
}

int nvmlDeviceGetMinorNumber(sc_nvml_device device, unsigned *minor);
int nvmlDeviceGetMinorNumber(sc_nvml_device device, unsigned *minor)
{
    BEGIN(device);
    *minor = of->minor;
    return 0;
}

int nvmlDeviceGetMemoryInfo(sc_nvml_device device, struct sc_nvml_memory *memory);
int nvmlDeviceGetMemoryInfo(sc_nvml_device device, struct sc_nvml_memory *memory)
{
    BEGIN(device);
    memory->total = of->total_mb << 20;
    memory->used = (of->used_mb + 500) << 20; /* with what is reserved */
    memory->free = memory->total - memory->used;
    return 0;
}

int nvmlDeviceGetMemoryInfo_v2(sc_nvml_device device, struct sc_nvml_memory_v2 *memory);
int nvmlDeviceGetMemoryInfo_v2(sc_nvml_device device, struct sc_nvml_memory_v2 *memory)
{
    BEGIN(device);
    if (memory->version != 0x02000028)
        return 25; /* NVML_ERROR_ARGUMENT_VERSION_MISMATCH */
    memory->total = of->total_mb << 20;
    memory->reserved = 500 << 20;
    memory->used = of->used_mb << 20;
    memory->free = memory->total - memory->used - memory->reserved;
    return 0;
}

int nvmlDeviceGetUtilizationRates(sc_nvml_device device, struct sc_nvml_rates *rates);
int nvmlDeviceGetUtilizationRates(sc_nvml_device device, struct sc_nvml_rates *rates)
{
    BEGIN(device);
    if (of->parent >= 0 || of->mig != 0)
        return SC_NVML_NOT_SUPPORTED;
    *rates = (struct sc_nvml_rates){.gpu = of->rate};
    return 0;
}

static bool is_in(const struct process *process, const char *list)
{
    return strcmp(process->list, list) == 0 ||
           (strcmp(process->list, "both") == 0 && strcmp(list, "mps") != 0);
}

/* version 4: what _v3 gave in the first drivers of R535 */
static int list(const struct device *of, const char *name, int version, unsigned *count,
                void *processes)
{
    unsigned room = *count;
    unsigned found = 0;
    size_t stride = version == 1 ? 16 : version == 4 ? 32 : 24;
    for (unsigned i = 0; i < of->process_count; i++)
        found += is_in(&of->processes[i], name);
    *count = found;
    if (found > room)
        return SC_NVML_INSUFFICIENT_SIZE;
    char *place = processes;
    for (unsigned i = 0; i < of->process_count; i++) {
        const struct process *process = &of->processes[i];
        if (!is_in(process, name))
            continue;
        struct sc_nvml_process_535 item = {
            .common = {.pid = process->pid,
                       .used_bytes = process->mb < 0 ? SC_NVML_NOT_AVAILABLE
                                                     : (unsigned long long)process->mb << 20,
                       .gpu_instance = UINT32_MAX,
                       .compute_instance = UINT32_MAX},
        };
        memcpy(place, &item, stride);
        place += stride;
    }
    return 0;
}

#define LIST(function, name, version)                                                              \
    int function(sc_nvml_device device, unsigned *count, void *processes);                         \
    int function(sc_nvml_device device, unsigned *count, void *processes)                          \
    {                                                                                              \
        BEGIN(device);                                                                             \
        return list(of, name, version, count, processes);                                          \
    }
LIST(nvmlDeviceGetComputeRunningProcesses, "compute", 1)
LIST(nvmlDeviceGetGraphicsRunningProcesses, "graphics", 1)
LIST(nvmlDeviceGetMPSComputeRunningProcesses, "mps", 1)
#ifndef ONLY_V1
LIST(nvmlDeviceGetComputeRunningProcesses_v2, "compute", 2)
LIST(nvmlDeviceGetGraphicsRunningProcesses_v2, "graphics", 2)
LIST(nvmlDeviceGetMPSComputeRunningProcesses_v2, "mps", 2)
#ifndef ONLY_V2
#ifdef LONG_V3
#define V3 4
#else
#define V3 3
#endif
LIST(nvmlDeviceGetComputeRunningProcesses_v3, "compute", V3)
LIST(nvmlDeviceGetGraphicsRunningProcesses_v3, "graphics", V3)
LIST(nvmlDeviceGetMPSComputeRunningProcesses_v3, "mps", V3)
#endif
#endif

#ifndef NO_SAMPLES
static unsigned long long newest_us(void)
{
    if (script.tick_s >= 0)
        return (unsigned long long)(script.tick_s * 1e6);
    struct timespec now;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    unsigned long long us =
        (unsigned long long)now.tv_sec * 1000000U + (unsigned long long)now.tv_nsec / 1000U;
    return us - us % 166667U;
}

int nvmlDeviceGetProcessUtilization(sc_nvml_device device, struct sc_nvml_sample *samples,
                                    unsigned *count, unsigned long long newer_than_us);
int nvmlDeviceGetProcessUtilization(sc_nvml_device device, struct sc_nvml_sample *samples,
                                    unsigned *count, unsigned long long newer_than_us)
{
    BEGIN(device);
    if (of->parent >= 0 || of->mig != 0)
        return SC_NVML_NOT_SUPPORTED;
    unsigned room = samples != NULL ? *count : 0;
    unsigned found = 0;
    for (unsigned i = 0; i < of->process_count; i++)
        found += of->processes[i].sm >= 0 && newest_us() > newer_than_us;
    *count = found;
    if (found == 0)
        return SC_NVML_NOT_FOUND;
    if (found > room)
        return SC_NVML_INSUFFICIENT_SIZE;
    for (unsigned i = 0; i < of->process_count; i++)
        if (of->processes[i].sm >= 0)
            *samples++ = (struct sc_nvml_sample){.pid = of->processes[i].pid,
                                                 .time_us = of->processes[i].sm > 100 ? UINT64_MAX
                                                                                      : newest_us(),
                                                 .sm_percent = (unsigned)of->processes[i].sm};
    return 0;
}
#endif

int nvmlDeviceGetAccountingMode(sc_nvml_device device, int *is_on);
int nvmlDeviceGetAccountingMode(sc_nvml_device device, int *is_on)
{
    BEGIN(device);
    *is_on = (int)of->accounting;
    return 0;
}

#ifndef NO_ACCOUNT_V2
int nvmlDeviceGetAccountingStats_v2(sc_nvml_device device, struct sc_nvml_account_v2 *account);
int nvmlDeviceGetAccountingStats_v2(sc_nvml_device device, struct sc_nvml_account_v2 *account)
{
    BEGIN(device);
    for (unsigned i = 0; of->accounting != 0 && i < of->process_count; i++) {
        const struct process *process = &of->processes[i];
        if (process->pid != account->pid)
            continue;
        account->is_running = 1;
        account->sample_count = process->samples;
        account->sum_gpu = process->sum;
        return 0;
    }
    return SC_NVML_NOT_FOUND;
}
#endif

int nvmlDeviceGetPersistenceMode(sc_nvml_device device, int *is_on);
int nvmlDeviceGetPersistenceMode(sc_nvml_device device, int *is_on)
{
    BEGIN(device);
    *is_on = 0;
    return 0;
}

static int set(const char *what, sc_nvml_device device, int is_on)
{
    const char *path = getenv("SC_STANDIN_NVML_LOG");
    FILE *log = path != NULL ? fopen(path, "ae") : NULL;
    if (log == NULL)
        return 0;
    (void)fprintf(log, "%s %d %d\n", what, number_of(device), is_on);
    (void)fclose(log);
    return 0;
}

int nvmlDeviceSetAccountingMode(sc_nvml_device device, int is_on);
int nvmlDeviceSetAccountingMode(sc_nvml_device device, int is_on)
{
    BEGIN(device);
    return set("accounting", device, is_on);
}

int nvmlDeviceSetPersistenceMode(sc_nvml_device device, int is_on);
int nvmlDeviceSetPersistenceMode(sc_nvml_device device, int is_on)
{
    BEGIN(device);
    return set("persistence", device, is_on);
}

int nvmlDeviceGetMigMode(sc_nvml_device device, unsigned *current, unsigned *pending);
int nvmlDeviceGetMigMode(sc_nvml_device device, unsigned *current, unsigned *pending)
{
    BEGIN(device);
    *current = *pending = of->mig;
    return 0;
}

int nvmlDeviceGetMaxMigDeviceCount(sc_nvml_device device, unsigned *count);
int nvmlDeviceGetMaxMigDeviceCount(sc_nvml_device device, unsigned *count)
{
    BEGIN(device);
    *count = 7;
    return 0;
}

int nvmlDeviceGetMigDeviceHandleByIndex(sc_nvml_device device, unsigned index, sc_nvml_device *mig);
int nvmlDeviceGetMigDeviceHandleByIndex(sc_nvml_device device, unsigned index, sc_nvml_device *mig)
{
    BEGIN(device);
    for (unsigned i = 0; i < script.count; i++)
        if (script.devices[i].parent == number_of(device) && index-- == 0) {
            *mig = (sc_nvml_device)(uintptr_t)(i + 1);
            return 0;
        }
    return SC_NVML_NOT_FOUND;
}
