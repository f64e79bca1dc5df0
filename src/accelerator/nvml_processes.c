/*
 * accelerator/nvml_processes.c - the driver's lists of processes of a device.
 *
 * A list is requested with a buffer of a fixed size at first; when that is too small, the driver
 * reports how many entries there are, and the request is repeated with a larger one.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "accelerator/nvml_processes.h"

#include <string.h>

#include "base/mem.h"

#define ROOM_AT_FIRST 64U
#define ROOM_MAX      65536U
#define UNTOUCHED     0xA5

/* Enough for the wanted items, and for more that are added meanwhile. */
static unsigned more_room(unsigned room, unsigned wanted)
{
    unsigned more = wanted > room ? wanted : room;
    return more < ROOM_MAX / 2 ? more * 2 : ROOM_MAX;
}

static void add_user(struct sc_nvml_users *users, pid_t pid, uint64_t used_bytes)
{
    SC_EACH(struct sc_nvml_user, user, users) {
        if (user->pid != pid)
            continue;
        if (user->used_bytes == SC_NVML_NOT_AVAILABLE ||
            (used_bytes != SC_NVML_NOT_AVAILABLE && used_bytes > user->used_bytes))
            user->used_bytes = used_bytes;
        return;
    }
    sc_vec_push(users, (struct sc_nvml_user){.pid = pid, .used_bytes = used_bytes});
}

/* The size of the items in a list that the driver wrote over a known pattern. The first drivers of
 * R535 return a longer structure from the same function; where the pattern was overwritten shows
 * which one it is. */
static size_t stride_of_v3(const unsigned char *bytes, size_t count)
{
    for (size_t i = count * sizeof(struct sc_nvml_process);
         i < count * sizeof(struct sc_nvml_process_535); i++)
        if (bytes[i] != UNTOUCHED)
            return sizeof(struct sc_nvml_process_535);
    return sizeof(struct sc_nvml_process);
}

static int read_list(sc_nvml_list_function *function, size_t stride, sc_nvml_device device,
                     struct sc_nvml_users *users)
{
    unsigned room = ROOM_AT_FIRST;
    unsigned count = room;
    SC_AUTO_FREE unsigned char *bytes = NULL;
    int result = SC_NVML_INSUFFICIENT_SIZE;
    for (;;) {
        bytes = sc_realloc(bytes, room, sizeof(struct sc_nvml_process_535));
        memset(bytes, UNTOUCHED, room * sizeof(struct sc_nvml_process_535));
        count = room;
        result = function(device, &count, bytes);
        if (result != SC_NVML_INSUFFICIENT_SIZE || room >= ROOM_MAX)
            break;
        room = more_room(room, count);
    }
    if (result != SC_NVML_SUCCESS)
        return result;
    if (count > room)
        count = room;
    if (stride == 0)
        stride = stride_of_v3(bytes, count);
    for (unsigned i = 0; i < count; i++) {
        struct sc_nvml_process_v1 process; /* all versions begin with it */
        memcpy(&process, bytes + i * stride, sizeof(process));
        add_user(users, (pid_t)process.pid, process.used_bytes);
    }
    return result;
}

/* Reads the list by the newest version of the function that the driver has. */
static int read_newest(sc_nvml_list_function *v3, sc_nvml_list_function *v2,
                       sc_nvml_list_function *v1, sc_nvml_device device,
                       struct sc_nvml_users *users)
{
    int result = SC_NVML_NOT_SUPPORTED;
    if (v3 != NULL)
        result = read_list(v3, 0, device, users);
    if (v2 != NULL && (v3 == NULL || result == SC_NVML_FUNCTION_NOT_FOUND))
        result = read_list(v2, sizeof(struct sc_nvml_process), device, users);
    if (v1 != NULL && v3 == NULL && v2 == NULL)
        result = read_list(v1, sizeof(struct sc_nvml_process_v1), device, users);
    return result;
}

int sc_nvml_users_read(const struct sc_nvml *nvml, sc_nvml_device device,
                       struct sc_nvml_users *users)
{
    users->count = 0;
    int compute = read_newest(nvml->compute_v3, nvml->compute_v2, nvml->compute_v1, device, users);
    int graphics =
        read_newest(nvml->graphics_v3, nvml->graphics_v2, nvml->graphics_v1, device, users);
    size_t count = users->count;
    (void)read_newest(nvml->mps_v3, nvml->mps_v2, nvml->mps_v1, device, users);
    for (size_t i = count; i < users->count; i++)
        users->items[i].has_server = true;
    bool is_known = compute == SC_NVML_SUCCESS || sc_nvml_is_gone(compute);
    return is_known ? compute : graphics;
}

int sc_nvml_samples_read(const struct sc_nvml *nvml, sc_nvml_device device,
                         unsigned long long newer_than_us, struct sc_nvml_samples *samples)
{
    samples->count = 0;
    if (nvml->samples == NULL)
        return SC_NVML_NOT_SUPPORTED;
    unsigned room = samples->capacity > 0 ? (unsigned)samples->capacity : ROOM_AT_FIRST;
    int result = SC_NVML_INSUFFICIENT_SIZE;
    for (;;) {
        if (samples->capacity < room) {
            samples->items = sc_realloc(samples->items, room, sizeof(*samples->items));
            samples->capacity = room;
        }
        unsigned count = room;
        memset(samples->items, 0, room * sizeof(*samples->items));
        result = nvml->samples(device, samples->items, &count, newer_than_us);
        if (result == SC_NVML_SUCCESS)
            samples->count = count <= room ? count : room;
        if (result != SC_NVML_INSUFFICIENT_SIZE || room >= ROOM_MAX)
            break;
        room = more_room(room, count);
    }
    return result == SC_NVML_NOT_FOUND ? SC_NVML_SUCCESS : result;
}
