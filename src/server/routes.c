/*
 * server/routes.c - the page's own files, loading another profile, and whether a page is open.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#include "base/io.h"
#include "page/ask.h"
#include "page/bundle.h"
#include "server/site.h"

/* A page that has vanished while it read holds up the others no longer than that. */
#define HOLD_NS UINT64_C(60000000000)

static void give(struct sc_response *response, enum sc_bundle_id id, const char *type)
{
    response->status = SC_STATUS_OK;
    response->type = type;
    response->bytes = sc_bundle[id].bytes;
    response->length = sc_bundle[id].length;
}

void sc_route_markup(struct sc_site *site, const struct sc_request *request,
                     const struct sc_query *query, struct sc_response *ret_response)
{
    (void)request;
    (void)query;
    sc_site_hold_state(site);
    sc_open_pages_loads(&site->open_pages, sc_now_ns());
    sc_site_release_state(site);
    give(ret_response, SC_BUNDLE_MARKUP, "text/html; charset=utf-8");
}

void sc_route_script(struct sc_site *site, const struct sc_request *request,
                     const struct sc_query *query, struct sc_response *ret_response)
{
    (void)site;
    (void)request;
    (void)query;
    give(ret_response, SC_BUNDLE_SCRIPT, "text/javascript; charset=utf-8");
}

void sc_route_style(struct sc_site *site, const struct sc_request *request,
                    const struct sc_query *query, struct sc_response *ret_response)
{
    (void)site;
    (void)request;
    (void)query;
    give(ret_response, SC_BUNDLE_STYLE, "text/css; charset=utf-8");
}

/* The new page is made before the old one is replaced, so that other requests wait only for the
 * replacement. */
void sc_route_load(struct sc_site *site, const struct sc_request *request,
                   const struct sc_query *query, struct sc_response *ret_response)
{
    struct sc_profile profile = {0};
    struct sc_err err = {0};
    SC_AUTO_FREE char *name = sc_query_text(query, "name");
    if (!sc_profile_from_json(request->body, request->body_length, &profile, &err)) {
        sc_response_fail(ret_response, SC_STATUS_BAD, err.text);
        return;
    }
    struct sc_page *page = sc_alloc(1, sizeof(*page));
    sc_page_init(page, &profile, name);
    sc_site_show(site, page, false);
    sc_site_ask(site, "api/overview", ret_response);
}

/* Says which version of the profile is shown, and where it comes from. The state is held. */
static void write_state(const struct sc_site *site, struct sc_str *text)
{
    struct sc_json_out out = {.text = text, .is_compact = true};
    sc_json_begin(&out, '{');
    sc_json_key(&out, "version");
    sc_json_count(&out, site->version);
    if (site->live.is_live) {
        sc_json_begin_under(&out, "live", '{');
        sc_json_key(&out, "is_growing");
        sc_json_bool(&out, site->live.is_growing);
        sc_json_key(&out, "is_paused");
        sc_json_bool(&out, site->live.is_paused);
        sc_json_text_under(&out, "ending", site->live.ending);
        sc_json_text_under(&out, "trouble", site->live.trouble);
        sc_json_end(&out, '}');
    }
    sc_json_end(&out, '}');
}

/* The state is held, and is released. */
static void give_state(struct sc_site *site, struct sc_response *response)
{
    write_state(site, &response->text);
    sc_site_release_state(site);
    response->status = SC_STATUS_OK;
    response->type = SC_TYPE_JSON;
}

/* The body is the page's name. */
static void answer_page_state(struct sc_site *site, const struct sc_request *request,
                              void (*say)(struct sc_open_pages *, const char *, uint64_t),
                              struct sc_response *response)
{
    sc_site_hold_state(site);
    say(&site->open_pages, request->body, sc_now_ns());
    give_state(site, response);
}

void sc_route_alive(struct sc_site *site, const struct sc_request *request,
                    const struct sc_query *query, struct sc_response *ret_response)
{
    (void)query;
    answer_page_state(site, request, sc_open_pages_seen, ret_response);
}

void sc_route_bye(struct sc_site *site, const struct sc_request *request,
                  const struct sc_query *query, struct sc_response *ret_response)
{
    (void)query;
    answer_page_state(site, request, sc_open_pages_closed, ret_response);
}

/* The body is "1" to leave the page as it is, or "0" to follow the file again. */
void sc_route_pause(struct sc_site *site, const struct sc_request *request,
                    const struct sc_query *query, struct sc_response *ret_response)
{
    (void)query;
    sc_site_hold_state(site);
    site->live.is_paused = site->live.is_live && request->body[0] == '1';
    give_state(site, ret_response);
}

/* The body is "1" to begin to read what must be of one profile, or "0" at its end. */
void sc_route_hold(struct sc_site *site, const struct sc_request *request,
                   const struct sc_query *query, struct sc_response *ret_response)
{
    (void)query;
    sc_site_hold_state(site);
    site->live.held_until_ns = request->body[0] == '1' ? sc_now_ns() + HOLD_NS : 0;
    give_state(site, ret_response);
}
