/*
 * tests/fuzz/config_fuzz.c - YAML files of options.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>

#include "cli/config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sc_values values;
    struct sc_err err = {0};
    sc_values_init(&values);
    bool good = sc_config_parse((const char *)data, size, "file.yaml", &values, &err);
    if (good != (err.kind == SC_ERR_NONE))
        abort();
    sc_values_done(&values);
    return 0;
}
