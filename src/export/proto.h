/*
 * export/proto.h - writes messages of Protocol Buffers
 * (https://protobuf.dev/programming-guides/encoding).
 *
 * A field is added to the message that is being made; a message inside it is made apart, and added
 * as a whole. Zeros and empty texts, which are what a field has without being there, are left out.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdint.h>

#include "base/str.h"

void sc_proto_number(struct sc_str *message, unsigned field, uint64_t number);
void sc_proto_given(struct sc_str *message, unsigned field, uint64_t number); /* also 0 */
void sc_proto_fixed64(struct sc_str *message, unsigned field, uint64_t bits);
void sc_proto_text(struct sc_str *message, unsigned field, const char *text);

/* The same also where it is empty: an item of a list. */
void sc_proto_item(struct sc_str *message, unsigned field, const char *bytes, size_t length);

/* Adds the inner message, also an empty one, and empties it, for the next. */
void sc_proto_inside(struct sc_str *message, unsigned field, struct sc_str *inner);

/* A number without a field, for a list of numbers, which is added as an inner message. */
void sc_proto_packed(struct sc_str *list, uint64_t number);
