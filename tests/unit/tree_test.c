/*
 * tests/unit/tree_test.c - what processes say of one another: ends, what was executed, what was
 * refused.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/process/tree.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "observer/lifecycle/all_processes.h"
#include "observer/lifecycle/observation.h"
#include "static_program.h"

#define S   ((uint64_t)1000000000)
#define NOW (100 * S)

#define EXITED(status) ((status) << 8)

static int set_path(void **state)
{
    return setenv("PATH", sc_test_folder, 1);
}

/* A made-up process, known since then, and what is said of its end. */
struct end_row {
    const char *name;
    uint64_t known_ns;
    uint64_t time_ns;
    int status;
    bool replaced;
    bool outlived;
    bool is_other; /* the end is that of another number */
    int signal_before;
    size_t kept;         /* for later */
    int expected_status; /* -1: none */
    int expected_signal;
};

static const struct end_row end_rows[] = {
    ROW(.name = "it exited", .known_ns = 90 * S, .time_ns = 99 * S, .status = EXITED(3),
        .expected_status = 3),
    ROW(.name = "it was killed", .known_ns = 90 * S, .time_ns = 99 * S, .status = 9,
        .expected_status = -1, .expected_signal = 9),
    ROW(.name = "one that was killed while it ended was killed", .known_ns = 90 * S,
        .time_ns = 99 * S, .signal_before = 15, .expected_status = -1, .expected_signal = 15),
    ROW(.name = "it was met a little later than it ended", .known_ns = 99 * S, .time_ns = 98 * S,
        .status = EXITED(3), .expected_status = 3),
    ROW(.name = "the number was another process's before", .known_ns = 99 * S + 1,
        .time_ns = 98 * S, .status = EXITED(3), .expected_status = -1),
    ROW(.name = "that may be met yet", .known_ns = 100 * S, .time_ns = 98 * S + 1,
        .status = EXITED(3), .kept = 1, .expected_status = -1),
    ROW(.name = "what it became has ended", .known_ns = 90 * S, .time_ns = 99 * S,
        .status = EXITED(3), .replaced = true, .expected_status = -1),
    ROW(.name = "it went on after the run", .known_ns = 90 * S, .time_ns = 99 * S,
        .status = EXITED(3), .outlived = true, .expected_status = -1),
    ROW(.name = "one that is not followed, yet", .known_ns = 90 * S, .time_ns = 98 * S + 1,
        .is_other = true, .kept = 1, .expected_status = -1),
    ROW(.name = "or not at all", .known_ns = 90 * S, .time_ns = 98 * S, .is_other = true,
        .expected_status = -1),
};

static const struct sc_pid_names names_of_7 = {{1, {7}}, SC_PID_NAMESPACE_OURS};

TEST(ends_go_to_the_process_that_ended)
{
    FOR_EACH_ROW(row, end_rows) {
        struct sc_process process = {.pid = 7,
                                     .ending.status_fd = -1,
                                     .known_ns = row->known_ns,
                                     .program.is_replaced = row->replaced,
                                     .ending.has_outlived = row->outlived,
                                     .ending.signal = row->signal_before};
        struct sc_observation observation = {0};
        const struct sc_record_child_end end = {
            .pid = row->is_other ? 8 : 7, .time_ns = row->time_ns, .status = row->status};
        sc_vec_push(&observation.processes, &process);
        sc_tree_add_process(&observation.tree, &names_of_7, NULL, 0);
        sc_tree_add_end(&observation.tree, SC_PID_NAMESPACE_OURS, &end);
        sc_observation_match_ends(&observation, NOW);
        assert_int_equal(observation.tree.ends.count, row->kept);
        assert_int_equal(process.ending.has_status, row->expected_status >= 0);
        if (row->expected_status >= 0)
            assert_int_equal(process.ending.status, row->expected_status);
        assert_int_equal(process.ending.signal, row->expected_signal);
        sc_tree_done(&observation.tree);
        sc_vec_done(&observation.processes);
    }
}

TEST(an_end_waits_for_its_process)
{
    struct sc_process process = {.pid = 7, .ending.status_fd = -1, .known_ns = NOW};
    struct sc_observation observation = {0};
    struct sc_record_child_end end = {.time_ns = NOW, .status = EXITED(1)};
    for (end.pid = 5; end.pid < 10; end.pid++)
        sc_tree_add_end(&observation.tree, SC_PID_NAMESPACE_OURS, &end);
    sc_observation_match_ends(&observation, NOW + 1);
    assert_int_equal(observation.tree.ends.count, 5);
    sc_vec_push(&observation.processes, &process);
    sc_tree_add_process(&observation.tree, &names_of_7, NULL, 0);
    sc_observation_match_ends(&observation, NOW + 2);
    assert_true(process.ending.has_status);
    assert_int_equal(observation.tree.ends.count, 4);
    assert_int_equal(observation.tree.ends.items[1].key, 6);
    assert_int_equal(observation.tree.ends.items[2].key, 8);
    sc_observation_match_ends(&observation, NOW + 2 * S);
    assert_int_equal(observation.tree.ends.count, 0);
    for (int i = 0; i < 70000; i++)
        sc_tree_add_end(&observation.tree, SC_PID_NAMESPACE_OURS, &end);
    assert_int_equal(observation.tree.ends.count, 65536);
    sc_tree_done(&observation.tree);
    sc_vec_done(&observation.processes);
}

/* The kernel gives a number out again once the process has been waited for. */
TEST(a_process_ends_once)
{
    struct sc_process process = {.pid = 7, .ending.status_fd = -1, .known_ns = NOW};
    struct sc_observation observation = {0};
    struct sc_record_child_end end = {.pid = 7, .time_ns = NOW, .status = EXITED(3)};
    sc_vec_push(&observation.processes, &process);
    sc_tree_add_process(&observation.tree, &names_of_7, NULL, 0);
    sc_tree_add_end(&observation.tree, SC_PID_NAMESPACE_OURS, &end);
    sc_observation_match_ends(&observation, NOW);
    end = (struct sc_record_child_end){.pid = 7, .time_ns = NOW + S, .status = SIGKILL};
    sc_tree_add_end(&observation.tree, SC_PID_NAMESPACE_OURS, &end);
    sc_observation_match_ends(&observation, NOW + S);
    assert_true(process.ending.has_status);
    assert_int_equal(process.ending.status, 3);
    assert_int_equal(observation.tree.ends.count, 1); /* of one that may be met yet */
    sc_tree_done(&observation.tree);
    sc_vec_done(&observation.processes);
}

/* Ourselves, begun as another file: that is looked for every half second, and at once after an
 * execution was reported. */
TEST(what_is_executed_is_asked_for_when_it_is_reported)
{
    static struct sc_segment segment;
    atomic_store(&segment.samples, 1);
    struct sc_process process = {
        .pid = getpid(),
        .reader.segment = &segment,
        .program = {.file = {.inode = 1, .device = 1}, .checked_ns = NOW},
    };
    assert_false(sc_process_has_executed(&process, NOW + S / 4));
    process.program.has_reported_exec = true;
    assert_true(sc_process_has_executed(&process, NOW + S / 4));
    process.program.has_reported_exec = false;
    assert_true(sc_process_has_executed(&process, NOW + S));
}

/* What is read from outside has its stack elsewhere after an execution. */
TEST(what_cannot_be_asked_has_executed_nothing)
{
    static struct sc_segment segment;
    uint64_t stack_start = sc_stat_read(getpid(), getpid()).numbers[SC_STAT_STACK_START];
    struct rlimit before;
    struct sc_process process = {
        .pid = getpid(),
        .reader.segment = &segment,
        .has_no_agent = true,
        .stack_start = stack_start,
    };
    assert_int_not_equal(stack_start, 0);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    const struct rlimit none = {.rlim_cur = 0, .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    assert_false(sc_process_has_executed(&process, NOW));
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_false(sc_process_has_executed(&process, NOW + S));
    process.stack_start++;
    assert_true(sc_process_has_executed(&process, NOW + 2 * S));
}

/* Processes of two containers, and of one inside the first. */
struct namespace_row {
    const char *name;
    uint64_t teller; /* the namespace of who says that */
    uint32_t pid;    /* has ended */
    size_t place;    /* of whose end that is; NOBODY */
};

enum { ONE = 11, OTHER, INNER, NOBODY = 4 };

static const struct sc_pid_names in_containers[] = {
    {{2, {700, 1}}, ONE},
    {{2, {701, 1}}, OTHER},
    {{2, {702, 7}}, ONE},
    {{3, {703, 8, 1}}, INNER},
};

static const struct namespace_row namespace_rows[] = {
    {"the same number in one", ONE, 1, 0},
    {"and in the other one", OTHER, 1, 1},
    {"a child in its own", ONE, 7, 2},
    {"a number that another namespace has", OTHER, 7, NOBODY},
    {"a number that is ours", ONE, 700, NOBODY},
    {"what begins a namespace, as who made it calls it", ONE, 8, 3},
    {"or as it is called inside", INNER, 1, 3},
    {"as it is called nowhere", INNER, 8, NOBODY},
    {"from a namespace that is not known", SC_PID_NAMESPACE_UNKNOWN, 1, NOBODY},
};

TEST(ends_are_reported_in_the_numbers_of_a_namespace)
{
    FOR_EACH_ROW(row, namespace_rows) {
        struct sc_process processes[NOBODY] = {0};
        struct sc_observation observation = {0};
        const struct sc_record_child_end end = {
            .pid = row->pid, .time_ns = NOW, .status = EXITED(3)};
        for (uint32_t k = 0; k < NOBODY; k++) {
            processes[k] =
                (struct sc_process){.serial = k, .ending.status_fd = -1, .known_ns = NOW};
            sc_vec_push(&observation.processes, &processes[k]);
            sc_tree_add_process(&observation.tree, &in_containers[k],
                                k > 0 ? &in_containers[0] : NULL, k);
        }
        sc_tree_add_end(&observation.tree, row->teller, &end);
        sc_observation_match_ends(&observation, NOW);
        for (size_t k = 0; k < NOBODY; k++)
            assert_int_equal(processes[k].ending.has_status, k == row->place);
        sc_tree_done(&observation.tree);
        sc_vec_done(&observation.processes);
    }
}

static void execute(struct sc_tree *tree, const char *name, bool is_searched, bool is_out_of_reach)
{
    struct {
        struct sc_record_exec record;
        char text[200];
    } bytes = {.record = {.length = (uint32_t)strlen(name),
                          .is_searched = is_searched,
                          .is_out_of_reach = is_out_of_reach}};
    memcpy(bytes.text, name, strlen(name));
    sc_tree_add_exec(tree, getpid(), &bytes.record);
}

/* The entry of that name. */
static const struct sc_executed *executed(const struct sc_tree *tree, const char *name)
{
    uint32_t id = sc_intern_find(&tree->files, name, strlen(name));
    assert_true(id != SC_NONE);
    return &tree->executed.items[id];
}

TEST(what_cannot_be_followed_is_counted_by_its_file)
{
    OWN(sc_tree, tree) = {0};
    SC_AUTO_FREE char *python = make_static(sc_test_folder, "python-static", "PYTHONHOME", 300);
    SC_AUTO_FREE char *other = make_static(sc_test_folder, "other", "nothing", 300);
    execute(&tree, "python-static", true, false);
    execute(&tree, "python-static", true, false);
    execute(&tree, python, false, false);
    execute(&tree, other, false, false);
    execute(&tree, other, false, true);
    execute(&tree, "there-is-no-such-program", true, false);
    for (int again = 0; again < 2; again++) { /* it is settled at each writing of the profile */
        sc_tree_sum_executed(&tree);
        assert_int_equal(tree.not_followed, 4);
        assert_int_equal(executed(&tree, python)->unfollowed_count, 3);
        assert_int_equal(executed(&tree, "python-static")->unfollowed_count, 0);
        assert_string_equal(executed(&tree, "python-static")->path, python);
        assert_string_equal(executed(&tree, python)->obstacle, "is a statically linked Python");
        assert_int_equal(executed(&tree, other)->unfollowed_count, 1);
        assert_null(executed(&tree, other)->obstacle);
        assert_null(executed(&tree, "there-is-no-such-program")->path);
    }
    execute(&tree, python, false, false);
    sc_tree_sum_executed(&tree);
    assert_int_equal(tree.not_followed, 5);
    assert_int_equal(executed(&tree, python)->unfollowed_count, 4);
}

TEST(a_name_that_is_not_searched_is_that_of_a_file)
{
    OWN(sc_tree, tree) = {0};
    SC_AUTO_FREE char *python = make_static(sc_test_folder, "python-static", "PYTHONHOME", 300);
    assert_non_null(python);
    execute(&tree, "python-static", false, false); /* it lies in PATH, but not here */
    sc_tree_sum_executed(&tree);
    assert_int_equal(tree.not_followed, 0);
}

TEST(files_are_bounded)
{
    OWN(sc_tree, tree) = {0};
    char name[32];
    for (int i = 0; i < 5000; i++) {
        (void)snprintf(name, sizeof(name), "/none/%d", i);
        execute(&tree, name, false, false);
        sc_tree_add_refused(&tree, &(struct sc_hello){.status = SC_HELLO_TOO_OLD}, name);
    }
    execute(&tree, "/none/1", false, false);
    assert_int_equal(tree.executed.count, 4096);
    assert_int_equal(executed(&tree, "/none/1")->count, 2);
    assert_int_equal(tree.refused.count, 4096);
    assert_int_equal(tree.refused_count, 5000);
}

TEST(refused_pythons_are_counted_by_their_file)
{
    OWN(sc_tree, tree) = {0};
    const struct sc_hello old = {.status = SC_HELLO_TOO_OLD};
    const struct sc_hello hidden = {.status = SC_HELLO_NO_SYMBOLS};
    sc_tree_add_refused(&tree, &old, "/a");
    sc_tree_add_refused(&tree, &hidden, "");
    sc_tree_add_refused(&tree, &hidden, "/a");
    assert_int_equal(tree.refused_count, 3);
    assert_int_equal(tree.refused.count, 2);
    assert_int_equal(tree.refused.items[0].count, 2);
    assert_int_equal(tree.refused.items[0].hello.status, SC_HELLO_TOO_OLD);
    assert_int_equal(tree.refused.items[1].count, 1);
    assert_string_equal(sc_intern_text(&tree.pythons, 1), "");
}

TESTS_IN_A_FOLDER(set_path)
