/*
 * tests/unit/group_test.c - signals that come to us alone, to our group, or to all of a name: each
 * reaches the program once.
 *
 * Each row is played by a family of processes of its own: one that is as we are, a program, and one
 * that sends.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/process/group.h"

#include "sc_test.h"

#define SENT   SIGUSR1
#define MARKER SIGUSR2 /* higher: of two that are pending it is taken last */

enum { TO_US = 1, TO_GROUP = 2, TO_STAND_IN = 4, TO_PROGRAM = 8 };
enum { FROM_OTHER, FROM_PROGRAM, FROM_KERNEL };

struct row {
    const char *name;
    unsigned to;
    int from;
    bool is_elsewhere; /* the program has a group of its own */
    bool is_alone;     /* there is no stand-in */
    bool again;        /* then to us alone, within a moment and by the same sender */
    bool other_before; /* another sends to the stand-in alone */
    const char *got;   /* by the program: one character each time, "|" for the end of a round */
};

static const struct row rows[] = {
    {.name = "to us alone: passed on", .to = TO_US, .got = "s|"},
    {.name = "to the group: the program has it", .to = TO_GROUP, .got = "s|"},
    ROW(.name = "to a group that the program is not in: passed on", .to = TO_GROUP,
        .is_elsewhere = true, .got = "s|"),
    ROW(.name = "to all that are called as the program is, and to us",
        .to = TO_US | TO_STAND_IN | TO_PROGRAM, .got = "s|"),
    {.name = "by the program itself: it knows", .to = TO_US, .from = FROM_PROGRAM, .got = "|"},
    ROW(.name = "by the terminal: the program has it", .to = TO_GROUP, .from = FROM_KERNEL,
        .got = "s|"),
    {.name = "by the kernel, to us alone", .to = TO_US, .from = FROM_KERNEL, .got = "|"},
    ROW(.name = "where there is no stand-in all is passed on", .to = TO_US, .is_alone = true,
        .got = "s|"),
    ROW(.name = "one that came to the group excuses one", .to = TO_GROUP, .again = true,
        .got = "s|s|"),
    ROW(.name = "one of the terminal's, too", .to = TO_GROUP, .from = FROM_KERNEL, .again = true,
        .got = "s|s|"),
    ROW(.name = "what another has sent there excuses nothing", .to = TO_US, .other_before = true,
        .got = "s|"),
    {.name = "two to us alone", .to = TO_US, .again = true, .got = "s|s|"},
};

static sigset_t blocked(void)
{
    sigset_t set;
    (void)sigemptyset(&set);
    (void)sigaddset(&set, SENT);
    (void)sigaddset(&set, MARKER);
    (void)sigprocmask(SIG_BLOCK, &set, NULL);
    return set;
}

/* Writes what it gets, until it is killed. */
static void be_program(int report_fd, bool is_elsewhere)
{
    sigset_t set = blocked();
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (is_elsewhere)
        (void)setpgid(0, 0);
    (void)!write(report_fd, "r", 1);
    for (;;) {
        int number = sigwaitinfo(&set, NULL);
        (void)!write(report_fd, number == SENT ? "s" : "|", 1);
    }
}

static char next_report(int fd)
{
    char report = '?';
    while (read(fd, &report, 1) < 0 && errno == EINTR)
        continue;
    return report;
}

struct family {
    struct sc_group group;
    pid_t program;
    int signals;     /* what we have got */
    uint32_t sender; /* of the first */
    int reports;
};

static void send_from_other(const struct family *family, unsigned to)
{
    pid_t us = getpid();
    pid_t sender = fork();
    if (sender == 0) {
        if ((to & TO_GROUP) != 0)
            (void)killpg(getpgrp(), SENT);
        if ((to & TO_US) != 0)
            (void)kill(us, SENT);
        if ((to & TO_STAND_IN) != 0)
            (void)kill(family->group.pid, SENT);
        if ((to & TO_PROGRAM) != 0)
            (void)kill(family->program, SENT);
        _exit(0);
    }
    (void)waitpid(sender, NULL, 0);
}

/* One signal, and what the program has got of it. */
static void play(struct family *family, const struct row *row, unsigned to, char **got)
{
    struct signalfd_siginfo info;
    send_from_other(family, to);
    bool has_it = (to & TO_PROGRAM) != 0 || ((to & TO_GROUP) != 0 && !row->is_elsewhere);
    if (has_it) /* two that are pending would be one */
        *(*got)++ = next_report(family->reports);
    if (read(family->signals, &info, sizeof(info)) != (ssize_t)sizeof(info))
        _exit(3);
    bool is_first = family->sender == 0;
    if (is_first)
        family->sender = row->from == FROM_PROGRAM ? (uint32_t)family->program : info.ssi_pid;
    info.ssi_pid = family->sender;
    if (is_first && row->from == FROM_KERNEL)
        info.ssi_code = SI_KERNEL;
    sc_group_forward(&family->group, &info, family->program);
    (void)kill(family->program, MARKER);
    do {
        *(*got)++ = next_report(family->reports);
    } while ((*got)[-1] != '|');
}

/* The program is run as the user we are; prints what the program has got. */
static void be_us(const struct row *row, int result_fd)
{
    char *command[] = {(char *)(uintptr_t) "/opt/a/python", (char *)(uintptr_t) "-c", NULL};
    struct family family = {.group = {.fd = -1}};
    int fds[2];
    char text[16];
    char *got = text;
    (void)setpgid(0, 0);
    sigset_t set = blocked();
    if (pipe(fds) != 0)
        _exit(2);
    family.reports = fds[0];
    family.signals = signalfd(-1, &set, SFD_CLOEXEC);
    if (!row->is_alone)
        sc_group_open(&family.group, command);
    family.program = fork();
    if (family.program == 0)
        be_program(fds[1], row->is_elsewhere);
    (void)next_report(family.reports); /* it is ready */
    if (row->other_before)
        send_from_other(&family, TO_STAND_IN);
    play(&family, row, row->to, &got);
    if (row->again)
        play(&family, row, TO_US, &got);
    sc_group_close(&family.group);
    (void)kill(family.program, SIGKILL);
    (void)!write(result_fd, text, (size_t)(got - text));
    _exit(0);
}

TEST(the_program_gets_each_signal_once)
{
    FOR_EACH_ROW(row, rows) {
        int fds[2];
        char got[16] = "";
        (void)fflush(stdout);
        assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
        pid_t us = fork();
        if (us == 0)
            be_us(row, fds[1]);
        (void)close(fds[1]);
        int status = -1;
        assert_int_equal(waitpid(us, &status, 0), us);
        assert_int_equal(status, 0);
        assert_true(read(fds[0], got, sizeof(got) - 1) > 0);
        (void)close(fds[0]);
        assert_string_equal(got, row->got);
    }
}

/* What the file of /proc has of the process, words separated by blanks. */
static void read_of(pid_t pid, const char *name, char ret_text[256])
{
    char path[64];
    (void)snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd >= 0 ? read(fd, ret_text, 255) : -1;
    if (fd >= 0)
        (void)close(fd);
    ret_text[got > 0 ? got : 0] = '\0';
    ret_text[strcspn(ret_text, "\n")] = '\0';
}

TEST(the_stand_in_is_called_as_the_program_is)
{
    char *command[] = {(char *)(uintptr_t) "/opt/a/python", (char *)(uintptr_t) "some.py",
                       (char *)(uintptr_t) "-x", NULL};
    struct sc_group group;
    char text[256] = "";
    sc_group_open(&group, command);
    assert_true(group.pid > 0);
    while (strcmp(text, "/opt/a/python some.py -x") != 0) { /* soon */
        read_of(group.pid, "cmdline", text);
        (void)usleep(1000);
    }
    read_of(group.pid, "comm", text);
    assert_string_equal(text, "python");
    assert_int_equal(getpgid(group.pid), getpgrp());
    pid_t pid = group.pid;
    sc_group_close(&group);
    assert_int_equal(group.pid, 0);
    assert_int_equal(group.fd, -1);
    assert_int_equal(kill(pid, 0), -1);
    sc_group_close(&group); /* twice does no harm */
}

TEST(a_stopped_stand_in_is_closed_all_the_same)
{
    char *command[] = {(char *)(uintptr_t) "python", NULL};
    struct sc_group group;
    sc_group_open(&group, command);
    assert_int_equal(kill(group.pid, SIGSTOP), 0);
    sc_group_close(&group);
    assert_int_equal(group.pid, 0);
}
