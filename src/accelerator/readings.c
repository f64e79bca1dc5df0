/* accelerator/readings.c - see readings.h. SPDX-License-Identifier: Apache-2.0 */
#include "accelerator/readings.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void sc_accelerator_note(struct sc_str *notes, const char *format, ...)
{
    char line[480];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(line, sizeof(line), format, arguments);
    va_end(arguments);
    size_t length = strlen(line);
    const char *place = sc_str_text(notes);
    while ((place = strstr(place, line)) != NULL) {
        bool begins = place == notes->data || place[-1] == '\n';
        place += length;
        if (begins && (*place == '\n' || *place == '\0'))
            return;
    }
    if (notes->length > 0)
        sc_str_add_char(notes, '\n');
    sc_str_add(notes, line);
}

void sc_readings_begin(struct sc_readings *readings, const struct sc_device *devices, size_t count)
{
    readings->device_count = count;
    if (count > 0)
        memcpy(readings->devices, devices, count * sizeof(*devices));
}

static void add_to_device(struct sc_device *device, const struct sc_device_state *state,
                          double seconds)
{
    device->measured_s += state->is_gone ? 0 : seconds;
    if (!state->is_used)
        return;
    device->load_s += state->load * seconds;
    if (device->peak_bytes < state->used_bytes)
        device->peak_bytes = state->used_bytes;
    device->is_shared_load |= state->is_shared_load;
    device->is_shared_memory |= state->is_shared_memory;
}

static void add_to_last(struct sc_device_reading *last, const struct sc_device_reading *reading)
{
    double old_ns = (double)(last->to_ns - last->from_ns);
    double new_ns = (double)(reading->to_ns - reading->from_ns);
    last->load = (last->load * old_ns + reading->load * new_ns) / (old_ns + new_ns);
    last->to_ns = reading->to_ns;
    last->used_bytes = reading->used_bytes;
}

void sc_readings_add(struct sc_readings *readings, uint64_t from_ns, uint64_t to_ns,
                     uint64_t counted_ns, const struct sc_device_state *states)
{
    struct sc_device_reading reading = {.from_ns = from_ns, .to_ns = to_ns};
    size_t used = 0;
    if (to_ns <= from_ns || counted_ns == 0)
        return;
    for (size_t i = 0; i < readings->device_count; i++) {
        add_to_device(&readings->devices[i], &states[i], (double)counted_ns / 1e9);
        if (!states[i].is_used)
            continue;
        unsigned units = states[i].units > 0 ? states[i].units : 1;
        used += units;
        reading.load += states[i].load * units;
        reading.used_bytes += states[i].used_bytes;
    }
    if (used > 0)
        reading.load /= (double)used;
    if (readings->count == SC_READINGS_MAX) {
        size_t last = (readings->first + readings->count - 1) % SC_READINGS_MAX;
        add_to_last(&readings->items[last], &reading);
        return;
    }
    readings->items[(readings->first + readings->count) % SC_READINGS_MAX] = reading;
    readings->count++;
}

size_t sc_readings_take(struct sc_readings *readings, struct sc_device_reading *ret, size_t limit)
{
    size_t count = readings->count < limit ? readings->count : limit;
    for (size_t i = 0; i < count; i++)
        ret[i] = readings->items[(readings->first + i) % SC_READINGS_MAX];
    readings->first = (readings->first + count) % SC_READINGS_MAX;
    readings->count -= count;
    return count;
}
