/*
 * tests/fuzz/neuron_fuzz.c - what AWS Neuron's tools print and write.
 *
 * The first byte says what the rest is: a list of devices, a report, or three texts to be merged,
 * apart by zero bytes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "accelerator/neuron_text.h"
#include "neuron/merge.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_report(const char *text, size_t length)
{
    static const pid_t pids[] = {1, 100};
    struct sc_neuron_machine machine = {.device_count = 2};
    struct sc_neuron_use use = {0};
    for (size_t i = 0; i < SC_NEURON_CORES_MAX; i += 2)
        machine.device_of_core[i] = 1;
    json_auto_t *report = sc_neuron_parse_report(text, length);
    for (int round = 0; report != NULL && round < 2; round++) {
        sc_neuron_read_report(report, &machine, pids, 2, &use);
        for (size_t i = 0; i < SC_NEURON_DEVICES_MAX; i++)
            if (!(use.load[i] >= 0 && use.load[i] <= 1))
                abort();
    }
}

static void read_machine(const char *text, size_t length)
{
    struct sc_neuron_machine machine;
    if (!sc_neuron_read_machine(text, length, &machine))
        return;
    if (machine.device_count == 0 || machine.device_count > SC_NEURON_DEVICES_MAX)
        abort();
    for (size_t i = 0; i < SC_NEURON_CORES_MAX; i++)
        if (machine.device_of_core[i] >= machine.device_count)
            abort();
}

static void merge(const char *text, size_t length)
{
    struct sc_str parts[3] = {{0}};
    for (size_t i = 0; i < 3; i++) {
        const char *end = i < 2 ? memchr(text, '\0', length) : NULL;
        size_t part = end != NULL ? (size_t)(end - text) : length;
        sc_str_add_bytes(&parts[i], text, part);
        text += part + (end != NULL);
        length -= part + (end != NULL);
    }
    struct sc_str json = {0};
    struct sc_neuron_merged merged;
    struct sc_err err = {0};
    bool good =
        sc_neuron_merge(&parts[0], "p", &parts[1], "t", &parts[2], "d", &json, &merged, &err);
    if (good != (err.kind == SC_ERR_NONE) || good != (json.length > 0))
        abort();
    sc_str_done(&json);
    for (size_t i = 0; i < 3; i++)
        sc_str_done(&parts[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    const char *text = (const char *)data + 1;
    if (data[0] == 'd')
        read_machine(text, size - 1);
    else if (data[0] == 'r')
        read_report(text, size - 1);
    else
        merge(text, size - 1);
    return 0;
}
