/*
 * base/thread.c - a thread of the tool's own, beside its main one.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/thread.h"

#include <pthread.h>
#include <signal.h>
#include <stddef.h>

bool sc_thread_start(void *(*work)(void *), void *argument)
{
    pthread_attr_t attributes;
    pthread_t thread;
    sigset_t blocked;
    sigset_t before;
    (void)sigfillset(&blocked);
    (void)pthread_attr_init(&attributes);
    (void)pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    (void)pthread_sigmask(SIG_SETMASK, &blocked, &before); /* the new thread inherits it */
    bool is_there = pthread_create(&thread, &attributes, work, argument) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    (void)pthread_attr_destroy(&attributes);
    return is_there;
}
