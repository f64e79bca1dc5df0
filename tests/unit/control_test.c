/*
 * tests/unit/control_test.c - orders to the observer, also of clients that are slow or silent.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/link/control.h"

#include <sys/socket.h>
#include <sys/un.h>

#include "observer/link/control_client.h"
#include "sc_test.h"

/* The program's process is made up: no process has that number. */
#define NO_PROCESS ((pid_t)0x7fffff00)

static int connect_to(pid_t pid)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int length = snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1, "scalene-control-%d",
                          (int)pid);
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (const struct sockaddr *)&address, size), 0);
    return fd;
}

static void say(int fd, const char *word)
{
    assert_int_equal(send(fd, word, strlen(word), MSG_NOSIGNAL), (ssize_t)strlen(word));
}

static void assert_answer(int fd, const char *expected)
{
    char answer[16] = "";
    ssize_t length = recv(fd, answer, sizeof(answer) - 1, MSG_DONTWAIT);
    assert_int_equal(length, (ssize_t)strlen(expected));
    assert_string_equal(answer, expected);
}

TEST(test_an_order_is_answered)
{
    static const struct {
        pid_t pid; /* 0: our own */
        const char *word;
        enum sc_order order;
    } cases[] = {
        {NO_PROCESS, "on", SC_ORDER_ON},
        {0, "off", SC_ORDER_OFF},
        {0, "state", SC_ORDER_STATE},
        {NO_PROCESS, "write", SC_ORDER_WRITE},
        {NO_PROCESS, "finish", SC_ORDER_FINISH},
        {0, "cancel", SC_ORDER_CANCEL},
        {0, "nonsense", SC_ORDER_STATE},
    };
    struct sc_control control;
    sc_control_open(&control, NO_PROCESS);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int peer = -1;
        int fd = connect_to(cases[i].pid == 0 ? getpid() : cases[i].pid);
        say(fd, cases[i].word);
        assert_int_equal(sc_control_take(&control, &peer), cases[i].order);
        sc_control_answer(peer, i % 2 == 0);
        assert_answer(fd, i % 2 == 0 ? "on" : "off");
        assert_int_equal(sc_control_take(&control, &peer), SC_ORDER_NONE);
        (void)close(fd);
    }
    sc_control_close(&control);
}

/* The connection waits until there is a descriptor for it. */
TEST(test_an_order_without_a_descriptor_waits)
{
    struct rlimit before;
    struct sc_control control;
    int peer = -1;
    sc_control_open(&control, NO_PROCESS);
    int fd = connect_to(NO_PROCESS);
    say(fd, "off");
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    struct rlimit none = {3, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    assert_int_equal(sc_control_take(&control, &peer), SC_ORDER_NONE);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_true(control.is_short);
    assert_int_equal(sc_control_take(&control, &peer), SC_ORDER_OFF);
    assert_false(control.is_short);
    sc_control_answer(peer, true);
    assert_answer(fd, "on");
    (void)close(fd);
    sc_control_close(&control);
}

TEST(test_an_order_has_its_moment)
{
    static const struct {
        const char *word;
        enum sc_order order;
        uint64_t moment_ns; /* not before 100, not after 200 */
    } cases[] = {
        {"off 150", SC_ORDER_OFF, 150},
        {"off 7", SC_ORDER_OFF, 100},
        {"finish 201", SC_ORDER_FINISH, 200},
        {"off 99999999999999999999999999999", SC_ORDER_OFF, 200},
        {"off -5", SC_ORDER_OFF, 200},
        {"on 150", SC_ORDER_ON, 200},
        {"off x", SC_ORDER_OFF, 200},
        {"off ", SC_ORDER_OFF, 200},
        {"off", SC_ORDER_OFF, 200},
    };
    struct sc_control control;
    sc_control_open(&control, NO_PROCESS);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int peer = -1;
        int fd = connect_to(NO_PROCESS);
        say(fd, cases[i].word);
        assert_int_equal(sc_control_take(&control, &peer), cases[i].order);
        assert_int_equal(sc_control_moment(&control, 100, 200), cases[i].moment_ns);
        sc_control_answer(peer, false);
        (void)close(fd);
    }
    sc_control_close(&control);
}

TEST(test_processes_that_say_nothing_delay_nobody)
{
    struct sc_control control;
    int peer = -1;
    sc_control_open(&control, NO_PROCESS);
    int silent = connect_to(NO_PROCESS);
    assert_int_equal(sc_control_take(&control, &peer), SC_ORDER_NONE);
    int quick = connect_to(NO_PROCESS);
    say(quick, "off");
    assert_int_equal(sc_control_take(&control, &peer), SC_ORDER_OFF);
    sc_control_answer(peer, false);
    assert_answer(quick, "off");
    say(silent, "on"); /* late, and heard */
    assert_int_equal(sc_control_take(&control, &peer), SC_ORDER_ON);
    sc_control_answer(peer, true);
    assert_answer(silent, "on");
    (void)close(silent);
    (void)close(quick);
    sc_control_close(&control);
}

TEST(test_of_too_many_silent_ones_the_first_are_let_go)
{
    struct sc_control control;
    int fds[SC_CONTROL_SILENT + 2];
    int peer = -1;
    char byte;
    sc_control_open(&control, NO_PROCESS);
    for (int i = 0; i < SC_CONTROL_SILENT + 2; i++) {
        fds[i] = connect_to(NO_PROCESS);
        assert_int_equal(sc_control_take(&control, &peer), SC_ORDER_NONE);
    }
    for (int i = 0; i < 2; i++)
        assert_int_equal(recv(fds[i], &byte, 1, MSG_DONTWAIT), 0); /* its end */
    for (int i = 2; i < SC_CONTROL_SILENT + 2; i++) {
        say(fds[i], "on");
        assert_int_equal(sc_control_take(&control, &peer), SC_ORDER_ON);
        sc_control_answer(peer, true);
        assert_answer(fds[i], "on");
    }
    for (int i = 0; i < SC_CONTROL_SILENT + 2; i++)
        (void)close(fds[i]);
    sc_control_close(&control);
}

TEST(test_who_leaves_without_a_word_leaves_nothing)
{
    struct sc_control control;
    int peer = -1;
    sc_control_open(&control, NO_PROCESS);
    for (int i = 0; i < 100; i++) {
        int fd = connect_to(NO_PROCESS);
        assert_int_equal(sc_control_take(&control, &peer), SC_ORDER_NONE);
        (void)close(fd);
        assert_int_equal(sc_control_take(&control, &peer), SC_ORDER_NONE);
        for (int k = SC_CONTROL_SOCKETS; k < SC_CONTROL_FDS; k++)
            assert_int_equal(control.fds[k], -1);
    }
    sc_control_close(&control);
}

/* Cuts the first connections, as an observer does that too many connect to. */
struct rude {
    struct sc_control control;
    int cuts;
};

static void *serve_rudely(void *argument)
{
    struct rude *rude = argument;
    for (;;) {
        int peer = -1;
        enum sc_order order = sc_control_take(&rude->control, &peer);
        if (order == SC_ORDER_NONE)
            continue;
        if (rude->cuts-- > 0) {
            (void)close(peer);
            continue;
        }
        sc_control_answer(peer, order == SC_ORDER_ON);
        return NULL;
    }
}

TEST(test_a_client_that_is_cut_off_tries_again)
{
    struct rude rude = {.cuts = 20};
    struct sc_err err = {0};
    pthread_t thread;
    bool is_on = false;
    sc_control_open(&rude.control, NO_PROCESS);
    assert_int_equal(pthread_create(&thread, NULL, serve_rudely, &rude), 0);
    bool done = sc_control_send("on", getpid(), &is_on, &err);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(done);
    assert_true(is_on);
    assert_int_equal(rude.cuts, -1);
    sc_control_close(&rude.control);
    assert_false(sc_control_send("on", getpid(), &is_on, &err));
    assert_non_null(strstr(err.text, "no program is profiled"));
}

TEST(test_another_user_is_not_believed)
{
    int ready[2];
    char byte = 0;
    struct sc_err err = {0};
    bool is_on = false;
    if (geteuid() != 0)
        skip();
    assert_int_equal(pipe(ready), 0);
    pid_t pid = fork();
    if (pid == 0) {
        struct sc_control control;
        if (setresuid(65534, 65534, 65534) != 0)
            _exit(1);
        sc_control_open(&control, NO_PROCESS);
        (void)!write(ready[1], &byte, 1);
        (void)pause();
        _exit(1);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_false(sc_control_send("on", NO_PROCESS, &is_on, &err));
    assert_non_null(strstr(err.text, "another user (65534)"));
    assert_int_equal(kill(pid, SIGKILL), 0);
    (void)close(ready[0]);
    (void)close(ready[1]);
}
