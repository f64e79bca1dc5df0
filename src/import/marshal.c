/* import/marshal.c - see marshal.h. SPDX-License-Identifier: Apache-2.0 */
#include "import/marshal.h"

#include <math.h>
#include <string.h>

#define FLAG_REF   0x80U
#define DEPTH_MAX  8U /* a profile has 5 */
#define DIGITS_MAX 64U

static bool read_value(struct sc_marshal *marshal, unsigned depth, uint32_t *ret_value,
                       struct sc_err *err);

/* A little-endian number of so many bytes; sets at to NULL where they are not there. */
static uint64_t take(struct sc_marshal *marshal, size_t bytes)
{
    uint64_t number = 0;
    if (marshal->at == NULL || (size_t)(marshal->end - marshal->at) < bytes) {
        marshal->at = NULL;
        return 0;
    }
    for (size_t i = 0; i < bytes; i++)
        number |= (uint64_t)(unsigned char)marshal->at[i] << (8 * i);
    marshal->at += bytes;
    return number;
}

/* So many bytes; NULL where they are not there. */
static const char *take_bytes(struct sc_marshal *marshal, size_t length)
{
    const char *bytes = marshal->at;
    if (bytes == NULL || (size_t)(marshal->end - bytes) < length)
        return marshal->at = NULL;
    marshal->at += length;
    return bytes;
}

/* An integer of any size: its sign and number of digits, then digits of 15 bits. */
static double take_long(struct sc_marshal *marshal)
{
    int32_t size = (int32_t)(uint32_t)take(marshal, 4);
    double number = 0;
    int64_t digits = size < 0 ? -(int64_t)size : size;
    for (int64_t i = 0; i < digits && i < DIGITS_MAX && marshal->at != NULL; i++)
        number += ldexp((double)take(marshal, 2), (int)(15 * i));
    if (digits > DIGITS_MAX)
        marshal->at = NULL;
    return size < 0 ? -number : number;
}

/* A number as text, of versions 0 and 1. */
static double take_spelt(struct sc_marshal *marshal)
{
    char spelt[256];
    size_t length = (size_t)take(marshal, 1);
    const char *text = take_bytes(marshal, length);
    char *end = NULL;
    if (text == NULL)
        return 0;
    memcpy(spelt, text, length);
    spelt[length] = '\0';
    double number = strtod(spelt, &end);
    if (end == spelt || *end != '\0')
        marshal->at = NULL;
    return number;
}

static double take_real(struct sc_marshal *marshal)
{
    uint64_t bits = take(marshal, 8);
    double number = 0;
    memcpy(&number, &bits, sizeof(number));
    return number;
}

/* Reads the items of a container up to its end, or to its number of items. */
static bool read_items(struct sc_marshal *marshal, unsigned depth, bool is_dict, size_t count,
                       struct sc_marshal_value *ret_value, struct sc_err *err)
{
    size_t before = marshal->open.count;
    if (marshal->at == NULL || count > (size_t)(marshal->end - marshal->at))
        return sc_fail(err, SC_ERR_FAILED, "it is cut off");
    for (size_t i = 0; is_dict || i < count; i++) {
        uint32_t item = 0;
        if (is_dict && i % 2 == 0 && marshal->at < marshal->end && *marshal->at == '0') {
            marshal->at++;
            break;
        }
        if (!read_value(marshal, depth + 1, &item, err))
            return false;
        sc_vec_push(&marshal->open, item);
    }
    ret_value->kind = is_dict ? SC_MARSHAL_DICT : SC_MARSHAL_TUPLE;
    ret_value->first = marshal->items.count;
    ret_value->count = (uint32_t)(marshal->open.count - before);
    for (size_t i = before; i < marshal->open.count; i++)
        sc_vec_push(&marshal->items, marshal->open.items[i]);
    marshal->open.count = before;
    return true;
}

static void read_text(struct sc_marshal *marshal, bool is_short, struct sc_marshal_value *ret_value)
{
    size_t length = (size_t)take(marshal, is_short ? 1 : 4);
    ret_value->kind = SC_MARSHAL_TEXT;
    ret_value->count = (uint32_t)length;
    ret_value->text = take_bytes(marshal, length);
}

/* Reads what follows a type that is no reference. */
static bool read_typed(struct sc_marshal *marshal, char type, unsigned depth,
                       struct sc_marshal_value *ret_value, struct sc_err *err)
{
    ret_value->kind = SC_MARSHAL_NUMBER;
    switch (type) {
    case 'i':
        ret_value->number = (int32_t)(uint32_t)take(marshal, 4);
        return true;
    case 'I':
        ret_value->number = (double)(int64_t)take(marshal, 8);
        return true;
    case 'l':
        ret_value->number = take_long(marshal);
        return true;
    case 'g':
        ret_value->number = take_real(marshal);
        return true;
    case 'f':
        ret_value->number = take_spelt(marshal);
        return true;
    case 'z':
    case 'Z':
    case 's':
    case 't':
    case 'u':
    case 'a':
    case 'A':
        read_text(marshal, type == 'z' || type == 'Z', ret_value);
        return true;
    case '(':
        return read_items(marshal, depth, false, (size_t)take(marshal, 4), ret_value, err);
    case ')':
        return read_items(marshal, depth, false, (size_t)take(marshal, 1), ret_value, err);
    case '{':
        return read_items(marshal, depth, true, 0, ret_value, err);
    case 'N':
    case 'T':
    case 'F':
        ret_value->kind = SC_MARSHAL_OTHER;
        return true;
    default:
        return sc_fail(err, SC_ERR_FAILED, "it has a value of type 0x%02x, as no profile has",
                       (unsigned)(unsigned char)type);
    }
}

/* A value that was read before, by its number among those that can be referred to. */
static bool read_reference(struct sc_marshal *marshal, bool is_interned, uint32_t *ret_value,
                           struct sc_err *err)
{
    size_t number = (size_t)take(marshal, 4);
    size_t count = is_interned ? marshal->interned.count : marshal->refs.count;
    uint32_t value = SC_NONE;
    if (marshal->at != NULL && number < count)
        value = is_interned ? marshal->interned.items[number] : marshal->refs.items[number];
    if (value == SC_NONE)
        return sc_fail(err, SC_ERR_FAILED, "it refers to a value that there is not, or to itself");
    *ret_value = value;
    return true;
}

static bool read_value(struct sc_marshal *marshal, unsigned depth, uint32_t *ret_value,
                       struct sc_err *err)
{
    uint64_t byte = take(marshal, 1);
    char type = (char)(byte & ~FLAG_REF);
    size_t ref = SIZE_MAX;
    struct sc_marshal_value value = {0};
    if (marshal->at == NULL)
        return sc_fail(err, SC_ERR_FAILED, "it is cut off");
    if (depth > DEPTH_MAX || marshal->values.count >= SC_MARSHAL_VALUES_MAX)
        return sc_fail(err, SC_ERR_FAILED, "it has more values, or is deeper, than a profile is");
    if (type == 'r' || type == 'R')
        return read_reference(marshal, type == 'R', ret_value, err);
    if ((byte & FLAG_REF) != 0) {
        ref = marshal->refs.count;
        sc_vec_push(&marshal->refs, SC_NONE);
    }
    if (!read_typed(marshal, type, depth, &value, err))
        return false;
    if (marshal->at == NULL)
        return sc_fail(err, SC_ERR_FAILED, "it is cut off");
    *ret_value = (uint32_t)marshal->values.count;
    sc_vec_push(&marshal->values, value);
    if (ref != SIZE_MAX)
        marshal->refs.items[ref] = *ret_value;
    if (type == 't')
        sc_vec_push(&marshal->interned, *ret_value);
    return true;
}

bool sc_marshal_read(struct sc_marshal *marshal, const char *bytes, size_t length,
                     struct sc_err *err)
{
    uint32_t value = 0;
    marshal->at = bytes;
    marshal->end = bytes + length;
    return read_value(marshal, 0, &value, err) &&
           (marshal->at == marshal->end ||
            sc_fail(err, SC_ERR_FAILED, "it has bytes behind its end"));
}

void sc_marshal_done(struct sc_marshal *marshal)
{
    sc_vec_done(&marshal->values);
    sc_vec_done(&marshal->items);
    sc_vec_done(&marshal->refs);
    sc_vec_done(&marshal->interned);
    sc_vec_done(&marshal->open);
}
