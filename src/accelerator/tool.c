/*
 * accelerator/tool.c - runs a tool of a driver as a child process and reads its output.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "accelerator/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"

#define PIECE         4096
#define NS_PER_MS     1000000U
#define FD_FILE       3
#define FD_LIMIT      1024
#define FD_FIRST_FREE 4
#define LOOK_MS       10

char *sc_tool_find(const char *name, const char *otherwise_in)
{
    const char *path = getenv("PATH");
    for (const char *at = path != NULL ? path : ""; *at != '\0';) {
        size_t length = strcspn(at, ":");
        char *file = sc_format("%.*s/%s", (int)length, at, name);
        if (file[0] == '/' && length > 0 && access(file, X_OK) == 0)
            return file;
        free(file);
        at += length + (at[length] == ':');
    }
    char *file = sc_format("%s/%s", otherwise_in, name);
    if (access(file, X_OK) == 0)
        return file;
    free(file);
    return NULL;
}

/* Runs in the child after fork: only system calls, since another thread of the parent may have held
 * any lock. */
static _Noreturn void exec_child(const char *const *words, int out, int file, pid_t parent)
{
    sigset_t none;
    int nowhere = open("/dev/null", O_RDWR);
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    (void)signal(SIGPIPE, SIG_DFL);
    (void)setsid();
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    /* our parent may have ended before prctl, so getppid is checked below; and a descriptor must
     * not already lie where another is moved to */
    int moved_out = fcntl(out, F_DUPFD, FD_FIRST_FREE);
    int moved_file = file < 0 ? nowhere : fcntl(file, F_DUPFD, FD_FIRST_FREE);
    if (getppid() != parent || dup2(nowhere, 0) < 0 || dup2(nowhere, 2) < 0 ||
        dup2(moved_out, 1) < 0 || dup2(moved_file, FD_FILE) < 0)
        _exit(127);
    for (int fd = FD_FILE + 1; fd < FD_LIMIT; fd++)
        (void)close(fd);
    (void)execve(words[0], (char *const *)words, environ);
    _exit(127);
}

/* Makes a file in memory with that text; -1 when that fails or there is no text. */
static int make_file(const char *text)
{
    if (text == NULL)
        return -1;
    int file = memfd_create("configuration", MFD_CLOEXEC);
    size_t length = strlen(text);
    if (file < 0 || write(file, text, length) == (ssize_t)length)
        return file;
    (void)close(file);
    return -1;
}

bool sc_tool_start(struct sc_tool *tool, const char *const *words, const char *file,
                   size_t line_limit, struct sc_err *err)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return sc_fail_errno(err, errno, "'%s' cannot be started", words[0]);
    int memory = make_file(file);
    pid_t self = getpid();
    pid_t pid = file == NULL || memory >= 0 ? fork() : -1;
    if (pid == 0)
        exec_child(words, ends[1], memory, self);
    int cause = errno;
    (void)close(ends[1]);
    if (memory >= 0)
        (void)close(memory);
    if (pid < 0) {
        (void)close(ends[0]);
        return sc_fail_errno(err, cause, "'%s' cannot be started", words[0]);
    }
    (void)fcntl(ends[0], F_SETFL, O_NONBLOCK);
    *tool = (struct sc_tool){.pid = pid, .fd = ends[0], .line_limit = line_limit};
    return true;
}

/* Waits until there is something to read; false when the time is over. */
static bool await_bytes(const struct sc_tool *tool, uint64_t end_ns)
{
    uint64_t now_ns = sc_now_ns();
    if (now_ns >= end_ns)
        return false;
    struct pollfd ready = {.fd = tool->fd, .events = POLLIN};
    (void)poll(&ready, 1, (int)((end_ns - now_ns) / NS_PER_MS) + 1);
    return true;
}

/* Finds a complete line in what has been read. */
static bool take_line(struct sc_tool *tool, const char **ret_line, size_t *ret_length)
{
    char *end = tool->bytes.length > 0 ? memchr(tool->bytes.data, '\n', tool->bytes.length) : NULL;
    if (end == NULL)
        return false;
    *end = '\0';
    *ret_line = tool->bytes.data;
    *ret_length = (size_t)(end - tool->bytes.data);
    return true;
}

/* Drops the line that was returned before. */
static void drop_taken(struct sc_tool *tool, size_t length)
{
    tool->bytes.length -= length;
    memmove(tool->bytes.data, tool->bytes.data + length, tool->bytes.length);
    tool->bytes.data[tool->bytes.length] = '\0';
}

/* Adds what can be read at once; false when there is nothing more for now, or at the end of file.
 */
static bool read_piece(struct sc_tool *tool)
{
    char piece[PIECE];
    ssize_t count = read(tool->fd, piece, sizeof(piece));
    if (count < 0 && (errno == EAGAIN || errno == EINTR))
        return errno == EINTR;
    if (count <= 0) {
        (void)close(tool->fd);
        tool->fd = -1;
        return false;
    }
    const char *from = piece;
    size_t length = (size_t)count;
    if (tool->skips) {
        const char *end = memchr(piece, '\n', length);
        if (end == NULL)
            return true;
        length -= (size_t)(end + 1 - piece);
        from = end + 1;
        tool->skips = false;
    }
    sc_str_add_bytes(&tool->bytes, from, length);
    if (tool->bytes.length > tool->line_limit &&
        memchr(tool->bytes.data, '\n', tool->bytes.length) == NULL) {
        sc_str_clear(&tool->bytes);
        tool->skips = true;
    }
    return true;
}

bool sc_tool_line(struct sc_tool *tool, unsigned limit_ms, const char **ret_line,
                  size_t *ret_length)
{
    uint64_t end_ns = sc_now_ns() + (uint64_t)limit_ms * NS_PER_MS;
    const char *line;
    size_t length;
    if (tool->taken > 0)
        drop_taken(tool, tool->taken);
    tool->taken = 0;
    while (!take_line(tool, &line, &length)) {
        if (tool->fd < 0)
            return false;
        if (read_piece(tool))
            continue;
        if (tool->fd < 0 || !await_bytes(tool, end_ns))
            return false;
    }
    tool->taken = length + 1;
    *ret_line = line;
    *ret_length = length;
    return true;
}

/* Waits for the child and reaps it; false when it does not end in time. */
static bool await_end(struct sc_tool *tool, uint64_t end_ns, int *ret_status)
{
    int status = 0;
    pid_t ended = 0;
    while ((ended = waitpid(tool->pid, &status, WNOHANG)) == 0) {
        if (sc_now_ns() >= end_ns)
            return false;
        (void)poll(NULL, 0, LOOK_MS);
    }
    tool->pid = 0;
    *ret_status = ended > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return true;
}

bool sc_tool_output(const char *const *words, unsigned limit_ms, size_t limit_bytes,
                    struct sc_str *ret_text, int *ret_status, struct sc_err *err)
{
    SC_AUTO(sc_tool_close) struct sc_tool tool = {.fd = -1};
    uint64_t end_ns = sc_now_ns() + (uint64_t)limit_ms * NS_PER_MS;
    if (!sc_tool_start(&tool, words, NULL, SIZE_MAX, err))
        return false;
    bool is_in_time = true;
    while (tool.fd >= 0 && is_in_time && tool.bytes.length <= limit_bytes)
        if (!read_piece(&tool) && tool.fd >= 0)
            is_in_time = await_bytes(&tool, end_ns);
    bool good =
        tool.fd < 0 && tool.bytes.length <= limit_bytes && await_end(&tool, end_ns, ret_status);
    if (good)
        sc_str_add_bytes(ret_text, sc_str_text(&tool.bytes), tool.bytes.length);
    return good || sc_fail(err, SC_ERR_FAILED, "'%s' does not come to an end", words[0]);
}

bool sc_tool_has_ended(const struct sc_tool *tool)
{
    return tool->fd < 0;
}

void sc_tool_close(struct sc_tool *tool)
{
    if (tool->pid > 0) {
        /* also its process group: a tool may be a script around the real one. The child is not
         * reaped yet, so its pid cannot have been reused. */
        (void)kill(-tool->pid, SIGKILL);
        (void)kill(tool->pid, SIGKILL);
        while (waitpid(tool->pid, NULL, 0) < 0 && errno == EINTR)
            continue;
    }
    if (tool->fd >= 0)
        (void)close(tool->fd);
    sc_str_done(&tool->bytes);
    *tool = (struct sc_tool){.fd = -1};
}
