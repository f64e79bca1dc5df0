/*
 * render/pager.c - showing a text: directly, or through a pager when it is longer than the screen.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "render/screen.h"

/* Status of a shell that did not find, or could not run, the command. */
enum { NOT_EXECUTABLE = 126, NOT_FOUND = 127 };

/* False with errno; a reader that has gone is EPIPE. */
static bool write_text(int fd, const struct sc_str *text)
{
    size_t done = 0;
    while (done < text->length) {
        ssize_t put = write(fd, text->data + done, text->length - done);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return false;
        done += (size_t)put;
    }
    return true;
}

static bool is_longer(const struct sc_screen *screen, const struct sc_str *text)
{
    unsigned lines = 0;
    for (size_t i = 0; i < text->length; i++)
        lines += text->data[i] == '\n';
    /* one line stays for the prompt */
    return screen->height > 0 && lines + 1 > screen->height;
}

/* The command line of the pager, or NULL for none. */
static const char *pager_command(void)
{
    const char *command = getenv("SCALENE_PAGER");
    if (command == NULL)
        command = getenv("PAGER");
    if (command == NULL)
        command = "less -RFX";
    if (command[0] == '\0' || strcmp(command, "cat") == 0)
        return NULL;
    return command;
}

static _Noreturn void run_pager(const char *command, int input)
{
    (void)dup2(input, STDIN_FILENO);
    /* what less needs to pass colours on and to leave short texts alone, unless the user says
     * otherwise */
    (void)setenv("LESS", "-RFX", 0);
    (void)execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(NOT_FOUND);
}

/* False when the pager could not be started: nothing has been shown then. */
static bool page(const char *command, const struct sc_str *text)
{
    int ends[2];
    if (pipe(ends) != 0)
        return false;
    pid_t child = fork();
    if (child < 0) {
        (void)close(ends[0]);
        (void)close(ends[1]);
        return false;
    }
    if (child == 0) {
        (void)signal(SIGPIPE, SIG_DFL);
        (void)signal(SIGINT, SIG_DFL);
        (void)close(ends[1]);
        run_pager(command, ends[0]);
    }
    (void)close(ends[0]);
    (void)write_text(ends[1], text);
    (void)close(ends[1]);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    return !(WIFEXITED(status) &&
             (WEXITSTATUS(status) == NOT_FOUND || WEXITSTATUS(status) == NOT_EXECUTABLE));
}

bool sc_screen_show(const struct sc_screen *screen, int fd, const struct sc_str *text,
                    struct sc_err *err)
{
    /* Ctrl-C belongs to the pager while it runs, and a pager that quits early is no failure */
    void (*old_pipe)(int) = signal(SIGPIPE, SIG_IGN);
    bool shown = false;
    if (screen->is_terminal && is_longer(screen, text) && pager_command() != NULL) {
        void (*old_interrupt)(int) = signal(SIGINT, SIG_IGN);
        shown = page(pager_command(), text);
        (void)signal(SIGINT, old_interrupt);
    }
    bool written = shown || write_text(fd, text) || errno == EPIPE;
    int code = errno;
    (void)signal(SIGPIPE, old_pipe);
    return written || sc_fail_errno(err, code, "cannot write the report");
}
