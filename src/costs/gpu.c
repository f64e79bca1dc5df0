/* costs/gpu.c - see gpu.h. SPDX-License-Identifier: Apache-2.0 */
#include "costs/gpu.h"

void sc_gpu_init(struct sc_gpu *gpu, struct sc_owners *owners)
{
    *gpu = (struct sc_gpu){.kernel_ns = 0};
    sc_places_init(&gpu->places, owners);
}

void sc_gpu_done(struct sc_gpu *gpu)
{
    sc_places_done(&gpu->places);
    sc_vec_done(&gpu->lines);
    sc_vec_done(&gpu->functions);
    sc_curve_done(&gpu->load);
    sc_curve_done(&gpu->used);
}

static void make_account(struct sc_gpu_accounts *accounts, uint32_t number, uint32_t node)
{
    if (accounts->count == number)
        sc_vec_push(accounts, (struct sc_gpu_account){.node = node});
}

struct sc_place sc_gpu_place(struct sc_gpu *gpu, uint32_t node)
{
    struct sc_place place = sc_place_of(&gpu->places, node);
    if (place.line != SC_NONE) {
        make_account(&gpu->lines, place.line, place.node);
        make_account(&gpu->functions, place.function, place.node);
    }
    return place;
}

/* The accounts of a place, one after the other: *round counts from 0; NULL when there are no more.
 */
static struct sc_gpu_account *next_account(struct sc_gpu *gpu, struct sc_place place,
                                           unsigned *round)
{
    unsigned at = (*round)++;
    if (place.line == SC_NONE || at > 1)
        return NULL;
    return at == 0 ? &gpu->lines.items[place.line] : &gpu->functions.items[place.function];
}

void sc_gpu_add_load(struct sc_gpu *gpu, uint32_t node, double ns, double load, uint64_t used_bytes)
{
    struct sc_place place = sc_gpu_place(gpu, node);
    unsigned round = 0;
    for (struct sc_gpu_account *account; (account = next_account(gpu, place, &round)) != NULL;) {
        account->watched_ns += ns;
        account->load_ns += ns * load;
        account->used_byte_ns += ns * (double)used_bytes;
        if (account->used_peak_bytes < used_bytes)
            account->used_peak_bytes = used_bytes;
    }
}

void sc_gpu_add_reading(struct sc_gpu *gpu, uint64_t time_ns, double load, uint64_t used_bytes)
{
    sc_curve_add(&gpu->load, time_ns, (uint64_t)(load * 1e5 + 0.5));
    sc_curve_add(&gpu->used, time_ns, used_bytes);
    if (gpu->used_peak_bytes < used_bytes)
        gpu->used_peak_bytes = used_bytes;
}

static void add(double *sum, double ns)
{
    *sum = *sum + ns > 0 ? *sum + ns : 0;
}

void sc_gpu_add_traced(struct sc_gpu *gpu, uint32_t node, double busy_ns, double idle_ns)
{
    add(&gpu->busy_ns, busy_ns);
    add(&gpu->idle_ns, idle_ns);
    if (node == SC_NONE)
        return;
    struct sc_place place = sc_gpu_place(gpu, node);
    unsigned round = 0;
    for (struct sc_gpu_account *account; (account = next_account(gpu, place, &round)) != NULL;) {
        add(&account->busy_ns, busy_ns);
        add(&account->idle_ns, idle_ns);
    }
}

void sc_gpu_add_work(struct sc_gpu *gpu, uint32_t node, const struct sc_gpu_work_done *work)
{
    *(work->is_kernel ? &gpu->kernel_ns : &gpu->copy_ns) += work->busy_ns;
    struct sc_place place = sc_gpu_place(gpu, node);
    unsigned round = 0;
    for (struct sc_gpu_account *account; (account = next_account(gpu, place, &round)) != NULL;) {
        account->launched_ns += work->busy_ns;
        account->kernels += work->is_kernel ? work->count : 0;
        account->to_device_bytes += work->to_device_bytes;
        account->from_device_bytes += work->from_device_bytes;
    }
}

struct sc_place sc_gpu_allocate(struct sc_gpu *gpu, uint32_t node, uint64_t bytes)
{
    struct sc_place place = sc_gpu_place(gpu, node);
    unsigned round = 0;
    for (struct sc_gpu_account *account; (account = next_account(gpu, place, &round)) != NULL;) {
        account->allocated_bytes += bytes;
        account->live_bytes += bytes;
        if (account->live_peak_bytes < account->live_bytes)
            account->live_peak_bytes = account->live_bytes;
    }
    return place;
}

void sc_gpu_deallocate(struct sc_gpu *gpu, struct sc_place place, uint64_t bytes)
{
    unsigned round = 0;
    for (struct sc_gpu_account *account; (account = next_account(gpu, place, &round)) != NULL;)
        account->live_bytes -= bytes < account->live_bytes ? bytes : account->live_bytes;
}
