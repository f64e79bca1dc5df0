/*
 * cpython/linetable.c - decodes the three tables that CPython has used from offsets to lines.
 *
 * The tables may hold any bytes. Lines are summed as unsigned 64-bit numbers, which wrap instead of
 * overflowing, and are checked only once, at the end.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cpython/linetable.h"

/* Codes of a location entry, bits 3 to 6 of its first byte (Include/cpython/code.h, 3.11) */
enum {
    LOCATION_ONE_LINE_0 = 10, /* line delta 0; 11 and 12: delta 1 and 2 */
    LOCATION_NO_COLUMNS = 13,
    LOCATION_LONG = 14,
    LOCATION_NONE = 15,
};

static uint64_t widened(uint8_t byte)
{
    return (uint64_t)(int64_t)(int8_t)byte;
}

static uint32_t checked_line(uint64_t line)
{
    return line >= 1 && line <= INT32_MAX ? (uint32_t)line : 0;
}

/* Pairs (bytes, signed lines): the line changes after that many bytes. */
static uint32_t line_by_lnotab(const uint8_t *table, size_t length, uint64_t line,
                               uint64_t instruction)
{
    uint64_t address = 0;
    for (size_t i = 0; i + 1 < length; i += 2) {
        address += table[i];
        if (address > instruction)
            break;
        line += widened(table[i + 1]);
    }
    return checked_line(line);
}

/* Pairs (bytes, signed lines): the line changes, then holds for that many bytes; -128 is no line.
 */
static uint32_t line_by_pep626(const uint8_t *table, size_t length, uint64_t line,
                               uint64_t instruction)
{
    uint64_t end = 0;
    for (size_t i = 0; i + 1 < length; i += 2) {
        bool has_line = table[i + 1] != 0x80;
        if (has_line)
            line += widened(table[i + 1]);
        end += table[i];
        if (instruction < end)
            return has_line ? checked_line(line) : 0;
    }
    return 0;
}

/* A number in groups of six bits, lowest first, bit 6 set in all but the last; signed ones keep the
 * sign in bit 0. */
static uint64_t signed_varint(const uint8_t *table, size_t length, size_t at)
{
    uint64_t value = 0;
    for (unsigned shift = 0; at < length && shift < 60; shift += 6) {
        uint8_t byte = table[at++];
        value |= (uint64_t)(byte & 0x3f) << shift;
        if (!(byte & 0x40))
            break;
    }
    return value & 1 ? -(value >> 1) : value >> 1;
}

static uint64_t location_line_delta(const uint8_t *table, size_t length, size_t at)
{
    unsigned code = (table[at] >> 3) & 15;
    if (code == LOCATION_NO_COLUMNS || code == LOCATION_LONG)
        return signed_varint(table, length, at + 1);
    if (code >= LOCATION_ONE_LINE_0 && code < LOCATION_NO_COLUMNS)
        return code - LOCATION_ONE_LINE_0;
    return 0;
}

/* Entries that begin with a byte >= 0x80 and go on with bytes below it. */
static uint32_t line_by_location(const uint8_t *table, size_t length, uint64_t line,
                                 uint64_t instruction)
{
    uint64_t end = 0;
    size_t at = 0;
    while (at < length) {
        unsigned code = (table[at] >> 3) & 15;
        line += location_line_delta(table, length, at);
        end += (table[at] & 7) * (uint64_t)2 + 2;
        if (instruction < end)
            return code == LOCATION_NONE ? 0 : checked_line(line);
        do
            at++;
        while (at < length && table[at] < 0x80);
    }
    return 0;
}

uint32_t sc_line_of(enum sc_line_table_kind kind, const uint8_t *table, size_t length,
                    uint32_t first_line, int32_t instruction)
{
    if (instruction < 0)
        return first_line;
    switch (kind) {
    case SC_LINE_TABLE_LNOTAB:
        return line_by_lnotab(table, length, first_line, (uint32_t)instruction);
    case SC_LINE_TABLE_PEP626:
        return line_by_pep626(table, length, first_line, (uint32_t)instruction);
    case SC_LINE_TABLE_LOCATION:
        return line_by_location(table, length, first_line, (uint32_t)instruction);
    }
    return 0;
}
