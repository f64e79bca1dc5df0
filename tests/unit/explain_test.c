/*
 * tests/unit/explain_test.c - why a profile is empty or thin: what was observed, and the sentences.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/report/explain.h"

#include "observer/system/descriptors.h"
#include "static_program.h"

#define S ((uint64_t)1000000000)

/* A run that has measured enough: a root process, a file that is shown, a thousand samples. */
struct world {
    char *command[2];
    struct sc_run_plan plan;
    struct sc_process processes[2];
    struct sc_observation observation;
    struct sc_profile profile;
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

/* The run of the case at hand, anew behind each, and its parts. */
static struct world world;
static struct sc_observation *const seen = &world.observation;
static struct sc_profile *const profile = &world.profile;
static struct sc_process *const root = &world.processes[0], *const child = &world.processes[1];

/* What the notes begin with, and how many, the first, are said at the end of the run. */
static void says(size_t urgent, const char *const *notes)
{
    size_t count = 0;
    sc_observation_explain(seen, profile);
    for (; notes[count] != NULL; count++) {
        assert_true(count < profile->notes.count);
        char *note = profile->notes.items[count];
        SC_AUTO_FREE char *begin = sc_strndup(note, strlen(notes[count]));
        assert_string_equal(begin, notes[count]);
        bool is_refusal = strncmp(note, "the system forbids", 18) == 0;
        assert_int_equal(count < profile->refusal_notes, is_refusal);
    }
    assert_int_equal(profile->notes.count, count);
    assert_int_equal(profile->urgent_notes, urgent);
    world_done(&world);
    world_init(&world);
}

#define SAYS(urgent, ...) says(urgent, (const char *const[]){__VA_ARGS__, NULL})

static void refuse(enum sc_hello_status status, const char *path)
{
    const struct sc_hello hello = {.status = status, .version_hex = 0x03070af0};
    sc_tree_add_refused(&seen->tree, &hello, path);
}

static void hide(const char *name, const char *reason, double percent)
{
    sc_vec_push(&profile->hidden_files, (struct sc_hidden_file){.name = sc_strdup(name),
                                                                .reason = sc_strdup(reason),
                                                                .percent = percent});
}

static void execute(const char *name, const char *obstacle, uint64_t count)
{
    (void)sc_intern_add(&seen->tree.files, name, strlen(name));
    sc_vec_push(&seen->tree.executed,
                (struct sc_executed){.obstacle = obstacle != NULL ? sc_strdup(obstacle) : NULL,
                                     .count = count,
                                     .unfollowed_count = count});
}

static void end_with(const char *kind, int value)
{
    profile->exit_kind = sc_strdup(kind);
    profile->exit_value = value;
}

#define NO_PYTHON "nothing was profiled: "

TEST(of_an_ordinary_run_nothing_is_to_be_said)
{
    SAYS(0, NULL);
}

static void no_process(const char *executable)
{
    seen->processes.count = 0;
    seen->executable = executable != NULL ? sc_strdup(executable) : NULL;
}

TEST(where_no_process_came_the_file_says_why)
{
    no_process(NULL);
    SAYS(1, NO_PYTHON "'prog' is not a Python interpreter and started none");
    no_process("/bin/sh");
    SAYS(1, NO_PYTHON "'/bin/sh' is not a Python interpreter and started none");
    no_process("/usr/bin/scalene");
    SAYS(1, NO_PYTHON "'/usr/bin/scalene' profiles its program itself");
    no_process("static");
    SAYS(1, NO_PYTHON "'static' is statically linked, so the agent");
    no_process("/bin/sh");
    seen->is_other_users = true;
    SAYS(1, NO_PYTHON "'/bin/sh' ran as another user, and only");
    /* a refusal goes before that, of our own, too */
    for (int is_ours = 0; is_ours < 2; is_ours++) {
        no_process("/bin/sh");
        seen->is_other_users = true;
        (void)sc_fail(&seen->failure, SC_ERR_FAILED, "it went wrong");
        refuse(is_ours ? SC_HELLO_OK : SC_HELLO_TOO_OLD, "/opt/python");
        SAYS(1, is_ours ? NO_PYTHON "it went wrong"
                        : NO_PYTHON "Python 3.7 is too old, 3.8 or later is needed");
    }
}

TEST(a_child_that_we_could_not_follow_is_named)
{
    (void)sc_fail(&seen->failure, SC_ERR_FAILED, "it went wrong");
    refuse(SC_HELLO_OK, "/opt/python");
    SAYS(1, "not followed: '/opt/python' in 1 process: it went wrong");
}

TEST(pythons_that_are_refused)
{
    static const struct {
        enum sc_hello_status status;
        const char *note;
    } rows[] = {
        {SC_HELLO_UNKNOWN, NO_PYTHON "Python 3.7 is newer than this version knows"},
        {SC_HELLO_UNREADABLE, NO_PYTHON "this build of Python 3.7 does not describe"},
        {SC_HELLO_NO_SYMBOLS, NO_PYTHON "this build of Python 3.7 hides symbols"},
        {SC_HELLO_NO_MEMORY, NO_PYTHON "the program could not make a buffer of 8"},
    };
    FOR_EACH(row, rows) {
        no_process(NULL);
        refuse(row->status, "/opt/python");
        SAYS(1, row->note);
    }
    refuse(SC_HELLO_TOO_OLD, "/opt/python");
    refuse(SC_HELLO_TOO_OLD, "/opt/python");
    refuse(SC_HELLO_NO_SYMBOLS, "");
    SAYS(2, "not followed: '/opt/python' in 2 processes: Python 3.7 is too old",
         "not followed: 'python' in 1 process: this build of Python 3.7 hides");
}

TEST(orders_and_wishes_that_come_to_nothing)
{
    seen->has_no_control_socket = true;
    SAYS(1, "another process listened for this one's orders");
    world.plan.gpu_wanted = true;
    SAYS(1, "--gpu was given, but no GPU was found, nor a driver");
}

static void nothing_sampled(void)
{
    profile->files.count = 0;
    profile->samples_taken = profile->samples_waiting = 0;
}

TEST(runs_without_samples)
{
    nothing_sampled();
    seen->on_from_ns = UINT64_MAX;
    SAYS(1, "profiling was off: nothing switched it on (--off)");
    for (int is_aborted = 0; is_aborted < 2; is_aborted++) {
        nothing_sampled();
        profile->target_cpu_s = 0.0012;
        profile->elapsed_s = 0.0034;
        if (is_aborted)
            end_with("signal", 6);
        SAYS(1, is_aborted ? "the program was ended by signal 6 (Aborted) before its code could be "
                             "sampled"
                           : "the program did not run for long enough to be sampled: it used 1.2 "
                             "ms of CPU time in 3.4 ms, and a sample is taken every 10 ms");
    }
    profile->samples_taken = 12;
    profile->samples_waiting = 7;
    SAYS(1, "only 19 samples: shares are rough");
    profile->samples_taken = profile->samples_waiting = 0;
    SAYS(1, "no sample was taken, so nothing is known of the time");
    profile->samples_taken = 12;
    profile->samples_waiting = 8;
    SAYS(0, NULL);
}

static void no_python(double cpu_s, double native_threads_cpu_s)
{
    profile->files.count = 0;
    profile->target_cpu_s = cpu_s;
    profile->native_threads_cpu_s = native_threads_cpu_s;
    seen->on_from_ns = 7; /* it was switched on later */
}

TEST(runs_without_python_code)
{
    static char executable[] = "/opt/python3.9";
    no_python(10, 0);
    SAYS(1, "no time was seen in Python code");
    no_python(0.52, 0.5);
    SAYS(1, "no time was seen in Python code: 0.5 s of CPU time were used by threads without "
            "Python frames");
    no_python(0.012, 0.012);
    SAYS(1, "no time was seen in Python code: the program did not run for long enough");
    no_python(10, 0);
    end_with("exit", 1);
    SAYS(1, "the program ended with exit status 1 before its code could be sampled");
    no_python(10, 0); /* by an interpreter that nobody may have meant */
    end_with("exit", 1);
    root->program.path = executable;
    SAYS(1, "the program ended with exit status 1 before its code could be sampled: its own output "
            "may say why; it ran with '/opt/python3.9'");
    no_python(10, 0);
    end_with("exit", 0);
    SAYS(1, "no time was seen in Python code");
}

TEST(files_that_are_not_shown)
{
    for (int has_failed = 0; has_failed < 2; has_failed++) { /* a failure after time in them */
        no_python(10, 0);
        hide("a.py", "excluded", 61);
        hide("b.py", "excluded", 20);
        if (has_failed)
            end_with("exit", 1);
        SAYS(3, "not shown: a.py, 61 % of the time (excluded)", "not shown: b.py, 20 %",
             "--profile-only and --profile-exclude may leave out too much");
    }
    no_python(10, 0);
    hide("a.py", "threshold", 1);
    SAYS(2, "not shown: a.py, 1 % of the time (threshold)", "--cpu-percent-threshold 0 shows");
    no_python(10, 0); /* three are named, and all have reasons */
    profile->root_dir = sc_strdup("/src");
    for (int i = 0; i < 4; i++)
        hide("a.py", i == 3 ? "outside" : "internal", 25);
    SAYS(4, "not shown: a.py, 25 %", "not shown: a.py, 25 %", "not shown: a.py, 25 %",
         "only code below '/src' is shown; --profile-all shows all files");
}

TEST(threads_that_are_not_sampled)
{
    child->pid = 78;
    child->known_ns = 10 * S;
    child->counts.sealed_ns = 13 * S;
    child->looks.outside_ns = 9 * S; /* said already */
    SAYS(1, "process 78 restricted its own system calls after 3.0 s");
    root->looks.outside_ns = S;
    child->looks.outside_ns = S / 2;
    SAYS(0, "1.5 s of CPU time were used by threads that block the signal SIGURG");
    root->looks.outside_ns = S;
    child->looks.outside_ns = S / 2;
    profile->losses[SC_LOSS_NO_TIMER] = 1;
    SAYS(0, "1.5 s of CPU time were used by threads that block the signal SIGURG or were given no "
            "timer");
    root->looks.outside_ns = S; /* a tenth of all */
    SAYS(0, NULL);
    seen->is_coarse = true;
    SAYS(1, "samples came with the kernel's ticks, every");
}

static void outside(uint64_t looks, uint64_t with_moment)
{
    child->has_no_agent = true;
    child->looks.outside = looks;
    child->looks.with_moment = with_moment;
}

TEST(processes_without_an_agent)
{
#define READ                                                                                       \
    "process 77 was read from outside (it is too old): time and waits are measured, memory, "      \
    "copies and GPUs are not (Python 3.14 and later, and scalene run, measure all)"
    seen->not_loaded = sc_strdup("it is too old");
    outside(100, 90);
    SAYS(0, READ);
    seen->not_loaded = sc_strdup("it is too old");
    outside(100, 0);
    SAYS(0, READ "; system time and native functions of running threads are not told apart, since "
                 "the system permits no perf events");
}

TEST(a_signal_that_the_program_has_taken)
{
    root->counts.attempts = 50;
    child->looks.outside = 49;
    SAYS(1, "few samples came: the program has taken");
    root->counts.attempts = 50; /* each so dear that no more are allowed */
    profile->handler_cpu_s = 0.3;
    root->looks.outside_ns = 2 * S;
    SAYS(1, "few samples came: the stacks are so deep that reading one takes 6 ms, and that may",
         "2.0 s of CPU time were used by threads that had no sample for long, as their stacks");
    root->counts.attempts = 50; /* from outside there are few looks */
    outside(49, 49);
    SAYS(0, "process 77 was read from outside");
    root->counts.attempts = 50; /* a tenth of what is expected came */
    child->looks.outside = 50;
    SAYS(0, NULL);
    profile->target_cpu_s = 0.8; /* too little was expected */
    root->counts.attempts = 0;
    SAYS(0, NULL);
}

TEST(what_the_system_forbids_is_said_of_one_process)
{
    struct sc_refusals all = {.memory = true, .calls = true, .maps = true};
    seen->is_coarse = true; /* whose note is behind those on what may not be read */
    root->refused = child->refused = all;
    SAYS(4, "the system forbids reading the memory of process 76",
         "the system forbids asking what process 76 waits for",
         "the system forbids asking which files process 76 has loaded", "samples came with");
    child->refused.calls = true;
    SAYS(1, "the system forbids asking what process 77 waits for");
    all.pages = true; /* what they have become may not be looked at */
    root->refused = child->refused = all;
    root->program.is_replaced = child->program.is_replaced = true;
    SAYS(0, NULL);
    root->tasks.is_refused = child->tasks.is_refused = true;
    SAYS(0, "asyncio of this Python is not laid out");
}

TEST(children_that_are_not_followed)
{
    static const double children_cpu_s[] = {2.4, 2.12}; /* the kernel reports 10 ms and less */
    for (int i = 0; i < 2; i++) {
        root->ending.cpu_ns = 50 * S; /* no child of its own */
        child->ending.cpu_ns = 3 * S;
        child->program.inherited_cpu_ns = S; /* reported before it was one of the tree's */
        seen->children_cpu_s = children_cpu_s[i];
        SAYS(0, i == 0 ? "child processes that are no CPython, or could not be followed, used 0.40 "
                         "s of CPU time"
                       : NULL);
    }
    child->ending.has_outlived = true;
    SAYS(0, "process 77 was still running when the program had");
    execute("/bin/fine", NULL, 0);
    execute("/bin/static", "is a statically linked Python", 1);
    execute("sudo", "is set-uid", 3);
    execute("/bin/sh", NULL, 2);
    seen->tree.executed.items[2].path = sc_strdup("/usr/bin/sudo");
    SAYS(3,
         "not followed: '/bin/static' is a statically linked Python, so the agent was not loaded; "
         "it was executed once",
         "not followed: '/usr/bin/sudo' is set-uid, so the agent was not loaded; it was executed 3 "
         "times",
         "not followed: '/bin/sh' ran as another user, or in another root directory");
}

TEST(not_everything_is_named)
{
    char name[16];
    for (int i = 0; i < 30; i++) {
        (void)snprintf(name, sizeof(name), "/bin/%d", i);
        execute(name, "is set-uid", 1);
        refuse(SC_HELLO_TOO_OLD, name);
    }
    sc_observation_explain(seen, profile);
    assert_int_equal(profile->notes.count, 10);
}

TEST(a_limit_on_files_is_only_raised)
{
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    struct rlimit low = {64, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
    sc_descriptors_raise_limit();
    struct rlimit now;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &now), 0);
    assert_int_equal(now.rlim_cur, before.rlim_max < 8192 ? before.rlim_max : 8192);
    struct rlimit high = {before.rlim_max, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &high), 0);
    sc_descriptors_raise_limit();
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &now), 0);
    assert_int_equal(now.rlim_cur, before.rlim_max);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
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
    world_done(&world);
    world_init(&world);
    sc_observation_explain(seen, profile);
    assert_int_equal(profile->urgent_notes, 1);
    assert_non_null(strstr(profile->notes.items[0], "left the profiler without one 1 time:"));
}

static int make_program(void **state)
{
    world_init(&world);
    free(make_static(sc_test_folder, "static", "", 300));
    return chdir(sc_test_folder);
}

TESTS_IN_A_FOLDER(make_program)
