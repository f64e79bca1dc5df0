/*
 * tests/unit/sent_code_test.c - which file code is of that another process has sent by value.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "build/sent_code.h"

#include "base/io.h"
#include "sc_test.h"

struct world {
    char directory[64];
    char *program;
    char *helper;
    struct sc_scope scope;
    struct sc_collect collect;
    struct sc_sent_code sent;
};

static const char program_text[] = "import helper\n"               /* 1 */
                                   "\n"                            /* 2 */
                                   "@helper.traced\n"              /* 3 */
                                   "def work(i):\n"                /* 4 */
                                   "    def inner(k):\n"           /* 5 */
                                   "        return [k\n"           /* 6 */
                                   "            for k in [i]]\n"   /* 7 */
                                   "    return inner(i)\n"         /* 8 */
                                   "\n"                            /* 9 */
                                   "class Task:\n"                 /* 10 */
                                   "    def work(self):\n"         /* 11 */
                                   "        return 1\n"            /* 12 */
                                   "\n"                            /* 13 */
                                   "square = lambda x: x * x\n"    /* 14 */
                                   "both = [i for i in (1, 2)]\n"; /* 15 */

static const char helper_text[] = "def traced(f): return f\n" /* 1 */
                                  "def twice(): pass\n"       /* 2 */
                                  "\n"
                                  "def shared(): pass\n"; /* 4 */

static void write_text(const char *path, const char *text)
{
    struct sc_err err = {0};
    assert_true(sc_write_file(path, text, strlen(text), &err));
}

static void world_init(struct world *world)
{
    memset(world, 0, sizeof(*world));
    strcpy(world->directory, "/tmp/sc_sent_XXXXXX");
    assert_non_null(mkdtemp(world->directory));
    world->program = sc_format("%s/prog.py", world->directory);
    world->helper = sc_format("%s/helper.py", world->directory);
    write_text(world->program, program_text);
    write_text(world->helper, helper_text);
    world->scope = (struct sc_scope){.root_dir = world->directory};
    sc_collect_init(&world->collect, 0, 0);
    sc_sent_code_init(&world->sent, &world->collect, &world->scope, world->program);
}

static void world_done(struct world *world)
{
    sc_sent_code_done(&world->sent);
    sc_collect_done(&world->collect);
    (void)unlink(world->program);
    (void)unlink(world->helper);
    assert_int_equal(rmdir(world->directory), 0);
    free(world->program);
    free(world->helper);
}

static const char *file_of(struct world *world, const char *name, uint32_t first_line)
{
    const char *file = sc_sent_code_file(&world->sent, name, first_line);
    return file != NULL ? file : "";
}

TEST(functions_are_known_by_name_and_line)
{
    WORLD(world);
    assert_string_equal(file_of(&world, "work", 3), world.program);
    assert_string_equal(file_of(&world, "work.<locals>.inner", 5), world.program);
    assert_string_equal(file_of(&world, "Task.work", 11), world.program);
    assert_string_equal(file_of(&world, "inner", 5), world.program); /* before 3.11 */
    assert_string_equal(file_of(&world, "work", 11), world.program);
    assert_string_equal(file_of(&world, "work", 4), ""); /* begins with its decorator */
    assert_string_equal(file_of(&world, "Other.work", 11), "");
    assert_string_equal(file_of(&world, "Task", 10), ""); /* is no function */
}

TEST(expressions_are_known_by_where_they_stand)
{
    WORLD(world);
    assert_string_equal(file_of(&world, "<lambda>", 14), world.program);
    assert_string_equal(file_of(&world, "<lambda>", 15), "");
    assert_string_equal(file_of(&world, "<listcomp>", 15), world.program);
    assert_string_equal(file_of(&world, "<listcomp>", 14), "");
    assert_string_equal(file_of(&world, "work.<locals>.inner.<locals>.<listcomp>", 6),
                        world.program);
    assert_string_equal(file_of(&world, "work.<locals>.inner.<locals>.<listcomp>", 12), "");
    assert_string_equal(file_of(&world, "<lambda>", 4000000000U), "");
}

/* A file counts from when its first code was met; what was not found before is found then. */
TEST(files_of_other_code_are_looked_at)
{
    WORLD(world);
    assert_string_equal(file_of(&world, "twice", 2), "");
    (void)sc_collect_code(&world.collect, world.helper, "<module>", 1);
    (void)sc_collect_code(&world.collect, "/usr/lib/python3/abc.py", "<module>", 1);
    (void)sc_collect_code(&world.collect, "<string>", "<module>", 1);
    assert_string_equal(file_of(&world, "twice", 2), world.helper);
    assert_int_equal(world.sent.files.count, 2);
}

TEST(a_function_of_two_files_is_of_neither)
{
    WORLD(world);
    write_text(world.program, "\n\n\ndef shared(): pass\n");
    assert_string_equal(file_of(&world, "shared", 4), world.program);
    (void)sc_collect_code(&world.collect, world.helper, "<module>", 1);
    assert_string_equal(file_of(&world, "shared", 4), "");
}

TEST(without_a_script_there_is_nothing_to_find)
{
    WORLD(world);
    sc_sent_code_done(&world.sent);
    sc_sent_code_init(&world.sent, &world.collect, &world.scope, NULL);
    assert_string_equal(file_of(&world, "work", 3), "");
    sc_sent_code_done(&world.sent);
    sc_sent_code_init(&world.sent, &world.collect, &world.scope, "/nowhere/prog.py");
    assert_string_equal(file_of(&world, "work", 3), "");
}
