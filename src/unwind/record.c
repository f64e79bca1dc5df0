/* unwind/record.c - see record.h. SPDX-License-Identifier: Apache-2.0 */
#include "unwind/record.h"

#include <stdatomic.h>

#include "unwind/signal_safe.h"

enum {
    TABLE_ENCODING = 0x3b, /* signed offsets of 4 bytes, from the header */
    COUNT_ENCODING = 0x03, /* 4 bytes */
    PE_OMIT = 0xff,
    PE_FORMAT_MASK = 0x0f,
    PE_ALIGNED = 0x50,
};

/* Lengths from here on mark the 64-bit format. */
#define LONG_FORMAT 0xfffffff0U

SC_SIGNAL_SAFE bool sc_unwind_table_open(const struct sc_unwind_module *module,
                                         struct sc_unwind_table *ret_table)
{
    struct {
        uint8_t version;
        uint8_t frame_encoding;
        uint8_t count_encoding;
        uint8_t table_encoding;
        uint32_t frame; /* .eh_frame itself, not needed: entries are found through the table */
        uint32_t count;
    } head;
    if (!sc_unwind_data(module, module->header, &head, sizeof(head)) || head.version != 1 ||
        (head.frame_encoding & PE_FORMAT_MASK) % 8 != COUNT_ENCODING ||
        head.count_encoding != COUNT_ENCODING || head.table_encoding != TABLE_ENCODING)
        return false;
    ret_table->module = module;
    ret_table->count = head.count;
    ret_table->entries = module->header + sizeof(head);
    return head.count > 0 && head.count <= (module->end - ret_table->entries) / 8;
}

SC_SIGNAL_SAFE bool sc_unwind_table_entry(const struct sc_unwind_table *table, uint32_t index,
                                          struct sc_unwind_entry *ret_entry)
{
    int32_t pair[2];
    if (index >= table->count ||
        !sc_unwind_data(table->module, table->entries + 8 * (uint64_t)index, pair, sizeof(pair)))
        return false;
    ret_entry->start = table->module->header + (uint64_t)(int64_t)pair[0];
    ret_entry->record = table->module->header + (uint64_t)(int64_t)pair[1];
    return true;
}

SC_SIGNAL_SAFE static struct sc_unwind_entry entry_of(const struct sc_unwind_table *table,
                                                      uint64_t pair)
{
    uint64_t header = table->module->header;
    return (struct sc_unwind_entry){header + (uint64_t)(int64_t)(int32_t)pair,
                                    header + (uint64_t)((int64_t)pair >> 32)};
}

SC_SIGNAL_SAFE bool sc_unwind_table_covers(const struct sc_unwind_table *table, uint32_t index,
                                           uint64_t address, struct sc_unwind_entry *ret_entry)
{
    struct sc_unwind_entry next;
    const struct sc_unaligned_word *pairs = NULL;
    if (index < table->count && index + 1 < table->count)
        pairs = sc_unwind_at(table->module, table->entries + 8 * (uint64_t)index, 16);
    if (pairs != NULL) {
        *ret_entry = entry_of(table, pairs[0].word);
        return address >= ret_entry->start && address < entry_of(table, pairs[1].word).start;
    }
    return sc_unwind_table_entry(table, index, ret_entry) && address >= ret_entry->start &&
           (!sc_unwind_table_entry(table, index + 1, &next) || address < next.start);
}

/* Where the last search in each kilobyte of code ended. A hint may be of another module: it only
 * says where to start, so a wrong one does no harm. */
#define HINTS            4096
#define HINT_REGION_BITS 10

static _Atomic uint32_t hints[HINTS];

/* Narrows [low, high), starting at the hint, so that it still holds the last entry at or before
 * address, if there is one; it is short if the hint is near. False when an entry cannot be read. */
SC_SIGNAL_SAFE static bool narrow(const struct sc_unwind_table *table, uint64_t address,
                                  uint32_t hint, uint32_t *low, uint32_t *high)
{
    struct sc_unwind_entry entry;
    if (hint >= table->count)
        return true;
    if (!sc_unwind_table_entry(table, hint, &entry))
        return false;
    if (entry.start <= address) {
        *low = hint;
        for (uint32_t step = 1; step < table->count - hint; step *= 2) {
            if (!sc_unwind_table_entry(table, hint + step, &entry))
                return false;
            if (entry.start > address) {
                *high = hint + step;
                return true;
            }
            *low = hint + step;
        }
        return true;
    }
    *high = hint;
    for (uint32_t step = 1; step <= hint; step *= 2) {
        if (!sc_unwind_table_entry(table, hint - step, &entry))
            return false;
        if (entry.start <= address) {
            *low = hint - step;
            return true;
        }
        *high = hint - step;
    }
    return true;
}

SC_SIGNAL_SAFE bool sc_unwind_table_search(const struct sc_unwind_table *table, uint64_t address,
                                           uint32_t *ret_index, struct sc_unwind_entry *ret_entry)
{
    _Atomic uint32_t *hint = &hints[(address >> HINT_REGION_BITS) % HINTS];
    uint32_t low = 0;
    uint32_t high = table->count;
    bool found = false;
    if (!narrow(table, address, atomic_load_explicit(hint, memory_order_relaxed), &low, &high))
        return false;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        struct sc_unwind_entry entry;
        if (!sc_unwind_table_entry(table, middle, &entry))
            return false;
        if (entry.start <= address) {
            *ret_index = middle;
            *ret_entry = entry;
            found = true;
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (found)
        atomic_store_explicit(hint, *ret_index, memory_order_relaxed);
    return found;
}

/* Reads the length field that starts every entry; bytes then ends at the entry's end. */
SC_SIGNAL_SAFE static bool begin_entry(struct sc_unwind_bytes *bytes,
                                       const struct sc_unwind_module *module, uint64_t address,
                                       uint64_t *ret_end)
{
    uint32_t length;
    if (!sc_unwind_data(module, address, &length, sizeof(length)) || length < 8 ||
        length >= LONG_FORMAT)
        return false;
    *ret_end = address + sizeof(length) + length;
    sc_unwind_bytes_begin(bytes, module, address + sizeof(length), *ret_end);
    return *ret_end <= module->end;
}

/* Reads the data of each letter of the augmentation string. */
SC_SIGNAL_SAFE static bool read_augmentation(struct sc_unwind_bytes *data, const char *letters,
                                             struct sc_unwind_record *ret_record)
{
    for (; *letters != '\0'; letters++) {
        uint8_t encoding;
        switch (*letters) {
        case 'R':
            ret_record->encoding = sc_unwind_byte(data);
            break;
        case 'P': /* the personality routine, only skipped */
            encoding = sc_unwind_byte(data);
            if (encoding == PE_OMIT)
                break;
            if ((encoding & 0x70) == PE_ALIGNED)
                return false;
            (void)sc_unwind_pointer(data, encoding & PE_FORMAT_MASK);
            break;
        case 'L':
            (void)sc_unwind_byte(data);
            break;
        case 'S':
            ret_record->signal_frame = true;
            break;
        case 'B': /* AArch64: the return address is signed with the B key */
        case 'G': /* AArch64: the stack frame is tagged */
            break;
        default:
            return false;
        }
    }
    return !data->failed;
}

SC_SIGNAL_SAFE static bool read_common(const struct sc_unwind_module *module,
                                       struct sc_unwind_record *ret_record)
{
    struct sc_unwind_bytes bytes;
    uint64_t end;
    if (!begin_entry(&bytes, module, ret_record->common, &end))
        return false;
    uint32_t id = (uint32_t)sc_unwind_fixed(&bytes, 4);
    uint8_t version = sc_unwind_byte(&bytes);
    if (id != 0 || (version != 1 && version != 3))
        return false;
    char letters[8];
    size_t count = 0;
    do {
        letters[count] = (char)sc_unwind_byte(&bytes);
    } while (letters[count] != '\0' && ++count < sizeof(letters));
    if (count == sizeof(letters))
        return false;
    ret_record->code_alignment = sc_unwind_uleb(&bytes);
    ret_record->data_alignment = sc_unwind_sleb(&bytes);
    uint64_t column = version == 1 ? sc_unwind_byte(&bytes) : sc_unwind_uleb(&bytes);
    ret_record->return_column =
        column < SC_DWARF_COUNT ? sc_machine.columns[column] : SC_COLUMN_NONE;
    ret_record->augmented = letters[0] == 'z';
    if (letters[0] == 'z') {
        uint64_t length = sc_unwind_uleb(&bytes);
        uint64_t data = sc_unwind_position(&bytes);
        if (bytes.failed || length > end - data ||
            !read_augmentation(&bytes, letters + 1, ret_record))
            return false;
        ret_record->common_program = data + length;
    } else if (letters[0] == '\0') {
        ret_record->common_program = sc_unwind_position(&bytes);
    } else {
        return false;
    }
    ret_record->common_program_end = end;
    return !bytes.failed && ret_record->return_column == sc_machine.slots[0];
}

SC_SIGNAL_SAFE bool sc_unwind_record_read(const struct sc_unwind_module *module, uint64_t address,
                                          struct sc_unwind_record *ret_record)
{
    struct sc_unwind_bytes bytes;
    uint64_t end;
    if (!begin_entry(&bytes, module, address, &end))
        return false;
    uint64_t back = sc_unwind_fixed(&bytes, 4);
    if (back == 0)
        return false; /* this is a CIE */
    ret_record->address = address;
    ret_record->common = address + 4 - back;
    ret_record->encoding = 0;
    ret_record->signal_frame = false;
    if (!read_common(module, ret_record))
        return false;
    ret_record->start = sc_unwind_pointer(&bytes, ret_record->encoding);
    ret_record->end =
        ret_record->start + sc_unwind_pointer(&bytes, ret_record->encoding & PE_FORMAT_MASK);
    uint64_t skip = ret_record->augmented ? sc_unwind_uleb(&bytes) : 0;
    ret_record->program = sc_unwind_position(&bytes) + skip;
    ret_record->program_end = end;
    return !bytes.failed && skip <= end && ret_record->program <= end;
}
