/*
 * agent/hook_signal_old.c - hooks of the older signal functions.
 *
 * libc's versions change the kernel's action and mask without calling a function that we hook, so
 * for the shared signal they are reimplemented here with sigaction and sigprocmask.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <signal.h>
#include <stddef.h>

#include "agent/hook_mask.h"
#include "agent/hook_signal.h"
#include "agent/real.h"
#include "agent/rules.h"
#include "agent/state.h"

SC_EXPORT sighandler_t sc_sysv_signal(int number, sighandler_t handler) __asm__("sysv_signal");
SC_EXPORT sighandler_t sc_sysv_signal_2(int number, sighandler_t handler) __asm__("__sysv_signal");
SC_EXPORT sighandler_t sc_ssignal(int number, sighandler_t handler) __asm__("ssignal");

/* Sets the handler and returns the previous one. */
static sighandler_t set_handler(sighandler_t handler, int flags)
{
    struct sigaction before = {0};
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
    if (handler == SIG_ERR) {
        errno = EINVAL;
        return SIG_ERR;
    }
    return sc_hook_signal_change(&action, &before) == 0 ? before.sa_handler : SIG_ERR;
}

sighandler_t sc_sysv_signal(int number, sighandler_t handler)
{
    return sc_hook_signal_is_shared(number)
               ? set_handler(handler, (int)SA_RESETHAND | (int)SA_NODEFER)
               : sc_real()->__sysv_signal(number, handler);
}

sighandler_t sc_sysv_signal_2(int number, sighandler_t handler)
{
    return sc_sysv_signal(number, handler);
}

/* Another name of signal. */
sighandler_t sc_ssignal(int number, sighandler_t handler)
{
    return sc_hook_signal_is_shared(number) ? set_handler(handler, SA_RESTART)
                                            : sc_real()->signal(number, handler);
}

SC_EXPORT int sigignore(int number)
{
    if (!sc_hook_signal_is_shared(number))
        return sc_real()->sigignore(number);
    return set_handler(SIG_IGN, 0) == SIG_ERR ? -1 : 0;
}

static int change_mask(int how, int number, sigset_t *ret_before)
{
    sigset_t set;
    (void)sigemptyset(&set);
    (void)sigaddset(&set, number);
    return sc_hook_mask_change(how, &set, ret_before);
}

SC_EXPORT int sighold(int number)
{
    return sc_hook_signal_is_shared(number) ? change_mask(SIG_BLOCK, number, NULL)
                                            : sc_real()->sighold(number);
}

SC_EXPORT int sigrelse(int number)
{
    return sc_hook_signal_is_shared(number) ? change_mask(SIG_UNBLOCK, number, NULL)
                                            : sc_real()->sigrelse(number);
}

/* Sets a handler and unblocks the signal, or blocks it; returns SIG_HOLD if it was blocked. */
SC_EXPORT sighandler_t sigset(int number, sighandler_t handler)
{
    if (!sc_hook_signal_is_shared(number))
        return sc_real()->sigset(number, handler);
    struct sigaction action = {0};
    sigset_t before;
    sighandler_t was = SIG_ERR;
    if (handler != SIG_HOLD)
        was = set_handler(handler, 0);
    else if (sc_hook_signal_change(NULL, &action) == 0)
        was = action.sa_handler;
    if (was == SIG_ERR ||
        change_mask(handler == SIG_HOLD ? SIG_BLOCK : SIG_UNBLOCK, number, &before) != 0)
        return SIG_ERR;
    return sigismember(&before, number) == 1 ? SIG_HOLD : was;
}
