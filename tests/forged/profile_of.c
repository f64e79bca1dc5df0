/*
 * tests/forged/profile_of.c - profile_of FOLDER < LIFE: prints the profile of forged records and
 * looks as JSON.
 *
 * The input begins with four numbers of 8 bytes: enum records_choice, and in ns when the program
 * began, when it ended, and its CPU time. Then come the parts of its life (looks.h). FOLDER is the
 * one whose files are the program's own. It is a process of CPython 3.11.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpython/layout_data.h"
#include "looks.h"
#include "records_world.h"

static const struct sc_layout *layout_of(uint32_t version)
{
    for (size_t i = 0; i < sc_layouts_count; i++) {
        if (sc_layouts[i].version == version)
            return &sc_layouts[i];
    }
    abort();
}

int main(int argc, char **argv)
{
    static uint64_t head[4];
    struct sc_str json = {0};
    int fd = -1;
    struct sc_segment *segment = records_segment(&fd);
    if (argc != 2 || fread(head, sizeof(head), 1, stdin) != 1) {
        (void)fprintf(stderr, "usage: %s FOLDER < LIFE\n", argv[0]);
        return EXIT_FAILURE;
    }
    segment->magic = SC_CHANNEL_MAGIC;
    segment->version = SC_CHANNEL_VERSION;
    segment->size_bytes = sizeof(*segment);
    segment->pace.interval_ns = 10000000;
    looks_describe(layout_of(0x030b), &segment->facts);
    const struct records_input input = {
        .scope = {.root_dir = argv[1]},
        .layout = layout_of(0x030b),
        .choice = (unsigned)head[0],
        .begun_ns = head[1],
        .now_ns = head[2],
        .cpu_ns = head[3],
        .live = looks_run,
    };
    if (!records_profile(&input, fd, &json)) {
        (void)fputs("the records are no profile\n", stderr);
        return EXIT_FAILURE;
    }
    (void)fwrite(json.data, 1, json.length, stdout);
    sc_str_done(&json);
    return EXIT_SUCCESS;
}
