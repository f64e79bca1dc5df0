/*
 * accelerator/nvidia_load.c - the load of a GPU, per process where the driver reports that.
 *
 * The driver takes a sample of its own every sixth of a second to a second. A process that did
 * nothing has no sample. So the last sample counts until a newer one comes, but no longer than a
 * second, and not while the device as a whole is idle.
 *
 * Of the driver's accounting only the sums are used, which newer drivers have. The percentage that
 * all drivers have is a mean over the life of the process in whole numbers: after a minute, one
 * step of it is more than half a second of work, so differences of it give no usable rate.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "accelerator/nvidia_device.h"

/* The longest time between two samples of the driver (nvmlUtilization_t). */
#define SAMPLE_MAX_NS 1000000000U
/* When a device has had load for this long without a sample of any process, the driver takes none.
 */
#define MUTE_NS 2000000000U

static bool device_load(const struct sc_nvml *nvml, const struct sc_nvidia_device *device,
                        double *ret_load)
{
    struct sc_nvml_rates rates = {0};
    if (nvml->rates == NULL || nvml->rates(device->handle, &rates) != SC_NVML_SUCCESS ||
        rates.gpu > 100)
        return false;
    *ret_load = rates.gpu / 100.0;
    return true;
}

/* Some drivers give samples that they have not filled in, with numbers above 100 %. */
static bool is_valid(const struct sc_nvml_sample *sample)
{
    return sample->sm_percent <= 100;
}

/* The mean of a process's samples. */
static double mean_of(const struct sc_nvml_samples *samples, pid_t pid)
{
    double sum = 0;
    unsigned count = 0;
    SC_EACH(const struct sc_nvml_sample, sample, samples) {
        if ((pid_t)sample->pid != pid || !is_valid(sample))
            continue;
        sum += sample->sm_percent;
        count++;
    }
    return count > 0 ? sum / count / 100.0 : 0;
}

static bool see_newest(struct sc_nvidia_device *device, const struct sc_nvml_samples *samples)
{
    unsigned long long before = device->newest_us;
    SC_EACH(const struct sc_nvml_sample, sample, samples)
        if (is_valid(sample) && sample->time_us > device->newest_us)
            device->newest_us = sample->time_us;
    return device->newest_us > before;
}

/* Whether a watched process computes through an MPS server. Its work may be accounted to that
 * server. */
static bool have_server(const struct sc_nvidia_device *device, const struct sc_watched *watched)
{
    for (size_t i = 0; i < device->users.count; i++)
        if (device->users.items[i].has_server && sc_watches(watched, device->users.items[i].pid))
            return true;
    return false;
}

/* When there is no newer sample: decides whether the last load still holds. */
static void hold(const struct sc_nvml *nvml, struct sc_nvidia_device *device, uint64_t now_ns)
{
    double whole = 0;
    bool is_known = device_load(nvml, device, &whole);
    if ((is_known && whole == 0) || now_ns - device->load_ns > SAMPLE_MAX_NS)
        device->load = 0;
    if (device->has_samples)
        return;
    if (whole == 0)
        device->busy_since_ns = 0;
    else if (device->busy_since_ns == 0)
        device->busy_since_ns = now_ns;
    else if (now_ns - device->busy_since_ns > MUTE_NS)
        device->has_no_samples = true;
}

static bool by_samples(const struct sc_nvml *nvml, struct sc_nvidia_device *device,
                       const struct sc_watched *watched, uint64_t now_ns,
                       struct sc_nvml_samples *samples)
{
    if (device->is_mig || device->has_no_samples ||
        sc_nvml_samples_read(nvml, device->handle, device->newest_us, samples) != SC_NVML_SUCCESS)
        return false;
    if (!see_newest(device, samples)) {
        hold(nvml, device, now_ns);
        return !device->has_no_samples &&
               (device->has_own_samples || device->load_ns == 0 || !have_server(device, watched));
    }
    double load = 0;
    for (size_t i = 0; i < watched->count; i++)
        load += mean_of(samples, watched->pids[i]);
    device->load = load < 1 ? load : 1;
    device->load_ns = now_ns;
    device->has_samples = true;
    device->has_own_samples |= load > 0;
    return device->has_own_samples || !have_server(device, watched);
}

static struct sc_nvidia_account *account_of(struct sc_nvidia_device *device, pid_t pid)
{
    for (size_t i = 0; i < device->accounts.count; i++)
        if (device->accounts.items[i].pid == pid)
            return &device->accounts.items[i];
    return NULL;
}

/* Adds the load of one process since it was last looked at; false when the driver reports none. The
 * driver's sums are in hundredths of a percent per sample. */
static bool add_account(const struct sc_nvml *nvml, struct sc_nvidia_device *device, pid_t pid,
                        double *load, bool *is_new)
{
    struct sc_nvml_account_v2 now = {.pid = (unsigned)pid};
    if (nvml->account_v2(device->handle, &now) != SC_NVML_SUCCESS)
        return false;
    struct sc_nvidia_account *before = account_of(device, pid);
    if (before == NULL) {
        sc_vec_push(&device->accounts, (struct sc_nvidia_account){.pid = pid});
        before = &device->accounts.items[device->accounts.count - 1];
    } else if (now.sample_count > before->sample_count && now.sum_gpu >= before->sum) {
        *load += (double)(now.sum_gpu - before->sum) / (now.sample_count - before->sample_count) /
                 10000.0;
        *is_new = true;
    }
    before->sample_count = now.sample_count;
    before->sum = now.sum_gpu;
    return true;
}

static bool is_accounting(const struct sc_nvml *nvml, const struct sc_nvidia_device *device,
                          int *ret_is_on)
{
    return !device->is_mig && nvml->account_v2 != NULL && nvml->accounting != NULL &&
           nvml->accounting(device->handle, ret_is_on) == SC_NVML_SUCCESS;
}

static bool by_accounting(const struct sc_nvml *nvml, struct sc_nvidia_device *device,
                          const struct sc_watched *watched, uint64_t now_ns)
{
    int is_on = 0;
    if (!is_accounting(nvml, device, &is_on) || is_on == 0)
        return false;
    double load = 0;
    bool is_new = false;
    for (size_t i = 0; i < device->users.count; i++) {
        pid_t pid = device->users.items[i].pid;
        if (sc_watches(watched, pid) && !add_account(nvml, device, pid, &load, &is_new))
            return false;
    }
    if (is_new) {
        device->load = load < 1 ? load : 1;
        device->load_ns = now_ns;
    } else if (now_ns - device->load_ns > SAMPLE_MAX_NS) {
        device->load = 0;
    }
    return true;
}

enum sc_nvidia_load sc_nvidia_load_read(const struct sc_nvml *nvml, struct sc_nvidia_device *device,
                                        const struct sc_watched *watched, bool is_listed,
                                        uint64_t now_ns, struct sc_nvml_samples *samples,
                                        double *ret_load)
{
    if (is_listed && (by_samples(nvml, device, watched, now_ns, samples) ||
                      by_accounting(nvml, device, watched, now_ns))) {
        *ret_load = device->load;
        return SC_LOAD_OF_PROCESSES;
    }
    *ret_load = 0;
    return device_load(nvml, device, ret_load) ? SC_LOAD_OF_DEVICE : SC_LOAD_UNKNOWN;
}

void sc_nvidia_load_begin(const struct sc_nvml *nvml, struct sc_nvidia_device *device,
                          struct sc_nvml_samples *samples)
{
    if (!device->is_mig &&
        sc_nvml_samples_read(nvml, device->handle, 0, samples) == SC_NVML_SUCCESS)
        device->has_samples = see_newest(device, samples);
}

bool sc_nvidia_lacks_accounting(const struct sc_nvml *nvml, const struct sc_nvidia_device *device)
{
    int is_on = 0;
    return is_accounting(nvml, device, &is_on) && is_on == 0;
}
