/*
 * observer/system/core.h - a process as its core file has it.
 *
 * A core file lacks what the mapped files have unchanged: code, and data that is only read. That is
 * read from these files, where they are the ones that were mapped.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/str.h"
#include "observer/system/core_file.h"

struct sc_core;
struct sc_helper;

/* helper reads the mapped files and is not owned. NULL with err set, in words that continue the
 * file's name. */
struct sc_core *sc_core_open(const char *path, struct sc_helper *helper, struct sc_err *err);
void sc_core_free(struct sc_core *core);

const struct sc_core_file *sc_core_facts(const struct sc_core *core);

/* Copies the page of 4096 bytes of that number; false when it is neither in the core nor, the same
 * as then, in a file. */
bool sc_core_page(struct sc_core *core, uint64_t number, void *ret_bytes);

/* Adds what was mapped, as /proc/PID/maps has it. */
void sc_core_maps(const struct sc_core *core, struct sc_str *ret_text);

/* The file that was mapped under that name, if it is still the same; else NULL. To be freed. */
char *sc_core_path(struct sc_core *core, const char *name);

/* The name of the program's own file, or NULL. */
const char *sc_core_program(const struct sc_core *core);

/* The first file that was looked for in vain, or NULL; it has changed, or is gone. */
const char *sc_core_lost_file(const struct sc_core *core, bool *ret_has_changed);

/* Adds a sentence for each thing that was looked for and is lost. */
void sc_core_losses(const struct sc_core *core, struct sc_texts *ret_sentences);
