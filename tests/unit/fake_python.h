/*
 * tests/unit/fake_python.h - thread states, frames, code and str objects in a made-up process.
 *
 * They are written by the same layout that reads them, so these say nothing about real offsets
 * (tests/layout does): they are for stacks that no interpreter would make.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "cpython/layout_data.h"
#include "cpython/walk.h"
#include "fake_process.h"

enum { FAKE_OBJECT_BYTES = 512, FAKE_CODE_UNITS = 100 };

struct fake_python {
    struct fake_process process;
    const struct sc_layout *layout;
    uint64_t type_type;
    uint64_t code_type;
    uint64_t thread;
    uint64_t cframe;
};

static inline uint64_t fake_object(struct fake_python *python, uint64_t type)
{
    uint64_t object = fake_room(&python->process, FAKE_OBJECT_BYTES);
    fake_put_u64(&python->process, object, python->layout->ob_type, type);
    return object;
}

/* Makes frame the innermost one. */
static inline void fake_run(struct fake_python *python, uint64_t frame)
{
    if (python->layout->ts_cframe >= 0)
        fake_put_u64(&python->process, python->cframe, python->layout->cf_current_frame, frame);
    else
        fake_put_u64(&python->process, python->thread, python->layout->ts_frame, frame);
}

static inline void fake_python_start(struct fake_python *python, const struct sc_layout *layout)
{
    fake_start(&python->process);
    python->layout = layout;
    python->type_type = fake_room(&python->process, FAKE_OBJECT_BYTES);
    fake_put_u64(&python->process, python->type_type, layout->ob_type, python->type_type);
    python->code_type = fake_object(python, python->type_type);
    python->thread = fake_room(&python->process, FAKE_OBJECT_BYTES);
    python->cframe = fake_room(&python->process, FAKE_OBJECT_BYTES);
    fake_put_u64(&python->process, python->thread, layout->ts_cframe, python->cframe);
}

/* The address of a code object's first code unit. */
static inline uint64_t fake_bytecode(const struct fake_python *python, uint64_t code)
{
    uint64_t bytes = 0;
    if (python->layout->co_code_adaptive >= 0)
        return code + (uint32_t)python->layout->co_code_adaptive;
    (void)fake_read((void *)(uintptr_t)&python->process,
                    code + (uint32_t)python->layout->co_code_object, &bytes, sizeof(bytes));
    return bytes + (uint32_t)python->layout->by_data;
}

/* A code object whose code units hold their own index as opcode. */
static inline uint64_t fake_code(struct fake_python *python, uint32_t first_line)
{
    const struct sc_layout *layout = python->layout;
    uint64_t code = fake_object(python, python->code_type);
    if (layout->co_code_object >= 0) {
        uint64_t bytes = fake_object(python, python->type_type);
        fake_put_u64(&python->process, code, layout->co_code_object, bytes);
    } else {
        fake_put_u64(&python->process, code, layout->ob_var_size, FAKE_CODE_UNITS);
    }
    fake_put_u32(&python->process, code, layout->co_first_line, first_line);
    fake_put_u64(&python->process, code, layout->co_filename, code + 1);
    fake_put_u64(&python->process, code, layout->co_name, code + 2);
    fake_put_u64(&python->process, code, layout->co_qualname, code + 3);
    fake_put_u64(&python->process, code, layout->co_line_table, code + 4);
    for (uint64_t i = 0; i < FAKE_CODE_UNITS; i++) {
        uint8_t unit[2] = {(uint8_t)i, 0xaa};
        fake_write(&python->process, fake_bytecode(python, code) + i * 2, unit, sizeof(unit));
    }
    return code;
}

static inline uint64_t fake_text(struct fake_python *python, const char *text)
{
    const struct sc_layout *layout = python->layout;
    size_t length = strlen(text);
    uint64_t object = fake_room(&python->process, 128 + length);
    fake_put_u64(&python->process, object, layout->us_length, length);
    fake_put_u32(&python->process, object, layout->us_state,
                 1U << layout->str_kind_bit | 1U << layout->str_compact_bit |
                     1U << layout->str_ascii_bit);
    fake_write(&python->process, object + (uint32_t)layout->us_ascii_data, text, length);
    return object;
}

/* A bytes object of so many zeros. */
static inline uint64_t fake_zeros(struct fake_python *python, size_t length)
{
    uint64_t object = fake_room(&python->process, 64 + length);
    fake_put_u64(&python->process, object, python->layout->by_size, length);
    return object;
}

/* Gives a code object what names it. */
static inline void fake_name_code(struct fake_python *python, uint64_t code, uint64_t filename,
                                  uint64_t name, uint64_t table)
{
    const struct sc_layout *layout = python->layout;
    fake_put_u64(&python->process, code, layout->co_filename, filename);
    fake_put_u64(&python->process, code, layout->co_name, name);
    fake_put_u64(&python->process, code, layout->co_qualname, name);
    fake_put_u64(&python->process, code, layout->co_line_table, table);
}

/* Writes where a frame stands; unit -1 is before the first. */
static inline void fake_place(struct fake_python *python, uint64_t frame, uint64_t bytecode,
                              int32_t unit)
{
    const struct sc_layout *layout = python->layout;
    int32_t scale = layout->instruction_kind == SC_INSTRUCTION_LASTI_BYTES ? 2 : 1;
    if (layout->instruction_kind == SC_INSTRUCTION_POINTER)
        fake_put_u64(&python->process, frame, layout->fr_instruction,
                     bytecode + (uint64_t)(int64_t)(unit * 2));
    else
        fake_put_u32(&python->process, frame, layout->fr_instruction,
                     (uint32_t)(unit < 0 ? -1 : unit * scale));
}

static inline uint64_t fake_frame(struct fake_python *python, uint64_t code, int32_t unit,
                                  uint64_t back)
{
    const struct sc_layout *layout = python->layout;
    uint64_t frame = fake_room(&python->process, FAKE_OBJECT_BYTES);
    fake_put_u64(&python->process, frame, layout->fr_code, code);
    fake_put_u64(&python->process, frame, layout->fr_back, back);
    fake_place(python, frame, fake_bytecode(python, code), unit);
    fake_run(python, frame);
    return frame;
}

static inline void fake_walk(struct fake_python *python, struct sc_walk *walk)
{
    sc_walk_begin(walk, python->layout, &python->process.target, python->code_type, python->thread);
}
