/*
 * tests/unit/launch_test.c - what the command is started with: its environment, and its signals.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/link/launch.h"

#include "channel/format.h"
#include "sc_test.h"

/* Any library that the loader finds stands for the agent. */
#define AGENT "libm.so.6"

enum { OUTPUT_BYTES = 65536 };

static char output[OUTPUT_BYTES];
static size_t output_length;

static bool launch(char *const *command, const sigset_t *mask, pid_t *ret_pid, struct sc_err *err)
{
    const struct sc_run_plan plan = {.command = command, .agent_path = AGENT};
    return sc_launch(&plan, "the-rendezvous", mask, ret_pid, err);
}

/* Runs it with what it writes going to output. */
static void run(char *const *command, const sigset_t *mask)
{
    struct sc_err err;
    int fds[2];
    pid_t pid = 0;
    int status = -1;
    (void)fflush(stdout);
    assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
    int saved = dup(STDOUT_FILENO);
    (void)dup2(fds[1], STDOUT_FILENO);
    bool is_started = launch(command, mask, &pid, &err);
    (void)dup2(saved, STDOUT_FILENO);
    (void)close(saved);
    (void)close(fds[1]);
    assert_true(is_started);
    output_length = 0;
    for (ssize_t got = 1;
         got > 0 && output_length<OUTPUT_BYTES - 1; output_length += got> 0 ? (size_t)got : 0)
        got = read(fds[0], output + output_length, OUTPUT_BYTES - 1 - output_length);
    output[output_length] = '\0';
    (void)close(fds[0]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

/* The value in the command's environment, NULL when it has none; fails when it has several. */
static const char *value_of(const char *name)
{
    const char *value = NULL;
    size_t length = strlen(name);
    for (const char *entry = output; entry < output + output_length; entry += strlen(entry) + 1) {
        if (strncmp(entry, name, length) != 0 || entry[length] != '=')
            continue;
        assert_null(value);
        value = entry + length + 1;
    }
    return value;
}

struct row {
    const char *name;
    const char *preload; /* before; NULL: none */
    const char *expected;
};

static const struct row rows[] = {
    {"nothing is preloaded", NULL, AGENT},
    {"nothing, and said so", "", AGENT},
    {"others come behind", "libdl.so.2:libpthread.so.0", AGENT ":libdl.so.2:libpthread.so.0"},
};

TEST(the_environment_is_as_it_was_but_for_two)
{
    char *command[] = {(char *)(uintptr_t) "cat", (char *)(uintptr_t) "/proc/self/environ", NULL};
    sigset_t none;
    (void)sigemptyset(&none);
    (void)setenv(SC_RENDEZVOUS_VARIABLE, "of another one", 1);
    (void)setenv("LD_PRELOADED", "own", 1);
    (void)setenv(SC_RENDEZVOUS_VARIABLE "S", "own", 1);
    (void)setenv("EMPTY", "", 1);
    (void)setenv("EQUALS", "a=b=c", 1);
    FOR_EACH_ROW(row, rows) {
        if (row->preload != NULL)
            (void)setenv("LD_PRELOAD", row->preload, 1);
        else
            (void)unsetenv("LD_PRELOAD");
        run(command, &none);
        assert_string_equal(value_of("LD_PRELOAD"), row->expected);
        assert_string_equal(value_of(SC_RENDEZVOUS_VARIABLE), "the-rendezvous");
        assert_string_equal(value_of("LD_PRELOADED"), "own");
        assert_string_equal(value_of(SC_RENDEZVOUS_VARIABLE "S"), "own");
        assert_string_equal(value_of("EMPTY"), "");
        assert_string_equal(value_of("EQUALS"), "a=b=c");
        assert_string_equal(value_of("PATH"), getenv("PATH"));
        /* ours stays as it is */
        assert_string_equal(getenv(SC_RENDEZVOUS_VARIABLE), "of another one");
        assert_int_equal(getenv("LD_PRELOAD") != NULL, row->preload != NULL);
    }
    (void)unsetenv("LD_PRELOAD");
}

/* A mask of /proc/PID/status, bit 0 for signal 1. */
static uint64_t mask_of(const char *label)
{
    const char *found = strstr(output, label);
    assert_non_null(found);
    return strtoull(found + strlen(label), NULL, 16);
}

TEST(signals_are_as_they_were_for_us)
{
    char *command[] = {(char *)(uintptr_t) "cat", (char *)(uintptr_t) "/proc/self/status", NULL};
    sigset_t before;
    sigset_t all;
    sigset_t old;
    (void)sigemptyset(&before);
    (void)sigaddset(&before, SIGUSR2);
    (void)sigfillset(&all);
    (void)sigprocmask(SIG_SETMASK, &all, &old); /* as the observer does */
    void (*hangup)(int) = signal(SIGHUP, SIG_IGN);
    run(command, &before);
    (void)signal(SIGHUP, hangup);
    (void)sigprocmask(SIG_SETMASK, &old, NULL);
    assert_int_equal(mask_of("\nSigBlk:"), UINT64_C(1) << (SIGUSR2 - 1));
    uint64_t ignored = mask_of("\nSigIgn:");
    assert_true((ignored >> (SIGHUP - 1) & 1U) != 0); /* by nohup, say */
    assert_int_equal(ignored >> 31 & 3U, 0);          /* libc's own */
}

TEST(what_cannot_be_started_has_its_reason)
{
    char *command[] = {(char *)(uintptr_t) "/no/such/program", NULL};
    struct sc_err err = {0};
    sigset_t none;
    pid_t pid = 77;
    (void)sigemptyset(&none);
    assert_false(launch(command, &none, &pid, &err));
    assert_non_null(strstr(err.text, "'/no/such/program' cannot be started"));
    assert_non_null(strstr(err.text, strerror(ENOENT)));
}
