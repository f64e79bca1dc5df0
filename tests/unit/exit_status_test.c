/*
 * tests/unit/exit_status_test.c - how a process has ended, while it is a zombie and afterwards.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/system/exit_status.h"

#include <sys/utsname.h>

#include "sc_test.h"

enum { UNTOUCHED = 12345 };

struct row {
    const char *name;
    int exits; /* with this, when no signal ends it */
    int signal;
    bool is_reported; /* of a zombie: a process whose status is not known counts as ended with 0 */
    int status;
};

static const struct row rows[] = {
    {"it fails", 3, 0, true, 3 << 8},
    {"with the largest number", 255, 0, true, 255 << 8},
    {"it is killed", 0, SIGKILL, true, SIGKILL},
    {"by itself", 0, SIGTERM, true, SIGTERM},
    {"it ends well", 0, 0, false, 0},
};

static pid_t start(const struct row *row)
{
    pid_t pid = fork();
    if (pid != 0)
        return pid;
    (void)prctl(PR_SET_DUMPABLE, 1);
    if (row->signal != 0)
        (void)raise(row->signal);
    _exit(row->exits);
}

/* From Linux 6.15 on. */
static bool tells_afterwards(void)
{
    struct utsname system;
    char *end = NULL;
    assert_int_equal(uname(&system), 0);
    long major = strtol(system.release, &end, 10);
    long minor = *end == '.' ? strtol(end + 1, NULL, 10) : 0;
    return major > 6 || (major == 6 && minor >= 15);
}

TEST(an_end_is_reported)
{
    FOR_EACH_ROW(row, rows) {
        siginfo_t info;
        int status = UNTOUCHED;
        (void)fflush(stdout);
        pid_t pid = start(row);
        int fd = sc_exit_status_open(pid);
        assert_true(fd >= 0);
        assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
        assert_int_equal(sc_exit_status_read(-1, pid, &status), row->is_reported);
        assert_int_equal(status, row->is_reported ? row->status : UNTOUCHED);
        status = UNTOUCHED;
        assert_int_equal(sc_exit_status_read(fd, pid, &status), row->is_reported);
        assert_int_equal(status, row->is_reported ? row->status : UNTOUCHED);
        assert_false(sc_exit_status_is_lost(fd));
        assert_int_equal(waitpid(pid, NULL, 0), pid);
        assert_true(sc_exit_status_is_lost(fd));
        assert_false(sc_exit_status_is_lost(-1));
        status = UNTOUCHED;
        assert_false(sc_exit_status_read(-1, pid, &status));
        assert_int_equal(status, UNTOUCHED);
        /* the kernel continues to give the status to a descriptor that was opened in time */
        assert_int_equal(sc_exit_status_read(fd, pid, &status), tells_afterwards());
        assert_int_equal(status, tells_afterwards() ? row->status : UNTOUCHED);
        (void)close(fd);
    }
}

TEST(who_lives_has_no_end)
{
    int status = UNTOUCHED;
    int fd = sc_exit_status_open(getpid());
    assert_true(fd >= 0);
    assert_false(sc_exit_status_read(fd, getpid(), &status));
    assert_false(sc_exit_status_read(-1, getpid(), &status));
    assert_int_equal(status, UNTOUCHED);
    (void)close(fd);
}

TEST(who_never_was_has_none_either)
{
    enum { NOBODY = 0x3fffffff };
    int status = UNTOUCHED;
    assert_int_equal(sc_exit_status_open(NOBODY), -1);
    assert_false(sc_exit_status_read(-1, NOBODY, &status));
    assert_int_equal(status, UNTOUCHED);
}
