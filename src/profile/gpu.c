/*
 * profile/gpu.c - what GPUs did while the run goes on, by line and by function.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "profile/gpu.h"

void sc_gpu_init(struct sc_gpu *gpu, const struct sc_collect *collect, const struct sc_scope *scope)
{
    *gpu = (struct sc_gpu){.kernel_ns = 0};
    sc_owners_init(&gpu->owners, collect, scope);
}

void sc_gpu_done(struct sc_gpu *gpu)
{
    sc_owners_done(&gpu->owners);
    sc_vec_done(&gpu->lines);
    sc_vec_done(&gpu->functions);
    sc_map_done(&gpu->line_index);
    sc_map_done(&gpu->function_index);
    sc_curve_done(&gpu->load);
    sc_curve_done(&gpu->used);
}

static uint32_t account_of(struct sc_gpu_accounts *accounts, struct sc_map *index, uint64_t key,
                           uint32_t node)
{
    uint32_t at = sc_map_get(index, key);
    if (at != SC_NONE)
        return at;
    at = (uint32_t)accounts->count;
    sc_vec_push(accounts, (struct sc_gpu_account){.node = node});
    sc_map_put(index, key, at);
    return at;
}

struct sc_gpu_place sc_gpu_place(struct sc_gpu *gpu, uint32_t node)
{
    const struct sc_collect *collect = gpu->owners.collect;
    uint32_t owner = sc_owner_of(&gpu->owners, node);
    if (owner == SC_NONE)
        return (struct sc_gpu_place){.line = SC_NONE, .function = SC_NONE};
    const struct sc_stack_node *at = &collect->nodes.items[owner];
    const struct sc_code *code = &collect->codes.items[at->code];
    uint32_t line = at->line != 0 ? at->line : code->first_line;
    return (struct sc_gpu_place){
        .line = account_of(&gpu->lines, &gpu->line_index, (uint64_t)code->file << 32 | line, owner),
        .function = account_of(&gpu->functions, &gpu->function_index, at->code, owner),
    };
}

/* The accounts of a place, one after the other: *round counts from 0; NULL when there are no more.
 */
static struct sc_gpu_account *next_account(struct sc_gpu *gpu, struct sc_gpu_place place,
                                           unsigned *round)
{
    unsigned at = (*round)++;
    if (place.line == SC_NONE || at > 1)
        return NULL;
    return at == 0 ? &gpu->lines.items[place.line] : &gpu->functions.items[place.function];
}

void sc_gpu_add_load(struct sc_gpu *gpu, uint32_t node, double ns, double load, uint64_t used_bytes)
{
    struct sc_gpu_place place = sc_gpu_place(gpu, node);
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

void sc_gpu_add_traced(struct sc_gpu *gpu, uint32_t node, double ns, bool busy)
{
    *(busy ? &gpu->busy_ns : &gpu->idle_ns) += ns;
    if (node == SC_NONE)
        return;
    struct sc_gpu_place place = sc_gpu_place(gpu, node);
    unsigned round = 0;
    for (struct sc_gpu_account *account; (account = next_account(gpu, place, &round)) != NULL;)
        *(busy ? &account->busy_ns : &account->idle_ns) += ns;
}

void sc_gpu_add_work(struct sc_gpu *gpu, uint32_t node, const struct sc_gpu_work_done *work)
{
    *(work->is_kernel ? &gpu->kernel_ns : &gpu->copy_ns) += work->busy_ns;
    struct sc_gpu_place place = sc_gpu_place(gpu, node);
    unsigned round = 0;
    for (struct sc_gpu_account *account; (account = next_account(gpu, place, &round)) != NULL;) {
        account->launched_ns += work->busy_ns;
        account->kernels += work->is_kernel ? work->count : 0;
        account->to_device_bytes += work->to_device_bytes;
        account->from_device_bytes += work->from_device_bytes;
    }
}

struct sc_gpu_place sc_gpu_allocate(struct sc_gpu *gpu, uint32_t node, uint64_t bytes)
{
    struct sc_gpu_place place = sc_gpu_place(gpu, node);
    unsigned round = 0;
    for (struct sc_gpu_account *account; (account = next_account(gpu, place, &round)) != NULL;) {
        account->allocated_bytes += bytes;
        account->live_bytes += bytes;
        if (account->live_peak_bytes < account->live_bytes)
            account->live_peak_bytes = account->live_bytes;
    }
    return place;
}

void sc_gpu_release(struct sc_gpu *gpu, struct sc_gpu_place place, uint64_t bytes)
{
    unsigned round = 0;
    for (struct sc_gpu_account *account; (account = next_account(gpu, place, &round)) != NULL;)
        account->live_bytes -= bytes < account->live_bytes ? bytes : account->live_bytes;
}
