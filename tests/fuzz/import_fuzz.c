/*
 * tests/fuzz/import_fuzz.c - files of other profilers: what is read keeps its sums, and is a
 * profile that can be written and read.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdlib.h>

#include "import/import.h"
#include "profile/profile.h"
#include "profile/sparse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* All time that was read is in the profile, and in its threads. */
static void check(const struct sc_import_tree *tree, const struct sc_profile *profile)
{
    double sum_s = 0;
    double threads_s = 0;
    for (size_t k = 0; k < SC_TIME_COUNT_; k++) {
        sum_s += profile->time_s[k];
        for (size_t i = 0; i < profile->threads.count; i++)
            threads_s += profile->threads.items[i].time_s[k];
    }
    double all_s = (double)tree->time_ns / 1e9;
    if (fabs(sum_s - all_s) > 1e-9 * all_s || fabs(threads_s - all_s) > 1e-9 * all_s)
        abort();
    for (size_t i = 0; i < profile->files.count; i++)
        if (!(profile->files.items[i].percent_cpu_time <= 100.001))
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sc_import_tree tree;
    struct sc_str bytes = {0};
    struct sc_err err = {0};
    const struct sc_import_format *format = NULL;
    sc_import_tree_init(&tree);
    sc_str_add_bytes(&bytes, (const char *)data, size);
    bool good = sc_import_plain(&bytes, SC_IMPORT_BYTES_MAX, &err) &&
                sc_import_read(&tree, "/nowhere/file", &bytes, NULL, &format, &err);
    if (good != (err.kind == SC_ERR_NONE))
        abort();
    if (good) {
        struct sc_profile profile = {0};
        struct sc_profile again = {0};
        struct sc_str json = {0};
        sc_import_build(&tree, "file", 0, &profile);
        check(&tree, &profile);
        sc_profile_make_sparse(&profile);
        sc_profile_to_json(&profile, &json);
        if (!sc_profile_from_json(json.data, json.length, &again, &err))
            abort();
        sc_profile_done(&again);
        sc_profile_done(&profile);
        sc_str_done(&json);
    }
    sc_str_done(&bytes);
    sc_import_tree_done(&tree);
    return 0;
}
