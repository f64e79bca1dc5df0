/*
 * tests/unit/report_waits_test.c - what is said of lines that wait, and where they rank.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#include "report/report.h"
#include "report_fixture.h"
#include "sc_test.h"

TEST(waiting_is_found_with_its_cause)
{
    OWN(sc_profile, profile) = {.elapsed_s = 10.0};
    struct sc_file *file = fixture_file(&profile, "a.py");
    (void)fixture_line(file, "sleep()\n", 0.0, 0.0, 30.0);
    (void)fixture_line(file, "recv()\n", 0.0, 0.0, 25.0);
    (void)fixture_line(file, "write()\n", 0.0, 0.0, 20.0);
    (void)fixture_line(file, "mix()\n", 0.0, 0.0, 15.0);
    file->lines.items[0].cost.time_s[SC_TIME_SLEEP] = 3.0;
    file->lines.items[1].cost.time_s[SC_TIME_IO] = 2.5;
    file->lines.items[1].cost.wait_s[SC_WAIT_CHILD] = 2.5;
    file->lines.items[2].cost.time_s[SC_TIME_KERNEL] = 2.0;
    file->lines.items[3].cost.time_s[SC_TIME_KERNEL] = 0.5;
    file->lines.items[3].cost.time_s[SC_TIME_OTHER_WAIT] = 1.0;
    OWN(sc_report, report) = report_of(&profile);
    assert_true(finds(&report, "the program sleeps 30% of the time at a.py:1"));
    assert_true(finds(&report, "waits 25% of the time for other processes at a.py:2"));
    assert_true(finds(&report, "a.py:3 spends 20% of the time inside system calls: make fewer and "
                               "larger ones, or have them move less data"));
    assert_true(finds(&report, "waiting: 5% in system calls, 10% in other waits"));
    /* the most expensive one first */
    assert_non_null(strstr(report.overview.findings.items[0].text, "30%"));
    /* of a process that is over at once, it is part of its start */
    profile.elapsed_s = 0.1;
    report_again(&report, &profile);
    assert_int_equal(report.overview.findings.count, 0);
}

TEST(tasks_that_wait_are_found_where_they_do)
{
    OWN(sc_profile, profile) = {.elapsed_s = 10.0, .async_profile = true};
    struct sc_file *file = fixture_file(&profile, "/p/a.py");
    fixture_line(file, "    await asyncio.sleep(1)\n", 0.0, 0.0, 0.0);
    fixture_line(file, "asyncio.run(main())\n", 0.0, 0.0, 60.0);
    file->lines.items[0].cost.async_await_percent = 100.0;
    file->lines.items[1].cost.time_s[SC_TIME_IO] = 6.0;
    OWN(sc_report, report) = report_of(&profile);
    const struct sc_finding *finding = finding_of(&report, "waiting");
    assert_says(finding, "all tasks wait 60% of the time");
    assert_int_equal(finding->lineno, 1);
}

/* More tasks that wait at once would wait for the same lock. */
TEST(tasks_that_queue_at_a_lock_are_not_said_to_be_too_few)
{
    OWN(sc_profile, profile) = {.elapsed_s = 10.0, .async_profile = true};
    struct sc_file *file = fixture_file(&profile, "/p/a.py");
    fixture_line(file, "async def f():\n", 0.0, 0.0, 0.0);
    fixture_line(file, "    async with LOCK:\n", 0.0, 0.0, 0.0);
    fixture_line(file, "        g()\n", 0.0, 0.0, 0.0);
    fixture_line(file, "asyncio.run(main())\n", 0.0, 0.0, 60.0);
    file->lines.items[1].cost.async_await_percent = 90.0;
    file->lines.items[3].cost.time_s[SC_TIME_IO] = 6.0;
    OWN(sc_report, report) = report_of(&profile);
    assert_true(finds(&report, "a.py:2 is where tasks spend 90% of all their waiting for LOCK"));
    assert_false(finds(&report, "all tasks wait"));
    /* nor where most wait for what those at the lock will send */
    file->lines.items[1].cost.async_await_percent = 40.0;
    fixture_line(file, "await reader.readline()\n", 0.0, 0.0, 0.0);
    file->lines.items[4].cost.async_await_percent = 60.0;
    report_again(&report, &profile);
    assert_true(finds(&report, "tasks spend 40%"));
    assert_false(finds(&report, "all tasks wait"));
}

/* The findings of a line that waits, with tasks that wait at await (NULL: none are known). */
static size_t waiting_findings(const char *text, const char *await, enum sc_time time)
{
    struct sc_profile profile = {.elapsed_s = 10.0, .async_profile = true};
    struct sc_file *file = fixture_file(&profile, "/p/a.py");
    fixture_line(file, text, 0.0, 0.0, 60.0);
    file->lines.items[0].cost.time_s[time] = 6.0;
    if (await != NULL) {
        fixture_line(file, await, 0.0, 0.0, 0.0);
        file->lines.items[1].cost.async_await_percent = 100.0;
    }
    struct sc_report report = report_of(&profile);
    size_t count = report.overview.findings.count;
    sc_report_done(&report);
    sc_profile_done(&profile);
    return count;
}

TEST(a_loop_with_nothing_to_do_is_no_finding)
{
    static const char *const runners[] =
        ROW("trio.run(main)\n", "    curio.run(main)\n", "asyncio.run(main())\n",
            "loop.run_until_complete(main())\n", "httpd.serve_forever()\n", "app.run(port=8080)\n",
            "tornado.ioloop.IOLoop.current().start()\n", "window.mainloop()\n",
            "execute_from_command_line(sys.argv)\n");
    for (size_t i = 0; i < sizeof(runners) / sizeof(runners[0]); i++) {
        assert_int_equal(waiting_findings(runners[i], NULL, SC_TIME_IO), 0);
        assert_int_equal(waiting_findings(runners[i], NULL, SC_TIME_SLEEP), 0);
        assert_int_equal(waiting_findings(runners[i], NULL, SC_TIME_OTHER_WAIT), 0);
        assert_int_equal(waiting_findings(runners[i], NULL, SC_TIME_KERNEL), 1);
    }
    /* a server that waits for its end */
    static const char *const server = "asyncio.run(main())\n";
    assert_int_equal(waiting_findings(server, "await asyncio.Event().wait()\n", SC_TIME_IO), 0);
    assert_int_equal(waiting_findings(server, "await server.serve_forever()\n", SC_TIME_IO), 0);
    assert_int_equal(waiting_findings(server, "await session.get(url)\n", SC_TIME_IO), 1);
    /* no loop */
    assert_int_equal(waiting_findings("subprocess.run(words)\n", NULL, SC_TIME_IO), 1);
    assert_int_equal(waiting_findings("session.run(query)\n", NULL, SC_TIME_IO), 1);
    assert_int_equal(waiting_findings("worker.start()\n", NULL, SC_TIME_IO), 1);
}

TEST(who_watches_over_processes_ranks_last)
{
    OWN(sc_profile, profile) = {.elapsed_s = 10.0, .time_s[SC_TIME_IO] = 10.0};
    struct sc_file *file = fixture_file(&profile, "/p/a.py");
    fixture_line(file, "app.run(debug=True)\n", 0.0, 0.0, 60.0);
    fixture_line(file, "subprocess.call(words)\n", 1.0, 0.0, 20.0);
    fixture_line(file, "return sum(values)\n", 15.0, 0.0, 0.0);
    file->lines.items[0].cost.time_s[SC_TIME_SLEEP] = 6.0;
    file->lines.items[1].cost.time_s[SC_TIME_IO] = 2.0;
    file->lines.items[1].cost.wait_s[SC_WAIT_CHILD] = 2.0;
    for (uint64_t pid = 8; pid <= 9; pid++) {
        struct sc_report report = report_of(&profile);
        const struct sc_hot *lines = report.overview.lines.items;
        bool is_alone = pid == 8;
        assert_int_equal(report.overview.lines.count, 3);
        assert_int_equal(lines[0].lineno, is_alone ? 1 : 3);
        assert_int_equal(lines[1].lineno, 2);
        assert_int_equal(lines[2].lineno, is_alone ? 3 : 1);
        assert_true(lines[is_alone ? 0 : 2].percent == 60.0);
        sc_report_done(&report);
        sc_vec_push(&profile.processes, (struct sc_process_cost){.pid = 8, .parent_pid = 7});
        sc_vec_push(&profile.processes, (struct sc_process_cost){.pid = 9, .parent_pid = 8});
    }
}
