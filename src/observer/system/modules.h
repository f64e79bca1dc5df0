/*
 * observer/system/modules.h - what executable memory of the target belongs to.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "observer/system/subject.h"

enum sc_module_class {
    SC_MODULE_UNKNOWN,     /* in no executable memory known */
    SC_MODULE_INTERPRETER, /* the executable or library with the evaluation loop */
    SC_MODULE_RUNTIME,   /* what the interpreter itself runs on: libc and related files, allocators,
                            our agent */
    SC_MODULE_EXTENSION, /* every other file */
    SC_MODULE_ANONYMOUS, /* code made at run time */
};

/* An executable mapping. */
struct sc_mapping {
    uint64_t start;
    uint64_t end;
    uint64_t file_offset; /* of start */
    enum sc_module_class class;
    bool is_deleted;   /* its file has not that name any more */
    uint64_t identity; /* of its file, among those that maps show; 0: none */
    char *path;        /* as in /proc/PID/maps, "" for anonymous memory */
};

struct sc_modules;

/* interpreter_address is any address in the interpreter. Never NULL: without maps there are no
 * mappings. */
struct sc_modules *sc_modules_new(struct sc_subject subject, uint64_t interpreter_address);

/* The same from a text in the format of /proc/PID/maps. The text is modified; no maps are read
 * later. */
struct sc_modules *sc_modules_of(char *maps, uint64_t interpreter_address);
void sc_modules_free(struct sc_modules *modules);

/* The mapping that holds address, NULL when there is none. The maps are read again when the address
 * is new, at a bounded rate. Valid until the next call. */
const struct sc_mapping *sc_modules_find(struct sc_modules *modules, uint64_t address);

/* Reads the maps again if the process has unloaded libraries since, of so many in all: others may
 * be in their places. */
void sc_modules_note_unloads(struct sc_modules *modules, uint32_t unloads);

/* Changes whenever mappings found before may be out of date. */
uint64_t sc_modules_generation(const struct sc_modules *modules);

/* Whether the system did not let us read the maps when that was tried last. */
bool sc_modules_are_refused(const struct sc_modules *modules);

/* True when the process has a compiler of machine code beside the interpreter's own (LLVM). */
bool sc_modules_have_compiler(const struct sc_modules *modules);

/* A path that opens the mapping's file from here, also when the target has another root; NULL where
 * that is not the one any more that a core file is of. To be freed. */
char *sc_modules_path(const struct sc_modules *modules, const struct sc_mapping *mapping);
