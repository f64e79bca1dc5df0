/*
 * tests/fuzz/records_world.h - what of a run is needed to make a profile of records, without a
 * process.
 *
 * There is no such process: what is asked of the kernel fails. Clocks are given. So the profile
 * follows from the records alone, which the fuzz target `records` invents and the tests of
 * tests/forged forge.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/str.h"
#include "channel/format.h"
#include "costs/scope.h"
#include "cpython/layout.h"

struct sc_process;

enum records_choice {
    RECORDS_MEMORY = 2,
    RECORDS_GPU = 4,
    RECORDS_NATIVE = 8, /* native frames, and this program as the interpreter */
    RECORDS_BEGUN = 16,
    RECORDS_VIRTUAL = 32,
    RECORDS_CONTAINER = 64, /* it is in a PID namespace of its own */
    RECORDS_OUTSIDE = 128,  /* it has no agent, and is only read from outside */
    RECORDS_INTERIM = 256,  /* a profile is made after each look, too, as with --profile-interval */
};

struct records_input {
    struct sc_scope scope;
    const struct sc_layout *layout;
    unsigned choice; /* enum records_choice */
    uint64_t begun_ns;
    uint64_t now_ns;
    uint64_t cpu_ns; /* of the process at its end */
    /* Between its beginning and its end; may be NULL. Calls looked after each look. */
    void (*live)(struct sc_process *process, void (*looked)(void *context, uint64_t now_ns),
                 void *context);
};

/* Maps a segment of that name; it lives as long as this program. */
struct sc_segment *records_segment(int *ret_fd);

/* Makes of each word whose highest byte is 0xf0 an address in the evaluation loop of the
 * interpreter that RECORDS_NATIVE means; bit 32 becomes SC_ADDRESS_IN_LOOP. With 0xf1 it becomes
 * one in a library. */
void records_point_into_program(unsigned char *bytes, size_t size);

/* Reads the segment behind the descriptor (taken) as that of a process that runs from begun_ns to
 * now_ns, and appends the JSON of its profile. False when the segment is not accepted, or the JSON
 * cannot be read again. */
bool records_profile(const struct records_input *input, int fd, struct sc_str *ret_json);
