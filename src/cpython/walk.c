/*
 * cpython/walk.c - from a thread state along its frames.
 *
 * Two reads per frame: the block of the frame's fields and the head of its code object, because
 * every read is a system call when another process is watched.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cpython/walk.h"

#include "cpython/layout_data.h"
#include "cpython/load.h"

enum {
    SHIM_LIMIT = 64, /* consecutive frames of C; the interpreter makes at most two */
    CODE_LIMIT_BYTES = 1 << 30,
    COPY_LIMIT = 1 << 20,     /* thread-local copies of one code object's bytecode */
    TRAMPOLINE_END_BYTES = 8, /* the instructions of _Py_InitCleanup that a frame can stand at */
};

/* What was read from a frame's memory, before any of it is checked. */
struct raw_frame {
    uint64_t code;
    uint64_t back;
    uint64_t instruction; /* a pointer, or f_lasti in the low 32 bits */
    uint32_t copy;        /* index of the thread-local bytecode */
    uint8_t owner;
    bool is_entry;
};

/* Offsets in a structure, from start up to end. */
struct span {
    int32_t start;
    int32_t end;
};

/* Widens the span to a field, if there is one. */
static void cover(struct span *span, int32_t offset, int32_t size)
{
    if (offset < 0)
        return;
    span->start = offset < span->start ? offset : span->start;
    span->end = offset + size > span->end ? offset + size : span->end;
}

/* What read_frame reads, in one piece. */
static struct span find_span(const struct sc_layout *layout)
{
    struct span span = {layout->fr_code, layout->fr_code + 8};
    cover(&span, layout->fr_back, 8);
    cover(&span, layout->fr_instruction, 8);
    cover(&span, layout->fr_owner, 1);
    cover(&span, layout->fr_is_entry, 1);
    cover(&span, layout->fr_tlbc_index, 4);
    if (span.start < 0 || layout->fr_back < 0 || layout->fr_instruction < 0 ||
        span.end - span.start > SC_FRAME_BLOCK_BYTES)
        return (struct span){0, 0};
    return span;
}

static bool read_frame(const struct sc_walk *walk, uint64_t address, struct raw_frame *ret_raw)
{
    const struct sc_layout *layout = walk->layout;
    struct span span = {walk->fields_start, walk->fields_end};
    uint8_t block[SC_FRAME_BLOCK_BYTES];
    if (span.end == 0 || !sc_target_read(walk->target, address + (uint32_t)span.start, block,
                                         (size_t)(span.end - span.start)))
        return false;
    ret_raw->code = sc_load_u64(block + (layout->fr_code - span.start));
    ret_raw->back = sc_load_u64(block + (layout->fr_back - span.start));
    ret_raw->instruction = sc_load_u64(block + (layout->fr_instruction - span.start));
    ret_raw->owner = layout->fr_owner >= 0 ? block[layout->fr_owner - span.start] : 0;
    ret_raw->is_entry = layout->fr_is_entry >= 0 && block[layout->fr_is_entry - span.start] != 0;
    ret_raw->copy =
        layout->fr_tlbc_index >= 0 ? sc_load_u32(block + (layout->fr_tlbc_index - span.start)) : 0;
    return true;
}

/* Whether object, of the given type, looks like any object at all: the type of its type is that of
 * PyCode_Type, normally PyType_Type. */
static bool is_some_object(const struct sc_walk *walk, uint64_t type)
{
    uint64_t meta_type = 0;
    uint64_t expected = 0;
    return sc_is_object_address(type) &&
           sc_read_u64(walk->target, type, walk->layout->ob_type, &meta_type) &&
           sc_read_u64(walk->target, walk->code_type, walk->layout->ob_type, &expected) &&
           meta_type == expected;
}

/* Calling a class whose __init__ is in Python puts a frame of _Py_InitCleanup between the two (3.12
 * and later). Its code object is a real one that no source has: line 0, and one string in place of
 * both file and name (Objects/codeobject.c). */
static bool is_trampoline(const struct sc_walk *walk, uint64_t code)
{
    const struct sc_layout *layout = walk->layout;
    uint32_t first_line = 1;
    uint64_t filename = 0;
    uint64_t name = 1;
    return sc_read_u32(walk->target, code, layout->co_first_line, &first_line) && first_line == 0 &&
           sc_read_u64(walk->target, code, layout->co_filename, &filename) &&
           sc_read_u64(walk->target, code, layout->co_name, &name) && filename == name;
}

/* Up to 3.10: the frame holds an index, the code units are in a bytes object. */
static bool place_by_index(const struct sc_walk *walk, const struct raw_frame *raw,
                           uint64_t code_object, struct sc_py_frame *frame)
{
    int32_t index = (int32_t)(uint32_t)raw->instruction;
    int32_t scale = walk->layout->instruction_kind == SC_INSTRUCTION_LASTI_UNITS ? 2 : 1;
    if (index > CODE_LIMIT_BYTES / scale || !sc_is_object_address(code_object))
        return false;
    frame->bytecode = code_object + (uint32_t)walk->layout->by_data;
    frame->instruction = index < 0 ? -1 : index * scale;
    return true;
}

/* The thread-local copy of the bytecode that the frame runs (struct _PyCodeArray: a count, then
 * pointers; free-threaded 3.14 and later). */
static bool find_copy(const struct sc_walk *walk, uint64_t code, uint32_t copy,
                      uint64_t *ret_bytecode)
{
    uint64_t copies = 0;
    uint64_t count = 0;
    return sc_read_u64(walk->target, code, walk->layout->co_tlbc, &copies) &&
           sc_is_object_address(copies) && sc_read_u64(walk->target, copies, 0, &count) &&
           count <= COPY_LIMIT && copy < count &&
           sc_read_u64(walk->target, copies + 8 + (uint64_t)copy * 8, 0, ret_bytecode);
}

/* 3.11 and later: the frame holds a pointer to a code unit. */
static bool place_by_pointer(const struct sc_walk *walk, const struct raw_frame *raw, uint64_t code,
                             uint64_t unit_count, struct sc_py_frame *frame)
{
    uint64_t bytecode = code + (uint32_t)walk->layout->co_code_adaptive;
    if (walk->layout->co_tlbc >= 0 && raw->copy != 0 &&
        !find_copy(walk, code, raw->copy, &bytecode))
        return false;
    uint64_t limit = unit_count * 2;
    /* code frozen into the interpreter has no count in some versions */
    if (unit_count == 0 || unit_count > CODE_LIMIT_BYTES / 2)
        limit = CODE_LIMIT_BYTES;
    uint64_t distance = raw->instruction - bytecode;
    frame->bytecode = bytecode;
    frame->instruction = (int32_t)distance;
    /* prev_instr of 3.11 and 3.12 points one unit before the first when none has run */
    if (distance == (uint64_t)-2)
        frame->instruction = -1;
    else if (distance >= limit || distance % 2 != 0)
        return false;
    return true;
}

enum frame_kind { FRAME_PYTHON, FRAME_SHIM, FRAME_BAD, FRAME_UNREADABLE };

/* Whether there is a code object: FRAME_PYTHON when so, and then its extent. */
static enum frame_kind look_at_code(const struct sc_walk *walk, uint64_t code, uint64_t *ret_extent)
{
    const struct sc_layout *layout = walk->layout;
    uint8_t block[SC_CODE_BLOCK_BYTES];
    if (!sc_is_object_address(code))
        return FRAME_BAD;
    int32_t end = layout->ob_var_size + 8;
    if (layout->co_code_object + 8 > end)
        end = layout->co_code_object + 8;
    if (end - layout->ob_type > SC_CODE_BLOCK_BYTES)
        return FRAME_BAD;
    if (!sc_target_read(walk->target, code + (uint32_t)layout->ob_type, block,
                        (size_t)(end - layout->ob_type)))
        return FRAME_UNREADABLE;
    uint64_t type = sc_load_u64(block);
    if (type != walk->code_type)
        return layout->fr_owner >= 0 && is_some_object(walk, type) ? FRAME_SHIM : FRAME_BAD;
    int32_t extent = layout->instruction_kind == SC_INSTRUCTION_POINTER ? layout->ob_var_size
                                                                        : layout->co_code_object;
    *ret_extent = sc_load_u64(block + (extent - layout->ob_type));
    return FRAME_PYTHON;
}

/* Checks the code object and fills in where the frame stands in it. */
static enum frame_kind examine(struct sc_walk *walk, const struct raw_frame *raw,
                               struct sc_py_frame *frame)
{
    const struct sc_layout *layout = walk->layout;
    uint64_t code = raw->code & ~(uint64_t)layout->code_tag_mask;
    struct sc_walked_code *known = &walk->known[(code >> 5) % SC_WALKED_CODES];
    if (raw->owner >= layout->first_c_owner)
        return FRAME_SHIM;
    if (code == 0 || known->code != code) {
        uint64_t extent = 0;
        enum frame_kind kind = look_at_code(walk, code, &extent);
        if (kind != FRAME_PYTHON)
            return kind;
        *known = (struct sc_walked_code){code, extent};
    }
    frame->code = code;
    frame->owner = raw->owner;
    if (layout->instruction_kind != SC_INSTRUCTION_POINTER)
        return place_by_index(walk, raw, known->extent, frame) ? FRAME_PYTHON : FRAME_BAD;
    if (!place_by_pointer(walk, raw, code, known->extent, frame))
        return FRAME_BAD;
    if (frame->instruction < TRAMPOLINE_END_BYTES && raw->owner == 0 && is_trampoline(walk, code))
        return FRAME_SHIM;
    return FRAME_PYTHON;
}

void sc_walk_begin(struct sc_walk *walk, const struct sc_layout *layout,
                   const struct sc_target *target, uint64_t code_type, uint64_t thread_state)
{
    walk->layout = layout;
    walk->target = target;
    walk->code_type = code_type;
    walk->next_frame = 0;
    walk->unsure_cframe = 0;
    walk->end = SC_WALK_MORE;
    walk->shims = 0;
    walk->steps = 0;
    walk->left_loop = false;
    struct span fields = find_span(layout);
    walk->fields_start = fields.start;
    walk->fields_end = fields.end;
    for (unsigned i = 0; i < SC_WALKED_CODES; i++)
        walk->known[i].code = 0;
    if (thread_state == 0) {
        walk->end = SC_WALK_ROOT;
        return;
    }
    bool good = false;
    if (layout->ts_cframe >= 0)
        good =
            sc_read_u64(target, thread_state, layout->ts_cframe, &walk->unsure_cframe) &&
            sc_read_u64(target, walk->unsure_cframe, layout->cf_current_frame, &walk->next_frame);
    else
        good = sc_read_u64(target, thread_state, layout->ts_frame, &walk->next_frame);
    if (!good)
        walk->end = SC_WALK_UNREADABLE;
}

/* The evaluation loop of 3.11 and 3.12 sets the thread's _PyCFrame to its own before the
 * current_frame of that is set and linked to the calling frame. A walk that begins in between finds
 * what earlier calls left in current_frame. The previous _PyCFrame leads to the caller. */
static bool go_to_caller(struct sc_walk *walk)
{
    uint64_t previous = 0;
    uint64_t frame = 0;
    bool good =
        walk->unsure_cframe != 0 &&
        sc_read_u64(walk->target, walk->unsure_cframe, walk->layout->cf_previous, &previous) &&
        sc_is_object_address(previous) &&
        sc_read_u64(walk->target, previous, walk->layout->cf_current_frame, &frame);
    walk->unsure_cframe = 0;
    if (good)
        walk->next_frame = frame;
    return good;
}

/* Up to 3.10 each frame has an evaluation loop of its own; 3.11 marks a loop's outermost frame;
 * from 3.12 on a frame of C (a shim) stands there. The trampoline of a class's __init__ is not
 * one. */
static void note_loops(struct sc_walk *walk, const struct raw_frame *raw, enum frame_kind kind,
                       struct sc_py_frame *frame)
{
    const struct sc_layout *layout = walk->layout;
    if (kind == FRAME_SHIM) {
        walk->left_loop |= raw->owner >= layout->first_c_owner;
        return;
    }
    frame->calls_through_c = walk->left_loop;
    walk->left_loop = layout->fr_owner < 0 || raw->is_entry;
}

/* Looks at the frame at next_frame and steps over it. */
static enum frame_kind step(struct sc_walk *walk, struct sc_py_frame *frame)
{
    struct raw_frame raw;
    if (!sc_is_object_address(walk->next_frame))
        return FRAME_BAD;
    if (!read_frame(walk, walk->next_frame, &raw))
        return FRAME_UNREADABLE;
    frame->address = walk->next_frame;
    enum frame_kind kind = examine(walk, &raw, frame);
    if (raw.back == walk->next_frame)
        return FRAME_BAD;
    if (kind != FRAME_PYTHON && kind != FRAME_SHIM)
        return kind;
    note_loops(walk, &raw, kind, frame);
    /* a loop whose own shim is the innermost frame has no Python frame yet */
    if (kind == FRAME_SHIM && walk->steps == 0 && go_to_caller(walk))
        return kind;
    /* the frames are linked now: those that follow belong to calls in progress */
    if (walk->steps > 0)
        walk->unsure_cframe = 0;
    walk->steps++;
    walk->next_frame = raw.back;
    return kind;
}

/* Where there are shims, a stack ends in one, and a Python frame without a link is half
 * initialised. */
static bool is_root(struct sc_walk *walk)
{
    bool has_shims = walk->layout->first_c_owner != SC_NO_C_OWNER;
    return (walk->steps > 0 && !has_shims) || !go_to_caller(walk);
}

static bool end_walk(struct sc_walk *walk, enum sc_walk_end end)
{
    walk->end = end;
    return false;
}

bool sc_walk_next(struct sc_walk *walk, struct sc_py_frame *ret_frame)
{
    while (walk->end == SC_WALK_MORE) {
        if (walk->next_frame == 0) {
            if (is_root(walk))
                return end_walk(walk, SC_WALK_ROOT);
            continue;
        }
        enum frame_kind kind = step(walk, ret_frame);
        if (kind == FRAME_PYTHON) {
            walk->shims = 0;
            return true;
        }
        if (kind == FRAME_SHIM && ++walk->shims <= SHIM_LIMIT)
            continue;
        if (kind != FRAME_SHIM && go_to_caller(walk))
            continue;
        return end_walk(walk, kind == FRAME_UNREADABLE ? SC_WALK_UNREADABLE : SC_WALK_BAD_FRAME);
    }
    return false;
}

/* What the opcode was before tools began to watch lines or instructions: it was replaced in place,
 * and is kept beside (Python/instrumentation.c, v3.12.1 to v3.15.0). An entry of lines begins with
 * it. Entries have 2 bytes; from 3.13.3 on as many as the byte before them says, 2 to 5. No code
 * begins with an opcode of these numbers. */
static bool read_replaced(const struct sc_layout *layout, const struct sc_target *target,
                          const struct sc_py_frame *frame, uint8_t *opcode)
{
    uint64_t unit = (uint32_t)frame->instruction / 2;
    uint64_t kept = 0;
    uint64_t entries = 0;
    uint8_t first = 0;
    if (!sc_read_u64(target, frame->code, layout->co_monitoring, &kept))
        return false;
    if (*opcode == layout->line_opcode) {
        if (!sc_read_u64(target, kept, layout->mo_lines, &entries) ||
            !sc_target_read(target, entries, &first, sizeof(first)))
            return false;
        bool is_stated = first >= 2 && first <= 5;
        entries += is_stated ? 1 + unit * first : unit * 2;
        if (!sc_target_read(target, entries, opcode, sizeof(*opcode)))
            return false;
    }
    return *opcode != layout->watched_opcode ||
           (sc_read_u64(target, kept, layout->mo_instructions, &entries) &&
            sc_target_read(target, entries + unit, opcode, sizeof(*opcode)));
}

bool sc_frame_opcode(const struct sc_layout *layout, const struct sc_target *target,
                     const struct sc_py_frame *frame, uint16_t *ret_code_unit)
{
    /* a code unit is an opcode byte and an argument byte in every version */
    if (frame->instruction < 0 ||
        !sc_target_read(target, frame->bytecode + (uint32_t)frame->instruction, ret_code_unit,
                        sizeof(*ret_code_unit)))
        return false;
    uint8_t opcode = (uint8_t)*ret_code_unit;
    if (layout->co_monitoring >= 0 &&
        (opcode == layout->line_opcode || opcode == layout->watched_opcode) &&
        read_replaced(layout, target, frame, &opcode))
        *ret_code_unit = (uint16_t)((*ret_code_unit & 0xff00) | opcode);
    return true;
}
