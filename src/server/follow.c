/* server/follow.c - see follow.h. SPDX-License-Identifier: Apache-2.0 */
#include "server/follow.h"

#include <errno.h>
#include <stdlib.h>

#include "base/io.h"
#include "page/page.h"

void sc_follow_init(struct sc_follow *follow, const char *path)
{
    *follow = (struct sc_follow){.path = path};
    (void)stat(path, &follow->seen);
}

static bool is_same_time(const struct timespec *one, const struct timespec *other)
{
    return one->tv_sec == other->tv_sec && one->tv_nsec == other->tv_nsec;
}

static bool is_same_file(const struct stat *one, const struct stat *other)
{
    return one->st_dev == other->st_dev && one->st_ino == other->st_ino &&
           one->st_size == other->st_size && is_same_time(&one->st_mtim, &other->st_mtim) &&
           is_same_time(&one->st_ctim, &other->st_ctim);
}

enum sc_followed sc_follow_read(struct sc_follow *follow, struct sc_profile *ret_profile,
                                struct sc_err *err)
{
    struct stat now = {0};
    SC_AUTO(sc_str_done) struct sc_str bytes = {0};
    bool is_there = stat(follow->path, &now) == 0;
    int code = errno;
    if (is_same_file(&now, &follow->seen))
        return SC_FOLLOWED_SAME;
    follow->seen = now; /* before it is read: what is written meanwhile is new again */
    if (!is_there)
        (void)sc_fail_errno(err, code, "'%s' is no longer there", follow->path);
    bool is_read = is_there &&
                   sc_read_regular_file(follow->path, SC_PROFILE_BYTES_MAX, &bytes, err) &&
                   sc_profile_from_json(sc_str_text(&bytes), bytes.length, ret_profile, err);
    return is_read ? SC_FOLLOWED_NEW : SC_FOLLOWED_NOT;
}

static void note_trouble(struct sc_site *site, const char *trouble)
{
    sc_site_hold_state(site);
    free(site->live.trouble);
    site->live.trouble = trouble != NULL ? sc_strdup(trouble) : NULL;
    sc_site_release_state(site);
}

bool sc_follow_poll(struct sc_follow *follow, struct sc_site *site)
{
    struct sc_profile profile = {0};
    struct sc_err err = {0};
    sc_site_hold_state(site);
    bool is_kept = sc_site_keeps(site);
    bool is_wanted = site->live.is_live && !is_kept;
    sc_site_release_state(site);
    if (!is_wanted)
        return !is_kept;
    switch (sc_follow_read(follow, &profile, &err)) {
    case SC_FOLLOWED_SAME:
        break;
    case SC_FOLLOWED_NOT:
        note_trouble(site, err.text);
        break;
    case SC_FOLLOWED_NEW: {
        struct sc_page *page = sc_alloc(1, sizeof(*page));
        sc_page_init(page, &profile, follow->path);
        note_trouble(site, NULL);
        if (!sc_site_show(site, page, true)) {
            follow->seen = (struct stat){0}; /* it is read again when it may be shown */
            return false;
        }
    }
    }
    return true;
}
