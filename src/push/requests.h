/*
 * push/requests.h - makes the requests of one push: what a receiver takes, and how it names it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/vec.h"
#include "export/samples.h"
#include "push/post.h"

struct sc_push_requests {
    struct sc_push_request *items;
    size_t count;
    size_t capacity;
};

/* The samples are those of the push: what came in their span, of their service. Adds nothing where
 * they hold nothing. */
void sc_push_requests_make(const struct sc_push_target *target, struct sc_export_samples *samples,
                           struct sc_push_requests *ret_requests);
