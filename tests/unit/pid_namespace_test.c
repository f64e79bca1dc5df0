/*
 * tests/unit/pid_namespace_test.c - the numbers of processes in containers: texts as the kernel
 * writes them, cut ones and made-up ones, and what they are called where.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/system/pid_namespace.h"

#include "sc_test.h"

#define UNTOUCHED 99

/* A text of so many numbers, 1001 and on. */
static const char *text_of(unsigned count)
{
    static char text[1024];
    size_t length = (size_t)snprintf(text, sizeof(text), "Name:\tx\nNSpid:");
    for (unsigned i = 0; i < count; i++)
        length += (size_t)snprintf(text + length, sizeof(text) - length, "\t%u", 1001 + i);
    (void)snprintf(text + length, sizeof(text) - length, "\nNSpgid:\t7\n");
    return text;
}

TEST(numbers_are_read_whole_or_not_at_all)
{
    static const struct {
        const char *text;
        unsigned count; /* 0: nothing is reported */
        pid_t first;
        pid_t last;
    } rows[] = {
        {"Name:\tpython\nNStgid:\t5\t6\nNSpid:\t700\nNSpgid:\t8\n", 1, 700, 700},
        {"Name:\tpython\nNSpid:\t700\t2\nNSpgid:\t8\t8\n", 2, 700, 2},
        {"Name:\tpython\nNSpid:\t700\t41\t1\n", 3, 700, 1},
        {"Name:\tNSpid:\t9\nNSpid:\t700\n", 1, 700, 700},     /* a process names itself */
        {"Name:\ta\\nNSpid:\t9\nNSpid:\t700\n", 1, 700, 700}, /* and its newlines are escaped */
        {"NSpid:\t700\n", 0, 0, 0},                           /* a name would be the first line */
        {"Name:\tpython\nPid:\t700\n", 0, 0, 0},              /* before Linux 4.1 */
        {"Name:\tpython\nNSpid:\t700\t41", 0, 0, 0},          /* cut: 41 may be 412 */
        {"Name:\tpython\nNSpid:\t700\t", 0, 0, 0},
        {"Name:\tpython\nNSpid:", 0, 0, 0},
        {"Name:\tpython\nNSpid:\n", 0, 0, 0},
        {"Name:\tpython\nNSpid:\t\n700\n", 0, 0, 0}, /* the number of another line */
        {"Name:\tpython\nNSpid:\t0\t1\n", 0, 0, 0},  /* not to be seen from here */
        {"Name:\tpython\nNSpid:\t700\t-1\n", 0, 0, 0},
        {"Name:\tpython\nNSpid:\t700\t+1\n", 0, 0, 0},
        {"Name:\tpython\nNSpid:\t700x\n", 0, 0, 0},
        {"Name:\tpython\nNSpid:\t2147483647\n", 1, 2147483647, 2147483647},
        {"Name:\tpython\nNSpid:\t2147483648\n", 0, 0, 0},
        {"Name:\tpython\nNSpid:\t99999999999999999999999\n", 0, 0, 0},
        {"Name:\tpython\nNSpid:700\n", 0, 0, 0},
        {"", 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct sc_pid_numbers numbers = {.count = UNTOUCHED};
        (void)printf("  %s\n", rows[i].text);
        assert_int_equal(sc_pid_numbers_parse(rows[i].text, &numbers), rows[i].count > 0);
        assert_int_equal(numbers.count, rows[i].count > 0 ? rows[i].count : UNTOUCHED);
        if (rows[i].count == 0)
            continue;
        assert_int_equal(numbers.numbers[0], rows[i].first);
        assert_int_equal(sc_pid_own(&numbers), rows[i].last);
    }
}

TEST(namespaces_are_as_deep_as_the_kernel_allows)
{
    struct sc_pid_numbers numbers = {.count = UNTOUCHED};
    assert_true(sc_pid_numbers_parse(text_of(SC_PID_DEPTH_MAX), &numbers));
    assert_int_equal(numbers.count, SC_PID_DEPTH_MAX);
    assert_int_equal(sc_pid_own(&numbers), 1000 + SC_PID_DEPTH_MAX);
    numbers.count = UNTOUCHED;
    assert_false(sc_pid_numbers_parse(text_of(SC_PID_DEPTH_MAX + 1), &numbers));
    assert_int_equal(numbers.count, UNTOUCHED);
}

/* A process that is over, and nobody has its number yet. */
static pid_t gone_process(void)
{
    pid_t pid = fork();
    if (pid == 0)
        _exit(0);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    return pid;
}

TEST(a_process_is_known_by_its_names)
{
    struct sc_pid_names names;
    pid_t gone = gone_process();
    sc_pid_names_read(getpid(), getpid(), &names);
    assert_false(sc_pid_is_below(&names));
    assert_int_equal(names.numbers.numbers[0], getpid());
    assert_int_equal(names.namespace_id, SC_PID_NAMESPACE_OURS);
    sc_pid_names_read(getpid(), 12, &names); /* the kernel knows better than the process */
    assert_false(sc_pid_is_below(&names));
    sc_pid_names_read(gone, gone, &names);
    assert_false(sc_pid_is_below(&names));
    assert_int_equal(sc_pid_own(&names.numbers), gone);
    sc_pid_names_read(gone, 2, &names);
    assert_true(sc_pid_is_below(&names));
    assert_int_equal(names.numbers.numbers[0], gone);
    assert_int_equal(sc_pid_own(&names.numbers), 2);
    assert_int_equal(names.namespace_id, SC_PID_NAMESPACE_UNKNOWN);
}
