/*
 * base/beside.h - questions about files, answered by a process beside, no matter how long that
 * takes it.
 *
 * A program names files that may lie in a file system which answers late or never. Who asks is then
 * kept waiting in the kernel, and cannot even be ended. So a child of ours asks, which holds none
 * of our files; what it does not answer in time is lost, and another child takes its place.
 *
 * A folder that was silent once is not asked about again, and from each loss on less time is given:
 * however many files are silent, all of them together cost twice the first patience.
 *
 * For one thread. Where a NULL is given for the object its owner asks by itself and waits.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdint.h>
#include <sys/stat.h>

#include "base/str.h"

struct sc_beside;

/* Done in the process beside, which has our memory as it was when it began: it works with the
 * question alone. Its answer is added to ret_answer. */
typedef void sc_beside_work(const char *question, size_t length, struct sc_str *ret_answer);

/* Never NULL. The child begins at once; to be called while there is no other thread. Children that
 * take its place later do begin beside other threads, so what they run before their first question
 * uses of libc only what a child of such a process may. */
struct sc_beside *sc_beside_new(uint64_t patience_ns);

/* Ends the child; takes NULL. One that cannot be ended is left. */
void sc_beside_free(struct sc_beside *beside);

/* From now on so long is waited, for folders that were silent, too. Takes NULL. */
void sc_beside_set_patience(struct sc_beside *beside, uint64_t patience_ns);

/* What comes of the work, which is about the file of that name, is added to ret_answer. False when
 * it did not come in time. */
bool sc_beside_ask(struct sc_beside *beside, const char *path, sc_beside_work *work,
                   const char *question, size_t length, struct sc_str *ret_answer);

/* How many questions have had no answer, and what the first was about, NULL without one. */
uint64_t sc_beside_lost(const struct sc_beside *beside, const char **ret_path);

/* Questions. One without an answer is answered as for a file that is not there. */

/* As realpath: to be freed, or NULL. The same question has the same answer for ever. */
char *sc_beside_resolve(struct sc_beside *beside, const char *path);

/* As stat: 0, or -1. */
int sc_beside_stat(struct sc_beside *beside, const char *path, struct stat *ret_facts);

enum sc_beside_read { SC_BESIDE_READ, SC_BESIDE_UNREADABLE, SC_BESIDE_SILENT };

/* Adds the bytes of a regular file of no more than limit_bytes, with what was known of it before it
 * was read. */
enum sc_beside_read sc_beside_read(struct sc_beside *beside, const char *path, size_t limit_bytes,
                                   struct stat *ret_facts, struct sc_str *ret_bytes);

/* Copies a part of a regular file; false when it has not that many bytes there. */
bool sc_beside_read_part(struct sc_beside *beside, const char *path, uint64_t offset, void *bytes,
                         size_t length, struct stat *ret_facts);
