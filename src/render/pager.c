/*
 * render/pager.c - showing a text: directly, or through a pager when it is longer than the screen.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/io.h"
#include "render/screen.h"

/* Status of a shell that did not find, or could not run, the command. */
enum { NOT_EXECUTABLE = 126, NOT_FOUND = 127 };

static bool is_longer(const struct sc_screen *screen, const struct sc_str *text)
{
    unsigned lines = 0;
    for (size_t i = 0; i < text->length; i++)
        lines += text->data[i] == '\n';
    /* one line stays for the prompt */
    return screen->height > 0 && lines + 1 > screen->height;
}

/* Whether a program can go through a text there. On others (an editor's pane, a console of CI),
 * less warns, and then waits for a key that nobody may be able to press. */
static bool is_able(const char *term)
{
    return term != NULL && term[0] != '\0' && strcmp(term, "dumb") != 0;
}

/* The command line of the pager, or NULL for none. */
static const char *pager_command(void)
{
    const char *command = getenv("SCALENE_PAGER");
    if (command == NULL)
        command = getenv("PAGER");
    if (command == NULL)
        command = is_able(getenv("TERM")) ? "less -RFX" : "";
    if (command[0] == '\0' || strcmp(command, "cat") == 0)
        return NULL;
    return command;
}

/* False when the pager could not be started: nothing has been shown then. */
static bool page(const char *command, const struct sc_str *text)
{
    int ends[2];
    pid_t pid = 0;
    static char shell[] = "sh";
    static char option[] = "-c";
    char *const words[] = {shell, option, (char *)(uintptr_t)command, NULL};
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    /* what less needs to pass colours on and to leave short texts alone, unless the user says
     * otherwise */
    (void)setenv("LESS", "-RFX", 0);
    const struct sc_child child = {
        .program = "/bin/sh", .words = words, .streams = {ends[0], 1, 2}};
    bool is_started = sc_child_start(&child, &pid, NULL);
    (void)close(ends[0]);
    /* Ctrl-C belongs to the pager while it runs, and one that quits early is no failure */
    void (*old_interrupt)(int) = signal(SIGINT, SIG_IGN);
    void (*old_pipe)(int) = signal(SIGPIPE, SIG_IGN);
    if (is_started)
        (void)sc_write_all(ends[1], sc_str_text(text), text->length);
    (void)close(ends[1]);
    int status = is_started ? sc_child_reap(pid, NULL) : 0;
    (void)signal(SIGINT, old_interrupt);
    (void)signal(SIGPIPE, old_pipe);
    return is_started && !(WIFEXITED(status) && (WEXITSTATUS(status) == NOT_FOUND ||
                                                 WEXITSTATUS(status) == NOT_EXECUTABLE));
}

bool sc_screen_show(const struct sc_screen *screen, int fd, const struct sc_str *text,
                    struct sc_err *err)
{
    bool shown = screen->is_terminal && is_longer(screen, text) && pager_command() != NULL &&
                 page(pager_command(), text);
    void (*old_pipe)(int) = signal(SIGPIPE, SIG_IGN);
    bool written = shown || sc_write_all(fd, sc_str_text(text), text->length) || errno == EPIPE;
    int code = errno;
    (void)signal(SIGPIPE, old_pipe);
    return written || sc_fail_errno(err, code, "cannot write the report");
}
