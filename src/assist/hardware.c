/* assist/hardware.c - see hardware.h. SPDX-License-Identifier: Apache-2.0 */
#include "assist/hardware.h"

#include <dirent.h>
#include <sched.h>
#include <string.h>
#include <sys/sysinfo.h>

#include "base/io.h"
#include "base/mem.h"

#define FILE_LIMIT_BYTES ((size_t)4 << 20)
#define NAME_MAX_LENGTH  80U
#define DEVICES_MAX      8U

/* What stands behind "name : " on a line of a file under /proc. To be freed; NULL when absent. */
static char *value_of(const char *path, const char *name)
{
    SC_AUTO(sc_str_done) struct sc_str bytes = {0};
    char *value = NULL;
    const char *line = sc_read_file(path, FILE_LIMIT_BYTES, &bytes, NULL)
                           ? strstr(sc_str_text(&bytes), name)
                           : NULL;
    if (line != NULL) {
        line += strlen(name);
        line += strspn(line, " \t:");
        size_t length = strcspn(line, "\n");
        value = sc_strndup(line, length < NAME_MAX_LENGTH ? length : NAME_MAX_LENGTH);
    }
    return value;
}

static void add_nvidia(struct sc_str *text)
{
    static const char folder[] = "/proc/driver/nvidia/gpus";
    DIR *gpus = opendir(folder);
    if (gpus == NULL)
        return;
    for (struct dirent *entry; (entry = readdir(gpus)) != NULL;) {
        SC_AUTO_FREE char *path = sc_format("%s/%s/information", folder, entry->d_name);
        SC_AUTO_FREE char *model = entry->d_name[0] != '.' ? value_of(path, "Model:") : NULL;
        if (model != NULL)
            sc_str_add_format(text, ", %s", model);
    }
    (void)closedir(gpus);
}

/* The devices that were used, from a profile. */
static void add_profiled(struct sc_str *text, const struct sc_profile *profile)
{
    size_t before = text->length;
    for (size_t i = 0; i < profile->gpu_devices.count && i < DEVICES_MAX; i++) {
        const struct sc_gpu_device *device = &profile->gpu_devices.items[i];
        bool is_used = device->load_percent > 0.0 || device->peak_mb > 0.0;
        if (is_used && device->name != NULL && device->name[0] != '\0')
            sc_str_add_format(text, ", %.80s", device->name);
    }
    if (text->length > before)
        return;
    if (profile->gpu_device != NULL && profile->gpu_device[0] != '\0')
        sc_str_add_format(text, ", a device \"%.60s\"", profile->gpu_device);
    else
        sc_str_add(text, ", no GPU");
}

void sc_hardware_add(struct sc_str *text, const struct sc_profile *profile)
{
    SC_AUTO_FREE char *model = value_of("/proc/cpuinfo", "model name");
    cpu_set_t processors;
    struct sysinfo info;
    sc_str_add(text, model != NULL ? model : "a processor");
    if (sched_getaffinity(0, sizeof(processors), &processors) == 0)
        sc_str_add_format(text, ", %d processor(s) to use", CPU_COUNT(&processors));
    if (sysinfo(&info) == 0)
        sc_str_add_format(text, ", %.0f GB of memory",
                          (double)info.totalram * info.mem_unit / (1024.0 * 1024.0 * 1024.0));
    size_t before = text->length;
    add_nvidia(text);
    if (text->length == before)
        add_profiled(text, profile);
}
