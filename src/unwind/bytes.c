/*
 * unwind/bytes.c - reads unwind data, and its encodings of numbers.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "unwind/record.h"
#include "unwind/signal_safe.h"

enum {
    PE_ABSOLUTE = 0x00,
    PE_ULEB = 0x01,
    PE_UDATA2 = 0x02,
    PE_UDATA4 = 0x03,
    PE_UDATA8 = 0x04,
    PE_SLEB = 0x09,
    PE_SDATA2 = 0x0a,
    PE_SDATA4 = 0x0b,
    PE_SDATA8 = 0x0c,
    PE_FORMAT_MASK = 0x0f,
    PE_PC_RELATIVE = 0x10,
    PE_DATA_RELATIVE = 0x30,
    PE_BASE_MASK = 0x70,
    PE_INDIRECT = 0x80,
};

/* The loads are volatile so that the loop does not become a call of memcpy. */
SC_SIGNAL_SAFE void sc_unwind_load(uint64_t address, void *ret_bytes, size_t length)
{
    uint8_t *bytes = ret_bytes;
    size_t done = 0;
    for (; done + 8 <= length; done += 8) {
        uint64_t word = ((const struct sc_unaligned_word *)(address + done))->word;
        __builtin_memcpy(bytes + done, &word, 8);
    }
    for (; done < length; done++)
        bytes[done] = *(const volatile uint8_t *)(address + done);
}

SC_SIGNAL_SAFE bool sc_unwind_data(const struct sc_unwind_module *module, uint64_t address,
                                   void *bytes, size_t length)
{
    if (sc_unwind_at(module, address, length) != NULL) {
        sc_unwind_load(address, bytes, length);
        return true;
    }
    return address >= module->start && address <= module->end && length <= module->end - address &&
           sc_target_read(module->target, address, bytes, length);
}

SC_SIGNAL_SAFE void sc_unwind_bytes_begin(struct sc_unwind_bytes *bytes,
                                          const struct sc_unwind_module *module, uint64_t start,
                                          uint64_t end)
{
    bytes->module = module;
    bytes->next = start;
    bytes->end = end;
    bytes->failed = start > end;
    bytes->held = 0;
    bytes->taken = 0;
}

SC_SIGNAL_SAFE uint64_t sc_unwind_position(const struct sc_unwind_bytes *bytes)
{
    return bytes->next - (uint64_t)(bytes->held - bytes->taken);
}

SC_SIGNAL_SAFE static bool refill(struct sc_unwind_bytes *bytes)
{
    uint64_t length = bytes->end - bytes->next;
    if (length > sizeof(bytes->buffer))
        length = sizeof(bytes->buffer);
    if (bytes->failed || length == 0 ||
        !sc_unwind_data(bytes->module, bytes->next, bytes->buffer, length)) {
        bytes->failed = true;
        return false;
    }
    bytes->next += length;
    bytes->held = (uint8_t)length;
    bytes->taken = 0;
    return true;
}

SC_SIGNAL_SAFE uint8_t sc_unwind_byte(struct sc_unwind_bytes *bytes)
{
    if (bytes->taken == bytes->held && !refill(bytes))
        return 0;
    return bytes->buffer[bytes->taken++];
}

SC_SIGNAL_SAFE uint64_t sc_unwind_fixed(struct sc_unwind_bytes *bytes, size_t length)
{
    uint64_t value = 0;
    for (size_t i = 0; i < length; i++)
        value |= (uint64_t)sc_unwind_byte(bytes) << (8 * i);
    return bytes->failed ? 0 : value;
}

SC_SIGNAL_SAFE uint64_t sc_unwind_uleb(struct sc_unwind_bytes *bytes)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
        uint8_t byte = sc_unwind_byte(bytes);
        if (shift < 64)
            value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return value;
    }
    bytes->failed = true;
    return 0;
}

SC_SIGNAL_SAFE int64_t sc_unwind_sleb(struct sc_unwind_bytes *bytes)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
        uint8_t byte = sc_unwind_byte(bytes);
        if (shift < 64)
            value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte >= 0x80)
            continue;
        if ((byte & 0x40) && shift + 7 < 64)
            value |= UINT64_MAX << (shift + 7);
        return (int64_t)value;
    }
    bytes->failed = true;
    return 0;
}

SC_SIGNAL_SAFE uint64_t sc_unwind_pointer(struct sc_unwind_bytes *bytes, uint8_t encoding)
{
    uint64_t base = 0;
    if ((encoding & PE_BASE_MASK) == PE_PC_RELATIVE)
        base = sc_unwind_position(bytes);
    else if ((encoding & PE_BASE_MASK) == PE_DATA_RELATIVE)
        base = bytes->module->header;
    else if ((encoding & PE_BASE_MASK) != 0)
        bytes->failed = true;
    if (encoding & PE_INDIRECT)
        bytes->failed = true;
    switch (encoding & PE_FORMAT_MASK) {
    case PE_ABSOLUTE:
    case PE_UDATA8:
    case PE_SDATA8:
        return base + sc_unwind_fixed(bytes, 8);
    case PE_ULEB:
        return base + sc_unwind_uleb(bytes);
    case PE_UDATA2:
        return base + sc_unwind_fixed(bytes, 2);
    case PE_UDATA4:
        return base + sc_unwind_fixed(bytes, 4);
    case PE_SLEB:
        return base + (uint64_t)sc_unwind_sleb(bytes);
    case PE_SDATA2:
        return base + (uint64_t)(int64_t)(int16_t)sc_unwind_fixed(bytes, 2);
    case PE_SDATA4:
        return base + (uint64_t)(int64_t)(int32_t)sc_unwind_fixed(bytes, 4);
    default:
        bytes->failed = true;
        return 0;
    }
}
