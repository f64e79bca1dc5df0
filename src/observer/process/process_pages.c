/*
 * observer/process/process_pages.c - what a process's own pages show of its blocks.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/process/process_pages.h"

#include "base/io.h"

static bool count_pages(void *context, struct sc_pages_range range, uint64_t *ret_bytes,
                        bool *ret_never)
{
    struct sc_process *process = context;
    bool is_known = sc_pages_count(&process->pages, process->pid, range, ret_bytes);
    *ret_never = process->pages.is_refused;
    uint64_t size_bytes = range.end - range.start;
    if (is_known || *ret_never || size_bytes <= sc_pages_limit(&process->pages))
        return is_known;
    uint64_t rss_bytes = sc_process_rss(process->pid); /* no more bytes can be present */
    *ret_bytes = rss_bytes < size_bytes ? rss_bytes : size_bytes;
    return rss_bytes > 0;
}

/* A program that the process executes has other pages. */
static uint64_t resident(void *context)
{
    const struct sc_process *process = context;
    if (process->reported_exec || process->replaced || process->ended ||
        atomic_load(&process->reader.segment->memory_is_over) != 0)
        return 0;
    return sc_process_rss(process->pid);
}

void sc_process_pages_begin(struct sc_process *process)
{
    process->pages = (struct sc_pages){.fd = -1};
    process->touched = (struct sc_touched){
        .memory = &process->followed,
        .source = {.context = process,
                   .count = count_pages,
                   .resident = resident,
                   .now_ns = sc_now_ns,
                   .cpu_ns = sc_own_cpu_ns},
    };
}

void sc_process_pages_end(struct sc_process *process)
{
    sc_touched_done(&process->touched);
    sc_pages_close(&process->pages);
}
