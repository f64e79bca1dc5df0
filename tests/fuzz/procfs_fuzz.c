/*
 * tests/fuzz/procfs_fuzz.c - any bytes as texts of /proc, some of which a process writes itself.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "observer/system/modules.h"
#include "observer/system/pid_namespace.h"
#include "observer/system/procfs_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_numbers(const char *text)
{
    struct sc_schedstat stat;
    struct sc_blocked blocked;
    uint64_t number = 0;
    (void)sc_schedstat_parse(text, &stat);
    (void)sc_blocked_parse(text, &blocked);
    (void)sc_status_parse(text, "\nVmHWM:", &number);
    (void)sc_statm_resident(text);
    struct sc_stat own = sc_stat_parse(text);
    if (own.state == '\0' && own.numbers[SC_STAT_PARENT] != 0)
        abort();
}

static void read_pids(const char *text)
{
    struct sc_pid_numbers numbers;
    if (!sc_pid_numbers_parse(text, &numbers))
        return;
    if (numbers.count == 0 || numbers.count > SC_PID_DEPTH_MAX)
        abort();
    for (unsigned i = 0; i < numbers.count; i++) {
        if (numbers.numbers[i] <= 0)
            abort();
    }
}

static void read_maps(char *text, uint64_t address)
{
    struct sc_modules *modules = sc_modules_of(text, address);
    const struct sc_mapping *mapping = sc_modules_find(modules, address);
    if (mapping != NULL) {
        SC_AUTO_FREE char *path = sc_modules_path(modules, mapping);
        if (address < mapping->start || address >= mapping->end || path[0] != '/')
            abort();
    }
    sc_modules_free(modules);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint64_t address = 0;
    SC_AUTO_FREE char *text = sc_strndup((const char *)data, size);
    SC_AUTO_FREE char *words = malloc(size > 0 ? size : 1);
    if (words == NULL)
        return 0;
    read_numbers(text);
    read_pids(text);
    memcpy(words, data, size);
    size_t length = sc_cmdline_join(words, size);
    if (length > size || (length > 0 && words[length - 1] == '\0'))
        abort();
    memcpy(&address, data, size < sizeof(address) ? size : sizeof(address));
    (void)sscanf(text, "%lx", &address); /* the start of the first line */
    read_maps(text, address);
    return 0;
}
