/*
 * cli/cmd_top.c - `scalene top`: what a Python program does now, in the terminal, while it runs.
 *
 * It only shows: a child (child_run.h) measures.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

#include "base/child.h"
#include "base/io.h"
#include "base/visible.h"
#include "cli/child_run.h"
#include "cli/command.h"
#include "cli/help.h"
#include "cli/outfile.h"
#include "cli/top_screen.h"
#include "observer/system/procfs.h"
#include "render/live.h"
#include "render/screen.h"

/* -------- what the reader has chosen by keys, and what is shown for it -------- */

#define SHOWN_BYTES_MAX 65536 /* more than the lines of any screen */

struct top_view {
    struct sc_live_screen screen;
    struct sc_str filter;
    size_t rows; /* that there are in the view */
    bool is_typing;
    bool shows_help;
    bool shows_output;
    bool has_changed; /* since it was shown */
};

static const char keys_text[] = "q end  1-5 view  <> sort  / filter  p pause  o output  h help";

static const char help_text[] =
    "q, Ctrl-C       end: a program that was started by SIGINT, a second time by\n"
    "                SIGTERM, then SIGKILL; a process that ran already goes on\n"
    "1 2 3 4 5, Tab  functions, lines, threads, processes, tasks\n"
    "< >, arrows     sort by another column; > stands before it\n"
    "/ and a text    only rows that hold it; Enter: done, Escape: all rows\n"
    "p, space        pause what is shown; the measurement goes on\n"
    "o               the last lines that the program has printed\n"
    "up, down, page up and down, Home, End\n"
    "\n"
    "now%, py%, nat%, sys%, wait%: time of the last interval, in % of it:\n"
    "  all of it, in Python, in native code, in system calls, waiting\n"
    "GIL%: it waited for the interpreter lock\n"
    "all, python ...: time of the whole run\n"
    "mem: memory that is alive; of a process the most that was resident\n"
    "alloc: memory that was allocated, freed or not\n"
    "\n"
    "Any key leaves this text.\n";

static void choose_view(struct top_view *view, const struct sc_live *live, int number)
{
    view->screen.view = (enum sc_live_view)((number + SC_LIVE_VIEW_COUNT_) % SC_LIVE_VIEW_COUNT_);
    view->screen.first = 0;
    if (!sc_live_has(live, view->screen.view, view->screen.sort))
        view->screen.sort = SC_LIVE_NOW;
}

static void erase_last(struct sc_str *text)
{
    while (text->length > 0) {
        unsigned char byte = (unsigned char)text->data[--text->length];
        text->data[text->length] = '\0';
        if ((byte & 0xc0U) != 0x80U)
            break;
    }
}

static void type(struct top_view *view, int key)
{
    char bytes[32];
    mbstate_t state = {0};
    view->screen.first = 0;
    if (key == SC_TOP_ESCAPE)
        sc_str_clear(&view->filter);
    if (key == SC_TOP_ESCAPE || key == SC_TOP_ENTER) {
        view->is_typing = false;
    } else if (key == SC_TOP_ERASE) {
        erase_last(&view->filter);
    } else if (key >= ' ' && key < SC_TOP_RESIZED) {
        size_t length = wcrtomb(bytes, (wchar_t)key, &state);
        if (length != (size_t)-1)
            sc_str_add_bytes(&view->filter, bytes, length);
    }
}

static void scroll_by(struct top_view *view, bool down, size_t lines)
{
    size_t *first = &view->screen.first;
    size_t room = sc_live_screen_rows(&view->screen);
    size_t last = view->rows > room ? view->rows - room : 0;
    if (!down)
        *first -= lines < *first ? lines : *first;
    else
        *first = lines < last && *first < last - lines ? *first + lines : last;
}

/* False when the key has no meaning here. */
static bool move(struct top_view *view, int key)
{
    size_t page = sc_live_screen_rows(&view->screen);
    switch (key) {
    case SC_TOP_UP:
    case SC_TOP_DOWN:
        scroll_by(view, key == SC_TOP_DOWN, 1);
        return true;
    case SC_TOP_PAGE_UP:
    case SC_TOP_PAGE_DOWN:
        scroll_by(view, key == SC_TOP_PAGE_DOWN, page > 1 ? page - 1 : 1);
        return true;
    case SC_TOP_HOME:
    case SC_TOP_END:
        scroll_by(view, key == SC_TOP_END, view->rows);
        return true;
    default:
        return false;
    }
}

static void command(struct top_view *view, const struct sc_live *live, int key)
{
    if (key >= '1' && key < '1' + SC_LIVE_VIEW_COUNT_) {
        choose_view(view, live, key - '1');
        return;
    }
    switch (key) {
    case '\t':
    case SC_TOP_BACK_TAB:
        choose_view(view, live, (int)view->screen.view + (key == '\t' ? 1 : -1));
        break;
    case '<':
    case '>':
    case SC_TOP_LEFT:
    case SC_TOP_RIGHT:
        view->screen.sort =
            sc_live_screen_next(live, &view->screen, key == '>' || key == SC_TOP_RIGHT);
        break;
    case 'p':
    case ' ':
        view->screen.is_paused = !view->screen.is_paused;
        break;
    case '/':
        view->is_typing = true;
        break;
    case SC_TOP_ESCAPE:
        sc_str_clear(&view->filter);
        break;
    case 'o':
        view->shows_output = true;
        break;
    case 'h':
    case '?':
        view->shows_help = true;
        break;
    default:
        break;
    }
}

/* Takes a key of cli/top_screen.h. False when it asks for the end. */
static bool take_key(struct top_view *view, const struct sc_live *live, int key)
{
    if (key == SC_TOP_NONE)
        return true;
    view->has_changed = true;
    if (key == SC_TOP_RESIZED) {
        scroll_by(view, false, 0);
    } else if (view->is_typing) {
        type(view, key);
    } else if (key == 'q') {
        return false;
    } else if (view->shows_help || view->shows_output) {
        view->shows_help = false;
        view->shows_output = false;
    } else if (!move(view, key)) {
        command(view, live, key);
    }
    return true;
}

/* The end of the file, from the beginning of a line. */
static void read_end(const char *path, struct sc_str *ret_text)
{
    struct stat facts;
    SC_AUTO_CLOSE int fd = sc_open_regular(path);
    if (fd < 0 || fstat(fd, &facts) != 0)
        return;
    size_t size = (size_t)facts.st_size;
    size_t length = size < SHOWN_BYTES_MAX ? size : SHOWN_BYTES_MAX;
    SC_AUTO_FREE char *bytes = sc_alloc(length + 1, 1);
    if (!sc_read_part(fd, size - length, bytes, length))
        return;
    for (size_t i = 0; i < length; i++) /* a text ends at its first zero byte */
        bytes[i] = (char)(bytes[i] == '\0' ? ' ' : bytes[i]);
    sc_str_add_bytes(ret_text, bytes, length);
}

static void show_output(struct top_view *view, const char *path, struct sc_str *ret_text)
{
    SC_AUTO(sc_str_done) struct sc_str output = {0};
    struct sc_live_screen screen = view->screen;
    SC_AUTO_FREE char *message = path != NULL
                                     ? sc_format("any key leaves; the output is in %s", path)
                                     : sc_strdup("any key leaves; the process prints elsewhere");
    if (path != NULL)
        read_end(path, &output);
    screen.message = message;
    sc_render_live_texts(sc_str_text(&output), &screen, ret_text);
}

/* Adds the screen to ret_text, with the size that view->screen has. output_path: what the program
 * has printed; NULL: it prints elsewhere. state: what is to be known beside the keys, or NULL. */
static void view_text(struct top_view *view, const struct sc_live *live, const char *output_path,
                      const char *state, struct sc_str *ret_text)
{
    SC_AUTO_FREE char *message =
        view->is_typing
            ? sc_format("filter: %s_", sc_str_text(&view->filter))
            : sc_format("%s%s%s", state != NULL ? state : "", state != NULL ? "  " : "", keys_text);
    view->has_changed = false;
    view->screen.filter = sc_str_text(&view->filter);
    view->screen.message = message;
    if (view->shows_help)
        sc_render_live_texts(help_text, &view->screen, ret_text);
    else if (view->shows_output)
        show_output(view, output_path, ret_text);
    else
        sc_render_live(live, &view->screen, ret_text, &view->rows);
    view->screen.message = "";
}

/* -------- the command -------- */

#define LOOK_MS          100
#define OUTPUT_BYTES_MAX ((size_t)1 << 20)

struct top {
    struct sc_child_run child;
    struct sc_live live;
    struct top_view view;
    enum sc_live_view first_view;
    char *outfile;    /* where the last profile is kept; NULL: nowhere */
    bool is_drawn;    /* else screens are printed one after the other */
    bool is_attached; /* to a process that ran already */
    pid_t attached_pid;
    int write_errno; /* why the output could not be written; 0: it could */
    bool has_shown;  /* something that was measured */
    unsigned asked;  /* how often the end has been asked for */
};

static volatile sig_atomic_t caught; /* the last signal that asks for the end; 0: none */
static bool ignores_hangup;

static void note_signal(int number)
{
    caught = number;
}

/* A key of the terminal reaches only us, as the child is apart. before: the mask before they were
 * held back. */
static void catch_signals(const sigset_t *before)
{
    const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    ignores_hangup = sc_ignores_hangup();
    struct sigaction action = {.sa_handler = note_signal};
    (void)sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        (void)sigaction(numbers[i], &action, NULL);
    (void)signal(SIGPIPE, SIG_IGN);
    (void)sigprocmask(SIG_SETMASK, before, NULL);
}

/* The first time as Ctrl-C ends a program; who asks again gets it by force. A process that runs
 * already goes on after any of them: they end the child alone. */
static void end_child(struct top *top, int number)
{
    static const int by_force[] = {SIGINT, SIGTERM, SIGKILL};
    unsigned last = sizeof(by_force) / sizeof(by_force[0]) - 1;
    bool is_by_key = number == SIGINT;
    sc_child_run_signal(&top->child,
                        is_by_key ? by_force[top->asked < last ? top->asked : last] : number);
    top->asked++;
    top->view.has_changed |= top->is_drawn;
}

static void load(struct top *top)
{
    struct sc_profile profile = {0};
    struct sc_err err = {0};
    if (!sc_child_run_read(&top->child, &profile, &err))
        return; /* it may be gone, or be no profile yet; the next one comes */
    sc_live_take(&top->live, &profile);
    top->view.has_changed = true;
    /* the second where no code of the program's own was seen: a note says why */
    top->has_shown =
        top->has_shown || top->live.profile.elapsed_s > 0.0 || top->live.profile.target_cpu_s > 0.0;
}

static const char *state_of(const struct top *top, bool runs)
{
    if (!runs)
        return top->is_attached && !sc_process_is_over(top->attached_pid)
                   ? "left running; q leaves."
                   : "ended; q leaves.";
    if (top->asked > 1)
        return "ending by force...";
    if (top->asked > 0)
        return "ending...";
    const struct sc_profile *profile = &top->live.profile; /* notes say why it has none */
    if (top->has_shown && profile->files.count > 0)
        return NULL;
    return profile->notes.count > 0 ? profile->notes.items[0] : "waiting for the first numbers...";
}

static void draw(struct top *top, bool runs)
{
    SC_AUTO(sc_str_done) struct sc_str text = {0};
    struct sc_live_screen *screen = &top->view.screen;
    sc_top_screen_size(&screen->width, &screen->height);
    view_text(&top->view, &top->live, top->is_attached ? NULL : top->child.output_path,
              state_of(top, runs), &text);
    sc_top_screen_show(sc_str_text(&text));
}

static void print(struct top *top)
{
    SC_AUTO(sc_str_done) struct sc_str text = {0};
    sc_render_live(&top->live, &top->view.screen, &text, NULL);
    if (fputs(sc_str_text(&text), stdout) < 0 || fputs("\n", stdout) < 0 || fflush(stdout) != 0) {
        top->write_errno = errno; /* nobody reads any more, nor would press a key again */
        caught = SIGTERM;
    }
    top->view.has_changed = false;
}

static void leave_terminal(struct top *top)
{
    sc_top_screen_close();
    top->is_drawn = false;
    top->view.screen.height = 0;
}

/* Until the end: of the child where screens are printed, else when the reader leaves. */
static void watch(struct top *top)
{
    const struct timespec pause = {.tv_nsec = LOOK_MS * 1000000L};
    bool is_left = false;
    for (bool runs = true; !is_left;) {
        bool ran = runs;
        runs = sc_child_run_look(&top->child);
        top->view.has_changed |= top->is_drawn && ran != runs;
        if (top->child.has_news && (!top->view.screen.is_paused || !runs))
            load(top);
        if (top->is_drawn && top->view.has_changed)
            draw(top, runs);
        else if (!top->is_drawn && top->view.has_changed && top->has_shown && top->write_errno == 0)
            print(top);
        if (top->is_drawn && !take_key(&top->view, &top->live, sc_top_screen_key(LOOK_MS)))
            caught = SIGINT;
        else if (!top->is_drawn && runs)
            (void)nanosleep(&pause, NULL);
        int number = caught;
        caught = 0;
        if (number == SIGHUP) /* a terminal that is gone answers each question for a key at once */
            leave_terminal(top);
        number = number == SIGHUP && ignores_hangup ? 0 : number;
        if (number != 0 && runs)
            end_child(top, number);
        /* nothing is kept on the screen of a program that was ended, or that showed nothing */
        is_left = !runs && (number != 0 || top->asked > 0 || !top->is_drawn || !top->has_shown);
    }
}

/* Behind the screen: what a program that has not been measured has said, or where it is. */
static void report_output(const struct top *top)
{
    SC_AUTO(sc_str_done) struct sc_str output = {0};
    SC_AUTO(sc_str_done) struct sc_str text = {0};
    struct stat facts;
    const char *path = top->child.output_path;
    bool has_printed = stat(path, &facts) == 0 && facts.st_size > 0;
    const struct sc_profile *profile = &top->live.profile;
    if (top->has_shown && profile->files.count == 0 && profile->notes.count > 0)
        sc_visible_say("scalene: top: ", profile->notes.items[0]);
    if (has_printed && top->has_shown) {
        (void)fprintf(stderr, "scalene: top: the program's output is in %s\n", path);
    } else if (!top->has_shown) {
        (void)sc_read_file(path, OUTPUT_BYTES_MAX, &output, NULL);
        sc_visible_add(&text, sc_str_text(&output), output.length, SC_VISIBLE_LINES);
        (void)fputs(sc_str_text(&text), stderr);
        if (!top->is_attached || !has_printed) /* else it says why */
            (void)fputs("scalene: top: it ended before anything was measured\n", stderr);
        (void)unlink(path);
    }
}

/* Where it cannot be kept, the status is the program's nevertheless, as of run. */
static void keep_profile(const struct top *top)
{
    SC_AUTO(sc_str_done) struct sc_str bytes = {0};
    struct sc_err cause = {0};
    const char *path = top->child.profile_path;
    if (top->outfile == NULL || access(path, F_OK) != 0)
        return;
    if (!sc_read_file(path, SC_PROFILE_BYTES_MAX, &bytes, &cause) ||
        !sc_write_private_file(top->outfile, sc_str_text(&bytes), bytes.length, &cause))
        (void)fprintf(stderr, "scalene: top: %s\n", cause.text);
}

static int show(struct top *top, bool is_printed, struct sc_err *err)
{
    struct sc_screen screen = sc_screen_of(STDOUT_FILENO);
    top->view.has_changed = true;
    top->view.screen.view = top->first_view;
    top->view.screen.color = screen.rendering.color;
    top->view.screen.unicode = screen.rendering.unicode;
    top->view.screen.width = screen.rendering.width;
    top->is_drawn = !is_printed && sc_top_screen_open(screen.rendering.color);
    if (!top->is_drawn && screen.is_terminal && !is_printed)
        (void)fputs("scalene: top: this terminal cannot be drawn on, so screens follow each "
                    "other\n",
                    stderr);
    watch(top);
    leave_terminal(top);
    report_output(top);
    keep_profile(top);
    if (top->write_errno != 0 && top->write_errno != EPIPE)
        (void)sc_fail_errno(err, top->write_errno, "top: cannot write the output");
    if (top->write_errno != 0)
        (void)!freopen("/dev/null", "w", stdout); /* what is left of it */
    sc_str_done(&top->view.filter);
    int status = top->child.status;
    if (top->is_attached && top->asked > 0)
        return 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static bool find_view(const char *word, enum sc_live_view *ret_view, struct sc_err *err)
{
    for (int i = 0; i < SC_LIVE_VIEW_COUNT_; i++) {
        *ret_view = (enum sc_live_view)i;
        if (strcmp(word, sc_live_view_words[i]) == 0)
            return true;
    }
    return sc_fail(err, SC_ERR_USAGE,
                   "top: --show: no '%.100s'; there are functions, lines, threads, processes and "
                   "tasks",
                   word);
}

static int top_of(const struct sc_values *values, const struct sc_child_words *words,
                  struct sc_err *err)
{
    struct top top = {.is_attached = words->pid != 0, .attached_pid = words->pid};
    struct sc_child_options wish = {
        .words = words, .interval_s = values->of[SC_OPT_WATCH_INTERVAL].number, .is_apart = true};
    const char *outfile = values->of[SC_OPT_WATCH_OUTFILE].text;
    sigset_t before;
    int status = 1;
    sc_hold_ends(&before); /* until they are caught, so that no folder is left behind */
    if (words->pid == 0 && words->program.count == 0)
        (void)sc_fail(err, SC_ERR_USAGE,
                      "top: nothing was named; write, for example: scalene top program.py, or "
                      "scalene top PID");
    else if (find_view(values->of[SC_OPT_WATCH_SHOW].text, &top.first_view, err) &&
             (outfile == NULL || sc_outfile_resolve("top", outfile, NULL, &top.outfile, err)) &&
             sc_child_run_start(&top.child, &wish, err)) {
        catch_signals(&before);
        status = show(&top, values->of[SC_OPT_WATCH_BATCH].flag, err);
    }
    sc_child_run_done(&top.child);
    sc_live_done(&top.live);
    free(top.outfile);
    return status;
}

int sc_cmd_top(char *const *words, struct sc_err *err)
{
    SC_AUTO(sc_values_done) struct sc_values values = {0};
    SC_AUTO(sc_child_words_done) struct sc_child_words sorted = {0};
    int status = 0;
    sc_values_init(&values);
    if (sc_child_words_read(SC_VERB_WATCH, words, &values, &sorted, err)) {
        if (values.of[SC_OPT_WATCH_HELP].flag)
            sc_help_show(SC_VERB_WATCH, SC_GROUP_BASIC);
        else
            status = top_of(&values, &sorted, err);
    }
    return status;
}
