/*
 * observer/sample/books.h - adds charges to the costs of a process: of its stacks, its threads and
 * the run.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "observer/process/process.h"

/* Adds what charge.h has computed; thread is NULL for charges to no thread. */
void sc_books_apply(struct sc_process *process, struct sc_watched_thread *thread,
                    const struct sc_charges *charges);

/* The accounting state of its threads; valid until a thread is added. */
struct sc_charge_threads sc_books_thread_list(const struct sc_process *process);

/* The Python line that native threads work for at now_ns. */
struct sc_charge_host sc_books_host(const struct sc_process *process, uint64_t now_ns);

/* Notes that a Python frame of the thread was seen. */
void sc_books_note_python(struct sc_process *process, struct sc_watched_thread *thread);

/* Charges the ns before until_ns, in which the thread was not on a CPU. */
void sc_books_charge_gap(struct sc_process *process, struct sc_watched_thread *thread,
                         uint32_t node, enum sc_time time, uint64_t until_ns, uint64_t ns);

/* Adds time that the thread itself has waited. */
void sc_books_charge_wait(struct sc_process *process, struct sc_watched_thread *thread,
                          uint32_t node, enum sc_wait wait, uint64_t ns);
