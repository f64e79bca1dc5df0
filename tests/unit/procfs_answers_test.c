/*
 * tests/unit/procfs_answers_test.c - a thread that is gone is distinguished from one that cannot be
 * read about now, and kept descriptors leave room.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#include "observer/system/exit_status.h"
#include "observer/system/procfs.h"
#include "sc_test.h"

#define UNTOUCHED 99

static pid_t start_child(void)
{
    pid_t pid = fork();
    if (pid == 0) {
        for (;;)
            (void)pause();
    }
    return pid;
}

static void end_child(pid_t pid)
{
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static struct rlimit limit_files(rlim_t count)
{
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    struct rlimit limit = {.rlim_cur = count, .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    return before;
}

TEST(a_clock_is_read_gone_or_cannot_be_read)
{
    struct sc_schedstat stat = {UNTOUCHED, UNTOUCHED, UNTOUCHED};
    pid_t child = start_child();
    int kept = sc_schedstat_open(child, child);
    assert_true(kept >= 0);
    struct rlimit before = limit_files(0);
    assert_int_equal(sc_schedstat_read(child, child, -1, &stat), SC_PROC_FAILED);
    assert_int_equal(stat.run_ns, UNTOUCHED);
    assert_int_equal(sc_schedstat_read(child, child, kept, &stat), SC_PROC_READ);
    assert_int_not_equal(stat.slices, UNTOUCHED);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(sc_schedstat_read(child, child, -1, &stat), SC_PROC_READ);
    end_child(child);
    stat.run_ns = UNTOUCHED;
    assert_int_equal(sc_schedstat_read(child, child, -1, &stat), SC_PROC_GONE);
    assert_int_equal(sc_schedstat_read(child, child, kept, &stat), SC_PROC_GONE);
    assert_int_equal(sc_schedstat_read(getpid(), 0, -1, &stat), SC_PROC_GONE);
    assert_int_equal(stat.run_ns, UNTOUCHED);
    assert_int_equal(close(kept), 0);
}

TEST(a_process_is_over_when_it_is_gone_and_not_when_no_file_can_be_opened)
{
    pid_t child = start_child();
    struct rlimit before = limit_files(0);
    assert_false(sc_process_is_over(child));
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_false(sc_process_is_over(child));
    end_child(child);
    assert_true(sc_process_is_over(child));
    (void)limit_files(0);
    assert_true(sc_process_is_over(child));
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
}

TEST(kept_descriptors_leave_half_of_them)
{
    enum { LIMIT = 40 };
    struct rlimit before = limit_files(LIMIT);
    size_t kept = 0;
    int fds[LIMIT];
    for (size_t i = 0; i < LIMIT; i++) {
        int fd = i % 3 == 0   ? sc_schedstat_open(getpid(), getpid())
                 : i % 3 == 1 ? sc_blocked_open(getpid(), getpid())
                              : sc_exit_status_open(getpid());
        if (fd >= 0)
            fds[kept++] = fd;
    }
    assert_true(kept > 0);
    for (size_t i = 0; i < kept; i++)
        assert_true(fds[i] < LIMIT / 2);
    int after = dup(0);
    assert_int_equal(after, LIMIT / 2); /* all below are taken, and none above */
    assert_int_equal(close(after), 0);
    for (size_t i = 0; i < kept; i++)
        assert_int_equal(close(fds[i]), 0);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
}

TEST(a_program_is_known_by_its_file)
{
    struct stat status;
    pid_t child = start_child();
    struct sc_file_identity own = sc_process_file(getpid());
    struct sc_file_identity same = sc_process_file(child);
    assert_int_equal(stat("/proc/self/exe", &status), 0);
    assert_int_equal(own.inode, status.st_ino);
    assert_int_equal(own.device, status.st_dev);
    assert_int_equal(same.inode, own.inode);
    assert_int_equal(same.device, own.device);
    end_child(child);
    assert_int_equal(sc_process_file(child).inode, 0);
}
