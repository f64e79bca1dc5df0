/* observer/system/procfs.c - see procfs.h. SPDX-License-Identifier: Apache-2.0 */
#include "observer/system/procfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"
#include "observer/system/descriptors.h"
#include "observer/system/procfs_text.h"

#define COMMAND_BYTES     400 /* of a command line that are kept */
#define ENVIRONMENT_BYTES ((size_t)4 << 20)

static int open_thread_file(pid_t pid, pid_t tid, const char *name)
{
    char path[80];
    (void)snprintf(path, sizeof(path), "/proc/%d/task/%d/%s", (int)pid, (int)tid, name);
    return sc_descriptors_count(open(path, O_RDONLY | O_CLOEXEC));
}

/* The start of the file, NUL terminated; its length or -1. */
static ssize_t read_thread_file(pid_t pid, pid_t tid, const char *name, char *text, size_t capacity)
{
    int fd = open_thread_file(pid, tid, name);
    if (fd < 0)
        return -1;
    ssize_t got = read(fd, text, capacity - 1);
    int code = errno;
    (void)close(fd);
    errno = code;
    text[got > 0 ? got : 0] = '\0';
    return got;
}

/* The same through a descriptor that is kept open, or by name when fd is -1. */
static ssize_t reread_thread_file(pid_t pid, pid_t tid, const char *name, int fd, char *text,
                                  size_t capacity)
{
    if (fd < 0)
        return read_thread_file(pid, tid, name, text, capacity);
    ssize_t got = pread(fd, text, capacity - 1, 0);
    text[got > 0 ? got : 0] = '\0';
    return got;
}

int sc_schedstat_open(pid_t pid, pid_t tid)
{
    return sc_descriptors_keep(open_thread_file(pid, tid, "schedstat"));
}

int sc_blocked_open(pid_t pid, pid_t tid)
{
    return sc_descriptors_keep(open_thread_file(pid, tid, "syscall"));
}

/* The result of a read that has returned got and has set errno. */
static enum sc_proc_answer answer_of(ssize_t got)
{
    if (got > 0)
        return SC_PROC_READ;
    return got < 0 && (errno == ENOENT || errno == ESRCH) ? SC_PROC_GONE : SC_PROC_FAILED;
}

enum sc_proc_answer sc_schedstat_read(pid_t pid, pid_t tid, int fd, struct sc_schedstat *ret)
{
    char text[96];
    enum sc_proc_answer answer =
        answer_of(reread_thread_file(pid, tid, "schedstat", fd, text, sizeof(text)));
    return answer == SC_PROC_READ && !sc_schedstat_parse(text, ret) ? SC_PROC_FAILED : answer;
}

enum sc_proc_answer sc_status_read(pid_t pid, pid_t tid, char *text, size_t capacity)
{
    return answer_of(read_thread_file(pid, tid, "status", text, capacity));
}

struct sc_stat sc_stat_read(pid_t pid, pid_t tid)
{
    char text[1024];
    text[0] = '\0';
    (void)read_thread_file(pid, tid, "stat", text, sizeof(text));
    return sc_stat_parse(text);
}

bool sc_is_refusal(pid_t pid, pid_t tid, int code)
{
    char text[96]; /* pages of the thread's memory: all, those in memory, ... */
    return (code == EACCES || code == EPERM) &&
           read_thread_file(pid, tid, "statm", text, sizeof(text)) > 0 &&
           strtoull(text, NULL, 10) > 0;
}

enum sc_blocked_answer sc_blocked_read(pid_t pid, pid_t tid, int fd, struct sc_blocked *ret)
{
    char text[512];
    ssize_t got = reread_thread_file(pid, tid, "syscall", fd, text, sizeof(text));
    if (got > 0 && sc_blocked_parse(text, ret))
        return SC_BLOCKED_READ;
    if (got >= 0 || !sc_is_refusal(pid, tid, errno))
        return SC_BLOCKED_GONE;
    char state = sc_stat_read(pid, tid).state;
    *ret = (struct sc_blocked){.running = state == 'R', .is_refused = true};
    return state == '\0' ? SC_BLOCKED_GONE : SC_BLOCKED_REFUSED;
}

/* A number from /proc/PID/task/TID/status; field: its name between a newline and a colon. */
static bool read_status(pid_t pid, pid_t tid, const char *field, uint64_t *ret_value)
{
    char text[SC_STATUS_BYTES];
    if (read_thread_file(pid, tid, "status", text, sizeof(text)) <= 0)
        return false;
    return sc_status_parse(text, field, ret_value);
}

bool sc_voluntary_switches(pid_t pid, pid_t tid, uint64_t *ret_count)
{
    return read_status(pid, tid, "\nvoluntary_ctxt_switches:", ret_count);
}

bool sc_thread_switches(pid_t pid, pid_t tid, uint64_t *ret_count)
{
    char text[SC_STATUS_BYTES];
    uint64_t voluntary = 0;
    uint64_t forced = 0;
    if (read_thread_file(pid, tid, "status", text, sizeof(text)) <= 0 ||
        !sc_status_parse(text, "\nvoluntary_ctxt_switches:", &voluntary) ||
        !sc_status_parse(text, "\nnonvoluntary_ctxt_switches:", &forced))
        return false;
    *ret_count = voluntary + forced;
    return true;
}

bool sc_status_mask(pid_t pid, pid_t tid, const char *field, uint64_t *ret_mask)
{
    char text[SC_STATUS_BYTES];
    const char *found = NULL;
    if (read_thread_file(pid, tid, "status", text, sizeof(text)) > 0)
        found = strstr(text, field);
    if (found != NULL)
        *ret_mask = strtoull(found + strlen(field), NULL, 16);
    return found != NULL;
}

bool sc_thread_blocks(pid_t pid, pid_t tid, int signal_number)
{
    uint64_t mask = 0;
    return sc_status_mask(pid, tid, "\nSigBlk:", &mask) && (mask >> (signal_number - 1) & 1U) != 0;
}

struct sc_file_identity sc_process_file(pid_t pid)
{
    char path[40];
    struct statx status;
    (void)snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
    /* musl has no function for it before 1.2.5 */
    if (syscall(SYS_statx, AT_FDCWD, path, AT_STATX_DONT_SYNC, STATX_INO, &status) != 0)
        return (struct sc_file_identity){0};
    return (struct sc_file_identity){.device = makedev(status.stx_dev_major, status.stx_dev_minor),
                                     .inode = status.stx_ino};
}

unsigned sc_process_processors(pid_t pid)
{
    cpu_set_t may_use;
    if (sched_getaffinity(pid, sizeof(may_use), &may_use) == 0 && CPU_COUNT(&may_use) > 0)
        return (unsigned)CPU_COUNT(&may_use);
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (unsigned)online : 1;
}

uint64_t sc_process_peak_rss(pid_t pid)
{
    uint64_t kb = 0;
    return read_status(pid, pid, "\nVmHWM:", &kb) ? kb * 1024 : 0;
}

size_t sc_threads_list(pid_t pid, pid_t *ret_tids, size_t capacity)
{
    char path[40];
    (void)snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
    DIR *directory = opendir(path);
    size_t count = 0;
    if (directory == NULL)
        return 0;
    for (const struct dirent *entry; count < capacity && (entry = readdir(directory)) != NULL;) {
        if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9')
            ret_tids[count++] = (pid_t)strtol(entry->d_name, NULL, 10);
    }
    (void)closedir(directory);
    return count;
}

void sc_thread_comm(pid_t pid, pid_t tid, char ret_name[64])
{
    if (read_thread_file(pid, tid, "comm", ret_name, 64) <= 0)
        ret_name[0] = '\0';
    ret_name[strcspn(ret_name, "\n")] = '\0';
}

bool sc_process_cpu(pid_t pid, uint64_t *ret_cpu_ns)
{
    clockid_t clock;
    struct timespec time;
    if (clock_getcpuclockid(pid, &clock) != 0 || syscall(SYS_clock_gettime, clock, &time) != 0)
        return false;
    *ret_cpu_ns = (uint64_t)time.tv_sec * 1000000000U + (uint64_t)time.tv_nsec;
    return true;
}

bool sc_zombie_status(pid_t pid, int *ret_status)
{
    struct sc_stat stat = sc_stat_read(pid, pid);
    int status = (int)stat.numbers[SC_STAT_EXIT_STATUS];
    if (stat.state != 'Z' || status == 0) /* 0 also stands for a status that may not be read */
        return false;
    *ret_status = status;
    return true;
}

/* A process whose first thread has ended goes on while others run. One without a state is there all
 * the same when no file can be opened, or /proc hides it. */
bool sc_process_is_over(pid_t pid)
{
    struct sc_stat stat = sc_stat_read(pid, pid);
    if (stat.state == '\0')
        return kill(pid, 0) != 0 && errno == ESRCH;
    return stat.state == 'X' || (stat.state == 'Z' && stat.numbers[SC_STAT_THREADS] <= 1);
}

bool sc_process_is_other_users(pid_t pid)
{
    char path[32];
    struct stat status;
    (void)snprintf(path, sizeof(path), "/proc/%d", (int)pid);
    return stat(path, &status) == 0 && status.st_uid != geteuid();
}

pid_t sc_process_parent(pid_t pid)
{
    return (pid_t)sc_stat_read(pid, pid).numbers[SC_STAT_PARENT];
}

uint64_t sc_process_age_ns(pid_t pid)
{
    uint64_t ticks = sc_stat_read(pid, pid).numbers[SC_STAT_STARTED_TICKS];
    uint64_t began_ns = (ticks + 1) * (1000000000U / (uint64_t)sysconf(_SC_CLK_TCK));
    uint64_t now_ns = sc_boottime_ns();
    return ticks > 0 && now_ns > began_ns ? now_ns - began_ns : 0;
}

size_t sc_process_cmdline(pid_t pid, char *text, size_t capacity)
{
    ssize_t length = read_thread_file(pid, pid, "cmdline", text, capacity);
    return length > 0 ? (size_t)length : 0;
}

char *sc_process_link(pid_t pid, const char *name)
{
    char link[40];
    char path[4096];
    (void)snprintf(link, sizeof(link), "/proc/%d/%s", (int)pid, name);
    ssize_t length = readlink(link, path, sizeof(path));
    return length > 0 && path[0] == '/' ? sc_strndup(path, (size_t)length) : NULL;
}

char *sc_process_began_in(pid_t pid)
{
    SC_AUTO(sc_str_done) struct sc_str variables = {0};
    SC_AUTO_FREE char *path = sc_format("/proc/%d/environ", (int)pid);
    if (!sc_read_file(path, ENVIRONMENT_BYTES, &variables, NULL))
        return NULL;
    const char *end = sc_str_text(&variables) + variables.length;
    for (const char *one = sc_str_text(&variables); one < end; one += strlen(one) + 1) {
        if (sc_starts_with(one, "PWD=/"))
            return sc_strdup(one + strlen("PWD="));
    }
    return NULL;
}

char *sc_process_command(pid_t pid)
{
    char text[COMMAND_BYTES];
    size_t length = sc_process_cmdline(pid, text, sizeof(text));
    return sc_strndup(text, length > 0 ? sc_cmdline_join(text, length) : 0);
}

double sc_children_cpu_s(pid_t pid)
{
    struct sc_stat stat = sc_stat_read(pid, pid);
    uint64_t ticks =
        stat.numbers[SC_STAT_CHILDREN_USER_TICKS] + stat.numbers[SC_STAT_CHILDREN_KERNEL_TICKS];
    return (double)ticks / (double)sysconf(_SC_CLK_TCK);
}

/* A file of a process as a whole, as far as there is room; "" when it cannot be read. */
static void read_process_file(pid_t pid, const char *name, char *ret_text, size_t capacity)
{
    char path[40];
    (void)snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
    SC_AUTO_CLOSE int fd = sc_descriptors_count(open(path, O_RDONLY | O_CLOEXEC));
    ssize_t got = fd >= 0 ? read(fd, ret_text, capacity - 1) : 0;
    ret_text[got > 0 ? got : 0] = '\0';
}

/* /proc/PID/statm: pages in all, pages in memory, ... */
uint64_t sc_process_rss(pid_t pid)
{
    char text[128];
    read_process_file(pid, "statm", text, sizeof(text));
    return sc_statm_resident(text) * (uint64_t)sysconf(_SC_PAGESIZE);
}

double sc_process_rss_part(pid_t pid)
{
    char text[1024]; /* the wanted fields are in the first lines */
    uint64_t rss_kb = 0;
    uint64_t pss_kb = 0;
    read_process_file(pid, "smaps_rollup", text, sizeof(text));
    if (!sc_status_parse(text, "\nRss:", &rss_kb) || !sc_status_parse(text, "\nPss:", &pss_kb) ||
        pss_kb == 0 || pss_kb > rss_kb)
        return 0;
    return (double)pss_kb / (double)rss_kb;
}
