/*
 * tests/fuzz/json_fuzz.c - profiles from anywhere: what is read must be written and read the same,
 * and reading in parts gives what reading as a whole gives.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "profile/json_split.h"
#include "profile/profile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What is kept as text is kept as it is spelt by one of them. */
static void forget_lists(struct sc_profile *profile)
{
    for (size_t i = 0; i < 4; i++) {
        free(profile->stacks_json[i]);
        profile->stacks_json[i] = NULL;
    }
}

/* whole: how the text reads as a whole, or NULL when it is refused. */
static void compare_parts(const char *text, size_t size, struct sc_profile *whole)
{
    struct sc_profile parts = {0};
    struct sc_str first = {0};
    struct sc_str second = {0};
    if (!sc_json_read_split(text, size, &parts))
        return;
    forget_lists(&parts);
    sc_profile_to_json(&parts, &first);
    if (whole != NULL) {
        forget_lists(whole);
        sc_profile_to_json(whole, &second);
        if (first.length != second.length || memcmp(first.data, second.data, first.length) != 0)
            abort();
    }
    sc_str_done(&first);
    sc_str_done(&second);
    sc_profile_done(&parts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sc_profile profile = {0};
    struct sc_profile again = {0};
    struct sc_err err = {0};
    bool good = sc_profile_from_json((const char *)data, size, &profile, &err);
    if (good != (err.kind == SC_ERR_NONE))
        abort();
    if (!good) {
        compare_parts((const char *)data, size, NULL);
        return 0;
    }
    struct sc_str first = {0};
    struct sc_str second = {0};
    sc_profile_to_json(&profile, &first);
    if (!sc_profile_from_json(first.data, first.length, &again, &err))
        abort();
    sc_profile_to_json(&again, &second);
    if (first.length != second.length || memcmp(first.data, second.data, first.length) != 0)
        abort();
    compare_parts((const char *)data, size, &profile);
    sc_str_done(&first);
    sc_str_done(&second);
    sc_profile_done(&profile);
    sc_profile_done(&again);
    return 0;
}
