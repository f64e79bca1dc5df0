/*
 * accelerator/neuron_text.h - parses what the tools of AWS Neuron print.
 *
 * `neuron-ls --json-output` prints a list with one object per device: neuron_device (its number),
 * nc_count, memory_size (bytes), neuroncore_ids, instance_type. `neuron-monitor` prints one object
 * per line and period; in neuron_runtime_data there is one item per process that uses the devices,
 * with its pid and a report: neuroncore_counters.neuroncores_in_use.N.neuroncore_utilization
 * (percent), and memory_used.neuron_runtime_used_bytes, where neuron_device is the sum and
 * usage_breakdown.neuroncore_memory_usage.N its parts by core. Source: the user guides of both
 * tools in the documentation of AWS Neuron (releases 2.9 to 2.29).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The largest machines have 64 devices with 8 cores each. */
#define SC_NEURON_DEVICES_MAX 64
#define SC_NEURON_CORES_MAX   1024

struct sc_neuron_device {
    unsigned number; /* the driver's */
    uint64_t total_bytes;
};

/* The machine. A core whose device is not known counts for the first. */
struct sc_neuron_machine {
    struct sc_neuron_device devices[SC_NEURON_DEVICES_MAX];
    size_t device_count;
    uint8_t device_of_core[SC_NEURON_CORES_MAX]; /* position in devices */
    char instance[48];                           /* "trn1.2xlarge", or "" */
};

/* Parses what neuron-ls has printed, as JSON or as its table. From a table we know only that there
 * are devices, and count them as one. False when there is none, or the text is neither. */
bool sc_neuron_read_machine(const char *text, size_t length, struct sc_neuron_machine *ret_machine);

/* What the program uses, and which process each core belonged to when it was last in use.
 * Initialise with {0}. */
struct sc_neuron_use {
    double load[SC_NEURON_DEVICES_MAX];         /* 0..1, mean over its cores in use */
    uint64_t used_bytes[SC_NEURON_DEVICES_MAX]; /* now */
    unsigned cores[SC_NEURON_DEVICES_MAX];      /* how many of the device's cores are in use */
    pid_t owner[SC_NEURON_CORES_MAX];
};

/* Parses one line of neuron-monitor; NULL when it is no report. To be freed (json_decref). */
json_t *sc_neuron_parse_report(const char *line, size_t length);

/* Reads what sc_neuron_parse_report has returned; of its processes only those in pids count. A
 * runtime also lists cores that it merely might use. So a core is in use once a process was busy or
 * held memory on it, for as long as that process still lists it. */
void sc_neuron_read_report(const json_t *report, const struct sc_neuron_machine *machine,
                           const pid_t *pids, size_t pid_count, struct sc_neuron_use *use);
