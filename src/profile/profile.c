/* profile/profile.c - see profile.h. SPDX-License-Identifier: Apache-2.0 */
#include "profile/profile.h"

#include <string.h>

#include "base/mem.h"

#define X_NAME(name, json, ...) json,
const char *const sc_time_names[SC_TIME_COUNT_] = {SC_TIMES(X_NAME)};
const char *const sc_wait_names[SC_WAIT_COUNT_] = {SC_WAITS(X_NAME)};
const char *const sc_loss_names[SC_LOSS_COUNT_] = {SC_LOSSES(X_NAME)};
#undef X_NAME

#define X_TEXT(name, json, kind, text) text,
const char *const sc_loss_texts[SC_LOSS_COUNT_] = {SC_LOSSES(X_TEXT)};
#undef X_TEXT

#define X_KIND(name, json, kind, text) SC_LOST_##kind,
const enum sc_loss_kind sc_loss_kinds[SC_LOSS_COUNT_] = {SC_LOSSES(X_KIND)};
#undef X_KIND

char *sc_profile_ending(const struct sc_profile *profile)
{
    if (profile->exit_kind == NULL)
        return NULL;
    if (strcmp(profile->exit_kind, "signal") == 0)
        return sc_format("ended by signal %d (%s)", profile->exit_value,
                         strsignal(profile->exit_value));
    return profile->exit_value != 0 ? sc_format("exit status %d", profile->exit_value) : NULL;
}

bool sc_profile_is_empty(const struct sc_profile *profile)
{
    return profile->files.count == 0;
}

bool sc_profile_has_process(const struct sc_profile *profile, size_t count, uint64_t pid)
{
    for (size_t i = 0; i < count; i++) {
        if (profile->processes.items[i].pid == pid)
            return true;
    }
    return false;
}
