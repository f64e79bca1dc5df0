/* observer/report/status.c - see status.h. SPDX-License-Identifier: Apache-2.0 */
#include "observer/report/status.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "base/mem.h"
#include "observer/lifecycle/guest.h"
#include "observer/lifecycle/observation.h"

#define FIRST_NS    2000000000U /* most runs need no title */
#define INTERVAL_NS 500000000U
#define REST_MS     10 /* how long the rest of a title that did not fit is waited for, */
#define REST_TRIES  5  /* and how often */

/* xterm's sequences: 22;2 keeps the title, 23;2 takes it back; OSC 2 sets it. */
#define KEEP_TITLE "\033[22;2t"
#define OLD_TITLE  "\033]2;\007\033[23;2t"

/* Terminals that know titles, by the beginning of TERM. Others might print the sequence. */
static bool has_titles(const char *term)
{
    static const char names[] =
        "xterm rxvt screen tmux alacritty foot kitty wezterm vte gnome mintty konsole contour "
        "ghostty";
    return term != NULL && sc_starts_with_any(term, names);
}

/* Whether standard error is the terminal we are controlled from, and we are in the foreground: in
 * the background, writing could stop us. */
static bool is_in_foreground(void)
{
    pid_t foreground = tcgetpgrp(STDERR_FILENO);
    return foreground > 0 && foreground == getpgrp();
}

/* Programs that draw the whole screen or read single keys switch these off. */
static bool is_in_lines(void)
{
    struct termios modes;
    const tcflag_t usual = ICANON | ECHO;
    return tcgetattr(STDERR_FILENO, &modes) == 0 && (modes.c_lflag & usual) == usual;
}

enum outcome { NOTHING, PART, WHOLE };

/* A description of our own does not wait where output is stopped (Ctrl-S), and that of the program
 * stays as it is. */
static enum outcome write_title(const char *text)
{
    size_t length = strlen(text);
    size_t done = 0;
    SC_AUTO_CLOSE int fd = open("/dev/tty", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return NOTHING;
    struct pollfd ready = {.fd = fd, .events = POLLOUT};
    for (int tries = 0; done < length && tries <= REST_TRIES; tries++) {
        if (poll(&ready, 1, done > 0 ? REST_MS : 0) > 0) {
            ssize_t written = write(fd, text + done, length - done);
            done += written > 0 ? (size_t)written : 0;
        }
        if (done == 0)
            break;
    }
    return done == length ? WHOLE : done > 0 ? PART : NOTHING;
}

void sc_status_open(struct sc_observation *observation)
{
    const char *ci = getenv("CI"); /* a log with a terminal in front of it */
    observation->status = (struct sc_status){
        .is_wanted = !observation->plan->quiet && !sc_guest_is(observation) &&
                     (ci == NULL || ci[0] == '\0') && isatty(STDERR_FILENO) == 1 &&
                     has_titles(getenv("TERM")) && is_in_foreground() && is_in_lines(),
        .next_ns = observation->started_ns + FIRST_NS - INTERVAL_NS,
    };
}

/* The CPU time since the last look, over all processes that are there. */
static void look_at_cpu(struct sc_observation *observation, uint64_t now_ns)
{
    struct sc_status *status = &observation->status;
    uint64_t used_ns = 0;
    SC_EACH_PROCESS(process, observation) {
        uint64_t cpu_ns = 0;
        if (process->ending.is_over || !sc_process_cpu(process->pid, &cpu_ns))
            continue;
        if (cpu_ns > process->shown_cpu_ns)
            used_ns += cpu_ns - process->shown_cpu_ns;
        process->shown_cpu_ns = cpu_ns;
    }
    status->cores =
        now_ns > status->looked_ns ? (double)used_ns / (double)(now_ns - status->looked_ns) : 0.0;
    status->looked_ns = now_ns;
}

/* "scalene: 1:04, 187% CPU, 512 MB, 3 processes". Pages that processes share count once only where
 * memory is measured; else the memory of several is left out. */
static char *title(const struct sc_observation *observation, uint64_t now_ns)
{
    struct sc_str text = {0};
    uint64_t seconds = (now_ns - observation->started_ns) / 1000000000U;
    size_t alive = 0;
    uint64_t rss_bytes = 0;
    SC_EACH_LIVING(process, observation) {
        alive++;
        if (alive == 1)
            rss_bytes = sc_process_rss(process->pid);
    }
    if (alive > 1)
        rss_bytes = observation->rss_bytes;
    sc_str_add_format(&text, "scalene: %llu:%02llu, %.0f%% CPU", (unsigned long long)seconds / 60,
                      (unsigned long long)seconds % 60, 100.0 * observation->status.cores);
    if (rss_bytes > 0)
        sc_str_add_format(&text, ", %.0f MB", (double)rss_bytes / 1048576.0);
    if (alive > 1)
        sc_str_add_format(&text, ", %zu processes", alive);
    return text.data;
}

void sc_status_poll(struct sc_observation *observation, uint64_t now_ns)
{
    struct sc_status *status = &observation->status;
    if (!status->is_wanted || now_ns < status->next_ns)
        return;
    status->next_ns = now_ns + INTERVAL_NS;
    bool is_first = status->looked_ns == 0;
    look_at_cpu(observation, now_ns);
    if (is_first || !is_in_foreground() || !is_in_lines())
        return;
    SC_AUTO_FREE char *words = title(observation, now_ns);
    SC_AUTO_FREE char *text =
        sc_format("%s\033]2;%s\007", status->is_shown ? "" : KEEP_TITLE, words);
    enum outcome outcome = write_title(text);
    status->is_shown |= outcome != NOTHING;
    status->is_wanted = outcome != PART; /* the rest would come behind something else */
}

void sc_status_close(struct sc_observation *observation)
{
    if (observation->status.is_shown && is_in_foreground())
        (void)write_title(OLD_TITLE);
    observation->status = (struct sc_status){0};
}
