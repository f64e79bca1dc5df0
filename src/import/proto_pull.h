/*
 * import/proto_pull.h - reads messages of Protocol Buffers, field by field
 * (https://protobuf.dev/programming-guides/encoding).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "import/places.h"

/* What is left of a message. */
struct sc_proto_pull {
    const char *at;
    const char *end;
    bool failed; /* the bytes are no message */
};

struct sc_proto_field {
    uint32_t number;
    bool is_bytes; /* a text, a list of numbers or a message inside, which borrow the bytes */
    uint64_t value;
    struct sc_import_text bytes;
};

static inline struct sc_proto_pull sc_proto_pull_of(struct sc_import_text bytes)
{
    const char *at = bytes.bytes != NULL ? bytes.bytes : "";
    return (struct sc_proto_pull){at, at + bytes.length, false};
}

/* The next number without a field, as in a list of them; false at the end and where it failed. */
bool sc_proto_pull_number(struct sc_proto_pull *pull, uint64_t *ret_number);

/* The next field; false at the end and where it failed. */
bool sc_proto_pull_field(struct sc_proto_pull *pull, struct sc_proto_field *ret_field);
