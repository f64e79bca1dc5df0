/*
 * tests/unit/rendezvous_test.c - who comes to the observer: its own agents, which may be gone at
 * once, others' processes, and such as say nothing or send too much.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/link/rendezvous.h"

#include <dirent.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "sc_test.h"

#define NOBODY 65534

static struct sc_rendezvous open_one(void)
{
    struct sc_rendezvous rendezvous;
    struct sc_err err = {0};
    assert_true(sc_rendezvous_open(&rendezvous, &err));
    return rendezvous;
}

static int come_to(const struct sc_rendezvous *rendezvous)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = strlen(rendezvous->name);
    memcpy(address.sun_path + 1, rendezvous->name, length);
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length);
    if (fd < 0 || connect(fd, (const struct sockaddr *)&address, size) != 0)
        abort();
    return fd;
}

/* A hello with a number, and so many descriptors. */
static void say(int fd, uint32_t number, size_t descriptors)
{
    struct sc_hello hello = {
        .magic = SC_CHANNEL_MAGIC, .version = SC_CHANNEL_VERSION, .pid = 1, .version_hex = number};
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(200 * sizeof(int))];
    } control = {0};
    struct iovec part = {.iov_base = &hello, .iov_len = sizeof(hello)};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (descriptors > 0) {
        message.msg_control = control.bytes;
        message.msg_controllen = CMSG_SPACE(descriptors * sizeof(int));
        control.header.cmsg_level = SOL_SOCKET;
        control.header.cmsg_type = SCM_RIGHTS;
        control.header.cmsg_len = CMSG_LEN(descriptors * sizeof(int));
        for (size_t i = 0; i < descriptors; i++)
            memcpy(CMSG_DATA(&control.header) + i * sizeof(int), &fd, sizeof(int));
    }
    assert_int_equal(sendmsg(fd, &message, MSG_NOSIGNAL), (ssize_t)sizeof(hello));
}

static unsigned count_descriptors(void)
{
    unsigned count = 0;
    DIR *folder = opendir("/proc/self/fd");
    assert_non_null(folder);
    while (readdir(folder) != NULL)
        count++;
    assert_int_equal(closedir(folder), 0);
    return count;
}

static void assert_met(struct sc_rendezvous *rendezvous, uint32_t number)
{
    struct sc_met met;
    int fd = -1;
    assert_true(sc_rendezvous_accept(rendezvous, &met, &fd));
    assert_int_equal(met.hello.version_hex, number);
    assert_int_equal(met.hello.pid, getpid()); /* not what it said */
    assert_true(fd >= 0);
    assert_int_equal(close(fd), 0);
}

/* Clients of another user. */
static void assert_others(struct sc_rendezvous *rendezvous, pid_t pid, int count)
{
    struct sc_met met;
    int fd = 0;
    for (int i = 0; i < count; i++) {
        assert_true(sc_rendezvous_accept(rendezvous, &met, &fd));
        assert_int_equal(met.hello.status, SC_HELLO_OTHER_USER);
        assert_int_equal(met.hello.pid, pid);
        assert_int_equal(fd, -1);
    }
}

static void assert_nobody(struct sc_rendezvous *rendezvous)
{
    struct sc_met met;
    int fd = -1;
    assert_false(sc_rendezvous_accept(rendezvous, &met, &fd));
}

TEST(test_who_is_gone_at_once_is_not_lost)
{
    struct sc_rendezvous rendezvous = open_one();
    unsigned before = count_descriptors();
    for (uint32_t i = 0; i < 500; i++) {
        int fd = come_to(&rendezvous);
        say(fd, i, 1);
        (void)close(fd);
    }
    for (uint32_t i = 0; i < 500; i++)
        assert_met(&rendezvous, i);
    assert_nobody(&rendezvous);
    assert_int_equal(count_descriptors(), before);
    sc_rendezvous_close(&rendezvous);
}

TEST(test_descriptors_that_nobody_asked_for_are_closed)
{
    static const size_t counts[] = {2, 3, 8, 9, 200};
    struct sc_rendezvous rendezvous = open_one();
    unsigned before = count_descriptors();
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        int fd = come_to(&rendezvous);
        say(fd, 1, counts[i]);
        assert_nobody(&rendezvous);
        (void)close(fd);
        assert_int_equal(count_descriptors(), before);
    }
    sc_rendezvous_close(&rendezvous);
}

TEST(test_processes_that_say_nothing_delay_nobody_and_are_heard_later)
{
    struct sc_rendezvous rendezvous = open_one();
    int silent = come_to(&rendezvous);
    assert_nobody(&rendezvous);
    int quick = come_to(&rendezvous);
    say(quick, 1, 1);
    assert_met(&rendezvous, 1);
    assert_nobody(&rendezvous);
    say(silent, 2, 1);
    assert_met(&rendezvous, 2);
    assert_nobody(&rendezvous);
    assert_int_equal(rendezvous.silent_count, 0);
    (void)close(silent);
    (void)close(quick);
    sc_rendezvous_close(&rendezvous);
}

TEST(test_of_too_many_silent_ones_the_first_are_let_go)
{
    int fds[SC_RENDEZVOUS_SILENT + 3];
    char byte;
    struct sc_rendezvous rendezvous = open_one();
    for (int i = 0; i < SC_RENDEZVOUS_SILENT + 3; i++)
        fds[i] = come_to(&rendezvous);
    assert_nobody(&rendezvous);
    assert_int_equal(rendezvous.silent_count, SC_RENDEZVOUS_SILENT);
    for (int i = 0; i < 3; i++)
        assert_int_equal(recv(fds[i], &byte, 1, MSG_DONTWAIT), 0);
    for (int i = 3; i < SC_RENDEZVOUS_SILENT + 3; i++) {
        say(fds[i], (uint32_t)i, 1);
        assert_met(&rendezvous, (uint32_t)i);
    }
    for (int i = 0; i < SC_RENDEZVOUS_SILENT + 3; i++)
        (void)close(fds[i]);
    sc_rendezvous_close(&rendezvous);
}

TEST(test_nonsense_is_let_go)
{
    static const char *const words[] = {"", "x", "a message that is longer than a hello is to be"};
    struct sc_rendezvous rendezvous = open_one();
    unsigned before = count_descriptors();
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        int fd = come_to(&rendezvous);
        assert_int_equal(send(fd, words[i], strlen(words[i]), 0), (ssize_t)strlen(words[i]));
        assert_nobody(&rendezvous);
        (void)close(fd);
    }
    assert_int_equal(count_descriptors(), before);
    sc_rendezvous_close(&rendezvous);
}

/* Another user's process comes and says hello; who comes as that needs the right to be another. */
TEST(test_others_are_let_go_at_once)
{
    if (geteuid() != 0)
        skip();
    struct sc_rendezvous rendezvous = open_one();
    unsigned before = count_descriptors();
    int ready[2];
    int go[2];
    char byte = 0;
    assert_int_equal(pipe(ready) | pipe(go), 0);
    pid_t pid = fork();
    if (pid == 0) {
        int fds[200];
        if (setresuid(NOBODY, NOBODY, NOBODY) != 0)
            _exit(2);
        for (int i = 0; i < 200; i++) {
            fds[i] = come_to(&rendezvous);
            if (i % 2 == 0)
                say(fds[i], 1, 1);
        }
        (void)!write(ready[1], &byte, 1);
        (void)!read(go[0], &byte, 1);
        for (int i = 0; i < 200; i++) {
            struct sc_hello unread;
            if (recv(fds[i], &unread, sizeof(unread), MSG_DONTWAIT) > 0 || errno == EAGAIN)
                _exit(3); /* still open on the other side */
        }
        _exit(0);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    int own = come_to(&rendezvous);
    say(own, 7, 1);
    assert_others(&rendezvous, pid, 200);
    assert_met(&rendezvous, 7);
    assert_nobody(&rendezvous);
    assert_int_equal(rendezvous.silent_count, 0);
    assert_int_equal(write(go[1], &byte, 1), 1);
    int status = -1;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    (void)close(own);
    for (int i = 0; i < 2; i++) {
        (void)close(ready[i]);
        (void)close(go[i]);
    }
    assert_int_equal(count_descriptors(), before);
    sc_rendezvous_close(&rendezvous);
}

TEST(test_with_no_descriptors_left_agents_are_met)
{
    struct sc_rendezvous rendezvous = open_one();
    struct rlimit limit;
    int fds[3];
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    struct rlimit small = {.rlim_cur = 64, .rlim_max = limit.rlim_max};
    for (uint32_t i = 0; i < 3; i++) {
        fds[i] = come_to(&rendezvous);
        say(fds[i], i, 1);
    }
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &small), 0);
    int held[64];
    int count = 0;
    while (count < 64 && (held[count] = dup(0)) >= 0)
        count++;
    assert_true(count < 64);
    for (uint32_t i = 0; i < 3; i++)
        assert_met(&rendezvous, i);
    assert_nobody(&rendezvous);
    while (count > 0)
        (void)close(held[--count]);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    for (int i = 0; i < 3; i++)
        (void)close(fds[i]);
    sc_rendezvous_close(&rendezvous);
}
