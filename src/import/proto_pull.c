/* import/proto_pull.c - see proto_pull.h. SPDX-License-Identifier: Apache-2.0 */
#include "import/proto_pull.h"

enum wire { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_LENGTH = 2, WIRE_FIXED32 = 5 };

#define VARINT_BYTES_MAX 10U

bool sc_proto_pull_number(struct sc_proto_pull *pull, uint64_t *ret_number)
{
    *ret_number = 0;
    if (pull->failed || pull->at == pull->end)
        return false;
    for (unsigned i = 0; i < VARINT_BYTES_MAX && pull->at < pull->end; i++) {
        unsigned char byte = (unsigned char)*pull->at++;
        *ret_number |= (uint64_t)(byte & 0x7fU) << (7 * i);
        if (byte < 0x80)
            return true;
    }
    pull->failed = true;
    return false;
}

static uint64_t pull_fixed(struct sc_proto_pull *pull, unsigned bytes)
{
    uint64_t number = 0;
    if ((size_t)(pull->end - pull->at) < bytes)
        pull->failed = true;
    for (unsigned i = 0; i < bytes && !pull->failed; i++)
        number |= (uint64_t)(unsigned char)*pull->at++ << (8 * i);
    return number;
}

bool sc_proto_pull_field(struct sc_proto_pull *pull, struct sc_proto_field *ret_field)
{
    uint64_t tag = 0;
    uint64_t length = 0;
    *ret_field = (struct sc_proto_field){0};
    if (!sc_proto_pull_number(pull, &tag))
        return false;
    enum wire wire = (enum wire)(tag & 7U);
    pull->failed = tag >> 3U == 0 || tag >> 3U > UINT32_MAX;
    ret_field->number = (uint32_t)(tag >> 3U);
    ret_field->is_bytes = wire == WIRE_LENGTH;
    if (wire == WIRE_VARINT) {
        pull->failed |= !sc_proto_pull_number(pull, &ret_field->value);
    } else if (wire == WIRE_FIXED64 || wire == WIRE_FIXED32) {
        ret_field->value = pull_fixed(pull, wire == WIRE_FIXED64 ? 8 : 4);
    } else if (wire == WIRE_LENGTH && sc_proto_pull_number(pull, &length) &&
               length <= (uint64_t)(pull->end - pull->at)) {
        ret_field->bytes = (struct sc_import_text){pull->at, (size_t)length};
        pull->at += length;
    } else {
        pull->failed = true;
    }
    return !pull->failed;
}
