/*
 * base/helper.h - questions about files, answered by a child process, so that a file system that
 * does not answer blocks only the child.
 *
 * A program names files that may lie in a file system that answers late or never. A process that
 * reads such a file is blocked in the kernel, and cannot even be killed. So a child reads it, which
 * has none of our files open; a question that it does not answer in time is lost, and another child
 * takes its place.
 *
 * A folder that did not answer once is not asked about again, and each such loss halves the time
 * that is waited, down to 200 ms: the first losses together cost no more than twice the first
 * timeout. Nor is a file that has ended the child, as one may that becomes shorter while it is
 * mapped.
 *
 * To be used by one thread only. Where the object is NULL the calling process does the work itself
 * and waits.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "base/helper_child.h"
#include "base/str.h"

struct sc_helper;

/* Never NULL. The child begins at once; to be called while there is no other thread. Children that
 * take its place later may begin while there are other threads, so until their first question they
 * use only async-signal-safe functions of libc. */
struct sc_helper *sc_helper_new(uint64_t timeout_ns);

/* The same for files as a process sees them: paths, and links, are meant below its root directory.
 * Those can be read after its end, too. No question has an answer where the system does not permit
 * that. */
struct sc_helper *sc_helper_new_for(pid_t pid, uint64_t timeout_ns);

/* Ends the child; takes NULL. A child that cannot be ended is left. */
void sc_helper_free(struct sc_helper *helper);

/* From now on an answer is waited for this long, also about folders that did not answer before.
 * Takes NULL. */
void sc_helper_set_timeout(struct sc_helper *helper, uint64_t timeout_ns);

/* Adds the answer of the work, which is about the file at path, to ret_answer. False when there was
 * none in time. */
bool sc_helper_ask(struct sc_helper *helper, const char *path, sc_helper_work *work,
                   const char *question, size_t length, struct sc_str *ret_answer);

/* Takes the answer to a question that was posted, or NULL when there was none. Must ask nothing. */
typedef void sc_helper_take(void *context, uint32_t number, const char *answer, size_t length);

/* As sc_helper_ask, but does not wait: the answer is given to take with the context and the number,
 * in this function or in a later one. Questions are answered in the order in which they are asked;
 * those after one that is lost are answered by the child that takes the place. */
void sc_helper_post(struct sc_helper *helper, const char *path, sc_helper_work *work,
                    const char *question, size_t length, sc_helper_take *take, void *context,
                    uint32_t number);

/* Waits until everything that was posted is answered or lost, no longer than wait_ns, and loses
 * nothing for being late. False when something is not answered yet. Takes NULL. */
bool sc_helper_wait(struct sc_helper *helper, uint64_t wait_ns);

/* How many questions have had no answer, and what the first was about, NULL without one. */
uint64_t sc_helper_lost(const struct sc_helper *helper, const char **ret_path);

/* errno, where no process could be started that answers; else 0. Takes NULL. */
int sc_helper_refusal(const struct sc_helper *helper);

/* Questions. One without an answer is answered as for a file that is not there. */

/* As realpath: to be freed, or NULL. The same question has the same answer for ever. Of a path that
 * leads into a file (base/archive.h) the file is resolved. */
char *sc_helper_resolve(struct sc_helper *helper, const char *path);

/* As stat: 0, or -1. */
int sc_helper_stat(struct sc_helper *helper, const char *path, struct stat *ret_facts);

/* From now on no bytes are read of files that are not below the folder, an absolute path without
 * links, which must live as long. NULL: of all. */
void sc_helper_read_below(const char *folder);

enum sc_helper_read { SC_HELPER_READ, SC_HELPER_UNREADABLE, SC_HELPER_SILENT };

/* Adds the bytes of a regular file of no more than limit_bytes, with what was known of it before it
 * was read. Of a file in an archive (base/archive.h) that is the archive. */
enum sc_helper_read sc_helper_read(struct sc_helper *helper, const char *path, size_t limit_bytes,
                                   struct stat *ret_facts, struct sc_str *ret_bytes);

/* Copies a part of a regular file; false when it has not that many bytes there. */
bool sc_helper_read_part(struct sc_helper *helper, const char *path, uint64_t offset, void *bytes,
                         size_t length, struct stat *ret_facts);
