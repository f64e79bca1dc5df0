/*
 * cli/cmd_live.c - `scalene live`: the page of `scalene view` while the program runs.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "assist/keys.h"
#include "base/child.h"
#include "base/io.h"
#include "cli/child_run.h"
#include "cli/command.h"
#include "cli/help.h"
#include "cli/interpreter.h"
#include "cli/outfile.h"
#include "observer/system/procfs.h"
#include "page/page.h"
#include "server/listen.h"
#include "server/serve.h"

#define INTERVAL_S 2.0
#define LOOK_NS    50000000

struct live {
    struct sc_child_words words;
    struct sc_child_run child;
    struct sc_follow follow;
};

/* -------- the program -------- */

/* A process that was attached is left: what its observer ended with says nothing of it. */
static char *ending_of(const struct live *live)
{
    int status = live->child.status;
    if (live->words.pid != 0)
        return sc_strdup(sc_process_is_over(live->words.pid) ? "ended" : "left running");
    if (WIFSIGNALED(status))
        return sc_format("ended by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    return sc_format("ended with status %d", WEXITSTATUS(status));
}

static bool is_running(void *context, char **ret_ending)
{
    struct live *live = context;
    bool runs = sc_child_run_look(&live->child);
    if (!runs)
        *ret_ending = ending_of(live);
    return runs;
}

/* What a terminal sends, the program has got itself. */
static void take_signal(void *context, const siginfo_t *info)
{
    const struct live *live = context;
    if (info->si_code != SI_KERNEL)
        sc_child_run_signal(&live->child, info->si_signo);
}

/* Waits for a first profile: a program that cannot be started, or ends at once without one, needs
 * no page. */
static bool wait_for_profile(struct live *live, struct sc_profile *ret_profile, struct sc_err *err)
{
    const struct timespec look = {.tv_nsec = LOOK_NS};
    sigset_t signals;
    siginfo_t info;
    (void)sigemptyset(&signals);
    (void)sigaddset(&signals, SIGINT);
    (void)sigaddset(&signals, SIGTERM);
    if (!sc_ignores_hangup())
        (void)sigaddset(&signals, SIGHUP);
    (void)sigprocmask(SIG_BLOCK, &signals, NULL);
    for (;;) {
        bool runs = sc_child_run_look(&live->child);
        struct sc_err cause = {0};
        enum sc_followed followed = sc_follow_read(&live->follow, ret_profile, &cause);
        if (followed == SC_FOLLOWED_NEW)
            return true;
        if (!runs && followed == SC_FOLLOWED_NOT)
            *err = cause;
        if (!runs)
            return false;
        if (sigtimedwait(&signals, &info, &look) > 0)
            take_signal(live, &info);
    }
}

/* -------- the command -------- */

static void serve_profile(struct live *live, const struct sc_values *values, const char *path,
                          struct sc_err *err)
{
    const struct sc_value *of = values->of;
    const struct sc_serve_program program = {
        .at_interrupt = live->words.pid != 0 ? "leaves the process" : "reaches the program",
        .context = live,
        .is_running = is_running,
        .take_signal = take_signal,
    };
    struct sc_profile profile = {0};
    if (!wait_for_profile(live, &profile, err))
        return;
    struct sc_page *page = sc_alloc(1, sizeof(*page));
    sc_page_init(page, &profile, path);
    SC_AUTO_FREE char *python = sc_interpreter_find(NULL, NULL);
    struct sc_serve_options serve = {.host = sc_value_given(&of[SC_OPT_LIVE_HOST]),
                                     .port = (unsigned)of[SC_OPT_LIVE_PORT].count,
                                     .no_browser = of[SC_OPT_LIVE_NO_BROWSER].flag,
                                     .python = python,
                                     .follow = &live->follow,
                                     .program = &program};
    (void)sc_serve(page, &serve, err);
}

/* Before the program begins: it would have to be ended where its page cannot be served. */
static bool can_listen(const struct sc_values *values, struct sc_err *err)
{
    const struct sc_value *of = values->of;
    struct sc_listening listening;
    if (!sc_listen(sc_value_given(&of[SC_OPT_LIVE_HOST]), (unsigned)of[SC_OPT_LIVE_PORT].count,
                   &listening, err))
        return false;
    (void)close(listening.fd);
    return true;
}

/* What is written to a device or a pipe cannot be read again. */
static bool can_follow(const char *path, struct sc_err *err)
{
    struct stat facts;
    return stat(path, &facts) != 0 || S_ISREG(facts.st_mode) ||
           sc_fail(err, SC_ERR_FAILED,
                   "live: --outfile: '%.200s' is no regular file, and the page is made of it",
                   path);
}

/* The exit status, which is the program's. */
static int run(struct live *live, const struct sc_values *values, struct sc_err *err)
{
    SC_AUTO_FREE char *path = NULL;
    if (!can_listen(values, err) ||
        !sc_outfile_resolve("live", values->of[SC_OPT_LIVE_OUTFILE].text, NULL, &path, err) ||
        !can_follow(path, err))
        return 1;
    const struct sc_child_options wish = {
        .words = &live->words, .interval_s = INTERVAL_S, .outfile = path};
    sc_ai_shut_process();
    sc_follow_init(&live->follow, path);
    if (!sc_child_run_start(&live->child, &wish, err))
        return 1;
    serve_profile(live, values, path, err);
    int status = live->child.status;
    bool is_over = live->child.pid == 0;
    sc_child_run_done(&live->child);
    if (!is_over || err->kind != SC_ERR_NONE)
        return 1;
    if (WIFSIGNALED(status)) {
        sc_die_by(WTERMSIG(status));
        return 128 + WTERMSIG(status);
    }
    return WEXITSTATUS(status);
}

int sc_cmd_live(char *const *words, struct sc_err *err)
{
    SC_AUTO(sc_values_done) struct sc_values values = {0};
    struct live live = {0};
    int status = 0;
    sc_values_init(&values);
    if (sc_child_words_read(SC_VERB_LIVE, words, &values, &live.words, err)) {
        if (values.of[SC_OPT_LIVE_HELP].flag)
            sc_help_show(SC_VERB_LIVE, SC_GROUP_BASIC);
        else if (live.words.pid == 0 && live.words.program.count == 0)
            (void)sc_fail(err, SC_ERR_USAGE,
                          "live: name a program or the number of a process (scalene live --help)");
        else
            status = run(&live, &values, err);
    }
    sc_child_words_done(&live.words);
    return status;
}
