/* observer/system/modules.c - see modules.h. SPDX-License-Identifier: Apache-2.0 */
#include "observer/system/modules.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/libraries.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/sort.h"
#include "base/str.h"
#include "base/vec.h"

#define MAPS_BYTES_MAX (64U << 20)

/* The kernel's word behind the name of a file that has no name any more. */
#define DELETED " (deleted)"

/* The maps are read again at most this often; after every reading that brought nothing the pause
 * doubles, so that addresses that are in no mapping at all cost little. */
#define PAUSE_MIN_NS UINT64_C(10000000)
#define PAUSE_MAX_NS UINT64_C(2000000000)

struct sc_modules {
    struct sc_subject subject;
    uint64_t interpreter_address;
    SC_VEC(struct sc_mapping) mappings; /* sorted */
    bool has_compiler;
    bool are_refused;
    uint64_t next_read_ns;
    uint64_t pause_ns;
    uint64_t generation; /* how often the maps were read */
    uint32_t unloads;    /* of libraries, when that was last noted */
};

static const char compiler_names[] = "libllvm libLLVM _llvmlite";

static enum sc_module_class class_of(const char *path)
{
    if (sc_is_among(path, "[vdso] [vsyscall]"))
        return SC_MODULE_RUNTIME;
    if (path[0] != '/' || sc_starts_with_any(path, "/memfd: /dev/zero"))
        return SC_MODULE_ANONYMOUS;
    if (sc_is_runtime_library(path))
        return SC_MODULE_RUNTIME;
    return SC_MODULE_EXTENSION;
}

static void clear_mappings(struct sc_modules *modules)
{
    for (size_t i = 0; i < modules->mappings.count; i++)
        free(modules->mappings.items[i].path);
    sc_vec_done(&modules->mappings);
    modules->has_compiler = false;
}

/* One line of the maps: "start-end perms offset device inode   path". */
static void add_line(struct sc_modules *modules, const char *line)
{
    unsigned long long start;
    unsigned long long end;
    unsigned long long offset;
    unsigned major;
    unsigned minor;
    unsigned long long inode;
    char permissions[5];
    int path_at = 0;
    if (sscanf(line, "%llx-%llx %4s %llx %x:%x %llu %n", &start, &end, permissions, &offset, &major,
               &minor, &inode, &path_at) != 7 ||
        permissions[2] != 'x' || path_at == 0)
        return;
    const char *path = line + path_at;
    struct sc_mapping mapping = {
        .start = start,
        .end = end,
        .file_offset = offset,
        .class = class_of(path),
        .is_deleted = sc_ends_with(path, DELETED),
        .identity = inode != 0 ? sc_mix((uint64_t)major << 32 | minor, inode) : 0,
        .path = sc_strdup(path),
    };
    if (mapping.is_deleted)
        mapping.path[strlen(path) - strlen(DELETED)] = '\0';
    if (sc_starts_with_any(sc_after_last(mapping.path, '/'), compiler_names))
        modules->has_compiler = true;
    sc_vec_push(&modules->mappings, mapping);
}

static const struct sc_mapping *find_known(const struct sc_modules *modules, uint64_t address)
{
    const struct sc_mapping *mappings = modules->mappings.items;
    size_t at;
    sc_find_first(&at, modules->mappings.count, i, address >= mappings[i].end);
    return at < modules->mappings.count && address >= mappings[at].start ? &mappings[at] : NULL;
}

/* The interpreter's file may have several executable mappings. */
static void mark_interpreter(struct sc_modules *modules)
{
    const struct sc_mapping *own = find_known(modules, modules->interpreter_address);
    for (size_t i = 0; own != NULL && i < modules->mappings.count; i++) {
        struct sc_mapping *mapping = &modules->mappings.items[i];
        if (mapping->identity == own->identity && strcmp(mapping->path, own->path) == 0)
            mapping->class = SC_MODULE_INTERPRETER;
    }
}

static void add_maps(struct sc_modules *modules, char *text)
{
    clear_mappings(modules);
    modules->generation++;
    for (char *line = strsep(&text, "\n"); line != NULL; line = strsep(&text, "\n"))
        add_line(modules, line);
    mark_interpreter(modules);
}

static void read_maps(struct sc_modules *modules)
{
    SC_AUTO(sc_str_done) struct sc_str text = {0};
    pid_t pid = modules->subject.pid;
    bool read = sc_subject_maps(modules->subject, MAPS_BYTES_MAX, &text);
    if (!read && sc_is_refusal(pid, pid, errno))
        modules->are_refused = true;
    /* A process that has ended has empty maps: what was known stays. */
    if (read && text.length > 0) {
        modules->are_refused = false;
        add_maps(modules, text.data);
    }
}

struct sc_modules *sc_modules_new(struct sc_subject subject, uint64_t interpreter_address)
{
    struct sc_modules *modules = sc_alloc(1, sizeof(*modules));
    modules->subject = subject;
    modules->interpreter_address = interpreter_address;
    modules->pause_ns = PAUSE_MIN_NS;
    read_maps(modules);
    if (subject.core != NULL)
        modules->next_read_ns = UINT64_MAX;
    return modules;
}

struct sc_modules *sc_modules_of(char *maps, uint64_t interpreter_address)
{
    struct sc_modules *modules = sc_alloc(1, sizeof(*modules));
    modules->interpreter_address = interpreter_address;
    modules->next_read_ns = UINT64_MAX;
    add_maps(modules, maps);
    return modules;
}

void sc_modules_free(struct sc_modules *modules)
{
    if (modules == NULL)
        return;
    clear_mappings(modules);
    sc_vec_done(&modules->mappings);
    free(modules);
}

const struct sc_mapping *sc_modules_find(struct sc_modules *modules, uint64_t address)
{
    const struct sc_mapping *mapping = find_known(modules, address);
    uint64_t now_ns = mapping == NULL ? sc_now_ns() : 0;
    if (mapping != NULL || now_ns < modules->next_read_ns)
        return mapping;
    read_maps(modules);
    mapping = find_known(modules, address);
    modules->pause_ns = mapping != NULL ? PAUSE_MIN_NS : modules->pause_ns * 2;
    if (modules->pause_ns > PAUSE_MAX_NS)
        modules->pause_ns = PAUSE_MAX_NS;
    modules->next_read_ns = now_ns + modules->pause_ns;
    return mapping;
}

void sc_modules_note_unloads(struct sc_modules *modules, uint32_t unloads)
{
    if (unloads != modules->unloads)
        read_maps(modules);
    modules->unloads = unloads;
}

uint64_t sc_modules_generation(const struct sc_modules *modules)
{
    return modules->generation;
}

bool sc_modules_are_refused(const struct sc_modules *modules)
{
    return modules->are_refused;
}

bool sc_modules_have_compiler(const struct sc_modules *modules)
{
    return modules->has_compiler;
}

/* What the kernel still has of it; the program's own by a link that needs no privilege. */
static char *path_of_deleted(struct sc_subject subject, const struct sc_mapping *mapping)
{
    SC_AUTO_FREE char *name = sc_format("%s" DELETED, mapping->path);
    if (subject.core != NULL)
        return sc_subject_path(subject, name, true);
    SC_AUTO_FREE char *program = sc_process_link(subject.pid, "exe");
    if (program != NULL && strcmp(program, name) == 0)
        return sc_format("/proc/%d/exe", (int)subject.pid);
    return sc_format("/proc/%d/map_files/%llx-%llx", (int)subject.pid,
                     (unsigned long long)mapping->start, (unsigned long long)mapping->end);
}

char *sc_modules_path(const struct sc_modules *modules, const struct sc_mapping *mapping)
{
    return mapping->is_deleted ? path_of_deleted(modules->subject, mapping)
                               : sc_subject_path(modules->subject, mapping->path, true);
}
