/*
 * push/target.h - where a run is pushed to: the address, and the token that is allowed in there.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"

enum sc_push_kind { SC_PUSH_PYROSCOPE, SC_PUSH_OTLP };

/* All owned. */
struct sc_push_target {
    enum sc_push_kind kind;
    char *url;   /* that requests go to; without a query */
    char *shown; /* its scheme, host and port */
    char *token; /* NULL: none */
};

/* address: "pyroscope+http://host:4040", "otlp+https://host:4318", "http://host:4040/ingest".
 * token_file: a file that others cannot read, or NULL. What is refused, err says. */
bool sc_push_target_init(struct sc_push_target *ret_target, const char *address,
                         const char *token_file, struct sc_err *err);

void sc_push_target_done(struct sc_push_target *target);
