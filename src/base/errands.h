/*
 * base/errands.h - work that may block for ever, or read a mapped file that changes meanwhile, done
 * by another thread than its owner's.
 *
 * A fault ends an errand. So it must do nothing but read, and hold nothing that others wait for.
 *
 * Files of other users may be anywhere: on a server that does not answer, in a file system of their
 * own, or replaced while they are mapped. The owner asks for an errand, goes on or waits for as
 * long as it likes, and gives up an errand that takes too long.
 *
 * Errands are done one after the other. The memory of a lost errand is not touched any more: the
 * blocked thread may still use it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum sc_errand_state {
    SC_ERRAND_IDLE,
    SC_ERRAND_WAITING,
    SC_ERRAND_RUNNING,
    SC_ERRAND_DONE,
    SC_ERRAND_LOST, /* given up, or ended by a fault: its memory must not be used */
};

/* A member of the struct that the work needs. Its owner reads state only by sc_errands_wait. */
struct sc_errand {
    void (*work)(struct sc_errand *errand);
    struct sc_errand *next;
    enum sc_errand_state state;
};

struct sc_errands;

/* Never NULL. The thread begins with the first errand. */
struct sc_errands *sc_errands_new(void);

/* Adds the errand, whose work is set, unless it was added before. Never waits. */
void sc_errands_ask(struct sc_errands *errands, struct sc_errand *errand);

/* Waits until the errand is done or lost, no longer than patience_ns; returns what it is then. */
enum sc_errand_state sc_errands_wait(struct sc_errands *errands, struct sc_errand *errand,
                                     uint64_t patience_ns);

/* Gives up the errand that is running: those that wait are done by another thread. After a few such
 * threads all errands that wait, or are asked for later, are lost as well. */
void sc_errands_give_up(struct sc_errands *errands);

/* False when an errand was lost, or is still running: then neither the object nor what errands use
 * may be freed. Takes NULL. */
bool sc_errands_free(struct sc_errands *errands);
