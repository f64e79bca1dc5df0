/*
 * tests/unit/build_world.h - a program, stacks with costs and the profile that comes of them, for
 * the tests of building profiles.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

static inline uint32_t code(struct world *world, const char *file, const char *name, uint32_t line)
{
    return sc_collect_code(&world->collect, file, name, line);
}

static inline void spend(struct world *world, uint32_t node, enum sc_time kind, uint64_t ms,
                         uint64_t samples)
{
    struct sc_stack_cost *cost = sc_collect_cost(&world->collect, node);
    cost->time_ns[kind] += ms * 1000000;
    cost->samples += samples;
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
