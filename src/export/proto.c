/* export/proto.c - see proto.h. SPDX-License-Identifier: Apache-2.0 */
#include "export/proto.h"

#include <string.h>

enum wire { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_LENGTH = 2 };

void sc_proto_packed(struct sc_str *list, uint64_t number)
{
    for (; number >= 0x80; number >>= 7)
        sc_str_add_char(list, (char)(unsigned char)(number | 0x80));
    sc_str_add_char(list, (char)number);
}

static void add_tag(struct sc_str *message, unsigned field, enum wire wire)
{
    sc_proto_packed(message, (uint64_t)field << 3 | (uint64_t)wire);
}

void sc_proto_given(struct sc_str *message, unsigned field, uint64_t number)
{
    add_tag(message, field, WIRE_VARINT);
    sc_proto_packed(message, number);
}

void sc_proto_number(struct sc_str *message, unsigned field, uint64_t number)
{
    if (number != 0)
        sc_proto_given(message, field, number);
}

void sc_proto_fixed64(struct sc_str *message, unsigned field, uint64_t bits)
{
    add_tag(message, field, WIRE_FIXED64);
    for (unsigned i = 0; i < 8; i++)
        sc_str_add_char(message, (char)(unsigned char)(bits >> (8 * i)));
}

void sc_proto_item(struct sc_str *message, unsigned field, const char *bytes, size_t length)
{
    add_tag(message, field, WIRE_LENGTH);
    sc_proto_packed(message, length);
    sc_str_add_bytes(message, bytes, length);
}

void sc_proto_text(struct sc_str *message, unsigned field, const char *text)
{
    if (text[0] != '\0')
        sc_proto_item(message, field, text, strlen(text));
}

void sc_proto_inside(struct sc_str *message, unsigned field, struct sc_str *inner)
{
    sc_proto_item(message, field, sc_str_text(inner), inner->length);
    sc_str_clear(inner);
}
