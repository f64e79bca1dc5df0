/*
 * cpython/attributes.c - values by their names: in a dict, a module, an instance.
 *
 * A dict is searched from its first entry on, as hashes of str objects differ from run to run.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cpython/attributes.h"

#include <string.h>

#include "cpython/load.h"
#include "cpython/walk.h"

enum {
    ENTRIES_LIMIT = 1 << 16,
    CHUNK_ENTRIES = 32,
    ENTRY_BYTES = 24,         /* hash, key, value */
    UNICODE_ENTRY_BYTES = 16, /* key, value */
    TEXT_BYTES = 64,
    KEY_BYTES = 1024,
    SIZE_LOG2_LIMIT = 32,
    SET_SLOTS_LIMIT = 1 << 22,
    SET_SLOTS_PER_READ = 256,
    SET_SLOT_BYTES = 16, /* setentry: key, hash; of a slot that was given up the hash is -1 */
    DICT_OFFSET_LIMIT = 4096,
    HEAP_TYPE = 1 << 9, /* Py_TPFLAGS_HEAPTYPE (Include/object.h) */
};

bool sc_type_name(const struct sc_python *python, uint64_t type, char *name, size_t capacity)
{
    uint64_t address = 0;
    size_t length = 0;
    if (!sc_is_object_address(type) ||
        !sc_read_u64(python->target, type, python->at->tp_name, &address) || address < 4096)
        return false;
    while (length + 1 < capacity) {
        if (!sc_target_read(python->target, address + length, name + length, 1))
            return false;
        if (name[length] == '\0')
            return true;
        length++;
    }
    name[length] = '\0';
    return true;
}

bool sc_is_of_type(const struct sc_python *python, uint64_t object, const char *name)
{
    char found[TEXT_BYTES];
    uint64_t type = 0;
    return sc_is_object_address(object) &&
           sc_read_u64(python->target, object, python->layout->ob_type, &type) &&
           sc_type_name(python, type, found, sizeof(found)) && strcmp(found, name) == 0;
}

bool sc_type_is_static(const struct sc_python *python, uint64_t type)
{
    uint64_t flags = 0;
    return sc_read_u64(python->target, type, python->at->tp_flags, &flags) &&
           (flags & HEAP_TYPE) == 0;
}

bool sc_is_built_in(const struct sc_python *python, uint64_t object, const char *name)
{
    uint64_t type = 0;
    return sc_is_of_type(python, object, name) &&
           sc_read_u64(python->target, object, python->layout->ob_type, &type) &&
           sc_type_is_static(python, type);
}

bool sc_is_text(const struct sc_python *python, uint64_t object, const char *text)
{
    char found[KEY_BYTES];
    uint64_t count = 0;
    size_t length = strlen(text);
    return sc_is_object_address(object) && length < sizeof(found) &&
           sc_read_u64(python->target, object, python->layout->us_length, &count) &&
           count == length &&
           sc_unicode_read(python->layout, python->target, object, found, sizeof(found), &length) &&
           length == strlen(text) && memcmp(found, text, length) == 0;
}

/* The keys of a dict, or those that the instances of a class share. */
struct key_table {
    uint64_t entries; /* address of the first */
    uint64_t count;
    bool is_unicode;
};

/* Up to 3.10: the index is an array of dk_size integers of 1, 2, 4 or 8 bytes. */
static bool find_plain_entries(const struct sc_python *python, uint64_t keys,
                               struct key_table *ret_table)
{
    uint64_t size = 0;
    if (!sc_read_u64(python->target, keys, python->at->dk_size, &size) || size == 0 ||
        size > (uint64_t)1 << SIZE_LOG2_LIMIT)
        return false;
    uint64_t width = size <= 0xff ? 1 : size <= 0xffff ? 2 : size <= 0xffffffff ? 4 : 8;
    ret_table->entries = keys + (uint32_t)python->at->dk_indices + width * size;
    ret_table->is_unicode = false;
    return true;
}

static bool read_table(const struct sc_python *python, uint64_t keys, struct key_table *ret_table)
{
    const struct sc_task_layout *at = python->at;
    uint8_t log2_bytes = 0;
    uint8_t kind = 0;
    if (!sc_is_object_address(keys) ||
        !sc_read_u64(python->target, keys, at->dk_count, &ret_table->count) ||
        ret_table->count > ENTRIES_LIMIT)
        return false;
    if (at->dk_size >= 0)
        return find_plain_entries(python, keys, ret_table);
    if (!sc_target_read(python->target, keys + (uint32_t)at->dk_log2_bytes, &log2_bytes, 1) ||
        !sc_target_read(python->target, keys + (uint32_t)at->dk_kind, &kind, 1) ||
        log2_bytes > SIZE_LOG2_LIMIT)
        return false;
    ret_table->entries = keys + (uint32_t)at->dk_indices + ((uint64_t)1 << log2_bytes);
    ret_table->is_unicode = kind != 0; /* DICT_KEYS_GENERAL is 0 */
    return true;
}

/* The index of a key, searched from entry first on, and the value beside it (0 where values are
 * elsewhere). */
static bool find_key(const struct sc_python *python, const struct key_table *table, uint64_t first,
                     const char *key, uint64_t *ret_index, uint64_t *ret_value)
{
    uint8_t chunk[CHUNK_ENTRIES * ENTRY_BYTES];
    size_t width = table->is_unicode ? UNICODE_ENTRY_BYTES : ENTRY_BYTES;
    for (uint64_t at = first; at < table->count; at += CHUNK_ENTRIES) {
        uint64_t held = table->count - at < CHUNK_ENTRIES ? table->count - at : CHUNK_ENTRIES;
        if (!sc_target_read(python->target, table->entries + at * width, chunk,
                            (size_t)held * width))
            return false;
        for (uint64_t i = 0; i < held; i++) {
            const uint8_t *entry = chunk + i * width + (width - UNICODE_ENTRY_BYTES);
            if (!sc_is_text(python, sc_load_u64(entry), key))
                continue;
            *ret_index = at + i;
            *ret_value = sc_load_u64(entry + 8);
            return true;
        }
    }
    return false;
}

/* The value at an index of an array of values, NULL for none. */
static bool read_value(const struct sc_python *python, uint64_t values, uint64_t index,
                       uint64_t *ret_value)
{
    uint64_t value = 0;
    if (!sc_is_object_address(values) ||
        !sc_read_u64(python->target, values + index * 8, python->at->dv_values, &value) ||
        !sc_is_object_address(value))
        return false;
    *ret_value = value;
    return true;
}

bool sc_dict_find(const struct sc_python *python, uint64_t dict, const char *key,
                  struct sc_dict_position *position, uint64_t *ret_value)
{
    struct key_table table;
    uint64_t keys = 0;
    uint64_t values = 0;
    uint64_t index = 0;
    uint64_t value = 0;
    if (!sc_is_object_address(dict) ||
        !sc_read_u64(python->target, dict, python->at->di_keys, &keys) ||
        !sc_read_u64(python->target, dict, python->at->di_values, &values) ||
        !read_table(python, keys, &table))
        return false;
    uint64_t first = 0;
    if (position != NULL) {
        if (position->keys == keys && position->entries <= table.count)
            first = position->entries;
        *position = (struct sc_dict_position){.keys = keys, .entries = table.count};
    }
    if (!find_key(python, &table, first, key, &index, &value))
        return false;
    if (values != 0)
        return read_value(python, values, index, ret_value);
    if (!sc_is_object_address(value))
        return false;
    *ret_value = value;
    return true;
}

bool sc_dict_end(const struct sc_python *python, uint64_t dict,
                 struct sc_dict_position *ret_position)
{
    return sc_is_object_address(dict) &&
           sc_read_u64(python->target, dict, python->at->di_keys, &ret_position->keys) &&
           sc_is_object_address(ret_position->keys) &&
           sc_read_u64(python->target, ret_position->keys, python->at->dk_count,
                       &ret_position->entries);
}

size_t sc_dict_items(const struct sc_python *python, uint64_t dict, struct sc_dict_item *items,
                     size_t capacity)
{
    struct key_table table;
    uint64_t keys = 0;
    uint64_t values = 0;
    size_t count = 0;
    if (!sc_is_object_address(dict) ||
        !sc_read_u64(python->target, dict, python->at->di_keys, &keys) ||
        !sc_read_u64(python->target, dict, python->at->di_values, &values) ||
        !read_table(python, keys, &table))
        return 0;
    size_t width = table.is_unicode ? UNICODE_ENTRY_BYTES : ENTRY_BYTES;
    for (uint64_t i = 0; i < table.count && count < capacity; i++) {
        uint8_t entry[UNICODE_ENTRY_BYTES];
        uint64_t at = table.entries + i * width + (width - UNICODE_ENTRY_BYTES);
        if (!sc_target_read(python->target, at, entry, sizeof(entry)))
            break;
        struct sc_dict_item item = {sc_load_u64(entry), sc_load_u64(entry + 8)};
        if (values != 0 && !read_value(python, values, i, &item.value))
            continue;
        if (sc_is_object_address(item.key) && sc_is_object_address(item.value))
            items[count++] = item; /* others were deleted */
    }
    return count;
}

bool sc_module_find(const struct sc_python *python, uint64_t module, const char *name,
                    uint64_t *ret_value)
{
    uint64_t dict = 0;
    /* md_dict is the first member of a module (Objects/moduleobject.c) */
    return sc_is_of_type(python, module, "module") &&
           sc_read_u64(python->target, module, python->at->ob_size, &dict) &&
           sc_dict_find(python, dict, name, NULL, ret_value);
}

/* Finds an attribute in an array of values; their names are the keys that the instances of the type
 * share. */
static bool find_shared(const struct sc_python *python, uint64_t type, uint64_t values,
                        const char *name, uint64_t *ret_value)
{
    struct key_table table;
    uint64_t keys = 0;
    uint64_t index = 0;
    uint64_t unused = 0;
    return sc_read_u64(python->target, type, python->at->tp_cached_keys, &keys) &&
           read_table(python, keys, &table) && find_key(python, &table, 0, name, &index, &unused) &&
           read_value(python, values, index, ret_value);
}

size_t sc_set_items(const struct sc_python *python, uint64_t set, uint64_t *items, size_t capacity)
{
    const struct sc_task_layout *at = python->at;
    uint8_t slots[SET_SLOTS_PER_READ * SET_SLOT_BYTES];
    uint64_t used = 0;
    uint64_t mask = 0;
    uint64_t table = 0;
    size_t count = 0;
    if (!sc_read_u64(python->target, set, at->se_used, &used) || used == 0 ||
        !sc_read_u64(python->target, set, at->se_mask, &mask) || mask >= SET_SLOTS_LIMIT ||
        !sc_read_u64(python->target, set, at->se_table, &table) || !sc_is_object_address(table))
        return 0;
    for (uint64_t from = 0; from <= mask && count < capacity; from += SET_SLOTS_PER_READ) {
        uint64_t held = mask + 1 - from < SET_SLOTS_PER_READ ? mask + 1 - from : SET_SLOTS_PER_READ;
        if (!sc_target_read(python->target, table + from * SET_SLOT_BYTES, slots,
                            (size_t)held * SET_SLOT_BYTES))
            break;
        for (uint64_t i = 0; i < held && count < capacity; i++) {
            uint64_t object = sc_load_u64(slots + i * SET_SLOT_BYTES);
            uint64_t hash = sc_load_u64(slots + i * SET_SLOT_BYTES + 8);
            if (sc_is_object_address(object) && hash != UINT64_MAX)
                items[count++] = object;
        }
    }
    return count;
}

bool sc_instance_find(const struct sc_python *python, uint64_t object, const char *name,
                      uint64_t *ret_value)
{
    const struct sc_task_layout *at = python->at;
    uint64_t type = 0;
    uint64_t offset = 0;
    uint64_t dict = 0;
    uint64_t values = 0;
    if (!sc_is_object_address(object) ||
        !sc_read_u64(python->target, object, python->layout->ob_type, &type) ||
        !sc_is_object_address(type))
        return false;
    /* Before 3.11 all have a pointer at an offset, later those that are derived from such a type.
     */
    if (!sc_read_u64(python->target, type, at->tp_dictoffset, &offset))
        return false;
    if (offset > 0 && offset <= DICT_OFFSET_LIMIT)
        return sc_read_u64(python->target, object + offset, 0, &dict) &&
               sc_dict_find(python, dict, name, NULL, ret_value);
    if (at->instance_kind == SC_INSTANCE_DICT)
        return false;
    if (!sc_read_u64(python->target, object - (uint32_t)at->in_dict_before, 0, &dict))
        return false;
    if (at->instance_kind == SC_INSTANCE_TAGGED && (dict & 1) != 0)
        return find_shared(python, type, dict + 1, name, ret_value);
    if (dict != 0)
        return sc_dict_find(python, dict, name, NULL, ret_value);
    if (at->instance_kind == SC_INSTANCE_BESIDE)
        return sc_read_u64(python->target, object - (uint32_t)at->in_values_before, 0, &values) &&
               find_shared(python, type, values, name, ret_value);
    if (at->instance_kind != SC_INSTANCE_INLINE ||
        !sc_read_u64(python->target, type, at->tp_basicsize, &offset) || offset > 4096)
        return false;
    return find_shared(python, type, object + offset, name, ret_value);
}
