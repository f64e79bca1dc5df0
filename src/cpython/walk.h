/*
 * cpython/walk.h - the Python frames of a thread, innermost first, read through a callback.
 *
 *     struct sc_walk walk;
 *     struct sc_py_frame frame;
 *     sc_walk_begin(&walk, &layout, &memory, code_type, thread_state);
 *     while (sc_walk_next(&walk, &frame))
 *         ...
 *
 * Nothing is trusted: a frame whose code is not a code object ends the walk, loops are bounded by
 * the caller. Frames of C (shims) are skipped. Async-signal-safe, no libc, < 300 bytes of stack.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "cpython/layout.h"

enum sc_walk_end {
    SC_WALK_MORE,       /* not ended */
    SC_WALK_ROOT,       /* the outermost frame was reached, or the thread has none */
    SC_WALK_UNREADABLE, /* memory could not be read */
    SC_WALK_BAD_FRAME,  /* something that is not a code object, or a misaligned pointer */
};

/* A code object that has been read: in a recursion the same few occur again and again. */
struct sc_walked_code {
    uint64_t code;
    uint64_t extent; /* how many code units, or the address of the bytes object that holds them */
};

#define SC_WALKED_CODES 4U

struct sc_walk {
    const struct sc_layout *layout;
    const struct sc_target *target;
    uint64_t code_type; /* address of PyCode_Type */
    uint64_t next_frame;
    uint64_t unsure_cframe; /* the C frame in use, while it may be half initialised, else 0 */
    enum sc_walk_end end;
    uint32_t shims;       /* consecutive C frames skipped, bounded */
    bool left_loop;       /* since the last Python frame the walk has left an evaluation loop */
    uint32_t steps;       /* frames passed, shims included */
    int32_t fields_start; /* what is read of a frame: from here */
    int32_t fields_end;   /* up to here; 0 when the layout is of no use */
    struct sc_walked_code known[SC_WALKED_CODES];
};

struct sc_py_frame {
    uint64_t address;  /* of the frame structure */
    uint64_t code;     /* of the code object */
    uint64_t bytecode; /* address of its first code unit (thread-local copy included) */
    int32_t
        instruction; /* offset in bytes of the executing instruction in it, -1 before the first */
    uint8_t owner;   /* fr.owner, 0 where it does not exist */
    /* The next frame inwards runs in an evaluation loop of its own, so there is C code between the
     * two. Of the innermost frame: that loop has no frame yet. */
    bool calls_through_c;
};

void sc_walk_begin(struct sc_walk *walk, const struct sc_layout *layout,
                   const struct sc_target *target, uint64_t code_type, uint64_t thread_state);

/* False at the end; walk->end then says why. */
bool sc_walk_next(struct sc_walk *walk, struct sc_py_frame *ret_frame);

/* What identifies a code object. The addresses are of Python objects. */
struct sc_code_facts {
    uint64_t code;
    uint64_t filename;
    uint64_t name; /* co_qualname where there is one */
    uint64_t line_table;
    uint32_t first_line;
    uint32_t version; /* 0: the interpreter has not numbered it */
    uint64_t key;     /* sc_code_key's; 0: it has not been made */
};

/* Fills in all members but the key. */
bool sc_code_read(const struct sc_layout *layout, const struct sc_target *target, uint64_t code,
                  struct sc_code_facts *ret_facts);

/* Copies a str object as UTF-8, lone surrogates \udc80..\udcff as the byte they stand for; at most
 * capacity bytes, cut at a character. False when it cannot be read. */
bool sc_unicode_read(const struct sc_layout *layout, const struct sc_target *target,
                     uint64_t object, char *bytes, size_t capacity, size_t *ret_length);

/* Length, then the bytes, of a bytes object. */
bool sc_bytes_size(const struct sc_layout *layout, const struct sc_target *target, uint64_t object,
                   size_t *ret_length);
bool sc_bytes_read(const struct sc_layout *layout, const struct sc_target *target, uint64_t object,
                   void *bytes, size_t length);

/* The opcode at the frame's instruction, its argument in the upper byte; false when unreadable or
 * before the first. Specialised opcodes are returned as they stand in memory, those that were
 * replaced to watch lines or instructions as they were before. */
bool sc_frame_opcode(const struct sc_layout *layout, const struct sc_target *target,
                     const struct sc_py_frame *frame, uint16_t *ret_code_unit);

/* Whether the process has more than one interpreter. */
bool sc_interpreters_are_many(const struct sc_layout *layout, const struct sc_target *target,
                              uint64_t runtime_address);

/* Whether the thread with that state is ending the interpreter: exit functions have run, and
 * modules and objects are being released. */
bool sc_thread_is_finalizing(const struct sc_layout *layout, const struct sc_target *target,
                             uint64_t runtime_address, uint64_t thread_state);

/* The address of the thread state whose native thread id (3.11+) or pthread_self() value (before)
 * is given; 0 when there is none. Of several, one for each interpreter that the thread has made,
 * the newest interpreter's that has a frame. Bounded. */
uint64_t sc_thread_state_find(const struct sc_layout *layout, const struct sc_target *target,
                              uint64_t runtime_address, uint64_t native_id, uint64_t pthread_self);
