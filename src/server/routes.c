/*
 * server/routes.c - the page's own files, loading another profile, and whether a page is open.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#include "base/io.h"
#include "page/bundle.h"
#include "page/page.h"
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

void sc_route_markup(const struct sc_exchange *exchange)
{
    struct sc_site *site = exchange->site;
    sc_site_hold_state(site);
    sc_open_pages_loads(&site->open_pages, sc_now_ns());
    sc_site_release_state(site);
    give(exchange->response, SC_BUNDLE_MARKUP, "text/html; charset=utf-8");
}

void sc_route_script(const struct sc_exchange *exchange)
{
    give(exchange->response, SC_BUNDLE_SCRIPT, "text/javascript; charset=utf-8");
}

void sc_route_style(const struct sc_exchange *exchange)
{
    give(exchange->response, SC_BUNDLE_STYLE, "text/css; charset=utf-8");
}

/* The new page is made before the old one is replaced, so that other requests wait only for the
 * replacement. */
void sc_route_load(const struct sc_exchange *exchange)
{
    struct sc_profile profile = {0};
    struct sc_err err = {0};
    const struct sc_request *request = exchange->request;
    SC_AUTO_FREE char *name = sc_query_text(exchange->query, "name");
    if (!sc_profile_from_json(request->body, request->body_length, &profile, &err)) {
        sc_response_fail(exchange->response, SC_STATUS_BAD, err.text);
        return;
    }
    struct sc_page *page = sc_alloc(1, sizeof(*page));
    sc_page_init(page, &profile, name);
    sc_site_show(exchange->site, page, false);
    sc_site_ask(exchange->site, "api/overview", exchange->response);
}

/* Says which version of the profile is shown, and where it comes from. The state is held. */
static void write_state(const struct sc_site *site, struct sc_str *text)
{
    struct sc_json_out out = {.text = text, .is_compact = true};
    sc_json_begin(&out, '{');
    sc_json_count_under(&out, "version", site->version);
    if (site->live.is_live) {
        sc_json_begin_under(&out, "live", '{');
        sc_json_bool_under(&out, "is_growing", site->live.is_growing);
        sc_json_bool_under(&out, "is_paused", site->live.is_paused);
        sc_json_text_under(&out, "ending", site->live.ending);
        sc_json_text_under(&out, "trouble", site->live.trouble);
        sc_json_end(&out, '}');
    }
    sc_json_end(&out, '}');
}

/* The state is held, and is released. */
static void give_state(const struct sc_exchange *exchange)
{
    write_state(exchange->site, &exchange->response->text);
    sc_site_release_state(exchange->site);
    exchange->response->status = SC_STATUS_OK;
    exchange->response->type = SC_TYPE_JSON;
}

/* The body is the page's name. */
static void answer_page_state(const struct sc_exchange *exchange,
                              void (*say)(struct sc_open_pages *, const char *, uint64_t))
{
    sc_site_hold_state(exchange->site);
    say(&exchange->site->open_pages, exchange->request->body, sc_now_ns());
    give_state(exchange);
}

void sc_route_alive(const struct sc_exchange *exchange)
{
    answer_page_state(exchange, sc_open_pages_seen);
}

void sc_route_bye(const struct sc_exchange *exchange)
{
    answer_page_state(exchange, sc_open_pages_closed);
}

/* The body is "1" to leave the page as it is, or "0" to follow the file again. */
void sc_route_pause(const struct sc_exchange *exchange)
{
    struct sc_site_live *live = &exchange->site->live;
    sc_site_hold_state(exchange->site);
    live->is_paused = live->is_live && exchange->request->body[0] == '1';
    give_state(exchange);
}

/* The body is "1" to begin to read what must be of one profile, or "0" at its end. */
void sc_route_hold(const struct sc_exchange *exchange)
{
    bool begins = exchange->request->body[0] == '1';
    sc_site_hold_state(exchange->site);
    exchange->site->live.held_until_ns = begins ? sc_now_ns() + HOLD_NS : 0;
    give_state(exchange);
}
