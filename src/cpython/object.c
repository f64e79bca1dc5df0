/*
 * cpython/object.c - what code, str and bytes objects hold.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cpython/load.h"
#include "cpython/text.h"
#include "cpython/walk.h"

enum {
    STRING_CHUNK_BYTES = 64,
    CODE_SPAN_BYTES = 128, /* first_line to line_table, 104 at most as of 3.15 */
};

static const uint64_t length_limit = (uint64_t)1 << 31;

bool sc_code_read(const struct sc_layout *layout, const struct sc_target *target, uint64_t code,
                  struct sc_code_facts *ret_facts)
{
    uint8_t block[CODE_SPAN_BYTES];
    int32_t name = layout->co_qualname >= 0 ? layout->co_qualname : layout->co_name;
    int32_t start = layout->co_first_line & ~7;
    int32_t end = layout->co_line_table + 8;
    if (layout->co_filename < start || name < start || layout->co_filename > end - 8 ||
        name > end - 8 || end - start > CODE_SPAN_BYTES || start + 8 > end ||
        !sc_is_object_address(code) ||
        !sc_target_read(target, code + (uint32_t)start, block, (size_t)(end - start)))
        return false;
    ret_facts->filename = sc_load_u64(block + (layout->co_filename - start));
    ret_facts->name = sc_load_u64(block + (name - start));
    ret_facts->line_table = sc_load_u64(block + (layout->co_line_table - start));
    ret_facts->first_line = sc_load_u32(block + (layout->co_first_line - start));
    ret_facts->code = code;
    bool has_version = layout->co_version >= start && layout->co_version <= end - 4;
    ret_facts->version = has_version ? sc_load_u32(block + (layout->co_version - start)) : 0;
    ret_facts->key = 0;
    return true;
}

bool sc_bytes_size(const struct sc_layout *layout, const struct sc_target *target, uint64_t object,
                   size_t *ret_length)
{
    uint64_t size = 0;
    if (!sc_is_object_address(object) || !sc_read_u64(target, object, layout->by_size, &size) ||
        size > length_limit)
        return false;
    *ret_length = (size_t)size;
    return true;
}

bool sc_bytes_read(const struct sc_layout *layout, const struct sc_target *target, uint64_t object,
                   void *bytes, size_t length)
{
    return sc_is_object_address(object) &&
           (length == 0 ||
            sc_target_read(target, object + (uint32_t)layout->by_data, bytes, length));
}

bool sc_characters_find(const struct sc_layout *layout, const struct sc_target *target,
                        uint64_t object, struct sc_characters *ret)
{
    uint32_t state = 0;
    if (!sc_is_object_address(object) ||
        !sc_read_u64(target, object, layout->us_length, &ret->count) ||
        !sc_read_u32(target, object, layout->us_state, &state))
        return false;
    ret->width = (state >> layout->str_kind_bit) & 7;
    ret->ascii = (state >> layout->str_ascii_bit) & 1;
    if (!((state >> layout->str_compact_bit) & 1) || ret->count > length_limit ||
        (ret->width != 1 && ret->width != 2 && ret->width != 4) || (ret->ascii && ret->width != 1))
        return false;
    ret->address =
        object + (uint32_t)(ret->ascii ? layout->us_ascii_data : layout->us_compact_data);
    return true;
}

uint32_t sc_character(const uint8_t *bytes, size_t width)
{
    if (width == 1)
        return bytes[0];
    uint32_t low = bytes[0] | (uint32_t)bytes[1] << 8;
    return width == 2 ? low : low | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

size_t sc_character_encode(uint32_t point, uint8_t *utf8)
{
    if (point >= 0xdc80 && point <= 0xdcff) { /* surrogateescape: a byte that was not UTF-8 */
        utf8[0] = (uint8_t)(point - 0xdc00);
        return 1;
    }
    if ((point >= 0xd800 && point <= 0xdfff) || point > 0x10ffff)
        point = 0xfffd; /* has no UTF-8: the replacement character */
    if (point < 0x80) {
        utf8[0] = (uint8_t)point;
        return 1;
    }
    if (point < 0x800) {
        utf8[0] = (uint8_t)(0xc0 | point >> 6);
        utf8[1] = (uint8_t)(0x80 | (point & 0x3f));
        return 2;
    }
    if (point < 0x10000) {
        utf8[0] = (uint8_t)(0xe0 | point >> 12);
        utf8[1] = (uint8_t)(0x80 | (point >> 6 & 0x3f));
        utf8[2] = (uint8_t)(0x80 | (point & 0x3f));
        return 3;
    }
    utf8[0] = (uint8_t)(0xf0 | point >> 18);
    utf8[1] = (uint8_t)(0x80 | (point >> 12 & 0x3f));
    utf8[2] = (uint8_t)(0x80 | (point >> 6 & 0x3f));
    utf8[3] = (uint8_t)(0x80 | (point & 0x3f));
    return 4;
}

bool sc_unicode_read(const struct sc_layout *layout, const struct sc_target *target,
                     uint64_t object, char *bytes, size_t capacity, size_t *ret_length)
{
    struct sc_characters text;
    uint8_t chunk[STRING_CHUNK_BYTES];
    uint8_t utf8[4];
    size_t used = 0;
    if (!sc_characters_find(layout, target, object, &text))
        return false;
    if (text.ascii) {
        used = text.count < capacity ? (size_t)text.count : capacity;
        if (used != 0 && !sc_target_read(target, text.address, bytes, used))
            return false;
        *ret_length = used;
        return true;
    }
    uint64_t left = text.count;
    while (left != 0) {
        size_t held = STRING_CHUNK_BYTES / text.width;
        if (held > left)
            held = (size_t)left;
        if (!sc_target_read(target, text.address, chunk, held * text.width))
            return false;
        for (size_t i = 0; i < held; i++) {
            size_t length =
                sc_character_encode(sc_character(chunk + i * text.width, text.width), utf8);
            if (length > capacity - used) {
                *ret_length = used;
                return true;
            }
            for (size_t j = 0; j < length; j++)
                bytes[used++] = (char)utf8[j];
        }
        text.address += held * text.width;
        left -= held;
    }
    *ret_length = used;
    return true;
}
