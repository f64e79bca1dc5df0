/*
 * observer/native.h - from an address in the target to a native frame of the trie.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/vec.h"
#include "costs/collect.h"
#include "observer/classify/classify.h"
#include "observer/modules.h"
#include "symbol/symbols.h"

struct sc_native_frame {
    uint32_t code; /* in the collect; SC_NONE: nothing to show */
    bool is_users; /* neither the interpreter's nor of what that runs on */
};

/* One per process. Initialise with {.collect, .symbols}. */
struct sc_native {
    struct sc_collect *collect; /* not owned */
    struct sc_symbols *symbols; /* of all processes; not owned */
    SC_VEC(struct sc_native_frame) known;
    struct sc_map by_address; /* -> known */
    uint64_t generation;      /* of the modules, when that was found */
};

void sc_native_done(struct sc_native *native);

/* Has the mapping's file opened for the symbols; false when it has none, or that cannot be. */
bool sc_native_add_file(struct sc_native *native, const struct sc_modules *modules,
                        const struct sc_mapping *mapping);

/* The frame of an instruction. Frames of the interpreter that only pass calls on, and our own, are
 * not shown. Of the interpreter, a function is one frame wherever in it the instruction is; of
 * others each instruction is, so that what was inlined can be told. */
struct sc_native_frame sc_native_frame(struct sc_native *native, struct sc_classifier *classifier,
                                       uint64_t address);
