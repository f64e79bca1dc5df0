/*
 * cli/cmd_view_page.c - `scalene view` in the browser, and as a file for it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "assist/keys.h"
#include "base/io.h"
#include "cli/cmd_view.h"
#include "cli/interpreter.h"
#include "page/page.h"
#include "page/standalone.h"
#include "server/serve.h"

static bool write_page(struct sc_page *page, struct sc_err *err)
{
    struct sc_str html = {0};
    sc_page_standalone(page, SC_PAGE_FILE, &html);
    bool is_written = sc_write_private_file(SC_DEFAULT_PAGE, html.data, html.length, err);
    if (is_written)
        (void)printf("Profile saved to %s\n", SC_DEFAULT_PAGE);
    sc_str_done(&html);
    return is_written;
}

static bool print_page(struct sc_page *page, struct sc_err *err)
{
    struct sc_str html = {0};
    sc_page_standalone(page, SC_PAGE_NOTEBOOK, &html);
    bool is_written =
        fwrite(html.data, 1, html.length, stdout) == html.length && fflush(stdout) == 0;
    if (!is_written)
        (void)sc_fail(err, SC_ERR_FAILED, "the page cannot be written: %s", strerror(errno));
    sc_str_done(&html);
    return is_written;
}

/* As with the original, "demo" is a page that waits for a profile to be dropped on it. */
static bool is_demo(const char *path)
{
    return strcmp(path, "demo") == 0 && access(path, F_OK) != 0;
}

bool sc_view_page(const struct sc_view_options *options, struct sc_err *err)
{
    const char *path = options->file != NULL ? options->file : SC_DEFAULT_PROFILE;
    struct sc_profile profile = {0};
    sc_ai_shut_process();
    bool is_shown = false;
    if (is_demo(path))
        path = NULL;
    else if (!sc_view_load(path, &profile, err))
        return false;
    struct sc_page *page = sc_alloc(1, sizeof(*page));
    sc_page_init(page, &profile, path);
    if (options->html || options->standalone || options->notebook) {
        is_shown = options->notebook ? print_page(page, err) : write_page(page, err);
        sc_page_done(page);
        free(page);
    } else {
        SC_AUTO_FREE char *python = sc_interpreter_find(NULL, NULL);
        struct sc_serve_options serve = {.host = options->host,
                                         .port = options->port,
                                         .no_browser = options->no_browser,
                                         .python = python};
        is_shown = sc_serve(page, &serve, err);
    }
    return is_shown;
}
