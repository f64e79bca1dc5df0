/* build/native_place.c - see native_place.h. SPDX-License-Identifier: Apache-2.0 */
#include "build/native_place.h"

#include <string.h>

#include "base/mem.h"

char *sc_native_place(const char *module, uint64_t offset)
{
    const char *slash = strrchr(module, '/');
    if (slash == NULL)
        return sc_strdup(module);
    return sc_format("%s+0x%llx", slash + 1, (unsigned long long)offset);
}
