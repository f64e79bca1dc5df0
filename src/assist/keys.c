/* assist/keys.c - see keys.h. SPDX-License-Identifier: Apache-2.0 */
#include "assist/keys.h"

#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "assist/provider.h"
#include "assist/providers.h"

static bool is_variable(const char *entry, const char *name)
{
    return name != NULL && sc_starts_with(entry, name) && entry[strlen(name)] == '=';
}

/* A variable with a key, or with an address, which may contain a password. */
static bool holds_key(const char *entry)
{
    for (size_t i = 0; sc_ai_providers[i] != NULL; i++) {
        for (size_t k = 0; k < sc_ai_providers[i]->field_count; k++) {
            const struct sc_ai_field *field = &sc_ai_providers[i]->fields[k];
            bool is_secret = field->is_secret || (field->is_address && strchr(entry, '@') != NULL);
            for (size_t n = 0; n < 2 && is_secret; n++) {
                if (is_variable(entry, field->environment[n]))
                    return true;
            }
        }
    }
    return false;
}

void sc_ai_keyless_environment(struct sc_texts *ret_entries)
{
    for (char **entry = environ; *entry != NULL; entry++) {
        if (!holds_key(*entry))
            sc_vec_push(ret_entries, sc_strdup(*entry));
    }
}

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif

void sc_ai_shut_process(void)
{
#ifndef __SANITIZE_ADDRESS__ /* its leak check reads this process from another one */
    (void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
#endif
}
