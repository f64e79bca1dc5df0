/*
 * tests/fuzz/json_fuzz.c - profiles from anywhere: what is read must be written and read the same.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "profile/profile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sc_profile profile = {0};
    struct sc_profile again = {0};
    struct sc_err err = {0};
    bool good = sc_profile_from_json((const char *)data, size, &profile, &err);
    if (good != (err.kind == SC_ERR_NONE))
        abort();
    if (!good)
        return 0;
    struct sc_str first = {0};
    struct sc_str second = {0};
    sc_profile_to_json(&profile, &first);
    if (!sc_profile_from_json(first.data, first.length, &again, &err))
        abort();
    sc_profile_to_json(&again, &second);
    if (first.length != second.length || memcmp(first.data, second.data, first.length) != 0)
        abort();
    sc_str_done(&first);
    sc_str_done(&second);
    sc_profile_done(&profile);
    sc_profile_done(&again);
    return 0;
}
