/*
 * tests/unit/procfs_test.c - texts of /proc, as tables: whole ones, cut ones, and those a process
 * has named itself in.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#include "observer/system/modules.h"
#include "observer/system/procfs_text.h"
#include "sc_test.h"

#define UNTOUCHED 99

TEST(clocks_are_three_numbers)
{
    static const struct {
        const char *text;
        bool good;
        struct sc_schedstat stat;
    } rows[] = {
        {"1234 56 7\n", true, {1234, 56, 7}},
        {"0 0 0", true, {0, 0, 0}},
        {"18446744073709551615 1 1\n", true, {UINT64_MAX, 1, 1}},
        {"1234 56", false, {UNTOUCHED, UNTOUCHED, UNTOUCHED}},
        {"", false, {UNTOUCHED, UNTOUCHED, UNTOUCHED}},
        {"no numbers here", false, {UNTOUCHED, UNTOUCHED, UNTOUCHED}},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct sc_schedstat stat = {UNTOUCHED, UNTOUCHED, UNTOUCHED};
        assert_int_equal(sc_schedstat_parse(rows[i].text, &stat), rows[i].good);
        assert_int_equal(stat.run_ns, rows[i].stat.run_ns);
        assert_int_equal(stat.delay_ns, rows[i].stat.delay_ns);
        assert_int_equal(stat.slices, rows[i].stat.slices);
    }
}

TEST(a_thread_runs_or_is_in_a_system_call)
{
    static const struct {
        const char *text;
        bool good;
        struct sc_blocked blocked;
    } rows[] = {
        {"running\n", true, {.running = true}},
        ROW("202 0x7f10 0x80 0x0 0x0 0x0 0xffffffff 0x7ffc8 0x7f3a\n", true,
            {.number = 202,
             .arguments = {0x7f10, 0x80, 0, 0, 0, 0xffffffff},
             .stack = 0x7ffc8,
             .instruction = 0x7f3a}),
        {"-1 0x7ffc8 0x7f3a\n", true, {.number = -1}},
        {"202 0x7f10 0x80 0x0\n", false, {0}},
        {"202 0x7f10 0x80 0x0 0x0 0x0 0xffffffff 0x7ffc8\n", false, {0}},
        {"\n", false, {0}},
        {"", false, {0}},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct sc_blocked blocked;
        assert_int_equal(sc_blocked_parse(rows[i].text, &blocked), rows[i].good);
        if (!rows[i].good)
            continue;
        assert_int_equal(blocked.running, rows[i].blocked.running);
        assert_int_equal(blocked.number, rows[i].blocked.number);
        assert_memory_equal(blocked.arguments, rows[i].blocked.arguments,
                            sizeof(blocked.arguments));
        assert_int_equal(blocked.stack, rows[i].blocked.stack);
        assert_int_equal(blocked.instruction, rows[i].blocked.instruction);
    }
}

TEST(a_number_of_a_status_is_found_by_its_name)
{
    static const char text[] = "Name:\tVmHWM: 7\nVmPeak:\t 300 kB\nVmHWM:\t  2048 kB\n"
                               "voluntary_ctxt_switches:\t17\nnonvoluntary_ctxt_switches:\t4\n";
    uint64_t value = 0;
    assert_true(sc_status_parse(text, "\nVmHWM:", &value));
    assert_int_equal(value, 2048);
    assert_true(sc_status_parse(text, "\nvoluntary_ctxt_switches:", &value));
    assert_int_equal(value, 17);
    assert_false(sc_status_parse(text, "\nVmRSS:", &value));
    assert_false(sc_status_parse("x\nVmHWM:", "\nVmHWM:", &value));
    assert_false(sc_status_parse("", "\nVmHWM:", &value));
}

/* Fields 4 to 52 behind the state. */
#define FIELDS_TO_51                                                                               \
    " 41 41 41 0 -1 4194304 100 200 0 0 5 6 30 12 20 0 1 0 5000 8192 300 18446744073709551615 1 1" \
    " 0 0 0 0 0 0 65536 0 0 0 17 3 0 0 0 0 0 1 1 1 1 1 1 1"

TEST(a_process_is_identified_by_its_stat)
{
    static const struct {
        const char *text;
        char state;
        uint64_t parent, user, kernel, children, threads, started, processor, status;
    } rows[] = {
        {"42 (sleep) S" FIELDS_TO_51 " 0\n", 'S', 41, 5, 6, 42, 1, 5000, 3, 0},
        {"42 (a) Z 1 (b) R" FIELDS_TO_51 " 0\n", 'R', 41, 5, 6, 42, 1, 5000, 3, 0},
        {"42 (sh) Z" FIELDS_TO_51 " 256\n", 'Z', 41, 5, 6, 42, 1, 5000, 3, 256},
        {"42 (sh) Z" FIELDS_TO_51 "\n", 'Z', 41, 5, 6, 42, 1, 5000, 3, 0},
        {.text = "42 (sh) Z 41 41", .state = 'Z', .parent = 41},
        {.text = "42 (sh) T", .state = 'T'},
        {.text = "42 (sh) "},
        {.text = "42 (sh)"},
        {.text = "42 (sh"},
        {.text = ""},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        /* of its exact size, so that a read behind it is seen */
        char *text = malloc(strlen(rows[i].text) + 1);
        memcpy(text, rows[i].text, strlen(rows[i].text) + 1);
        (void)printf("  %s\n", text);
        struct sc_stat stat = sc_stat_parse(text);
        assert_int_equal(stat.state, rows[i].state);
        assert_int_equal(stat.numbers[SC_STAT_PARENT], rows[i].parent);
        assert_int_equal(sc_stat_ticks(&stat).user, rows[i].user);
        assert_int_equal(sc_stat_ticks(&stat).kernel, rows[i].kernel);
        assert_int_equal(stat.numbers[SC_STAT_CHILDREN_USER_TICKS] +
                             stat.numbers[SC_STAT_CHILDREN_KERNEL_TICKS],
                         rows[i].children);
        assert_int_equal(stat.numbers[SC_STAT_THREADS], rows[i].threads);
        assert_int_equal(stat.numbers[SC_STAT_STARTED_TICKS], rows[i].started);
        assert_int_equal(stat.numbers[SC_STAT_PROCESSOR], rows[i].processor);
        assert_int_equal(stat.numbers[SC_STAT_EXIT_STATUS], rows[i].status);
        free(text);
    }
}

TEST(words_of_a_command_are_joined)
{
    char text[] = "python3\0-c\0a\nb\0\0";
    char nothing[] = "";
    size_t length = sc_cmdline_join(text, sizeof(text));
    assert_int_equal(length, strlen("python3 -c a b"));
    assert_memory_equal(text, "python3 -c a b", length);
    assert_int_equal(sc_cmdline_join(nothing, 0), 0);
    assert_int_equal(sc_statm_resident("100 25 3"), 25);
    assert_int_equal(sc_statm_resident("100"), 0);
}

TEST(memory_belongs_to_modules)
{
    static const struct {
        uint64_t address;
        enum sc_module_class class;
        const char *path; /* NULL: in none */
    } rows[] = {
        {0x1000, SC_MODULE_INTERPRETER, "/opt/a b/libpython3.12.so"},
        {0x1fff, SC_MODULE_INTERPRETER, "/opt/a b/libpython3.12.so"},
        {0x2000, SC_MODULE_UNKNOWN, NULL}, /* readable only */
        {0x3000, SC_MODULE_INTERPRETER, "/opt/a b/libpython3.12.so"},
        {0x4000, SC_MODULE_RUNTIME, "/lib/libc.so.6"},
        {0x5000, SC_MODULE_EXTENSION, "/opt/libLLVM-15.so"},
        {0x6000, SC_MODULE_ANONYMOUS, ""},
        {0x7000, SC_MODULE_ANONYMOUS, "/memfd:jit"},
        {0x8000, SC_MODULE_RUNTIME, "[vdso]"},
        {0x9000, SC_MODULE_UNKNOWN, NULL},
        {0, SC_MODULE_UNKNOWN, NULL},
    };
    char maps[] = "00001000-00002000 r-xp 00000000 08:01 9   /opt/a b/libpython3.12.so\n"
                  "00002000-00003000 r--p 00001000 08:01 9   /opt/a b/libpython3.12.so\n"
                  "00003000-00004000 r-xp 00002000 08:01 9   /opt/a b/libpython3.12.so\n"
                  "00004000-00005000 r-xp 00000000 08:01 3   /lib/libc.so.6\n"
                  "no line of maps\n"
                  "00005000-00006000 r-xp 00000000 08:01 4   /opt/libLLVM-15.so (deleted)\n"
                  "00006000-00007000 rwxp 00000000 00:00 0 \n"
                  "00007000-00008000 r-xp 00000000 00:01 7   /memfd:jit (deleted)\n"
                  "00008000-00009000 r-xp 00000000 00:00 0   [vdso]\n";
    struct sc_modules *modules = sc_modules_of(maps, 0x1234);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct sc_mapping *mapping = sc_modules_find(modules, rows[i].address);
        assert_int_equal(mapping != NULL, rows[i].path != NULL);
        if (mapping == NULL)
            continue;
        assert_string_equal(mapping->path, rows[i].path);
        assert_int_equal(mapping->class, rows[i].class);
    }
    assert_int_equal(sc_modules_find(modules, 0x3000)->file_offset, 0x2000);
    assert_true(sc_modules_find(modules, 0x5000)->is_deleted);
    assert_false(sc_modules_find(modules, 0x4000)->is_deleted);
    assert_true(sc_modules_have_compiler(modules));
    sc_modules_free(modules);
}
