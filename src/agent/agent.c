/*
 * agent/agent.c - the life of the agent in a process: start, fork, and staying out of the way.
 *
 * The constructor does nothing unless an observer has left its address in the environment and the
 * process is a CPython. A process that is not (a shell, say) keeps the two variables, so that they
 * reach the Pythons it starts; a CPython never sees them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/agent.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "agent/hook_signal.h"
#include "agent/memory_start.h"
#include "agent/python.h"
#include "agent/rules.h"
#include "agent/thread.h"

struct sc_agent sc_agent;

/* What the rendezvous variable says. */
struct rendezvous {
    struct sockaddr_un address;
    socklen_t address_length;
    uint64_t interval_ns;
    unsigned long flags;
    uint64_t memory_window_bytes;
};

static bool read_rendezvous(struct rendezvous *ret)
{
    const char *text = getenv(SC_RENDEZVOUS_VARIABLE);
    const char *colon = text != NULL ? strchr(text, ':') : NULL;
    if (colon == NULL || (size_t)(colon - text) >= sizeof(ret->address.sun_path) - 1)
        return false;
    size_t length = (size_t)(colon - text);
    *ret = (struct rendezvous){.address.sun_family = AF_UNIX};
    memcpy(ret->address.sun_path + 1, text, length); /* abstract: the first byte is 0 */
    ret->address_length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length);
    char *end = NULL;
    ret->interval_ns = strtoull(colon + 1, &end, 10);
    ret->flags = *end == ':' ? strtoul(end + 1, &end, 10) : 0;
    ret->memory_window_bytes = *end == ':' ? strtoull(end + 1, NULL, 10) : 0;
    return ret->interval_ns > 0;
}

/* Takes our own path out of LD_PRELOAD, and the variable away when nothing else is in it. */
static void clean_environment(void)
{
    Dl_info self;
    (void)unsetenv(SC_RENDEZVOUS_VARIABLE);
    char *preload = getenv("LD_PRELOAD");
    if (preload == NULL || dladdr(&sc_agent, &self) == 0)
        return;
    size_t length = strlen(self.dli_fname);
    char *ours = strstr(preload, self.dli_fname);
    if (ours == NULL || (ours[length] != '\0' && ours[length] != ':' && ours[length] != ' '))
        return;
    char *rest = ours + length;
    if (*rest != '\0')
        memmove(ours, rest + 1, strlen(rest + 1) + 1); /* "ours:others" */
    else if (ours > preload)
        ours[-1] = '\0'; /* "others:ours" */
    else
        (void)unsetenv("LD_PRELOAD");
}

static int make_segment(void)
{
    int fd = (int)syscall(SYS_memfd_create, "scalene", MFD_CLOEXEC);
    if (fd < 0)
        return -1;
    void *mapped = MAP_FAILED;
    if (ftruncate(fd, (off_t)sizeof(struct sc_segment)) == 0)
        mapped = mmap(NULL, sizeof(struct sc_segment), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (mapped == MAP_FAILED) {
        (void)close(fd);
        return -1;
    }
    sc_agent.segment = mapped;
    sc_agent.segment->magic = SC_CHANNEL_MAGIC;
    sc_agent.segment->version = SC_CHANNEL_VERSION;
    sc_agent.segment->size_bytes = (uint32_t)sizeof(struct sc_segment);
    sc_agent.segment->pid = (uint32_t)sc_agent.pid;
    sc_agent.segment->main_tid = (uint32_t)sc_agent.pid;
    sc_agent.segment->interval_ns = sc_agent.interval_ns;
    return fd;
}

/* One message; fd is sent along when it is >= 0. */
static bool send_hello(const struct rendezvous *rendezvous, enum sc_hello_status status,
                       uint32_t version_hex, int fd)
{
    int socket_fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (socket_fd < 0)
        return false;
    struct sc_hello hello = {.magic = SC_CHANNEL_MAGIC,
                             .version = SC_CHANNEL_VERSION,
                             .status = status,
                             .pid = (uint32_t)sc_agent.pid,
                             .version_hex = version_hex};
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = {0};
    struct iovec part = {.iov_base = &hello, .iov_len = sizeof(hello)};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (fd >= 0) {
        message.msg_control = control.bytes;
        message.msg_controllen = sizeof(control.bytes);
        control.header.cmsg_level = SOL_SOCKET;
        control.header.cmsg_type = SCM_RIGHTS;
        control.header.cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(&control.header), &fd, sizeof(int));
    }
    bool sent = connect(socket_fd, (const struct sockaddr *)&rendezvous->address,
                        rendezvous->address_length) == 0 &&
                sendmsg(socket_fd, &message, MSG_NOSIGNAL) == (ssize_t)sizeof(hello);
    (void)close(socket_fd);
    return sent;
}

static void forget_parent(void)
{
    /* the ring, the timers and the observer are the parent's */
    atomic_store(&sc_agent.active, false);
    sc_memory_stop();
    sc_thread_forget();
    sc_hook_signal_forget();
}

static bool attach(const struct rendezvous *rendezvous, const struct sc_segment_facts *facts)
{
    int fd = make_segment();
    if (fd < 0) {
        (void)send_hello(rendezvous, SC_HELLO_NO_MEMORY, facts->version_hex, -1);
        return false;
    }
    sc_agent.segment->facts = *facts;
    bool sent = sc_thread_init() && sc_hook_signal_init() &&
                pthread_atfork(NULL, NULL, forget_parent) == 0 &&
                send_hello(rendezvous, SC_HELLO_OK, facts->version_hex, fd);
    (void)close(fd);
    return sent;
}

__attribute__((constructor)) static void start(void)
{
    int saved_errno = errno;
    struct rendezvous rendezvous;
    if (!read_rendezvous(&rendezvous) || !sc_python_is_here())
        return;
    clean_environment();
    struct timespec jiffy = {0};
    (void)clock_getres(CLOCK_MONOTONIC_COARSE, &jiffy);
    sc_agent.pid = getpid();
    sc_agent.interval_ns = rendezvous.interval_ns;
    sc_agent.memory_window_bytes = rendezvous.memory_window_bytes;
    sc_agent.jiffy_ns = (uint64_t)jiffy.tv_sec * 1000000000U + (uint64_t)jiffy.tv_nsec;
    struct sc_segment_facts facts = {0};
    enum sc_hello_status status =
        sc_python_find(&facts, (rendezvous.flags & SC_RENDEZVOUS_ALLOW_UNKNOWN) != 0);
    if (status != SC_HELLO_OK) {
        (void)send_hello(&rendezvous, status, facts.version_hex, -1);
    } else if (attach(&rendezvous, &facts)) {
        atomic_store(&sc_agent.active, true);
        sc_thread_begin("MainThread", true);
        sc_python_watch_start();
    }
    errno = saved_errno;
}
