/*
 * tests/profile/dump.c - made-up profiles and copies of profiles as JSON, for test_json.py.
 *
 *     profile_dump build PROGRAM LIBRARY    a profile of made-up costs of the two source files
 *     profile_dump copy FILE                reads a profile and writes it again
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <libgen.h>
#include <stdio.h>
#include <string.h>

#include "base/io.h"
#include "build/build.h"

#define FILE_LIMIT_BYTES ((size_t)64 << 20)

/* Every line of the program gets time of every kind, some of it by way of the library. */
static void make_costs(const char *program, const char *library, struct sc_collect *collect)
{
    uint32_t module = sc_collect_code(collect, program, "<module>", 1);
    uint32_t helper = sc_collect_code(collect, library, "helper", 1);
    uint32_t work = sc_collect_code(collect, program, "work", 4);
    for (uint32_t line = 1; line <= 8; line++) {
        uint32_t node = sc_collect_frame(collect, 0, module, line);
        for (int depth = 0; depth < 3; depth++) {
            struct sc_stack_cost *cost = sc_collect_cost(collect, node);
            for (uint64_t kind = 0; kind < SC_TIME_COUNT_; kind++)
                cost->time_ns[kind] = line * 1000003 + kind * 7;
            cost->wait_ns[SC_WAIT_GIL] = line * 1000;
            cost->samples = line;
            cost->utilization_sum = 0.3 * line;
            cost->utilization_weight = line;
            for (int i = 0; i < 200; i++)
                sc_collect_moment(collect, 100 + line + i * 0.01, node);
            node = sc_collect_frame(collect, node, depth == 0 ? work : helper, line);
        }
    }
    uint32_t at = sc_collect_thread(collect, 4700, 4711);
    (void)snprintf(collect->threads.items[at].name, sizeof(collect->threads.items[at].name),
                   "MainThread");
    collect->threads.items[at].is_main = true;
}

static int build(char *program, const char *library)
{
    SC_AUTO_FREE char *copy = sc_strdup(program);
    struct sc_collect collect;
    sc_collect_init(&collect, 0, 0);
    make_costs(program, library, &collect);
    struct sc_scope scope = {.root_dir = dirname(copy), .cpu_percent_threshold = 1};
    struct sc_profile profile = {
        .program = sc_strdup(program),
        .entrypoint_dir = sc_strdup(scope.root_dir),
        .root_dir = sc_strdup(scope.root_dir),
        .args_known = true,
        .elapsed_s = 1.5,
        .gpu_device = sc_strdup(""),
        .main_thread_id = 140284866874240,
        .mode = sc_strdup("wall"),
    };
    sc_vec_push(&profile.args, sc_strdup(program));
    sc_profile_build(&(struct sc_build_input){.collect = &collect, .scope = &scope}, &profile);
    struct sc_str text = {0};
    sc_profile_to_json(&profile, &text);
    (void)fwrite(text.data, 1, text.length, stdout);
    sc_str_done(&text);
    sc_profile_done(&profile);
    sc_collect_done(&collect);
    return EXIT_SUCCESS;
}

static int copy(const char *path)
{
    struct sc_err err = {0};
    struct sc_str text = {0};
    struct sc_profile profile = {0};
    bool good = sc_read_file(path, FILE_LIMIT_BYTES, &text, &err) &&
                sc_profile_from_json(sc_str_text(&text), text.length, &profile, &err);
    sc_str_clear(&text);
    if (good) {
        sc_profile_to_json(&profile, &text);
        (void)fwrite(text.data, 1, text.length, stdout);
    } else {
        (void)fprintf(stderr, "%s\n", err.text);
    }
    sc_str_done(&text);
    sc_profile_done(&profile);
    return sc_err_status(&err);
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "build") == 0)
        return build(argv[2], argv[3]);
    if (argc == 3 && strcmp(argv[1], "copy") == 0)
        return copy(argv[2]);
    (void)fprintf(stderr, "usage: profile_dump build PROGRAM LIBRARY | copy FILE\n");
    return 2;
}
