/* agent/python_api.c - see python_api.h. SPDX-License-Identifier: Apache-2.0 */
#include "agent/python_api.h"

#include <dlfcn.h>
#include <stddef.h>

struct sc_python_api sc_python_api;

void sc_python_api_init(void)
{
    sc_python_api.is_complete = true;
#define X_LOOK_UP(result, member, name, parameters)                                                \
    {                                                                                              \
        void *symbol = dlsym(RTLD_DEFAULT, #name);                                                 \
        __builtin_memcpy(&sc_python_api.member, &symbol, sizeof(symbol));                          \
        sc_python_api.is_complete = sc_python_api.is_complete && symbol != NULL;                   \
    }
    SC_PYTHON_FUNCTIONS(X_LOOK_UP)
#undef X_LOOK_UP
}
