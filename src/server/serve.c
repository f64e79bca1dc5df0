/* server/serve.c - see serve.h. SPDX-License-Identifier: Apache-2.0 */
#include "server/serve.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/child.h"
#include "base/io.h"
#include "base/mem.h"
#include "base/own_folder.h"
#include "base/str.h"
#include "base/visible.h"
#include "server/browser.h"
#include "server/http.h"
#include "server/listen.h"

/* -------- a private file that leads a browser to an address -------- */

/* The words of a command line can be read by every user of the machine, so a browser is given the
 * name of a file that only this user can read. Initialise with {0}. */
struct redirect {
    char *folder; /* private, and made for this; NULL: there is none */
    char *url;    /* of the file in it: "file:///..." */
};

#define FILE_NAME "open.html"

/* mkdtemp makes a folder that only its owner can enter, and never uses an existing file or link. */
static char *make_folder(const char *parent)
{
    char *path = sc_format("%s/scalene-view-XXXXXX", parent);
    struct stat facts;
    if (mkdtemp(path) != NULL) {
        if (lstat(path, &facts) == 0 && S_ISDIR(facts.st_mode) && facts.st_uid == getuid() &&
            (facts.st_mode & 077) == 0)
            return path;
        (void)rmdir(path);
    }
    free(path);
    return NULL;
}

/* A browser installed as a snap can read files in the home directory, but no hidden ones. */
static bool uses_snaps(const char *home)
{
    SC_AUTO_FREE char *snaps = sc_format("%s/snap", home);
    return access(snaps, F_OK) == 0;
}

static char *choose_folder(void)
{
    const char *home = sc_path_of_variable("HOME");
    const char *runtime = sc_path_of_variable("XDG_RUNTIME_DIR");
    const char *cache = sc_path_of_variable("XDG_CACHE_HOME");
    SC_AUTO_FREE char *usual_cache = home != NULL ? sc_format("%s/.cache", home) : NULL;
    const char *const parents[] = {
        home != NULL && uses_snaps(home) ? home : NULL, runtime, cache, usual_cache, home,
    };
    for (size_t i = 0; i < sizeof(parents) / sizeof(parents[0]); i++) {
        char *folder =
            parents[i] != NULL && sc_is_own_folder(parents[i]) ? make_folder(parents[i]) : NULL;
        if (folder != NULL)
            return folder;
    }
    /* what is made here cannot be replaced by others: /tmp is sticky */
    return make_folder("/tmp");
}

static bool write_page(const char *path, const char *address, struct sc_err *err)
{
    SC_AUTO_FREE char *page =
        sc_format("<!doctype html>\n<meta charset=\"utf-8\">\n<title>Scalene</title>\n"
                  "<meta name=\"referrer\" content=\"no-referrer\">\n"
                  "<meta http-equiv=\"refresh\" content=\"0; url=%s\">\n"
                  "<p><a href=\"%s\">The profile</a> is shown once from here.</p>\n",
                  address, address);
    return sc_write_private_file(path, page, strlen(page), err);
}

static void redirect_done(struct redirect *redirect)
{
    if (redirect->folder != NULL) {
        SC_AUTO_FREE char *path = sc_format("%s/%s", redirect->folder, FILE_NAME);
        (void)unlink(path);
        (void)rmdir(redirect->folder);
    }
    free(redirect->folder);
    free(redirect->url);
    *redirect = (struct redirect){0};
}

/* Makes a folder that only this user can enter, and a page in it that leads to the address, which
 * needs no escaping in HTML or a URL. */
static bool redirect_make(struct redirect *redirect, const char *address, struct sc_err *err)
{
    struct sc_str url = {0};
    redirect->folder = choose_folder();
    if (redirect->folder == NULL)
        return sc_fail_errno(err, errno, "there is no private place for a file");
    SC_AUTO_FREE char *path = sc_format("%s/%s", redirect->folder, FILE_NAME);
    if (!write_page(path, address, err)) {
        redirect_done(redirect);
        return false;
    }
    sc_str_add(&url, "file://");
    sc_str_add_encoded(&url, path, "/");
    redirect->url = url.data;
    return true;
}

/* -------- the server -------- */

#define LOOK_NS 200000000L

/* A browser that has not asked for the page by then will not: it is a program that only seems to be
 * one, or its display does not answer. */
#define OPENED_NS UINT64_C(60000000000)

/* Pages ask every second how the program is, and then for its last numbers. */
#define TELL_NS UINT64_C(2500000000)

/* A number with colons is written in brackets in an address. */
static char *address_host(const char *host)
{
    return strchr(host, ':') != NULL ? sc_format("[%s]", host) : sc_strdup(host);
}

static bool is_loopback(const char *host)
{
    return sc_starts_with(host, "127.") || sc_is_among(host, "::1 localhost");
}

/* name: of the profile. It is passed since a page may have loaded another profile by now. */
static void print_address(const struct sc_site *site, const char *name,
                          const struct sc_serve_options *options)
{
    FILE *stream = options->program != NULL ? stderr : stdout;
    (void)fprintf(stream, "Serving %s at http://%s:%u/%s/ (Ctrl-C %s)\n", name,
                  site->is_any_host ? "127.0.0.1" : site->host, site->port, site->token,
                  options->program != NULL ? options->program->at_interrupt : "ends it");
    (void)fflush(stream);
    if (options->host != NULL && !is_loopback(options->host))
        (void)fprintf(stderr,
                      "scalene: view: warning: other machines can reach this address; what is "
                      "sent is not encrypted, and whoever learns the address sees the program's "
                      "source and can use everything on the page\n");
}

/* What has been started to show the page. */
struct browser {
    struct redirect redirect;
    pid_t desktop;   /* as sc_browser_open has it, or 0 */
    uint64_t end_ns; /* it has failed unless the page is opened until then */
};

static void open_browser(const struct sc_site *site, const struct sc_serve_options *options,
                         struct browser *browser)
{
    struct sc_err err = {0};
    SC_AUTO_FREE char *address =
        sc_format("http://%s:%u/open/%s", site->is_any_host ? "127.0.0.1" : site->host, site->port,
                  site->one_time_token);
    browser->end_ns = sc_now_ns() + OPENED_NS;
    if (sc_browser_is_possible() && !redirect_make(&browser->redirect, address, &err)) {
        (void)fprintf(stderr, "scalene: view: no browser is opened (%s); open the address in one\n",
                      err.text);
        return;
    }
    if (browser->redirect.folder != NULL &&
        sc_browser_open(browser->redirect.url, &browser->desktop))
        return;
    if (options->is_unseen == NULL)
        (void)fprintf(stderr, "scalene: view: no graphical browser was found; open the address in "
                              "one, or use 'scalene view --cli'\n");
    browser->end_ns = 0;
    redirect_done(&browser->redirect);
}

static bool is_over(struct sc_site *site)
{
    sc_site_hold_state(site);
    bool is_over = sc_open_pages_are_gone(&site->open_pages, sc_now_ns());
    sc_site_release_state(site);
    return is_over;
}

static bool has_page(struct sc_site *site)
{
    sc_site_hold_state(site);
    bool is_open = sc_open_pages_are_open(&site->open_pages);
    sc_site_release_state(site);
    return is_open;
}

static bool was_opened(struct sc_site *site)
{
    sc_site_hold_state(site);
    bool was_opened = site->one_time_token[0] == '\0';
    sc_site_release_state(site);
    return was_opened;
}

/* Whether nothing will ask for the page any more. */
static bool has_failed(struct browser *browser, struct sc_site *site)
{
    int status = 0;
    if (browser->desktop != 0 && waitpid(browser->desktop, &status, WNOHANG) != 0)
        browser->desktop = 0;
    bool is_late = status != 0 || sc_now_ns() >= browser->end_ns;
    return is_late && !was_opened(site) && !has_page(site); /* which one may have typed in */
}

/* Whether the program runs is asked before the file is looked at, so that its last profile is shown
 * when its end is reported. Returns whether it still runs; once it does not, and its last profile
 * is shown, *is_done is set. */
static bool follow(struct sc_site *site, const struct sc_serve_options *options, bool *is_done)
{
    const struct sc_serve_program *program = options->program;
    char *ending = NULL;
    bool runs = program == NULL || program->is_running(program->context, &ending);
    bool is_shown = sc_follow_poll(options->follow, site);
    sc_site_hold_state(site);
    site->live.is_growing = runs || !is_shown;
    free(site->live.ending);
    site->live.ending = ending;
    sc_site_release_state(site);
    *is_done = !runs && is_shown;
    return runs;
}

/* The signals are blocked in every thread, so only this one takes them. */
static void wait_for_end(struct sc_site *site, const struct sc_serve_options *options,
                         const sigset_t *signals, struct browser *browser)
{
    const struct timespec look = {.tv_nsec = LOOK_NS};
    siginfo_t info;
    bool is_asked = false; /* to end as soon as the program has */
    bool is_done = options->follow == NULL;
    uint64_t end_ns = 0;
    for (;;) {
        bool was_done = is_done;
        bool runs = !is_done && follow(site, options, &is_done) && options->program != NULL;
        if (!was_done && is_done && options->program != NULL && !is_asked)
            (void)fprintf(stderr, "scalene: program %s; Ctrl-C ends the page\n",
                          site->live.ending != NULL ? site->live.ending : "ended");
        if (!runs && is_asked && end_ns == 0)
            end_ns = sc_now_ns() + (has_page(site) ? TELL_NS : 0);
        if (!runs && ((is_asked && sc_now_ns() >= end_ns) || is_over(site)))
            return;
        if (has_failed(browser, site) && options->is_unseen != NULL) {
            *options->is_unseen = true;
            return;
        }
        if (browser->redirect.folder != NULL && was_opened(site))
            redirect_done(&browser->redirect); /* it no longer leads to the page */
        if (sigtimedwait(signals, &info, &look) <= 0)
            continue;
        if (!runs)
            return;
        options->program->take_signal(options->program->context, &info);
        is_asked = is_asked || info.si_signo != SIGINT;
    }
}

static bool serve_site(struct sc_site *site, const struct sc_serve_options *options,
                       struct sc_err *err)
{
    sigset_t signals;
    sigset_t before;
    struct sc_listening listening;
    if (!sc_listen(options->host, options->port, &listening, err))
        return false;
    SC_AUTO_FREE char *host = address_host(options->host != NULL ? options->host : "127.0.0.1");
    (void)snprintf(site->host, sizeof(site->host), "%s", host);
    site->port = listening.port;
    site->is_any_host = listening.is_any_host;
    site->live.is_live = site->live.is_growing = options->follow != NULL;
    (void)sigemptyset(&signals);
    (void)sigaddset(&signals, SIGINT);
    (void)sigaddset(&signals, SIGTERM);
    if (!sc_ignores_hangup())
        (void)sigaddset(&signals, SIGHUP);
    (void)pthread_sigmask(SIG_BLOCK, &signals, &before);
    (void)signal(SIGPIPE, SIG_IGN); /* writing to a page that has closed must not end the server */
    SC_AUTO_FREE char *name =
        sc_visible(site->page->path != NULL ? site->page->path : "the profile");
    struct sc_http *http = sc_http_start(site, listening.fd, err);
    if (http != NULL) {
        struct browser browser = {0};
        print_address(site, name, options);
        if (!options->no_browser)
            open_browser(site, options, &browser);
        wait_for_end(site, options, &signals, &browser);
        redirect_done(&browser.redirect);
        sc_site_end(site);
        sc_http_stop(http);
    }
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return http != NULL;
}

bool sc_serve(struct sc_page *page, const struct sc_serve_options *options, struct sc_err *err)
{
    SC_AUTO_FREE struct sc_site *site = sc_alloc(1, sizeof(*site));
    bool is_ready = sc_site_init(site, page, options->python, err);
    bool is_served = is_ready && serve_site(site, options, err);
    if (options->is_unseen != NULL && *options->is_unseen) {
        page->is_ending = NULL;
        site->page = NULL;
    }
    if (is_ready)
        sc_site_done(site);
    return is_served;
}
