/*
 * tests/unit/explain_test.c - why a profile is empty or thin: what was observed, and the sentences.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/report/explain.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "observer/system/descriptors.h"
#include "static_program.h"

#define S ((uint64_t)1000000000)

enum { NOTES_MAX = 4 };

/* A run that has measured enough: a root process, a file that is shown, a thousand samples. */
struct world {
    char *command[2];
    struct sc_run_plan plan;
    struct sc_process processes[2];
    struct sc_observation observation;
    struct sc_profile profile;
};

struct row {
    const char *name;
    void (*set)(struct world *world);
    const char *notes[NOTES_MAX]; /* how they begin */
    size_t urgent;                /* so many, the first, are said at the end of the run */
};

static void set_nothing(struct world *world)
{
    (void)world;
}

static void set_no_process(struct world *world)
{
    world->observation.processes.count = 0;
}

static void set_no_process_of_a_file(struct world *world)
{
    set_no_process(world);
    world->observation.executable = sc_strdup("/bin/sh");
}

static void set_no_process_of_a_profiler(struct world *world)
{
    set_no_process(world);
    world->observation.executable = sc_strdup("/usr/bin/scalene");
}

static void set_static(struct world *world)
{
    set_no_process(world);
    world->observation.executable = sc_strdup("static");
}

static void set_other_users(struct world *world)
{
    set_no_process_of_a_file(world);
    world->observation.is_other_users = true;
}

static void set_failure(struct world *world)
{
    set_other_users(world);
    (void)sc_fail(&world->observation.failure, SC_ERR_FAILED, "it went wrong");
}

static void refuse(struct world *world, enum sc_hello_status status, const char *path)
{
    const struct sc_hello hello = {.status = status, .version_hex = 0x03070af0};
    sc_tree_add_refused(&world->observation.tree, &hello, path);
}

static void set_too_old(struct world *world)
{
    set_failure(world);
    refuse(world, SC_HELLO_TOO_OLD, "/opt/python");
}

static void set_unknown(struct world *world)
{
    set_no_process(world);
    refuse(world, SC_HELLO_UNKNOWN, "/opt/python");
}

static void set_unreadable(struct world *world)
{
    set_no_process(world);
    refuse(world, SC_HELLO_UNREADABLE, "/opt/python");
}

static void set_no_symbols(struct world *world)
{
    set_no_process(world);
    refuse(world, SC_HELLO_NO_SYMBOLS, "/opt/python");
}

static void set_no_memory(struct world *world)
{
    set_no_process(world);
    refuse(world, SC_HELLO_NO_MEMORY, "/opt/python");
}

static void set_children_refused(struct world *world)
{
    refuse(world, SC_HELLO_TOO_OLD, "/opt/python");
    refuse(world, SC_HELLO_TOO_OLD, "/opt/python");
    refuse(world, SC_HELLO_NO_SYMBOLS, "");
}

static void set_deaf(struct world *world)
{
    world->observation.has_no_control_socket = true;
}

static void set_off(struct world *world)
{
    world->plan.start_off = true;
    world->profile.files.count = 0;
    world->profile.samples_taken = world->profile.samples_waiting = 0;
}

static void set_short(struct world *world)
{
    set_off(world);
    world->plan.start_off = false;
    world->profile.target_cpu_s = 0.0012;
    world->profile.elapsed_s = 0.0034;
}

static void set_no_python(struct world *world)
{
    world->profile.files.count = 0;
    world->plan.start_off = true; /* it was switched on later */
}

static void set_no_python_but_threads(struct world *world)
{
    set_no_python(world);
    world->profile.target_cpu_s = 0.52;
    world->profile.native_threads_cpu_s = 0.5;
}

static void set_no_python_but_a_start(struct world *world)
{
    set_no_python(world);
    world->profile.target_cpu_s = 0.012;
    world->profile.native_threads_cpu_s = 0.012;
}

static void set_failed(struct world *world)
{
    set_no_python(world);
    world->profile.exit_kind = sc_strdup("exit");
    world->profile.exit_value = 1;
}

static void set_failed_elsewhere(struct world *world)
{
    static char executable[] = "/opt/python3.9";
    set_failed(world);
    world->processes[0].program.path = executable;
}

static void set_no_gpu(struct world *world)
{
    world->plan.gpu_wanted = true;
}

static void set_ended_well(struct world *world)
{
    set_failed(world);
    world->profile.exit_value = 0;
}

static void set_aborted(struct world *world)
{
    set_short(world);
    world->profile.exit_kind = sc_strdup("signal");
    world->profile.exit_value = 6;
}

static void hide(struct world *world, const char *name, const char *reason, double percent)
{
    sc_vec_push(&world->profile.hidden_files, (struct sc_hidden_file){.name = sc_strdup(name),
                                                                      .reason = sc_strdup(reason),
                                                                      .percent = percent});
}

static void set_all_excluded(struct world *world)
{
    set_no_python(world);
    hide(world, "a.py", "excluded", 61);
    hide(world, "b.py", "excluded", 20);
}

static void set_failed_late(struct world *world)
{
    set_all_excluded(world);
    world->profile.exit_kind = sc_strdup("exit");
    world->profile.exit_value = 1;
}

static void set_all_small(struct world *world)
{
    set_no_python(world);
    hide(world, "a.py", "threshold", 1);
}

static void set_all_outside(struct world *world)
{
    set_no_python(world);
    world->profile.root_dir = sc_strdup("/src");
    for (int i = 0; i < 4; i++)
        hide(world, "a.py", i == 3 ? "outside" : "internal", 25);
}

static void set_few(struct world *world)
{
    world->profile.samples_taken = 12;
    world->profile.samples_waiting = 7;
}

static void set_enough(struct world *world)
{
    world->profile.samples_taken = 12;
    world->profile.samples_waiting = 8;
}

static void set_sealed(struct world *world)
{
    world->processes[1].pid = 78;
    world->processes[1].known_ns = 10 * S;
    world->processes[1].counts.sealed_ns = 13 * S;
    world->processes[1].looks.outside_ns = 9 * S; /* said already */
}

static void set_unsampled(struct world *world)
{
    world->processes[0].looks.outside_ns = S;
    world->processes[1].looks.outside_ns = S / 2;
}

static void set_from_outside(struct world *world)
{
    world->observation.not_loaded = sc_strdup("it is too old");
    world->processes[1].pid = 78;
    world->processes[1].has_no_agent = true;
    world->processes[1].looks.outside = 100;
    world->processes[1].looks.with_moment = 90;
}

static void set_without_moments(struct world *world)
{
    set_from_outside(world);
    world->processes[1].looks.with_moment = 0;
}

static void set_coarse(struct world *world)
{
    world->observation.is_coarse = true;
}

static void set_without_timers(struct world *world)
{
    set_unsampled(world);
    world->profile.losses[SC_LOSS_NO_TIMER] = 1;
}

static void set_little_unsampled(struct world *world)
{
    world->processes[0].looks.outside_ns = S;
}

static void set_taken_over(struct world *world)
{
    world->processes[0].counts.attempts = 50;
    world->processes[1].looks.outside = 49;
}

static void set_few_looks(struct world *world)
{
    set_taken_over(world);
    world->processes[1].has_no_agent = true;
    world->processes[1].looks.with_moment = 49;
}

static void set_not_taken_over(struct world *world)
{
    world->processes[0].counts.attempts = 50;
    world->processes[1].looks.outside = 50;
}

static void set_too_short_to_say(struct world *world)
{
    world->profile.target_cpu_s = 0.8;
    world->processes[0].counts.attempts = 0;
}

/* What is forbidden for one process is for the others, too. */
static void set_refused(struct world *world)
{
    set_coarse(world); /* whose note is behind those on what may not be read */
    const struct sc_refusals all = {.memory = true, .calls = true, .maps = true};
    world->processes[0].refused = world->processes[1].refused = all;
}

static void set_refused_of_the_second(struct world *world)
{
    world->processes[1].refused.calls = true;
}

static void set_refused_of_another_program(struct world *world)
{
    const struct sc_refusals all = {.memory = true, .calls = true, .maps = true, .pages = true};
    world->processes[0].refused = world->processes[1].refused = all;
    world->processes[0].program.is_replaced = world->processes[1].program.is_replaced = true;
}

static void set_tasks_refused(struct world *world)
{
    world->processes[0].tasks.is_refused = world->processes[1].tasks.is_refused = true;
}

static void set_other_children(struct world *world)
{
    world->processes[0].ending.cpu_ns = 50 * S; /* no child of its own */
    world->processes[1].ending.cpu_ns = 3 * S;
    world->processes[1].program.inherited_cpu_ns = S; /* reported before it was one of the tree's */
    world->observation.children_cpu_s = 2.4;
}

static void set_no_other_children(struct world *world)
{
    set_other_children(world);
    world->observation.children_cpu_s = 2.12; /* of which the kernel reports 10 ms and less */
}

static void set_outlived(struct world *world)
{
    world->processes[1].ending.has_outlived = true;
}

static void execute(struct world *world, const char *name, const char *obstacle, uint64_t count)
{
    struct sc_tree *tree = &world->observation.tree;
    (void)sc_intern_add(&tree->files, name, strlen(name));
    sc_vec_push(&tree->executed,
                (struct sc_executed){.obstacle = obstacle != NULL ? sc_strdup(obstacle) : NULL,
                                     .count = count,
                                     .unfollowed_count = count});
}

static void set_obstacles(struct world *world)
{
    execute(world, "/bin/fine", NULL, 0);
    execute(world, "/bin/static", "is a statically linked Python", 1);
    execute(world, "sudo", "is set-uid", 3);
    execute(world, "/bin/sh", NULL, 2);
    world->observation.tree.executed.items[2].path = sc_strdup("/usr/bin/sudo");
}

#define NO_PYTHON "nothing was profiled: "

static const struct row rows[] = {
    {"nothing is to be said", set_nothing, {NULL}, 0},
    ROW("no process came", set_no_process,
        {NO_PYTHON "'prog' is not a Python interpreter and started none"}, 1),
    ROW("of that file", set_no_process_of_a_file,
        {NO_PYTHON "'/bin/sh' is not a Python interpreter and started none"}, 1),
    ROW("which profiles by itself", set_no_process_of_a_profiler,
        {NO_PYTHON "'/usr/bin/scalene' profiles its program itself"}, 1),
    {"which is static", set_static, {NO_PYTHON "'static' is statically linked, so the agent"}, 1},
    ROW("which was another user's", set_other_users,
        {NO_PYTHON "'/bin/sh' ran as another user, and only"}, 1),
    {"our own failure goes first", set_failure, {NO_PYTHON "it went wrong"}, 1},
    ROW("a refusal before that", set_too_old,
        {NO_PYTHON "Python 3.7 is too old, 3.8 or later is needed"}, 1),
    {"a new one", set_unknown, {NO_PYTHON "Python 3.7 is newer than this version knows"}, 1},
    {"an odd one", set_unreadable, {NO_PYTHON "this build of Python 3.7 does not describe"}, 1},
    {"a bare one", set_no_symbols, {NO_PYTHON "this build of Python 3.7 hides symbols"}, 1},
    {"a poor one", set_no_memory, {NO_PYTHON "the program could not make a buffer of 1"}, 1},
    ROW("children that were refused", set_children_refused,
        {"not followed: '/opt/python' in 2 processes: Python 3.7 is too old",
         "not followed: 'python' in 1 process: this build of Python 3.7 hides"},
        2),
    {"orders go to another", set_deaf, {"another process listened for this one's orders"}, 1},
    {"never switched on", set_off, {"profiling was off: nothing switched it on (--off)"}, 1},
    ROW("too short", set_short,
        {"the program did not run for long enough to be sampled: it used 1.2 ms of CPU time in 3.4 "
         "ms, and a sample is taken every 10 ms"},
        1),
    {"no Python code", set_no_python, {"no time was seen in Python code"}, 1},
    ROW("no Python code, but native threads", set_no_python_but_threads,
        {"no time was seen in Python code: 0.5 s of CPU time were used by threads without Python "
         "frames"},
        1),
    ROW("no Python code, and hardly any time", set_no_python_but_a_start,
        {"no time was seen in Python code: the program did not run for long enough"}, 1),
    ROW("no Python code, for a mistake in it", set_failed,
        {"the program ended with exit status 1 before its code could be sampled"}, 1),
    ROW("no Python code, with an interpreter that nobody may have meant", set_failed_elsewhere,
        {"the program ended with exit status 1 before its code could be sampled: its own output "
         "may "
         "say why; it ran with '/opt/python3.9'"},
        1),
    ROW("a GPU that is not there", set_no_gpu,
        {"--gpu was given, but no GPU was found, nor a driver"}, 1),
    {"no Python code, and no mistake", set_ended_well, {"no time was seen in Python code"}, 1},
    ROW("too short, for a signal", set_aborted,
        {"the program was ended by signal 6 (Aborted) before its code could be sampled"}, 1),
    ROW("a mistake after time in other files", set_failed_late,
        {"not shown: a.py, 61 % of the time (excluded)", "not shown: b.py, 20 %",
         "--profile-only and --profile-exclude may leave out too much"},
        3),
    ROW("all of it excluded", set_all_excluded,
        {"not shown: a.py, 61 % of the time (excluded)", "not shown: b.py, 20 %",
         "--profile-only and --profile-exclude may leave out too much"},
        3),
    ROW("all of it below the threshold", set_all_small,
        {"not shown: a.py, 1 % of the time (threshold)", "--cpu-percent-threshold 0 shows"}, 2),
    ROW("three are named, and all have reasons", set_all_outside,
        {"not shown: a.py, 25 %", "not shown: a.py, 25 %", "not shown: a.py, 25 %",
         "only code below '/src' is shown; --profile-all shows all files"},
        4),
    {"few samples", set_few, {"only 19 samples: shares are rough"}, 1},
    {"not so few", set_enough, {NULL}, 0},
    {"a sandbox", set_sealed, {"process 78 restricted its own system calls after 3.0 s"}, 1},
    ROW("threads without samples", set_unsampled,
        {"1.5 s of CPU time were used by threads that block the signal SIGURG"}, 0),
    ROW("without an agent", set_from_outside,
        {"process 78 was read from outside (it is too old): time and waits are measured, memory, "
         "copies and GPUs are not (Python 3.14 and later, and scalene run, measure "
         "all)"},
        0),
    ROW("without perf events, too", set_without_moments,
        {"process 78 was read from outside (it is too old): time and waits are measured, memory, "
         "copies and GPUs are not (Python 3.14 and later, and scalene run, measure "
         "all); system time and native functions of running threads are not told apart, since the "
         "system permits no perf events"},
        0),
    {"no perf events", set_coarse, {"samples came with the kernel's ticks, every"}, 1},
    ROW("a limit on timers", set_without_timers,
        {"1.5 s of CPU time were used by threads that block the signal SIGURG or were given no "
         "timer"},
        0),
    {"which take a tenth", set_little_unsampled, {NULL}, 0},
    {"the signal is another's", set_taken_over, {"few samples came: the program has taken"}, 1},
    {"few looks from outside", set_few_looks, {"process 77 was read from outside"}, 0},
    {"a tenth of what is expected came", set_not_taken_over, {NULL}, 0},
    {"too little was expected", set_too_short_to_say, {NULL}, 0},
    ROW("nothing can be asked, which is said of one process", set_refused,
        {"the system forbids reading the memory of process 76",
         "the system forbids asking what process 76 waits for",
         "the system forbids asking which files process 76 has loaded", "samples came with"},
        4),
    ROW("one thing, of the second process", set_refused_of_the_second,
        {"the system forbids asking what process 77 waits for"}, 1),
    {"what it has become may not be looked at", set_refused_of_another_program, {NULL}, 0},
    {"odd tasks, said once", set_tasks_refused, {"asyncio of this Python is not laid out"}, 0},
    ROW("children that are not followed", set_other_children,
        {"child processes that are no CPython, or could not be followed, used 0.40 s of CPU time"},
        0),
    {"the kernel's figures differ by so much", set_no_other_children, {NULL}, 0},
    {"one that went on", set_outlived, {"process 77 was still running when the program had"}, 0},
    ROW("what was executed", set_obstacles,
        {"not followed: '/bin/static' is a statically linked Python, so the agent was not loaded; "
         "it "
         "was executed once",
         "not followed: '/usr/bin/sudo' is set-uid, so the agent was not loaded; it was executed 3 "
         "times",
         "not followed: '/bin/sh' ran as another user, or in another root directory"},
        3),
};

static void world_init(struct world *world)
{
    *world = (struct world){
        .command = {sc_strdup("prog")},
        .processes =
            {{.pid = 76, .is_root = true, .counts = {.attempts = 1000}, .ending.status_fd = -1},
             {.pid = 77, .command = sc_strdup("worker"), .ending.status_fd = -1}},
        .observation = {.pid = 76},
        .profile = {.interval_s = 0.01, .target_cpu_s = 10, .elapsed_s = 10, .samples_taken = 1000},
    };
    world->plan.command = world->command;
    world->observation.plan = &world->plan;
    for (size_t i = 0; i < 2; i++)
        sc_vec_push(&world->observation.processes, &world->processes[i]);
    sc_vec_push(&world->profile.files, (struct sc_file){0});
}

static void world_done(struct world *world)
{
    sc_vec_done(&world->observation.processes);
    sc_tree_done(&world->observation.tree);
    free(world->observation.executable);
    free(world->observation.not_loaded);
    free(world->processes[1].command);
    free(world->command[0]);
    sc_profile_done(&world->profile);
}

TEST(sentences_say_why)
{
    FOR_EACH_ROW(row, rows) {
        size_t count = 0;
        WORLD(world);
        row->set(&world);
        sc_observation_explain(&world.observation, &world.profile);
        for (; count < NOTES_MAX && row->notes[count] != NULL; count++) {
            assert_true(count < world.profile.notes.count);
            char *note = world.profile.notes.items[count];
            SC_AUTO_FREE char *begin = sc_strndup(note, strlen(row->notes[count]));
            assert_string_equal(begin, row->notes[count]);
            bool is_refusal = strncmp(note, "the system forbids", 18) == 0;
            assert_int_equal(count < world.profile.refusal_notes, is_refusal);
        }
        assert_int_equal(world.profile.notes.count, count);
        assert_int_equal(world.profile.urgent_notes, row->urgent);
    }
}

TEST(not_everything_is_named)
{
    char name[16];
    WORLD(world);
    for (int i = 0; i < 30; i++) {
        (void)snprintf(name, sizeof(name), "/bin/%d", i);
        execute(&world, name, "is set-uid", 1);
        refuse(&world, SC_HELLO_TOO_OLD, name);
    }
    sc_observation_explain(&world.observation, &world.profile);
    assert_int_equal(world.profile.notes.count, 10);
}

/* The count is the process's, so this is the last test. */
TEST(too_few_descriptors)
{
    errno = ENOENT;
    (void)sc_descriptors_count(-1);
    assert_int_equal(sc_descriptors_lacking(), 0);
    errno = EMFILE;
    assert_int_equal(sc_descriptors_count(7), 7);
    assert_int_equal(sc_descriptors_lacking(), 0);
    assert_int_equal(sc_descriptors_count(-1), -1);
    WORLD(world);
    sc_observation_explain(&world.observation, &world.profile);
    assert_int_equal(world.profile.urgent_notes, 1);
    assert_non_null(strstr(world.profile.notes.items[0], "left the profiler without one 1 time:"));
}

static int make_program(void **state)
{
    (void)state;
    free(make_static(sc_test_folder, "static", "", 300));
    return chdir(sc_test_folder);
}

TESTS_IN_A_FOLDER(make_program)
