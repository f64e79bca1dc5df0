/* server/redirect.c - see redirect.h. SPDX-License-Identifier: Apache-2.0 */
#include "server/redirect.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"
#include "base/own_folder.h"
#include "base/str.h"

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

bool sc_redirect_make(struct sc_redirect *redirect, const char *address, struct sc_err *err)
{
    struct sc_str url = {0};
    redirect->folder = choose_folder();
    if (redirect->folder == NULL)
        return sc_fail_errno(err, errno, "there is no private place for a file");
    SC_AUTO_FREE char *path = sc_format("%s/%s", redirect->folder, FILE_NAME);
    if (!write_page(path, address, err)) {
        sc_redirect_done(redirect);
        return false;
    }
    sc_str_add(&url, "file://");
    sc_str_add_encoded(&url, path, "/");
    redirect->url = url.data;
    return true;
}

void sc_redirect_done(struct sc_redirect *redirect)
{
    if (redirect->folder != NULL) {
        SC_AUTO_FREE char *path = sc_format("%s/%s", redirect->folder, FILE_NAME);
        (void)unlink(path);
        (void)rmdir(redirect->folder);
    }
    free(redirect->folder);
    free(redirect->url);
    *redirect = (struct sc_redirect){0};
}
