/* base/helper_child.c - see helper_child.h. SPDX-License-Identifier: Apache-2.0 */
#include "base/helper_child.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"

#define SOCKET_FD    3
#define FILES_WANTED 8192 /* work may keep many open */

static bool is_child;

bool sc_helper_is_child(void)
{
    return is_child;
}

static bool take(int fd, void *bytes, size_t length)
{
    for (size_t done = 0; done < length;) {
        ssize_t got = read(fd, (char *)bytes + done, length - done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        done += (size_t)got;
    }
    return true;
}

/* The child may live long: it keeps no inherited descriptor open, as others may wait until it is
 * closed, and is in no process group that a terminal or another process signals. */
static void let_go_of_all(int fd)
{
    /* the socket may be descriptor 0, 1 or 2 if this process was started without those */
    fd = fcntl(fd, F_DUPFD_CLOEXEC, SOCKET_FD + 1);
    int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)signal(SIGPIPE, SIG_IGN);
    (void)setsid();
    for (int i = 0; nowhere >= 0 && i < SOCKET_FD; i++)
        (void)dup2(nowhere, i);
    (void)dup2(fd, SOCKET_FD);
    if (syscall(SYS_close_range, SOCKET_FD + 1U, ~0U, 0U) != 0) {
        for (int i = SOCKET_FD + 1; i < (int)sysconf(_SC_OPEN_MAX); i++)
            (void)close(i);
    }
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max > FILES_WANTED ? FILES_WANTED : limit.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &limit);
    }
    limit = (struct rlimit){0}; /* a broken file may end it: that is no reason to keep its memory */
    (void)setrlimit(RLIMIT_CORE, &limit);
}

/* Makes the working directory the root directory. Without that right it may do where it is the
 * same: in a namespace with mounts of its own. */
static bool change_root(void)
{
    struct stat here;
    struct stat root;
    return chroot(".") == 0 || (unshare(CLONE_NEWUSER) == 0 && chroot(".") == 0) ||
           (stat(".", &here) == 0 && stat("/", &root) == 0 && here.st_dev == root.st_dev &&
            here.st_ino == root.st_ino);
}

void sc_helper_serve(int fd, int root_fd)
{
    struct sc_helper_head head;
    struct sc_str answer = {0};
    is_child = true;
    bool is_there = root_fd < 0 || fchdir(root_fd) == 0;
    let_go_of_all(fd);
    if (!is_there || (root_fd >= 0 && !change_root()))
        _exit(1);
    while (take(SOCKET_FD, &head, sizeof(head))) {
        char *question = sc_alloc(head.length + 1, 1);
        sc_str_clear(&answer);
        if (!take(SOCKET_FD, question, head.length))
            break;
        head.work(question, head.length, &answer);
        free(question);
        if (!sc_write_all(SOCKET_FD, (const char *)&answer.length, sizeof(answer.length)) ||
            !sc_write_all(SOCKET_FD, sc_str_text(&answer), answer.length))
            break;
    }
    _exit(0);
}
