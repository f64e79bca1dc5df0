/*
 * tests/unit/guest_test.c - when the profile of a process that was there before is over.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/lifecycle/guest.h"

#include "base/io.h"
#include "sc_test.h"

enum { ALIVE, STOPPED, ZOMBIE, GONE };

struct row {
    const char *name;
    bool is_guest;
    int state;
    bool is_over;
};

static const struct row rows[] = {
    {"it runs", true, ALIVE, false},
    {"it is stopped", true, STOPPED, false},
    {"it has ended, and nobody has waited for it", true, ZOMBIE, true},
    {"it is gone", true, GONE, true},
    {"a program that we have started is waited for, not looked at", false, GONE, false},
};

static pid_t start(int state)
{
    siginfo_t info;
    pid_t pid = fork();
    if (pid == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;)
            (void)pause();
    }
    if (state == STOPPED) {
        (void)kill(pid, SIGSTOP);
        (void)waitid(P_PID, (id_t)pid, &info, WSTOPPED | WNOWAIT);
    } else if (state != ALIVE) {
        (void)kill(pid, SIGKILL);
        (void)waitid(P_PID, (id_t)pid, &info, WEXITED | (state == ZOMBIE ? WNOWAIT : 0));
    }
    return pid;
}

TEST(its_end_is_seen_from_outside)
{
    FOR_EACH_ROW(row, rows) {
        (void)fflush(stdout);
        pid_t pid = start(row->state);
        const struct sc_run_plan plan = {.attach_pid = row->is_guest ? pid : 0};
        struct sc_observation observation = {.plan = &plan, .pid = pid};
        /* of an earlier program of that number, and of a child: neither is closed again */
        struct sc_process past = {
            .pid = pid, .ending.is_over = true, .ending.has_status = true, .ending.status = 5};
        struct sc_process child = {.pid = pid + 1, .ending.has_status = true, .ending.status = 6};
        sc_vec_push(&observation.processes, &past);
        sc_vec_push(&observation.processes, &child);
        uint64_t before_ns = sc_now_ns();
        sc_guest_poll(&observation);
        assert_int_equal(observation.is_over, row->is_over);
        assert_int_equal(observation.ended_ns >= before_ns, row->is_over);
        assert_false(observation.exited); /* nobody has reported how */
        assert_int_equal(observation.exit_status, 0);
        assert_false(child.ending.is_over);
        sc_vec_done(&observation.processes);
        (void)kill(pid, SIGKILL);
        (void)waitpid(pid, NULL, 0);
    }
}

TEST(a_profile_may_be_over_before_its_process)
{
    const struct sc_run_plan plan = {.attach_pid = getpid()};
    struct sc_observation observation = {.plan = &plan, .pid = getpid()};
    uint64_t before_ns = sc_now_ns();
    sc_guest_leave(&observation);
    assert_true(observation.is_over);
    assert_true(observation.ended_ns >= before_ns);
}
