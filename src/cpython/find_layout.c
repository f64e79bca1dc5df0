/*
 * cpython/find_layout.c - chooses a generated table and, from 3.13 on, corrects it by what the
 * interpreter publishes about itself.
 *
 * The published numbers come from another process, or from a patched interpreter, so each is
 * checked before it is used: inside its structure, aligned, and the structure of a sensible size.
 * When a check fails the generated table is not used instead, as nothing shows which of the two is
 * right.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cpython/find_layout.h"

#include "cpython/layout_data.h"
#include "cpython/load.h"

enum {
    FIRST_PUBLISHED = 0x030d,
    STRUCT_LIMIT_BYTES = 64 << 20, /* _PyRuntimeState is the largest, below 1 MiB as of 3.15 */
    OBJECT_LIMIT_BYTES = 4096,
};

/* "xdebugpy" as a little-endian number; _Py_Debug_Cookie in pycore_debug_offsets.h */
static const uint64_t debug_cookie = 0x7970677562656478;

/* Reads numbers of _Py_DebugOffsets; the first failure sticks. */
struct published {
    const struct sc_target *target;
    uint64_t address;
    bool failed;
};

static uint64_t published_number(struct published *published, int16_t position)
{
    uint64_t value = 0;
    if (position < 0 || !sc_read_u64(published->target, published->address, position, &value))
        published->failed = true;
    return value;
}

static uint64_t published_size(struct published *published, int16_t position, uint64_t limit)
{
    uint64_t size = published_number(published, position);
    if (size < 8 || size > limit)
        published->failed = true;
    return size;
}

/* The offset of a field of width bytes, which is also its alignment. */
static int32_t published_field(struct published *published, int16_t position, uint64_t struct_size,
                               uint64_t width)
{
    uint64_t offset = published_number(published, position);
    if (struct_size > STRUCT_LIMIT_BYTES || offset + width > struct_size || offset % width != 0 ||
        offset > struct_size) {
        published->failed = true;
        return -1;
    }
    return (int32_t)offset;
}

static void read_state_offsets(struct published *in, const struct sc_debug_positions *at,
                               struct sc_layout *layout)
{
    uint64_t size = published_size(in, at->rt_struct, STRUCT_LIMIT_BYTES);
    layout->rt_interpreters_head = published_field(in, at->rt_interpreters_head, size, 8);
    layout->rt_finalizing = published_field(in, at->rt_finalizing, size, 8);

    size = published_size(in, at->is_struct, STRUCT_LIMIT_BYTES);
    layout->is_next = published_field(in, at->is_next, size, 8);
    layout->is_id = published_field(in, at->is_id, size, 8);
    layout->is_threads_head = published_field(in, at->is_threads_head, size, 8);
    int32_t gc = published_field(in, at->is_gc, size, 8);
    uint64_t gc_size = published_size(in, at->gc_struct, size);
    int32_t collecting = published_field(in, at->gc_collecting, gc_size, 4);
    layout->is_gc_collecting = gc + collecting;
    if ((uint64_t)gc + gc_size > size)
        in->failed = true;

    size = published_size(in, at->ts_struct, STRUCT_LIMIT_BYTES);
    layout->ts_next = published_field(in, at->ts_next, size, 8);
    layout->ts_interp = published_field(in, at->ts_interp, size, 8);
    layout->ts_frame = published_field(in, at->ts_frame, size, 8);
    layout->ts_thread_id = published_field(in, at->ts_thread_id, size, 8);
    layout->ts_native_thread_id = published_field(in, at->ts_native_thread_id, size, 8);
}

static void read_code_offsets(struct published *in, const struct sc_debug_positions *at,
                              struct sc_layout *layout)
{
    /* thread-local copies of the bytecode came with the free-threaded 3.14 */
    bool has_copies = layout->free_threaded && layout->fr_tlbc_index >= 0;
    uint64_t size = published_size(in, at->fr_struct, OBJECT_LIMIT_BYTES);
    layout->fr_code = published_field(in, at->fr_code, size, 8);
    layout->fr_back = published_field(in, at->fr_back, size, 8);
    layout->fr_instruction = published_field(in, at->fr_instruction, size, 8);
    layout->fr_owner = published_field(in, at->fr_owner, size, 1);
    layout->fr_localsplus = published_field(in, at->fr_localsplus, size, 8);
    if (has_copies)
        layout->fr_tlbc_index = published_field(in, at->fr_tlbc_index, size, 4);

    size = published_size(in, at->co_struct, OBJECT_LIMIT_BYTES);
    layout->co_filename = published_field(in, at->co_filename, size, 8);
    layout->co_name = published_field(in, at->co_name, size, 8);
    layout->co_qualname = published_field(in, at->co_qualname, size, 8);
    layout->co_first_line = published_field(in, at->co_first_line, size, 4);
    layout->co_line_table = published_field(in, at->co_line_table, size, 8);
    layout->co_code_adaptive = published_field(in, at->co_code_adaptive, size, 1);
    if (has_copies)
        layout->co_tlbc = published_field(in, at->co_tlbc, size, 8);
}

static void read_object_offsets(struct published *in, const struct sc_debug_positions *at,
                                struct sc_layout *layout)
{
    uint64_t size = published_size(in, at->ob_struct, OBJECT_LIMIT_BYTES);
    layout->ob_type = published_field(in, at->ob_type, size, 8);

    size = published_size(in, at->by_struct, OBJECT_LIMIT_BYTES);
    layout->by_size = published_field(in, at->by_size, size, 8);
    layout->by_data = published_field(in, at->by_data, size, 1);
    layout->ob_var_size = layout->by_size;

    size = published_size(in, at->us_struct, OBJECT_LIMIT_BYTES);
    layout->us_length = published_field(in, at->us_length, size, 8);
    layout->us_state = published_field(in, at->us_state, size, 4);
    layout->us_ascii_data = published_field(in, at->us_ascii_data, size, 8);
    if (at->us_compact_data >= 0)
        layout->us_compact_data = published_field(in, at->us_compact_data, size, 8);
}

static int32_t greatest(int32_t first, int32_t second)
{
    return first > second ? first : second;
}

/* The walker reads a frame, and the head of a code object, as one block into a small array. */
static bool blocks_fit(const struct sc_layout *layout)
{
    int32_t frame_start = layout->fr_code < layout->fr_back ? layout->fr_code : layout->fr_back;
    int32_t frame_end = greatest(layout->fr_code, layout->fr_back);
    frame_end = greatest(frame_end, layout->fr_instruction) + 8;
    frame_end = greatest(frame_end, layout->fr_owner + 1);
    frame_end = greatest(frame_end, layout->fr_tlbc_index + 4);
    int32_t code_end = greatest(layout->ob_var_size, layout->co_code_object) + 8;
    return frame_start <= layout->fr_instruction &&
           frame_end - frame_start <= SC_FRAME_BLOCK_BYTES &&
           layout->ob_type < layout->ob_var_size &&
           code_end - layout->ob_type <= SC_CODE_BLOCK_BYTES;
}

static const struct sc_layout *table_of(uint16_t version, bool free_threaded)
{
    for (size_t i = 0; i < sc_layouts_count; i++)
        if (sc_layouts[i].version == version && sc_layouts[i].free_threaded == free_threaded)
            return &sc_layouts[i];
    return NULL;
}

/* Member by member: assigning a structure of this size may be compiled to a call of memcpy. */
static void copy_layout(struct sc_layout *to, const struct sc_layout *from)
{
    to->version = from->version;
    to->free_threaded = from->free_threaded;
    to->instruction_kind = from->instruction_kind;
    to->line_table_kind = from->line_table_kind;
    to->first_c_owner = from->first_c_owner;
    to->generator_owner = from->generator_owner;
    to->code_tag_mask = from->code_tag_mask;
    to->instruction_may_lag = from->instruction_may_lag;
    to->line_opcode = from->line_opcode;
    to->watched_opcode = from->watched_opcode;
    to->str_kind_bit = from->str_kind_bit;
    to->str_compact_bit = from->str_compact_bit;
    to->str_ascii_bit = from->str_ascii_bit;
#define X_COPY(group, field) to->group##_##field = from->group##_##field;
    SC_LAYOUT_FIELDS(X_COPY)
#undef X_COPY
}

/* co_version and co_monitoring are not published. They are where the table has them if all around
 * them is. */
static bool is_as_in_table(const struct sc_layout *layout, const struct sc_layout *table)
{
    return layout->version == table->version && layout->co_first_line == table->co_first_line &&
           layout->co_filename == table->co_filename && layout->co_name == table->co_name &&
           layout->co_qualname == table->co_qualname &&
           layout->co_line_table == table->co_line_table;
}

/* version is the one asked for, known the one whose positions and table are tried. */
static enum sc_layout_status init_published(struct sc_layout *ret_layout, uint16_t version,
                                            uint16_t known, struct published *in)
{
    const struct sc_debug_positions *at = NULL;
    for (size_t i = 0; i < sc_debug_positions_count; i++)
        if (sc_debug_positions[i].python == known)
            at = &sc_debug_positions[i];
    if (!at || published_number(in, 0) != debug_cookie)
        return SC_LAYOUT_UNREADABLE;
    uint64_t threading = published_number(in, at->free_threaded);
    if (in->failed || threading > 1 || published_number(in, at->version) >> 16 != version)
        return SC_LAYOUT_UNREADABLE;
    const struct sc_layout *table = table_of(known, threading == 1);
    if (!table)
        return SC_LAYOUT_UNKNOWN;
    struct sc_layout layout;
    copy_layout(&layout, table);
    layout.version = version;
    read_state_offsets(in, at, &layout);
    read_code_offsets(in, at, &layout);
    read_object_offsets(in, at, &layout);
    if (!is_as_in_table(&layout, table))
        layout.co_version = layout.co_monitoring = -1;
    if (in->failed || !blocks_fit(&layout))
        return SC_LAYOUT_UNREADABLE;
    copy_layout(ret_layout, &layout);
    return SC_LAYOUT_OK;
}

enum sc_layout_status sc_layout_init(struct sc_layout *ret_layout, uint16_t version,
                                     bool free_threaded, const struct sc_target *target,
                                     uint64_t runtime_address, bool allow_unknown)
{
    if (version < SC_PY_OLDEST)
        return SC_LAYOUT_TOO_OLD;
    if (version > SC_PY_NEWEST && !allow_unknown)
        return SC_LAYOUT_UNKNOWN;
    uint16_t known = version > SC_PY_NEWEST ? SC_PY_NEWEST : version;
    if (known >= FIRST_PUBLISHED) {
        struct published in = {.target = target, .address = runtime_address};
        return init_published(ret_layout, version, known, &in);
    }
    const struct sc_layout *table = table_of(known, free_threaded);
    if (!table || !blocks_fit(table))
        return SC_LAYOUT_UNKNOWN;
    copy_layout(ret_layout, table);
    return SC_LAYOUT_OK;
}

bool sc_layout_fits(const struct sc_layout *layout, const struct sc_target *target,
                    uint64_t code_type)
{
    uint64_t type = 0;
    uint64_t same = 0;
    if (!sc_read_u64(target, code_type, layout->ob_type, &type))
        return true;
    return sc_read_u64(target, type, layout->ob_type, &same) && same == type;
}
