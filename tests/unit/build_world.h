/*
 * tests/unit/build_world.h - a program, stacks with costs and the profile that comes of them, for
 * the tests of building profiles.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/io.h"
#include "build/build.h"
#include "sc_test.h"

/* A directory with a program, the scope that has it as root, and stacks to be filled in. */
struct world {
    char directory[64];
    char *program;
    struct sc_scope scope;
    struct sc_collect collect;
    struct sc_profile profile;
};

static const char source[] = "import sys\n"                                         /* 1 */
                             "\n"                                                   /* 2 */
                             "class Work:\n"                                        /* 3 */
                             "    size = len([1])\n"                                /* 4 */
                             "    @staticmethod\n"                                  /* 5 */
                             "    def run(n):\n"                                    /* 6 */
                             "        for i in range(n):\n"                         /* 7 */
                             "            sorted(range(i))\n"                       /* 8 */
                             "        return [x for x in 'a']\n"                    /* 9 */
                             "\n"                                                   /* 10 */
                             "def fib(n):\n"                                        /* 11 */
                             "    return n if n < 2 else fib(n - 1) + fib(n - 2)\n" /* 12 */
                             "\n"                                                   /* 13 */
                             "key = lambda x: x\r\n"                                /* 14 */
                             "Work.run(10) or fib(20)";                             /* 15 */

static inline void write_source(const char *path, const char *text)
{
    struct sc_err err = {0};
    assert_true(sc_write_file(path, text, strlen(text), &err));
}

static inline void world_init(struct world *world)
{
    memset(world, 0, sizeof(*world));
    strcpy(world->directory, "/tmp/sc_build_XXXXXX");
    assert_non_null(mkdtemp(world->directory));
    world->program = sc_format("%s/prog.py", world->directory);
    write_source(world->program, source);
    world->scope = (struct sc_scope){
        .root_dir = world->directory, .cpu_percent_threshold = 1, .malloc_threshold = 100};
    sc_collect_init(&world->collect, 0, 0);
}

static inline void build(struct world *world, bool virtual_time)
{
    struct sc_build_input input = {
        .collect = &world->collect, .scope = &world->scope, .virtual_time = virtual_time};
    sc_profile_done(&world->profile);
    sc_profile_build(&input, &world->profile);
}

static inline void world_done(struct world *world)
{
    sc_profile_done(&world->profile);
    sc_collect_done(&world->collect);
    (void)unlink(world->program);
    free(world->program);
    assert_int_equal(rmdir(world->directory), 0);
}

/* The end of a stack, outermost frame first, with | between them: "NAME@FIRST:LINE" is a frame of
 * the program's code that begins in the line FIRST, with "FILE " before it of another file's, and
 * "MODULE+OFFSET" one of native code. */
static inline uint32_t at(struct world *world, const char *stack)
{
    SC_AUTO_FREE char *copy = sc_strdup(stack);
    char *rest = NULL;
    uint32_t node = 0;
    for (char *word = strtok_r(copy, "|", &rest); word != NULL; word = strtok_r(NULL, "|", &rest)) {
        char *first = strchr(word, '@'), *file = world->program, *name = strrchr(word, ' ');
        uint32_t code, line = 0;
        if (first != NULL) {
            *first++ = '\0';
            if (name != NULL) {
                file = word;
                *name++ = '\0';
            }
            line = (uint32_t)strtoul(strchr(first, ':') + 1, NULL, 10);
            code = sc_collect_code(&world->collect, file, name != NULL ? name : word,
                                   (uint32_t)strtoul(first, NULL, 10));
        } else {
            char *offset = strrchr(word, '+');
            *offset++ = '\0';
            code = sc_collect_native(&world->collect, word, strtoul(offset, NULL, 16));
        }
        node = sc_collect_frame(&world->collect, node, code, line);
    }
    return node;
}

static inline void spend(struct world *world, uint32_t node, enum sc_time kind, uint64_t ms,
                         uint64_t samples)
{
    struct sc_stack_cost *cost = sc_collect_cost(&world->collect, node);
    cost->time_ns[kind] += ms * 1000000;
    cost->samples += samples;
}

static inline void spend_at(struct world *world, const char *stack, enum sc_time kind, uint64_t ms,
                            uint64_t samples)
{
    spend(world, at(world, stack), kind, ms, samples);
}

static inline const struct sc_function *function(const struct world *world, const char *name)
{
    const struct sc_file *file = &world->profile.files.items[0];
    for (size_t i = 0; i < file->functions.count; i++) {
        if (strcmp(file->functions.items[i].name, name) == 0)
            return &file->functions.items[i];
    }
    fail_msg("no function %s", name);
    return NULL;
}

static inline const struct sc_cost *line(const struct world *world, uint32_t lineno)
{
    return &world->profile.files.items[0].lines.items[lineno - 1].cost;
}

static inline void near(double found, double expected)
{
    if (fabs(found - expected) > 1e-9)
        fail_msg("%.12g is not %.12g", found, expected);
}

/* In percent of the run, and with all that is called from there. */
static inline void assert_cost(const struct sc_cost *cost, double python, double native,
                               double system, double with_calls)
{
    near(cost->cpu_python_percent, python);
    near(cost->cpu_native_percent, native);
    near(cost->system_percent, system);
    near(cost->cumulative_percent, with_calls);
}

static inline void assert_hidden(const struct world *world, size_t place, const char *name,
                                 const char *reason, double percent)
{
    assert_true(place < world->profile.hidden_files.count);
    assert_string_equal(world->profile.hidden_files.items[place].name, name);
    assert_string_equal(world->profile.hidden_files.items[place].reason, reason);
    near(world->profile.hidden_files.items[place].percent, percent);
}
