/* render/screen.c - see screen.h. SPDX-License-Identifier: Apache-2.0 */
#include "render/screen.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/io.h"

enum { WIDTH_MAX = 1000 };

static const char *variable_of_process(const char *name)
{
    return getenv(name);
}

static bool is_set(const char *value)
{
    return value != NULL && value[0] != '\0';
}

/* NO_COLOR (https://no-color.org) wins over FORCE_COLOR, as in CPython's own command line. */
bool sc_screen_color(bool is_terminal, const char *(*variable)(const char *name))
{
    const char *force = variable("FORCE_COLOR");
    const char *term = variable("TERM");
    if (is_set(variable("NO_COLOR")))
        return false;
    if (is_set(force))
        return strcmp(force, "0") != 0;
    return is_terminal && is_set(term) && strcmp(term, "dumb") != 0;
}

/* Whether text may be UTF-8. Where no locale is set at all, as in most containers, UTF-8 is the
 * better guess; a locale that is set is believed. */
static bool choose_locale(void)
{
    bool named = is_set(getenv("LC_ALL")) || is_set(getenv("LC_CTYPE")) || is_set(getenv("LANG"));
    if (!named && setlocale(LC_CTYPE, "C.UTF-8") != NULL)
        return true;
    return setlocale(LC_CTYPE, "") != NULL && strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

static unsigned number_of(const char *text)
{
    char *end = NULL;
    if (!is_set(text))
        return 0;
    unsigned long value = strtoul(text, &end, 10);
    if (*end != '\0' || value == 0 || value > WIDTH_MAX)
        return 0;
    return (unsigned)value;
}

struct sc_screen sc_screen_of(int fd)
{
    struct sc_screen screen = {.is_terminal = isatty(fd) == 1};
    struct winsize size = {0};
    if (screen.is_terminal && ioctl(fd, TIOCGWINSZ, &size) == 0) {
        screen.rendering.width = size.ws_col < WIDTH_MAX ? size.ws_col : WIDTH_MAX;
        screen.height = size.ws_row;
    }
    if (screen.rendering.width == 0)
        screen.rendering.width = number_of(getenv("COLUMNS"));
    if (screen.rendering.width == 0)
        screen.rendering.width = SC_RENDER_DEFAULT_WIDTH;
    screen.rendering.color = sc_screen_color(screen.is_terminal, variable_of_process);
    screen.rendering.unicode = choose_locale();
    return screen;
}

/* -------- showing a text: directly, or through a pager when it is longer than the screen --------
 */

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
