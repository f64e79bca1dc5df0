/* server/site.c - see site.h. SPDX-License-Identifier: Apache-2.0 */
#include "server/site.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

#include "assist/session.h"
#include "base/io.h"
#include "page/page.h"

static bool make_token(char ret_token[SC_TOKEN_LENGTH + 1], struct sc_err *err)
{
    unsigned char bytes[SC_TOKEN_LENGTH / 2];
    if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
        return sc_fail_errno(err, errno, "there are no random numbers for a safe address");
    for (size_t i = 0; i < sizeof(bytes); i++)
        (void)snprintf(ret_token + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

bool sc_site_init(struct sc_site *site, struct sc_page *page, const char *python,
                  struct sc_err *err)
{
    *site = (struct sc_site){.page = page, .version = 1, .ai = sc_ai_session_new(python)};
    page->is_ending = &site->is_ending;
    (void)pthread_mutex_init(&site->lock, NULL);
    (void)pthread_mutex_init(&site->state_lock, NULL);
    if (make_token(site->token, err) && make_token(site->one_time_token, err))
        return true;
    sc_site_done(site);
    return false;
}

void sc_site_done(struct sc_site *site)
{
    if (site->page != NULL)
        sc_page_done(site->page);
    free(site->page);
    site->page = NULL;
    sc_ai_session_free(site->ai);
    site->ai = NULL;
    free(site->live.ending);
    free(site->live.trouble);
    (void)pthread_mutex_destroy(&site->lock);
    (void)pthread_mutex_destroy(&site->state_lock);
}

void sc_site_end(struct sc_site *site)
{
    site->is_ending = true;
}

struct sc_page *sc_site_hold(struct sc_site *site)
{
    (void)pthread_mutex_lock(&site->lock);
    return site->page;
}

void sc_site_release(struct sc_site *site)
{
    (void)pthread_mutex_unlock(&site->lock);
}

void sc_site_hold_state(struct sc_site *site)
{
    (void)pthread_mutex_lock(&site->state_lock);
}

void sc_site_release_state(struct sc_site *site)
{
    (void)pthread_mutex_unlock(&site->state_lock);
}

bool sc_site_keeps(const struct sc_site *site)
{
    return site->live.is_paused || sc_now_ns() < site->live.held_until_ns;
}

bool sc_site_show(struct sc_site *site, struct sc_page *page, bool is_followed)
{
    SC_AUTO_FREE struct sc_page *left = sc_site_hold(site);
    sc_site_hold_state(site);
    bool is_shown = !is_followed || (site->live.is_live && !sc_site_keeps(site));
    if (!is_shown) {
        left = page;
    } else {
        site->page = page;
        page->is_ending = &site->is_ending;
        site->version++;
        site->live.is_live = site->live.is_live && is_followed;
        if (!is_followed)
            site->live.is_paused = false; /* there is nothing to go on with */
    }
    sc_site_release_state(site);
    sc_site_release(site);
    sc_page_done(left);
    return is_shown;
}

void sc_site_ask(struct sc_site *site, const char *question, struct sc_response *response)
{
    struct sc_err err = {0};
    struct sc_page *page = sc_site_hold(site);
    enum sc_answer status = sc_page_ask(page, question, &response->text, &err);
    response->version = site->version;
    sc_site_release(site);
    if (status == SC_ANSWER_OK) {
        response->status = SC_STATUS_OK;
        response->type = SC_TYPE_JSON;
    } else {
        sc_response_fail(response, (enum sc_status)status, err.text);
    }
}
