/*
 * base/thread.h - a thread of the tool's own, beside its main one.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>

/* Begins a detached thread; false when there is no room for one. It blocks all signals, since those
 * of the process are for the thread that waits for them. Its stack has the usual size: libraries
 * that query a driver need much, and unused pages take no memory. */
bool sc_thread_start(void *(*work)(void *), void *argument);

/* The same for one that is waited for. */
bool sc_thread_start_joinable(void *(*work)(void *), void *argument, pthread_t *ret_thread);
