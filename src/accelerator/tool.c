/* accelerator/tool.c - see tool.h. SPDX-License-Identifier: Apache-2.0 */
#include "accelerator/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/io.h"
#include "base/mem.h"

#define PIECE     4096
#define NS_PER_MS 1000000U

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

/* Makes a file in memory with that text; -1 when that fails or there is no text. */
static int make_file(const char *text)
{
    int file = text != NULL ? memfd_create("configuration", MFD_CLOEXEC) : -1;
    if (file >= 0 && write(file, text, strlen(text)) != (ssize_t)strlen(text)) {
        (void)close(file);
        file = -1;
    }
    return file;
}

bool sc_tool_start(struct sc_tool *tool, const char *const *words, const char *file,
                   size_t line_limit, struct sc_err *err)
{
    int ends[2];
    pid_t pid = 0;
    SC_AUTO_CLOSE int memory = make_file(file);
    if ((file != NULL && memory < 0) || pipe2(ends, O_CLOEXEC) != 0)
        return sc_fail_errno(err, errno, "'%s' cannot be started", words[0]);
    const struct sc_child child = {
        .program = words[0],
        .words = (char *const *)words,
        .streams = {memory, ends[1], SC_CHILD_NOTHING},
        .end_signal = SIGKILL,
        .is_apart = true,
        .has_streams_alone = true,
    };
    bool is_started = sc_child_start(&child, &pid, err);
    (void)close(ends[1]);
    (void)fcntl(ends[0], F_SETFL, O_NONBLOCK);
    if (is_started)
        *tool = (struct sc_tool){.pid = pid, .fd = ends[0], .line_limit = line_limit};
    else
        (void)close(ends[0]);
    return is_started;
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
    uint64_t now_ns = sc_now_ns();
    unsigned rest_ms = now_ns < end_ns ? (unsigned)((end_ns - now_ns) / NS_PER_MS) : 0;
    if (tool.fd >= 0 || tool.bytes.length > limit_bytes || !sc_child_await(tool.pid, rest_ms))
        return sc_fail(err, SC_ERR_FAILED, "'%s' does not come to an end", words[0]);
    int status = sc_child_reap(tool.pid, NULL);
    tool.pid = 0;
    *ret_status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    sc_str_add_bytes(ret_text, sc_str_text(&tool.bytes), tool.bytes.length);
    return true;
}

bool sc_tool_has_ended(const struct sc_tool *tool)
{
    return tool->fd < 0;
}

void sc_tool_close(struct sc_tool *tool)
{
    if (tool->pid > 0) /* with its process group: it may be a script around the real one */
        (void)sc_child_kill(tool->pid, NULL);
    sc_close(&tool->fd);
    sc_str_done(&tool->bytes);
    *tool = (struct sc_tool){.fd = -1};
}
