/*
 * agent/agent.c - the life of the agent in a process: start, fork, and staying out of the way.
 *
 * The constructor does nothing unless an observer has left its address in the environment. It takes
 * the two variables away that lead here, so that no program sees them; hook_exec.c puts them back
 * for the programs that this one starts. More happens only in a CPython.
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
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "agent/clock.h"
#include "agent/cuda.h"
#include "agent/hook_exec.h"
#include "agent/hook_signal.h"
#include "agent/kept.h"
#include "agent/meet.h"
#include "agent/memory_start.h"
#include "agent/python.h"
#include "agent/real.h"
#include "agent/rules.h"
#include "agent/scratch.h"
#include "agent/thread.h"
#include "agent/wrapper.h"
#include "channel/writer.h"

#define CUDA_END_WAIT_NS 300000000U

struct sc_agent sc_agent;

/* What the rendezvous variable says. Kept for fork children, who meet the observer again. */
static struct rendezvous {
    struct sockaddr_un address;
    socklen_t address_length;
    struct sc_pace pace;
    unsigned long flags;
    uint64_t memory_window_bytes;
} rendezvous;

static bool read_rendezvous(const char *text, struct rendezvous *ret)
{
    const char *colon = text != NULL ? strchr(text, ':') : NULL;
    if (colon == NULL || (size_t)(colon - text) >= sizeof(ret->address.sun_path) - 1)
        return false;
    size_t length = (size_t)(colon - text);
    *ret = (struct rendezvous){.address.sun_family = AF_UNIX};
    memcpy(ret->address.sun_path + 1, text, length); /* abstract: the first byte is 0 */
    ret->address_length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length);
    char *end = NULL;
    ret->pace.interval_ns = strtoull(colon + 1, &end, 10);
    ret->flags = *end == ':' ? strtoul(end + 1, &end, 10) : 0;
    ret->memory_window_bytes = *end == ':' ? strtoull(end + 1, &end, 10) : 0;
    ret->pace.begun_ns = *end == ':' ? strtoull(end + 1, NULL, 10) : 0;
    return ret->pace.interval_ns > 0;
}

/* Takes our own path out of LD_PRELOAD, and the variable away when nothing else is in it. */
static void clean_environment(const char *self)
{
    (void)unsetenv(SC_RENDEZVOUS_VARIABLE);
    char *preload = getenv("LD_PRELOAD");
    char *ours = preload != NULL ? strstr(preload, self) : NULL;
    size_t length = strlen(self);
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

/* A file that is made larger than the process may write ends it by a signal, memory files, too. */
static bool may_make_segment(void)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) == 0 &&
           (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= sizeof(struct sc_segment));
}

static int make_segment(void)
{
    int fd = may_make_segment()
                 ? (int)syscall(SYS_memfd_create, "scalene", MFD_CLOEXEC | MFD_ALLOW_SEALING)
                 : -1;
    if (fd < 0)
        return -1;
    void *mapped = MAP_FAILED;
    if (ftruncate(fd, (off_t)sizeof(struct sc_segment)) == 0 &&
        fcntl(fd, F_ADD_SEALS, SC_SEGMENT_SEALS) == 0)
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
    atomic_store(&sc_agent.segment->paused, (rendezvous.flags & SC_RENDEZVOUS_PAUSED) != 0);
    sc_agent.segment->parent_pid = (uint32_t)getppid();
    sc_agent.segment->pace = sc_agent.pace;
    /* the observer of this segment has not been told of any name or stack yet */
    static uint64_t segments;
    sc_agent.epoch = ((uint64_t)sc_agent.pid + (segments++ << 32)) * 0x9e3779b97f4a7c15U;
    return fd;
}

/* Lets an observer that did not start this process read its memory, where the system asks for that
 * (Yama, ptrace_scope 1). */
static void permit_observer(pid_t observer)
{
    if ((rendezvous.flags & SC_RENDEZVOUS_GUEST) != 0 && observer > 0)
        (void)prctl(PR_SET_PTRACER, (unsigned long)observer, 0, 0, 0);
}

/* One message; fd is sent along when it is >= 0. It names our executable: nobody else may be able
 * to look, or this process is over before. */
static bool send_hello(enum sc_hello_status status, uint32_t version_hex, int fd, bool is_forked)
{
    /* an observer that does not listen costs the profile, not the program */
    pid_t observer = 0;
    int socket_fd = sc_meet(&rendezvous.address, rendezvous.address_length, &observer);
    if (socket_fd < 0)
        return false;
    permit_observer(observer);
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
    bool sent = sendmsg(socket_fd, &message, MSG_NOSIGNAL) >= (ssize_t)sizeof(hello);
    (void)close(socket_fd);
    return sent;
}

/* A segment of our own, known to the observer. */
static bool meet_observer(const struct sc_segment_facts *facts, bool is_forked)
{
    int fd = make_segment();
    if (fd < 0) {
        (void)send_hello(SC_HELLO_NO_MEMORY, facts->version_hex, -1, false);
        return false;
    }
    sc_agent.segment->facts = *facts;
    sc_agent.segment->is_forked = is_forked;
    bool sent = send_hello(SC_HELLO_OK, facts->version_hex, fd, is_forked);
    (void)close(fd);
    return sent;
}

/* In a fork child: ring, timers and account are its parent's; it gets its own. Only the calling
 * thread is left, and the parent's others may have been anywhere. */
static void follow_child(void)
{
    struct sc_segment *parents = sc_agent.segment;
    if (!sc_agent_is_active())
        return;
    int saved_errno = errno;
    struct sc_segment_facts facts = parents->facts;
    bool begun = atomic_load(&parents->program_started_ns) != 0;
    atomic_store(&sc_agent.active, false);
    (void)munmap(parents, sizeof(*parents));
    sc_agent.segment = NULL;
    sc_agent.pid = getpid();
    sc_thread_forget();
    atomic_store(&sc_agent.busy, 0); /* it was of the parent's other threads */
    sc_scratch_forget();
    sc_kept_forget();
    bool followed = meet_observer(&facts, true);
    sc_memory_after_fork(followed);
    if (followed) {
        atomic_store(&sc_agent.active, true);
        sc_thread_begin("MainThread", true, 0);
        if (begun) {
            struct sc_segment *segment = sc_agent.segment;
            atomic_store(&segment->program_started_cpu_ns, sc_clock_ns(CLOCK_THREAD_CPUTIME_ID));
            atomic_store(&segment->program_started_ns, sc_clock_ns(CLOCK_MONOTONIC));
        }
    }
    errno = saved_errno;
}

/* The last that is heard of a process; not of one that is killed. */
static void tell_end(int status, void *unused)
{
    struct rusage usage = {0};
    (void)unused;
    if (!sc_agent_is_active() || getpid() != sc_agent.pid) /* a child of vfork ends alone */
        return;
    struct sc_record_process_end *record = sc_ring_reserve(sc_agent.segment, sizeof(*record));
    if (record == NULL)
        return;
    (void)getrusage(RUSAGE_SELF, &usage);
    record->time_ns = sc_clock_ns(CLOCK_MONOTONIC);
    record->cpu_ns = sc_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    record->max_rss_kb = (uint64_t)usage.ru_maxrss;
    record->status = status;
    sc_ring_commit(record, SC_RECORD_PROCESS_END, sizeof(*record));
    sc_memory_end();
}

/* What stays, whatever becomes of the profile. */
static bool install(void)
{
    static bool is_installed;
    if (!is_installed)
        is_installed = sc_thread_init() && sc_hook_signal_init() &&
                       pthread_atfork(NULL, NULL, follow_child) == 0 &&
                       on_exit(tell_end, NULL) == 0;
    return is_installed;
}

static bool attach(void)
{
    struct timespec jiffy = {0};
    (void)clock_getres(CLOCK_MONOTONIC_COARSE, &jiffy);
    sc_agent.pid = getpid();
    sc_agent.pace = rendezvous.pace;
    sc_agent.memory_window_bytes = rendezvous.memory_window_bytes;
    sc_agent.with_stacks = (rendezvous.flags & SC_RENDEZVOUS_NO_STACKS) == 0;
    sc_agent.traces_gpu = (rendezvous.flags & SC_RENDEZVOUS_GPU_TRACE) != 0;
    sc_agent.jiffy_ns = (uint64_t)jiffy.tv_sec * 1000000000U + (uint64_t)jiffy.tv_nsec;
    struct sc_segment_facts facts = {0};
    enum sc_hello_status status =
        sc_python_find(&facts, (rendezvous.flags & SC_RENDEZVOUS_ALLOW_UNKNOWN) != 0);
    if (status != SC_HELLO_OK) {
        (void)send_hello(status, facts.version_hex, -1, false);
        return false;
    }
    if (!install() || !meet_observer(&facts, false))
        return false;
    atomic_store(&sc_agent.active, true);
    return true;
}

bool sc_agent_attach(const char *rendezvous_text)
{
    Dl_info self;
    if (!read_rendezvous(rendezvous_text, &rendezvous) || dladdr(&sc_agent, &self) == 0 ||
        !attach())
        return false;
    sc_hook_exec_init(rendezvous_text, self.dli_fname);
    return true;
}

void sc_agent_detach(void)
{
    sc_cuda_stop(); /* what devices have done so far belongs to this profile */
    atomic_store(&sc_agent.active, false);
    sc_memory_stop();
    /* a thread may be writing in it: the address stays, with memory behind it that nobody reads */
    (void)mmap(sc_agent.segment, sizeof(*sc_agent.segment), PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
}

__attribute__((constructor)) static void start(void)
{
    int saved_errno = errno;
    const char *text = getenv(SC_RENDEZVOUS_VARIABLE);
    Dl_info self;
    (void)sc_real(); /* a hook may first be called in a handler, where nothing may be looked up */
    if (text == NULL || !read_rendezvous(text, &rendezvous) || dladdr(&sc_agent, &self) == 0)
        return;
    sc_hook_exec_init(text, self.dli_fname);
    clean_environment(self.dli_fname);
    if (sc_python_is_here() && attach()) {
        sc_thread_begin("MainThread", true, 0);
        sc_python_watch_start();
    } else {
        sc_wrapper_begin(&rendezvous.address, rendezvous.address_length);
    }
    errno = saved_errno;
}

/* Python ends many processes like this. A handler of signals may, too, wherever the program was. */
static void end_at_once(int status)
{
    sc_cuda_end(CUDA_END_WAIT_NS);
    tell_end(status, NULL);
}

SC_EXPORT void _exit(int status)
{
    end_at_once(status);
    sc_real()->_exit(status);
    __builtin_unreachable();
}

SC_EXPORT void _Exit(int status)
{
    _exit(status);
}

SC_EXPORT void quick_exit(int status)
{
    end_at_once(status);
    sc_real()->quick_exit(status);
    __builtin_unreachable();
}
