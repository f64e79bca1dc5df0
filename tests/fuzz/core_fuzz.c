/*
 * tests/fuzz/core_fuzz.c - core files.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "observer/system/core.h"
#include "observer/system/modules.h"
#include "observer/system/subject.h"

#define PAGE_BYTES 4096U
#define LOOKS_MAX  64U

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_memory(struct sc_core *core)
{
    const struct sc_core_file *facts = sc_core_facts(core);
    unsigned char page[PAGE_BYTES];
    for (size_t i = 0; i < facts->segments.count && i < LOOKS_MAX; i++) {
        const struct sc_core_segment *segment = &facts->segments.items[i];
        if (segment->start > segment->held_end || segment->held_end > segment->written_end ||
            segment->written_end > segment->end)
            abort();
        (void)sc_core_page(core, segment->start / PAGE_BYTES, page);
        (void)sc_core_page(core, (segment->end - 1) / PAGE_BYTES, page);
    }
    for (size_t i = 0; i < facts->mappings.count && i < LOOKS_MAX; i++) {
        if (facts->mappings.items[i].name >= facts->names.count)
            abort();
        (void)sc_core_page(core, facts->mappings.items[i].start / PAGE_BYTES, page);
        free(sc_core_path(core, facts->names.items[facts->mappings.items[i].name]));
    }
}

static void look(struct sc_core *core)
{
    const struct sc_core_file *facts = sc_core_facts(core);
    struct sc_subject subject = {.pid = facts->pid, .core = core};
    SC_AUTO(sc_remote_done) struct sc_remote remote = sc_subject_remote(subject);
    const struct sc_target target = {.read = sc_remote_read, .context = &remote};
    struct sc_modules *modules = sc_modules_new(subject, facts->entry);
    for (size_t i = 0; i < facts->threads.count && i < LOOKS_MAX; i++) {
        struct sc_subject_look seen;
        char name[64];
        if (!sc_subject_look(subject, facts->threads.items[i].tid, &target, &seen))
            abort();
        sc_subject_thread_name(subject, facts->threads.items[i].tid, name);
        const struct sc_mapping *mapping = sc_modules_find(modules, seen.registers.pc);
        if (mapping != NULL)
            free(sc_modules_path(modules, mapping));
    }
    sc_modules_free(modules);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[32];
    struct sc_err err = {0};
    int fd = memfd_create("core", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    struct sc_core *core = sc_core_open(path, NULL, &err);
    if ((core == NULL) != (err.kind != SC_ERR_NONE))
        abort();
    if (core != NULL) {
        struct sc_texts losses = {0};
        free(sc_subject_program((struct sc_subject){.core = core}));
        read_memory(core);
        look(core);
        sc_core_losses(core, &losses);
        sc_texts_done(&losses);
    }
    sc_core_free(core);
    (void)close(fd);
    return 0;
}
