/*
 * tests/unit/child_test.c - programs are started with the streams, files and session that they
 * should have.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/child.h"

#include "sc_test.h"

#define LIMIT_MS 60000

static char shell[] = "sh";
static char option[] = "-c";

/* Runs a script with those streams; what it prints is compared. */
static void assert_prints(struct sc_child child, char *script, const char *expected)
{
    char text[200] = "";
    char *const words[] = {shell, option, script, NULL};
    pid_t pid = 0;
    int output = memfd_create("output", MFD_CLOEXEC);
    child.words = words;
    child.streams[0] = SC_CHILD_NOTHING;
    child.streams[1] = child.streams[2] = output;
    assert_true(sc_child_start(&child, &pid, NULL));
    if (!child.is_left) {
        assert_true(sc_child_await(pid, LIMIT_MS));
        assert_true(WIFEXITED(sc_child_reap(pid, NULL)));
    }
    while (pread(output, text, sizeof(text) - 1, 0) <= 0 && child.is_left)
        (void)usleep(1000);
    assert_string_equal(text, expected);
    (void)close(output);
}

TEST(a_program_that_is_not_there_is_named)
{
    static char name[] = "no-such-program";
    char *const words[] = {name, NULL};
    pid_t pid = 77;
    struct sc_err err = {0};
    assert_false(sc_child_start(&(struct sc_child){.words = words, .streams = SC_CHILD_NO_STREAMS},
                                &pid, &err));
    assert_string_equal(err.text, "'no-such-program' cannot be started: No such file or directory");
    assert_int_equal(pid, 77);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* nothing is left of it */
    assert_false(sc_child_start(&(struct sc_child){.words = words,
                                                   .program = "/bin/sh",
                                                   .directory = "/no/such/folder",
                                                   .streams = SC_CHILD_NO_STREAMS},
                                &pid, NULL));
}

TEST(it_has_the_streams_directory_and_environment_that_it_should)
{
    static char variable[] = "KEY=value";
    static char script[] = "cat; pwd; echo $KEY >&2";
    char *const environment[] = {variable, NULL};
    assert_prints((struct sc_child){.environment = environment, .directory = "/"}, script,
                  "/\nvalue\n");
}

TEST(it_inherits_other_descriptors_only_where_it_may)
{
    static char script[] = "for i in 50 51 52; do test -e /proc/self/fd/$i && echo $i; done; true";
    int fd = open("/dev/null", O_RDONLY);
    assert_int_equal(dup2(fd, 51), 51);
    assert_prints((struct sc_child){0}, script, "51\n");
    assert_prints((struct sc_child){.has_streams_alone = true}, script, "");
    (void)close(51);
    (void)close(fd);
}

TEST(one_that_is_apart_leads_a_session_and_has_no_signals_blocked)
{
    static char leads[] = "read pid name state parent group session rest < /proc/$$/stat; "
                          "test $session = $$ && echo apart || echo with us";
    /* any is blocked, 13 (SIGPIPE) is ignored: who runs the tests may ignore others */
    static char signals[] =
        "exec grep -cE 'SigBlk.*[1-9a-f]|SigIgn.*[13579bdf].{3}$' /proc/self/status";
    sigset_t all;
    sigset_t before;
    assert_prints((struct sc_child){0}, leads, "with us\n");
    assert_prints((struct sc_child){.is_apart = true}, leads, "apart\n");
    (void)sigfillset(&all);
    (void)sigprocmask(SIG_SETMASK, &all, &before);
    (void)signal(SIGPIPE, SIG_IGN);
    assert_prints((struct sc_child){0}, signals, "2\n");
    assert_prints((struct sc_child){.is_apart = true}, signals, "0\n");
    (void)signal(SIGPIPE, SIG_DFL);
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
}

TEST(one_that_is_left_is_no_child)
{
    static char script[] = "echo here";
    assert_prints((struct sc_child){.is_apart = true, .is_left = true}, script, "here\n");
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

TEST(what_does_not_end_is_killed_with_its_group)
{
    static char script[] = "sleep 1000 & echo; wait";
    char *const words[] = {shell, option, script, NULL};
    char byte = 0;
    int ends[2];
    pid_t pid = 0;
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    const struct sc_child child = {
        .words = words, .streams = {SC_CHILD_NOTHING, ends[1], SC_CHILD_NOTHING}, .is_apart = true};
    assert_true(sc_child_start(&child, &pid, NULL));
    (void)close(ends[1]);
    assert_int_equal(read(ends[0], &byte, 1), 1);
    assert_false(sc_child_await(pid, 1));
    int status = sc_child_kill(pid, NULL);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    assert_int_equal(read(ends[0], &byte, 1), 0); /* nobody is left who could write */
    (void)close(ends[0]);
}
