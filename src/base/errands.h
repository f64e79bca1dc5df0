/*
 * base/errands.h - work that may be kept waiting for ever, or meet a file that changes while it is
 * mapped, done by a thread beside its owner's.
 *
 * A fault ends an errand. So it must do nothing but read, and hold nothing that others wait for.
 *
 * Files of other people's may be anywhere: on a server that does not answer, in a file system of
 * their own, or replaced while they are mapped. The owner asks, goes on or waits for as long as it
 * likes, and gives up what does not come.
 *
 * Errands are done one after the other. What is lost stays as it is: the thread that is kept
 * waiting may still use it.
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
    SC_ERRAND_LOST, /* given up, or ended by a fault of a mapped file: what it uses is not ours */
};

/* To be part of what the work needs. Its owner reads state by sc_errands_wait alone. */
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

/* Loses the errand that is running: what waits is done by another thread. After a few of those,
 * whatever waits, or is asked for later, is lost as well. */
void sc_errands_give_up(struct sc_errands *errands);

/* False when an errand was lost, or is still running: then what errands use is left as it is, and
 * so is the object; it harms nobody. Takes NULL. */
bool sc_errands_free(struct sc_errands *errands);
