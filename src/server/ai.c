/*
 * server/ai.c - the page's questions about proposals (docs/design/0011-proposals.md).
 *
 * src/assist answers them; this file passes it the profile and makes HTTP responses of the results.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "assist/session.h"
#include "assist/settings.h"
#include "server/ai_stream.h"
#include "server/site.h"

static void give_json(struct sc_response *response)
{
    response->status = SC_STATUS_OK;
    response->type = SC_TYPE_JSON;
}

static void fail(struct sc_response *response, const struct sc_err *err)
{
    sc_str_clear(&response->text);
    sc_response_fail(response, err->kind == SC_ERR_USAGE ? SC_STATUS_BAD : SC_STATUS_FAILED,
                     err->text);
}

static void give_json_or_fail(struct sc_response *response, bool good, const struct sc_err *err)
{
    if (good)
        give_json(response);
    else
        fail(response, err);
}

/* Refuses proposals where other machines can reach the server: keys that are typed in must not be
 * sent unencrypted, and no other machine may run or change anything here. */
static bool refuses(const struct sc_site *site, struct sc_response *response)
{
    bool is_local = !site->is_any_host && sc_ai_is_loopback(site->host);
    if (!is_local)
        sc_response_fail(response, SC_STATUS_FORBIDDEN,
                         "with --host, other machines reach this page: proposals are only for the "
                         "loopback address");
    return !is_local;
}

static struct sc_ai_body body_of(const struct sc_request *request)
{
    return (struct sc_ai_body){request->body, request->body_length};
}

static const struct sc_file *find_file(void *context, size_t number)
{
    const struct sc_page *page = context;
    return number < page->report.files.count ? page->report.files.items[number].file : NULL;
}

/* The page must be held (sc_site_hold). */
static struct sc_ai_files files_of(struct sc_page *page)
{
    return (struct sc_ai_files){&page->profile, find_file, page};
}

void sc_route_ai_providers(struct sc_site *site, const struct sc_request *request,
                           const struct sc_query *query, struct sc_response *ret_response)
{
    (void)site;
    (void)request;
    (void)query;
    sc_ai_providers_json(&ret_response->text);
    give_json(ret_response);
}

void sc_route_ai_models(struct sc_site *site, const struct sc_request *request,
                        const struct sc_query *query, struct sc_response *ret_response)
{
    (void)query;
    if (refuses(site, ret_response))
        return;
    struct sc_err err = {0};
    struct sc_ai_body body = body_of(request);
    bool good = sc_ai_models_json(&body, NULL, &ret_response->text, &err);
    give_json_or_fail(ret_response, good, &err);
}

void sc_route_ai_prompt(struct sc_site *site, const struct sc_request *request,
                        const struct sc_query *query, struct sc_response *ret_response)
{
    (void)query;
    struct sc_err err = {0};
    struct sc_ai_body body = body_of(request);
    struct sc_ai_files files = files_of(sc_site_hold(site));
    bool good = sc_ai_prompt_json(&files, &body, &ret_response->text, &err);
    sc_site_release(site);
    give_json_or_fail(ret_response, good, &err);
}

void sc_route_ai_apply(struct sc_site *site, const struct sc_request *request,
                       const struct sc_query *query, struct sc_response *ret_response)
{
    (void)query;
    if (refuses(site, ret_response))
        return;
    struct sc_err err = {0};
    struct sc_ai_body body = body_of(request);
    bool good = sc_ai_apply_json(site->ai, &body, &ret_response->text, &err);
    give_json_or_fail(ret_response, good, &err);
}

static void stream(struct sc_ai_task *task, struct sc_response *response, struct sc_err *err)
{
    if (task != NULL && sc_ai_stream_start(task, &response->stream, err)) {
        response->status = SC_STATUS_OK;
        response->type = "text/event-stream";
    } else {
        fail(response, err);
    }
}

void sc_route_ai_ask(struct sc_site *site, const struct sc_request *request,
                     const struct sc_query *query, struct sc_response *ret_response)
{
    (void)query;
    if (refuses(site, ret_response))
        return;
    struct sc_err err = {0};
    struct sc_ai_body body = body_of(request);
    struct sc_ai_files files = files_of(sc_site_hold(site));
    struct sc_ai_task *task = sc_ai_task_ask(site->ai, &files, &body, &err);
    sc_site_release(site);
    stream(task, ret_response, &err);
}

void sc_route_ai_measure(struct sc_site *site, const struct sc_request *request,
                         const struct sc_query *query, struct sc_response *ret_response)
{
    (void)query;
    if (refuses(site, ret_response))
        return;
    struct sc_err err = {0};
    struct sc_ai_body body = body_of(request);
    stream(sc_ai_task_measure(site->ai, &body, &err), ret_response, &err);
}
