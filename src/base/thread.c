/* base/thread.c - see thread.h. SPDX-License-Identifier: Apache-2.0 */
#include "base/thread.h"

#include <signal.h>
#include <stddef.h>

bool sc_thread_start_joinable(void *(*work)(void *), void *argument, pthread_t *ret_thread)
{
    sigset_t blocked;
    sigset_t before;
    (void)sigfillset(&blocked);
    (void)pthread_sigmask(SIG_SETMASK, &blocked, &before); /* the new thread inherits it */
    bool is_there = pthread_create(ret_thread, NULL, work, argument) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return is_there;
}

bool sc_thread_start(void *(*work)(void *), void *argument)
{
    pthread_t thread;
    return sc_thread_start_joinable(work, argument, &thread) && pthread_detach(thread) == 0;
}
