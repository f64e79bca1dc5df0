/*
 * tests/unit/fake_accelerator.h - the parts of a made-up accelerator that do nothing.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "accelerator/accelerator.h"

static inline void *fake_open(struct sc_str *notes)
{
    return (void *)(uintptr_t)1;
}

static inline unsigned fake_no_news(void *state, struct sc_str *notes)
{
    return 0;
}

static inline void fake_read_nothing(void *state, const struct sc_watched *watched,
                                     struct sc_device_state *ret, size_t count,
                                     struct sc_str *notes)
{
}

static inline void fake_close(void *state)
{
}
