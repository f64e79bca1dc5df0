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
#include <string.h>

#include "agent/cuda/cuda.h"
#include "agent/cuda/cupti_abi.h"
#include "agent/cuda/cupti_find.h"
#include "agent/import_table.h"
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

bool sc_hook_cupti_is(const char *name, const void *found, const void *caller)
{
    return strncmp(name, "cupti", 5) == 0 && !sc_cupti_is_ours(caller) &&
           sc_cupti_symbol(name) == found;
}

void sc_hook_cupti_redirect(void)
{
    static const char names[][40] = {"cuptiSubscribe", "cuptiSubscribe_v2",
                                     "cuptiActivityRegisterCallbacks",
                                     "cuptiActivityRegisterCallbacks_v2"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        sc_late_redirect(names[i], sc_imports_own(names[i]), sc_cupti_symbol(names[i]));
}
