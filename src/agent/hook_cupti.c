/*
 * agent/hook_cupti.c - the program, or a library in it, wants to use CUPTI itself.
 *
 * CUPTI serves one subscriber, and one pair of callbacks for buffers. Whoever asks comes before us:
 * torch's profiler is what its user wants to see. What is called is the function the caller was
 * linked to; it never fails because of us.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stddef.h>

#include "agent/cuda.h"
#include "agent/cupti_abi.h"
#include "agent/cupti_find.h"
#include "agent/rules.h"

/* Calls the real function behind ours. */
#define PASS_ON(name, types, arguments)                                                            \
    int(*real_) types;                                                                             \
    sc_cuda_give_way();                                                                            \
    void *found_ = sc_cupti_symbol_for(__builtin_return_address(0), name);                         \
    if (found_ == NULL)                                                                            \
        return SC_CUPTI_NOT_INITIALIZED;                                                           \
    __builtin_memcpy(&real_, &found_, sizeof(found_));                                             \
    return real_ arguments

SC_EXPORT int cuptiSubscribe(void **subscriber, void *callback, void *data);
SC_EXPORT int cuptiSubscribe(void **subscriber, void *callback, void *data)
{
    PASS_ON("cuptiSubscribe", (void **, void *, void *), (subscriber, callback, data));
}

/* CUPTI 13.0 and later; parameters: CUpti_SubscriberParams */
SC_EXPORT int cuptiSubscribe_v2(void **subscriber, void *callback, void *data, void *parameters);
SC_EXPORT int cuptiSubscribe_v2(void **subscriber, void *callback, void *data, void *parameters)
{
    PASS_ON("cuptiSubscribe_v2", (void **, void *, void *, void *),
            (subscriber, callback, data, parameters));
}

SC_EXPORT int cuptiActivityRegisterCallbacks(void *wants, void *gives);
SC_EXPORT int cuptiActivityRegisterCallbacks(void *wants, void *gives)
{
    PASS_ON("cuptiActivityRegisterCallbacks", (void *, void *), (wants, gives));
}

/* CUPTI 13.0 and later */
SC_EXPORT int cuptiActivityRegisterCallbacks_v2(void *subscriber, void *wants, void *gives);
SC_EXPORT int cuptiActivityRegisterCallbacks_v2(void *subscriber, void *wants, void *gives)
{
    PASS_ON("cuptiActivityRegisterCallbacks_v2", (void *, void *, void *),
            (subscriber, wants, gives));
}
