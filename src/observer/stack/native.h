/*
 * observer/stack/native.h - from an address in the target to a native frame of the trie.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/vec.h"
#include "costs/collect.h"
#include "observer/classify/classify.h"
#include "observer/system/modules.h"
#include "symbol/symbols.h"

struct sc_native_frame {
    uint32_t code; /* in the collect; SC_NONE: nothing to show */
    bool is_users; /* code of neither the interpreter nor what that runs on */
};

/* One per process. Initialise with {.collect, .symbols}. */
struct sc_native {
    struct sc_collect *collect; /* not owned */
    struct sc_symbols *symbols; /* of all processes; not owned */
    SC_VEC(struct sc_native_frame) known;
    struct sc_map by_address; /* -> known */
    uint64_t generation;      /* of the modules, when known was filled */
};

void sc_native_done(struct sc_native *native);

/* The name by which the symbols know the mapping's file, which is added to them. */
const char *sc_native_file(struct sc_native *native, const struct sc_modules *modules,
                           const struct sc_mapping *mapping);

/* The frame of an instruction. Frames of the interpreter that only pass calls on, and our own, are
 * not shown. In the interpreter, all instructions of a function are one frame; elsewhere each
 * instruction is a frame of its own, so that inlined functions can be distinguished. */
struct sc_native_frame sc_native_frame(struct sc_native *native, struct sc_classifier *classifier,
                                       uint64_t address);
