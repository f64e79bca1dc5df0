/*
 * agent/cuda/hook_cupti.c - gives way when the program, or a library in it, uses CUPTI itself.
 *
 * CUPTI serves one subscriber, and one pair of callbacks for buffers. Any other user of it has
 * priority over us: someone who runs torch's profiler wants to see its result. We then call the
 * function that the caller was linked to; it never fails because of us.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/cuda/hook_cupti.h"

#include <stddef.h>

#include "agent/cuda/cuda.h"
#include "agent/cuda/cupti_abi.h"
#include "agent/cuda/cupti_find.h"
#include "agent/late.h"
#include "agent/rules.h"

/* Calls the real function behind ours. */
#define PASS_ON(name, types, arguments)                                                            \
    int(*real_) types;                                                                             \
    sc_cuda_yield_cupti();                                                                         \
    void *found_ = sc_cupti_symbol_for(__builtin_return_address(0), name);                         \
    if (found_ == NULL)                                                                            \
        return SC_CUPTI_NOT_INITIALIZED;                                                           \
    __builtin_memcpy(&real_, &found_, sizeof(found_));                                             \
    return real_ arguments

static int subscribe(void **subscriber, void *callback, void *data)
{
    PASS_ON("cuptiSubscribe", (void **, void *, void *), (subscriber, callback, data));
}

/* CUPTI 13.0 and later; parameters: CUpti_SubscriberParams */
static int subscribe_v2(void **subscriber, void *callback, void *data, void *parameters)
{
    PASS_ON("cuptiSubscribe_v2", (void **, void *, void *, void *),
            (subscriber, callback, data, parameters));
}

static int register_buffers(void *wants, void *gives)
{
    PASS_ON("cuptiActivityRegisterCallbacks", (void *, void *), (wants, gives));
}

/* CUPTI 13.0 and later */
static int register_buffers_v2(void *subscriber, void *wants, void *gives)
{
    PASS_ON("cuptiActivityRegisterCallbacks_v2", (void *, void *, void *),
            (subscriber, wants, gives));
}

#define ALSO_KNOWN_AS(name) __attribute__((alias(name))) SC_EXPORT

int cuptiSubscribe(void **subscriber, void *callback, void *data) ALSO_KNOWN_AS("subscribe");
int cuptiSubscribe_v2(void **subscriber, void *callback, void *data, void *parameters)
    ALSO_KNOWN_AS("subscribe_v2");
int cuptiActivityRegisterCallbacks(void *wants, void *gives) ALSO_KNOWN_AS("register_buffers");
int cuptiActivityRegisterCallbacks_v2(void *subscriber, void *wants, void *gives)
    ALSO_KNOWN_AS("register_buffers_v2");

#define LEAD(name, function)                                                                       \
    do {                                                                                           \
        void *ours_ = NULL;                                                                        \
        __typeof__(&(function)) ours_function_ = function;                                         \
        __builtin_memcpy(&ours_, &ours_function_, sizeof(ours_));                                  \
        sc_late_redirect(name, ours_, sc_cupti_symbol(name));                                      \
    } while (0)

void sc_hook_cupti_redirect(void)
{
    LEAD("cuptiSubscribe", subscribe);
    LEAD("cuptiSubscribe_v2", subscribe_v2);
    LEAD("cuptiActivityRegisterCallbacks", register_buffers);
    LEAD("cuptiActivityRegisterCallbacks_v2", register_buffers_v2);
}
