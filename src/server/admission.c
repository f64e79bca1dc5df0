/*
 * server/admission.c - finds the function that answers a request, after the checks that keep
 * strangers out.
 *
 * Connections of other users of the machine are closed before this (acceptor.h). The token keeps
 * out pages of other sites in this user's browser, and other machines where the server can be
 * reached from one. Host and Origin are checked as well, so that a page of another site that gets
 * to know the address still cannot use it: a request by a foreign name that resolves to this
 * machine has another Host, a script of another page another Origin. Paths are compared as they
 * were sent: nothing is decoded, and nothing is looked up in a directory.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "server/site.h"

static const struct route {
    const char *method;
    const char *path;
    size_t body_limit;
    sc_route *answer; /* NULL: a question to the page */
} routes[] = {
#define ROUTE(method, path, body_limit_bytes, function) {method, path, body_limit_bytes, function},
#include "server/routes.def"
#undef ROUTE
#define QUESTION(path, function) {"GET", path, 0, NULL},
#include "page/questions.def"
#undef QUESTION
};

/* Takes as long for any two texts: the time does not show how much of a token was right. */
static bool equal_tokens(const char *given, const char *token)
{
    unsigned difference = 0;
    for (size_t i = 0; i < SC_TOKEN_LENGTH; i++)
        difference |= (unsigned)(given[i] ^ token[i]);
    return difference == 0;
}

/* What stands behind "/TOKEN/", or NULL. */
static const char *behind_token(const struct sc_site *site, const char *target)
{
    if (strlen(target) < 2 + SC_TOKEN_LENGTH || target[0] != '/' ||
        target[1 + SC_TOKEN_LENGTH] != '/' || !equal_tokens(target + 1, site->token))
        return NULL;
    return target + 2 + SC_TOKEN_LENGTH;
}

static bool is_address(const char *host)
{
    unsigned char address[16];
    size_t length = strlen(host);
    if (inet_pton(AF_INET, host, address) == 1)
        return true;
    if (length < 3 || host[0] != '[' || host[length - 1] != ']')
        return false;
    SC_AUTO_FREE char *inner = sc_strndup(host + 1, length - 2);
    return inet_pton(AF_INET6, inner, address) == 1;
}

/* A name of this machine's loopback address, or the one that the server listens on. Where it
 * listens on every address, any numeric one is accepted: only foreign names must be kept out. */
static bool is_own_name(const struct sc_site *site, const char *name)
{
    return strcmp(name, "127.0.0.1") == 0 || strcasecmp(name, "localhost") == 0 ||
           strcasecmp(name, site->host) == 0 || (site->is_any_host && is_address(name));
}

/* "name:port" with the server's port. */
static bool is_own_host(const struct sc_site *site, const char *host)
{
    char port[16];
    (void)snprintf(port, sizeof(port), ":%u", site->port);
    size_t length = strlen(host);
    size_t port_length = strlen(port);
    if (!sc_ends_with(host, port))
        return site->port == 80 && is_own_name(site, host);
    SC_AUTO_FREE char *name = sc_strndup(host, length - port_length);
    return is_own_name(site, name);
}

static bool is_own_origin(const struct sc_site *site, const char *origin)
{
    return sc_starts_with(origin, "http://") && is_own_host(site, origin + strlen("http://"));
}

/* The methods allowed for an address are those of its routes; HEAD is a GET without a body. */
static const struct route *find_route(const struct sc_query *query, const char *method,
                                      const char **ret_allow)
{
    *ret_allow = NULL;
    for (size_t i = 0; i < sizeof(routes) / sizeof(routes[0]); i++) {
        if (!sc_query_path_is(query, routes[i].path))
            continue;
        bool is_get = strcmp(routes[i].method, "GET") == 0;
        if (strcmp(method, routes[i].method) == 0 || (is_get && strcmp(method, "HEAD") == 0))
            return &routes[i];
        *ret_allow = is_get ? "GET, HEAD" : routes[i].method;
    }
    return NULL;
}

size_t sc_site_body_limit(const struct sc_site *site, const struct sc_request *request)
{
    const char *allow;
    const char *rest = behind_token(site, request->target);
    if (rest == NULL)
        return 0;
    struct sc_query query = sc_query_read(rest);
    const struct route *route = find_route(&query, request->method, &allow);
    return route != NULL ? route->body_limit : 0;
}

/* "/open/..." leads to the address, once. */
static bool is_open_address(struct sc_site *site, const char *target)
{
    static const char prefix[] = "/open/";
    size_t length = sizeof(prefix) - 1;
    if (!sc_starts_with(target, prefix) || strlen(target) != length + SC_TOKEN_LENGTH)
        return false;
    sc_site_hold_state(site);
    bool is_right =
        site->one_time_token[0] != '\0' && equal_tokens(target + length, site->one_time_token);
    if (is_right)
        site->one_time_token[0] = '\0';
    sc_site_release_state(site);
    return is_right;
}

static bool check_origin(const struct sc_site *site, const struct sc_request *request,
                         struct sc_response *response)
{
    bool is_own = request->host != NULL && is_own_host(site, request->host) &&
                  (request->origin == NULL || is_own_origin(site, request->origin));
    if (!is_own)
        sc_response_fail(response, SC_STATUS_FORBIDDEN,
                         "this address is not for pages of other sites");
    return is_own;
}

static const struct route *admit(struct sc_site *site, const struct sc_request *request,
                                 struct sc_query *ret_query, struct sc_response *response)
{
    const char *allow;
    if (!check_origin(site, request, response))
        return NULL;
    const char *rest = behind_token(site, request->target);
    if (rest == NULL) {
        sc_response_fail(response, SC_STATUS_FORBIDDEN,
                         "the address lacks the token that 'scalene view' has printed");
        return NULL;
    }
    *ret_query = sc_query_read(rest);
    const struct route *route = find_route(ret_query, request->method, &allow);
    if (route == NULL && allow != NULL) {
        sc_response_fail(response, SC_STATUS_METHOD, "this address has another method");
        response->allow = allow;
    } else if (route == NULL) {
        sc_response_fail(response, SC_STATUS_MISSING, "there is nothing at this address");
    }
    return route;
}

bool sc_site_admits(struct sc_site *site, const struct sc_request *request,
                    struct sc_response *ret_response)
{
    struct sc_query query;
    if (sc_starts_with(request->target, "/open/"))
        return true;
    return admit(site, request, &query, ret_response) != NULL;
}

void sc_site_answer(struct sc_site *site, const struct sc_request *request,
                    struct sc_response *ret_response)
{
    struct sc_query query;
    if (check_origin(site, request, ret_response) && strcmp(request->method, "GET") == 0 &&
        is_open_address(site, request->target)) {
        ret_response->status = SC_STATUS_SEE_OTHER;
        ret_response->type = "text/plain";
        ret_response->location = sc_format("/%s/", site->token);
        return;
    }
    const struct route *route = admit(site, request, &query, ret_response);
    if (route == NULL)
        return;
    if (request->body_length > route->body_limit)
        sc_response_fail(ret_response, SC_STATUS_TOO_LARGE, "that is more than can be taken");
    else if (route->answer != NULL)
        route->answer(&(struct sc_exchange){site, request, &query, ret_response});
    else
        sc_site_ask(site, query.path, ret_response);
}
