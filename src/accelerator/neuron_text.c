/* accelerator/neuron_text.c - see neuron_text.h. SPDX-License-Identifier: Apache-2.0 */
#include "accelerator/neuron_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* How all of the program's processes together use one core, by one report. */
struct core {
    bool is_in_use;
    double load; /* 0..1 */
    uint64_t used_bytes;
    pid_t owner;
};

/* One report, core by core; memory that a runtime does not report per core is kept per device. */
struct reading {
    const struct sc_neuron_machine *machine;
    struct core cores[SC_NEURON_CORES_MAX];
    uint64_t other_bytes[SC_NEURON_DEVICES_MAX];
};

/* 0 for what is no number or is negative. */
static double number_of(const json_t *value)
{
    double number = json_number_value(value);
    return number > 0 ? number : 0;
}

static uint64_t bytes_of(const json_t *value)
{
    static const double beyond = 1ULL << 62U;
    double number = number_of(value);
    return number < beyond ? (uint64_t)number : 0;
}

/* Parses a decimal number below limit; false for anything else. */
static bool index_of(const char *text, unsigned long limit, unsigned *ret_index)
{
    char *end = NULL;
    if (text[0] < '0' || text[0] > '9')
        return false;
    unsigned long number = strtoul(text, &end, 10);
    if (*end != '\0' || number >= limit)
        return false;
    *ret_index = (unsigned)number;
    return true;
}

static void add_device(struct sc_neuron_machine *machine, const json_t *entry)
{
    if (!json_is_object(entry) || machine->device_count == SC_NEURON_DEVICES_MAX)
        return;
    size_t position = machine->device_count++;
    const json_t *number = json_object_get(entry, "neuron_device");
    machine->devices[position] = (struct sc_neuron_device){
        .number = json_is_integer(number) && json_integer_value(number) >= 0 &&
                          json_integer_value(number) < UINT16_MAX
                      ? (unsigned)json_integer_value(number)
                      : (unsigned)position,
        .total_bytes = bytes_of(json_object_get(entry, "memory_size"))};
    const json_t *cores = json_object_get(entry, "neuroncore_ids");
    for (size_t i = 0; i < json_array_size(cores); i++) {
        json_int_t core = json_integer_value(json_array_get(cores, i));
        if (core >= 0 && core < SC_NEURON_CORES_MAX)
            machine->device_of_core[core] = (uint8_t)position;
    }
    /* older tools report only how many cores a device has; they are numbered consecutively */
    json_int_t count = json_integer_value(json_object_get(entry, "nc_count"));
    if (cores != NULL || count > SC_NEURON_CORES_MAX)
        count = 0;
    for (json_int_t i = 0; i < count; i++) {
        json_int_t core = (json_int_t)machine->devices[position].number * count + i;
        if (core < SC_NEURON_CORES_MAX)
            machine->device_of_core[core] = (uint8_t)position;
    }
    const char *instance = json_string_value(json_object_get(entry, "instance_type"));
    if (instance != NULL)
        (void)snprintf(machine->instance, sizeof(machine->instance), "%s", instance);
}

bool sc_neuron_read_machine(const char *text, size_t length, struct sc_neuron_machine *ret_machine)
{
    struct sc_neuron_machine machine = {0};
    json_t *list = json_loadb(text, length, 0, NULL);
    for (size_t i = 0; i < json_array_size(list); i++)
        add_device(&machine, json_array_get(list, i));
    json_decref(list);
    /* the table has a row of names above the rows of devices */
    if (list == NULL && memmem(text, length, "NEURON", 6) != NULL &&
        memmem(text, length, "| 0 ", 4) != NULL)
        machine.device_count = 1;
    if (machine.device_count == 0)
        return false;
    *ret_machine = machine;
    return true;
}

/* All memory that a runtime has on one core: a sum of numbers, whose keys depend on the version. */
static uint64_t sum_of(const json_t *parts)
{
    uint64_t sum = 0;
    const char *name;
    json_t *part;
    if (json_is_number(parts))
        return bytes_of(parts);
    json_object_foreach((json_t *)parts, name, part) sum += bytes_of(part);
    return sum;
}

static void read_memory(const json_t *report, pid_t pid, struct reading *reading)
{
    const json_t *used =
        json_object_get(json_object_get(report, "memory_used"), "neuron_runtime_used_bytes");
    json_t *by_core =
        json_object_get(json_object_get(used, "usage_breakdown"), "neuroncore_memory_usage");
    uint64_t placed = 0;
    unsigned home = 0;
    const char *name;
    json_t *parts;
    json_object_foreach(by_core, name, parts)
    {
        unsigned index;
        uint64_t bytes = sum_of(parts);
        if (bytes == 0 || !index_of(name, SC_NEURON_CORES_MAX, &index))
            continue;
        struct core *core = &reading->cores[index];
        core->used_bytes += bytes;
        core->owner = pid;
        core->is_in_use = true;
        home = reading->machine->device_of_core[index];
        placed += bytes;
    }
    /* the total may exceed its parts, and older runtimes report only the total */
    uint64_t all = bytes_of(json_object_get(used, "neuron_device"));
    if (all > placed)
        reading->other_bytes[home] += all - placed;
}

static void read_cores(const json_t *report, pid_t pid, const struct sc_neuron_use *use,
                       struct reading *reading)
{
    json_t *named =
        json_object_get(json_object_get(report, "neuroncore_counters"), "neuroncores_in_use");
    const char *name;
    json_t *counters;
    json_object_foreach(named, name, counters)
    {
        unsigned index;
        if (!index_of(name, SC_NEURON_CORES_MAX, &index))
            continue;
        struct core *core = &reading->cores[index];
        double load = number_of(json_object_get(counters, "neuroncore_utilization")) / 100;
        core->load = core->load + load < 1 ? core->load + load : 1;
        if (load > 0 || use->owner[index] == pid) {
            core->is_in_use = true;
            core->owner = pid;
        }
    }
}

static bool is_ours(pid_t pid, const pid_t *pids, size_t pid_count)
{
    for (size_t i = 0; i < pid_count; i++)
        if (pids[i] == pid)
            return true;
    return false;
}

static void sum_up(const struct reading *reading, struct sc_neuron_use *use)
{
    memset(use->load, 0, sizeof(use->load));
    memset(use->cores, 0, sizeof(use->cores));
    memcpy(use->used_bytes, reading->other_bytes, sizeof(use->used_bytes));
    for (size_t i = 0; i < SC_NEURON_CORES_MAX; i++) {
        const struct core *core = &reading->cores[i];
        use->owner[i] = core->is_in_use ? core->owner : 0;
        if (!core->is_in_use)
            continue;
        size_t device = reading->machine->device_of_core[i];
        use->load[device] += core->load;
        use->used_bytes[device] += core->used_bytes;
        use->cores[device]++;
    }
    for (size_t i = 0; i < SC_NEURON_DEVICES_MAX; i++)
        if (use->cores[i] > 0)
            use->load[i] /= use->cores[i];
}

static void read_runtimes(const json_t *runtimes, const pid_t *pids, size_t pid_count,
                          const struct sc_neuron_use *use, struct reading *reading)
{
    for (size_t i = 0; i < json_array_size(runtimes); i++) {
        const json_t *runtime = json_array_get(runtimes, i);
        json_int_t pid = json_integer_value(json_object_get(runtime, "pid"));
        const json_t *report = json_object_get(runtime, "report");
        if (pid <= 0 || pid > INT32_MAX || !is_ours((pid_t)pid, pids, pid_count))
            continue;
        read_memory(report, (pid_t)pid, reading);
        read_cores(report, (pid_t)pid, use, reading);
    }
}

json_t *sc_neuron_parse_report(const char *line, size_t length)
{
    json_t *root = json_loadb(line, length, 0, NULL);
    const json_t *runtimes = json_object_get(root, "neuron_runtime_data");
    /* with no runtime at all some versions leave the list out or write null */
    if (json_is_object(root) &&
        (runtimes == NULL || json_is_null(runtimes) || json_is_array(runtimes)))
        return root;
    json_decref(root);
    return NULL;
}

void sc_neuron_read_report(const json_t *report, const struct sc_neuron_machine *machine,
                           const pid_t *pids, size_t pid_count, struct sc_neuron_use *use)
{
    SC_AUTO_FREE struct reading *reading = sc_alloc(1, sizeof(*reading));
    reading->machine = machine;
    read_runtimes(json_object_get(report, "neuron_runtime_data"), pids, pid_count, use, reading);
    sum_up(reading, use);
}
