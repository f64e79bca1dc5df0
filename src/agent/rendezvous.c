/* agent/rendezvous.c - see rendezvous.h. SPDX-License-Identifier: Apache-2.0 */
#include "agent/rendezvous.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/meet.h"
#include "agent/state.h"

bool sc_rendezvous_read(const char *text, struct sc_rendezvous *ret)
{
    const char *colon = text != NULL ? strchr(text, ':') : NULL;
    if (colon == NULL || (size_t)(colon - text) >= sizeof(ret->address.sun_path) - 1)
        return false;
    size_t length = (size_t)(colon - text);
    *ret = (struct sc_rendezvous){.address.sun_family = AF_UNIX};
    memcpy(ret->address.sun_path + 1, text, length); /* abstract: the first byte is 0 */
    ret->address_length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length);
    char *end = NULL;
    ret->pace.interval_ns = strtoull(colon + 1, &end, 10);
    ret->flags = *end == ':' ? strtoul(end + 1, &end, 10) : 0;
    ret->memory_window_bytes = *end == ':' ? strtoull(end + 1, &end, 10) : 0;
    ret->pace.begun_ns = *end == ':' ? strtoull(end + 1, NULL, 10) : 0;
    return ret->pace.interval_ns > 0;
}

/* Making a file larger than RLIMIT_FSIZE allows ends the process by a signal, even for memory
 * files. */
static bool may_make_segment(void)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) == 0 &&
           (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= sizeof(struct sc_segment));
}

/* Addresses of segments that were left. The oldest is used again, once there are so many: a thread
 * that is in the middle of a record for as long as these profiles took damages a profile then, and
 * nothing else. */
#define SEGMENTS_LEFT 4U
static void *left[SEGMENTS_LEFT];
static unsigned left_count;

void sc_rendezvous_leave(void)
{
    (void)mmap(sc_agent.segment, sizeof(*sc_agent.segment), PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
    left[left_count++ % SEGMENTS_LEFT] = sc_agent.segment;
}

static int make_segment(const struct sc_rendezvous *rendezvous)
{
    int fd = may_make_segment()
                 ? (int)syscall(SYS_memfd_create, "scalene", MFD_CLOEXEC | MFD_ALLOW_SEALING)
                 : -1;
    if (fd < 0)
        return -1;
    void *mapped = MAP_FAILED;
    void *place = left_count >= SEGMENTS_LEFT ? left[left_count % SEGMENTS_LEFT] : NULL;
    if (ftruncate(fd, (off_t)sizeof(struct sc_segment)) == 0 &&
        fcntl(fd, F_ADD_SEALS, SC_SEGMENT_SEALS) == 0)
        mapped = mmap(place, sizeof(struct sc_segment), PROT_READ | PROT_WRITE,
                      MAP_SHARED | (place != NULL ? MAP_FIXED : 0), fd, 0);
    if (mapped == MAP_FAILED) {
        (void)close(fd);
        return -1;
    }
    sc_agent.segment = mapped;
    sc_agent.segment->magic = SC_CHANNEL_MAGIC;
    sc_agent.segment->version = SC_CHANNEL_VERSION;
    sc_agent.segment->size_bytes = (uint32_t)sizeof(struct sc_segment);
    sc_agent.segment->pid = (uint32_t)sc_agent.pid;
    atomic_store(&sc_agent.segment->paused, (rendezvous->flags & SC_RENDEZVOUS_PAUSED) != 0);
    sc_agent.segment->parent_pid = (uint32_t)getppid();
    sc_agent.segment->pace = sc_agent.pace;
    /* the observer of this segment does not know any name or stack yet */
    static uint64_t segments;
    sc_agent.epoch = ((uint64_t)sc_agent.pid + (segments++ << 32)) * 0x9e3779b97f4a7c15U;
    return fd;
}

/* Lets an observer that did not start this process read its memory, where the system asks for that
 * (Yama, ptrace_scope 1). */
static void permit_observer(const struct sc_rendezvous *rendezvous)
{
    if ((rendezvous->flags & SC_RENDEZVOUS_GUEST) != 0 && sc_agent.observer > 0)
        (void)prctl(PR_SET_PTRACER, (unsigned long)sc_agent.observer, 0, 0, 0);
}

/* More descriptors of this user are on their way than this process may open (unix(7)): the observer
 * is late, or many children began at once. */
#define PAUSE_NS 1000000
#define PAUSES   100

/* Sends the message, if need be without the descriptor and with a status that says so. */
static bool send_message(int socket_fd, struct msghdr *message, struct sc_hello *hello)
{
    ssize_t length = sendmsg(socket_fd, message, MSG_NOSIGNAL);
    for (unsigned i = 0; length < 0 && errno == ETOOMANYREFS && i < PAUSES; i++) {
        (void)syscall(SYS_nanosleep, &(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
        length = sendmsg(socket_fd, message, MSG_NOSIGNAL);
    }
    if (length < 0 && errno == ETOOMANYREFS) {
        hello->status = SC_HELLO_TOO_MANY;
        message->msg_control = NULL;
        message->msg_controllen = 0;
        (void)sendmsg(socket_fd, message, MSG_NOSIGNAL);
    }
    return length >= (ssize_t)sizeof(*hello);
}

/* Sends one message, with fd if that is >= 0. It names our executable, since the observer may not
 * be allowed to look it up, or this process may have ended by then. */
static bool send_hello(const struct sc_rendezvous *rendezvous, enum sc_hello_status status,
                       uint32_t version_hex, int fd, bool is_forked)
{
    /* if no observer listens there is no profile, but the program runs on */
    int socket_fd = sc_meet(&rendezvous->address, rendezvous->address_length, &sc_agent.observer);
    if (socket_fd < 0)
        return false;
    permit_observer(rendezvous);
    struct sc_hello hello = {.magic = SC_CHANNEL_MAGIC,
                             .version = SC_CHANNEL_VERSION,
                             .status = status,
                             .pid = (uint32_t)sc_agent.pid,
                             .version_hex = version_hex};
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = {0};
    char path[SC_TEXT_MAX];
    ssize_t length = is_forked ? 0 : readlink("/proc/self/exe", path, sizeof(path));
    struct iovec parts[] = {{.iov_base = &hello, .iov_len = sizeof(hello)},
                            {.iov_base = path, .iov_len = length > 0 ? (size_t)length : 0}};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
    if (fd >= 0) {
        message.msg_control = control.bytes;
        message.msg_controllen = sizeof(control.bytes);
        control.header.cmsg_level = SOL_SOCKET;
        control.header.cmsg_type = SCM_RIGHTS;
        control.header.cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(&control.header), &fd, sizeof(int));
    }
    bool sent = send_message(socket_fd, &message, &hello);
    (void)close(socket_fd);
    return sent;
}

void sc_rendezvous_decline(const struct sc_rendezvous *rendezvous, enum sc_hello_status status,
                           uint32_t version_hex)
{
    (void)send_hello(rendezvous, status, version_hex, -1, false);
}

bool sc_rendezvous_meet(const struct sc_rendezvous *rendezvous,
                        const struct sc_segment_facts *facts, bool is_forked)
{
    int fd = make_segment(rendezvous);
    if (fd < 0) {
        sc_rendezvous_decline(rendezvous, SC_HELLO_NO_MEMORY, facts->interpreter.version_hex);
        return false;
    }
    sc_agent.segment->facts = *facts;
    sc_agent.segment->is_forked = is_forked;
    bool sent = send_hello(rendezvous, SC_HELLO_OK, facts->interpreter.version_hex, fd, is_forked);
    (void)close(fd);
    return sent;
}
