/* observer/snapshot/wait_words.c - see wait_words.h. SPDX-License-Identifier: Apache-2.0 */
#include "observer/snapshot/wait_words.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"

#define NET_BYTES_MAX (16U << 20)

/* Functions of the standard library by the end of their file and their own name. */
static const struct {
    const char *file;
    const char *function;
    const char *words;
} library_waits[] = {
    {"/threading.py", "wait", "waits to be notified"},
    {"/threading.py", "wait_for", "waits to be notified"},
    {"/threading.py", "join", "waits for a thread to end"},
    {"/threading.py", "_wait_for_tstate_lock", "waits for a thread to end"},
    {"/threading.py", "_shutdown", "waits for the other threads to end"},
    {"/threading.py", "acquire", "waits for a semaphore"},
    {"/queue.py", "get", "waits for an item of a queue"},
    {"/queue.py", "put", "waits for room in a queue"},
    {"/queue.py", "join", "waits until a queue is worked off"},
    {"/concurrent/futures/_base.py", "result", "waits for the result of a future"},
    {"/concurrent/futures/_base.py", "exception", "waits for the result of a future"},
    {"/concurrent/futures/_base.py", "wait", "waits for futures"},
    {"/concurrent/futures/_base.py", "result_iterator", "waits for the results of Executor.map"},
    {"/concurrent/futures/_base.py", "as_completed", "waits for futures"},
    {"/concurrent/futures/thread.py", "_worker", "waits for work (thread pool)"},
    {"/concurrent/futures/thread.py", "shutdown", "waits for a thread pool to end"},
    {"/concurrent/futures/process.py", "wait_result_broken_or_wakeup",
     "waits for worker processes"},
    {"/multiprocessing/connection.py", "wait", "waits for another process"},
    {"/multiprocessing/connection.py", "_recv", "waits for another process"},
    {"/multiprocessing/connection.py", "recv", "waits for another process"},
    {"/multiprocessing/connection.py", "_poll", "waits for another process"},
    {"/multiprocessing/queues.py", "get", "waits for an item of a queue of processes"},
    {"/multiprocessing/pool.py", "worker", "waits for work (process pool)"},
    {"/multiprocessing/pool.py", "wait", "waits for results of a process pool"},
    {"/multiprocessing/pool.py", "get", "waits for results of a process pool"},
    {"/multiprocessing/popen_fork.py", "poll", "waits for a child process to end"},
    {"/multiprocessing/popen_fork.py", "wait", "waits for a child process to end"},
    {"/multiprocessing/process.py", "join", "waits for a child process to end"},
    {"/subprocess.py", "_wait", "waits for a child process to end"},
    {"/subprocess.py", "_try_wait", "waits for a child process to end"},
    {"/subprocess.py", "_wait_pidfd", "waits for a child process to end"},
    {"/subprocess.py", "wait", "waits for a child process to end"},
    {"/subprocess.py", "communicate", "waits for a child process to end"},
    {"/subprocess.py", "_communicate", "waits for a child process"},
    {"/selectors.py", "select", "waits for files and sockets"},
    {"/socketserver.py", "serve_forever", "waits for connections"},
    {"/asyncio/base_events.py", "_run_once", "its event loop has nothing to run"},
    {"/asyncio/base_events.py", "run_forever", "its event loop has nothing to run"},
    {"/gevent/hub.py", "run", "the hub of gevent has nothing to run"},
    {"/gevent/hub.py", "sleep", "sleeps"},
    {"/gevent/_socketcommon.py", "recv", "receives from a socket"},
    {"/gevent/_socketcommon.py", "recv_into", "receives from a socket"},
    {"/gevent/_socketcommon.py", "connect", "waits for a connection"},
    {"/gevent/_socket3.py", "accept", "waits for a connection"},
};

static const char *words_of(const struct sc_snapshot_frame *frame)
{
    const char *name = sc_after_last(frame->function, '.');
    bool is_library =
        strstr(frame->file, "/python3") != NULL && strstr(frame->file, "-packages/") == NULL;
    if (!is_library && strstr(frame->file, "/gevent/") == NULL)
        return NULL; /* a module of another that has the name of one of the library */
    for (size_t i = 0; i < sizeof(library_waits) / sizeof(library_waits[0]); i++) {
        if (strcmp(name, library_waits[i].function) == 0 &&
            sc_ends_with(frame->file, library_waits[i].file))
            return library_waits[i].words;
    }
    return NULL;
}

const char *sc_wait_of_library(const struct sc_snapshot_frames *frames)
{
    const char *words = NULL;
    SC_EACH(const struct sc_snapshot_frame, frame, frames) {
        if (frame->is_native)
            continue;
        const char *known = words_of(frame);
        if (known == NULL)
            break;
        words = known;
    }
    return words;
}

enum argument { NO_FILE, FILE_FIRST, CHILD_FIRST };

static const struct {
    long number;
    const char *words;
    enum argument argument;
} calls[] = {
    {SYS_read, "reads from", FILE_FIRST},
    {SYS_readv, "reads from", FILE_FIRST},
    {SYS_pread64, "reads from", FILE_FIRST},
    {SYS_recvfrom, "receives from", FILE_FIRST},
    {SYS_recvmsg, "receives from", FILE_FIRST},
    {SYS_write, "writes to", FILE_FIRST},
    {SYS_writev, "writes to", FILE_FIRST},
    {SYS_pwrite64, "writes to", FILE_FIRST},
    {SYS_sendto, "sends to", FILE_FIRST},
    {SYS_sendmsg, "sends to", FILE_FIRST},
    {SYS_accept, "waits for a connection to", FILE_FIRST},
    {SYS_accept4, "waits for a connection to", FILE_FIRST},
    {SYS_connect, "waits for the connection of", FILE_FIRST},
    {SYS_flock, "waits for the lock of", FILE_FIRST},
    {SYS_fcntl, "waits for the lock of", FILE_FIRST},
    {SYS_fsync, "waits for the disk with", FILE_FIRST},
    {SYS_fdatasync, "waits for the disk with", FILE_FIRST},
    {SYS_ioctl, "waits for the device of", FILE_FIRST},
    {SYS_nanosleep, "sleeps", NO_FILE},
    {SYS_clock_nanosleep, "sleeps", NO_FILE},
    {SYS_wait4, "waits for a child process", CHILD_FIRST},
    {SYS_waitid, "waits for a child process", NO_FILE},
    {SYS_epoll_pwait, "waits for files and sockets", NO_FILE},
    {SYS_ppoll, "waits for files and sockets", NO_FILE},
    {SYS_pselect6, "waits for files and sockets", NO_FILE},
#ifdef SYS_epoll_wait
    {SYS_epoll_wait, "waits for files and sockets", NO_FILE},
    {SYS_poll, "waits for files and sockets", NO_FILE},
    {SYS_select, "waits for files and sockets", NO_FILE},
    {SYS_pause, "waits for a signal", NO_FILE},
#endif
    {SYS_rt_sigsuspend, "waits for a signal", NO_FILE},
    {SYS_rt_sigtimedwait, "waits for a signal", NO_FILE},
    {SYS_openat, "opens a file", NO_FILE},
    {SYS_futex, "waits for another thread", NO_FILE},
};

/* The address in a line of /proc/net/tcp or tcp6, "0100007F:1538", as people write it. */
static bool add_address(struct sc_str *text, const char *hex)
{
    uint32_t words[4];
    unsigned port;
    char shown[INET6_ADDRSTRLEN];
    bool is_v6 = strcspn(hex, ":") == 32;
    for (size_t i = 0; i < (is_v6 ? 4U : 1U); i++) {
        if (sscanf(hex + 8 * i, "%8" SCNx32, &words[i]) != 1)
            return false;
    }
    if (sscanf(hex + strcspn(hex, ":"), ":%4x", &port) != 1 ||
        inet_ntop(is_v6 ? AF_INET6 : AF_INET, words, shown, sizeof(shown)) == NULL)
        return false;
    sc_str_add_format(text, is_v6 ? "[%s]:%u" : "%s:%u", shown, port);
    return true;
}

/* Adds the other end of each socket of a table, or its own where it listens. */
static void read_sockets(pid_t pid, const char *table, struct sc_sockets *sockets)
{
    SC_AUTO_FREE char *path = sc_format("/proc/%d/net/%s", (int)pid, table);
    SC_AUTO(sc_str_done) struct sc_str lines = {0};
    if (!sc_read_file(path, NET_BYTES_MAX, &lines, NULL) || lines.length == 0)
        return;
    char *rest = lines.data;
    for (char *line = strsep(&rest, "\n"); line != NULL; line = strsep(&rest, "\n")) {
        char own[64];
        char other[64];
        char state[4];
        uint64_t inode;
        size_t before = sockets->words.length;
        if (sscanf(line, " %*s %63s %63s %3s %*s %*s %*s %*s %*s %" SCNu64, own, other, state,
                   &inode) != 4)
            continue;
        bool is_listening = strcmp(state, "0A") == 0;
        sc_str_add(&sockets->words, is_listening ? "listening at " : "connected to ");
        if (add_address(&sockets->words, is_listening ? own : other))
            sc_map_put(&sockets->places, inode, (uint32_t)before);
        sc_str_add_bytes(&sockets->words, "", 1);
    }
}

/* NULL when it is no TCP socket. */
static const char *peer_of(pid_t pid, uint64_t inode, struct sc_sockets *sockets)
{
    if (!sockets->are_read) {
        sockets->are_read = true;
        read_sockets(pid, "tcp", sockets);
        read_sockets(pid, "tcp6", sockets);
    }
    uint32_t place = sc_map_get(&sockets->places, inode);
    return place != SC_NONE ? sockets->words.data + place : NULL;
}

void sc_sockets_done(struct sc_sockets *sockets)
{
    sc_str_done(&sockets->words);
    sc_map_done(&sockets->places);
}

static void add_file(pid_t pid, uint64_t descriptor, struct sc_sockets *sockets,
                     struct sc_str *text)
{
    SC_AUTO_FREE char *name = sc_format("fd/%" PRIu64, descriptor);
    SC_AUTO_FREE char *link = sc_process_link(pid, name);
    SC_AUTO_FREE char *path = sc_format("/proc/%d/%s", (int)pid, name);
    char target[64] = "";
    ssize_t length = link == NULL ? readlink(path, target, sizeof(target) - 1) : 0;
    target[length > 0 ? length : 0] = '\0';
    if (link != NULL) {
        sc_str_add_format(text, "file %" PRIu64 " (%s)", descriptor, link);
        return;
    }
    if (sc_starts_with(target, "socket:[")) {
        const char *peer = peer_of(pid, strtoull(target + strlen("socket:["), NULL, 10), sockets);
        sc_str_add_format(text, "socket %" PRIu64, descriptor);
        if (peer != NULL)
            sc_str_add_format(text, " (%s)", peer);
    } else if (sc_starts_with(target, "pipe:")) {
        sc_str_add_format(text, "file %" PRIu64 " (a pipe)", descriptor);
    } else {
        sc_str_add_format(text, "file %" PRIu64, descriptor);
    }
}

char *sc_wait_of_call(pid_t pid, const struct sc_blocked *blocked, struct sc_sockets *sockets)
{
    struct sc_str text = {0};
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
        if (blocked->is_refused || blocked->number != calls[i].number)
            continue;
        sc_str_add(&text, calls[i].words);
        if (calls[i].argument == FILE_FIRST) {
            sc_str_add(&text, " ");
            add_file(pid, blocked->arguments[0], sockets, &text);
        } else if (calls[i].argument == CHILD_FIRST && (int32_t)blocked->arguments[0] > 0) {
            sc_str_add_format(&text, " (%d)", (int)(int32_t)blocked->arguments[0]);
        }
        break;
    }
    if (text.length == 0 && !blocked->is_refused && blocked->number >= 0)
        sc_str_add_format(&text, "waits in system call %ld", blocked->number);
    else if (text.length == 0)
        sc_str_add(&text, "waits");
    return sc_str_take(&text);
}
