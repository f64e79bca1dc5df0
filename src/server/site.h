/*
 * server/site.h - what is served: a profile's page under a token. No sockets here.
 *
 * Safe for several threads at a time. The page may be replaced by another while requests are
 * answered; a thread holds the lock while it uses the page. An answer may take long (sources are
 * read from a slow disk), so what pages say of themselves, and what the main thread asks five times
 * a second, has a lock of its own.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>

#include "base/err.h"
#include "page/page.h"
#include "server/open_pages.h"
#include "server/request.h"

#define SC_TOKEN_LENGTH 32 /* hexadecimal digits: 128 bits */

/* A profile whose file is written again and again while the page shows it (follow.h). */
struct sc_site_live {
    bool is_live;           /* the file is followed; false after another profile was opened */
    bool is_growing;        /* its file may still be written */
    bool is_paused;         /* the page stays as it is */
    uint64_t held_until_ns; /* a page reads answers that must be of one profile; 0: none does */
    char *ending;  /* how the program ended, in words; NULL while that is not known. Owned */
    char *trouble; /* why the newest profile is not shown, in a sentence; NULL: it is. Owned */
};

/* The state of the server. */
struct sc_site {
    pthread_mutex_t lock;       /* for page */
    pthread_mutex_t state_lock; /* for version, live, open_pages and one_time_token. Taken last: who
                                   holds it waits for nothing. version changes under both */
    struct sc_page *page;
    uint64_t version; /* how many pages were shown. Files have other numbers in each, so answers say
                         which they are from */
    struct sc_site_live live;
    struct sc_ai_session *ai; /* the proposals that services have made; assist/session.h */
    struct sc_open_pages open_pages;
    char token[SC_TOKEN_LENGTH + 1]; /* all addresses begin with it */
    char
        one_time_token[SC_TOKEN_LENGTH + 1]; /* leads to the address once, then it is "": the file
                                         that a browser is opened with may be kept in its history */
    char host[256];                          /* the name or number the server is bound to */
    unsigned port;
    _Atomic bool is_ending; /* the server ends: answers may be cut short */
    bool is_any_host;       /* bound to every address of the machine */
};

/* Takes the page over, which is allocated with sc_alloc; python is that of sc_ai_session_new. Fails
 * when there is no randomness. */
bool sc_site_init(struct sc_site *site, struct sc_page *page, const char *python,
                  struct sc_err *err);
void sc_site_done(struct sc_site *site);

/* The server is about to end: an answer that reads sources is soon done. */
void sc_site_end(struct sc_site *site);

/* The page, locked for the caller until sc_site_release. */
struct sc_page *sc_site_hold(struct sc_site *site);
void sc_site_release(struct sc_site *site);

/* Locks the rest of what changes. */
void sc_site_hold_state(struct sc_site *site);
void sc_site_release_state(struct sc_site *site);

/* Whether a newer profile of the followed file must not be shown now. The state is held. */
bool sc_site_keeps(const struct sc_site *site);

/* Puts another page in the place of the old one and frees that. Questions that are being answered
 * end first. A page of the followed file is shown only while it is followed and not kept, and is
 * freed otherwise, which false says; any other ends the following. */
bool sc_site_show(struct sc_site *site, struct sc_page *page, bool is_followed);

/* Answers a question from the page and says which version of it that is. */
void sc_site_ask(struct sc_site *site, const char *question, struct sc_response *response);

/* How many bytes the body of such a request may have; 0 when it may have none. Looks at method and
 * target alone. */
size_t sc_site_body_limit(const struct sc_site *site, const struct sc_request *request);

/* Whether the request may be answered at all: its host, its origin, its token, its path and its
 * method. If not, the response says so. Does not look at the body. */
bool sc_site_admits(struct sc_site *site, const struct sc_request *request,
                    struct sc_response *ret_response);

/* Answers any request, admitted or not. */
void sc_site_answer(struct sc_site *site, const struct sc_request *request,
                    struct sc_response *ret_response);

/* What a function of routes.def gets, and the response that it makes. */
struct sc_exchange {
    struct sc_site *site;
    const struct sc_request *request;
    const struct sc_query *query; /* its path is that behind the token */
    struct sc_response *response;
};

typedef void sc_route(const struct sc_exchange *exchange);
#define ROUTE(method, path, body_limit_bytes, function) sc_route function;
#include "server/routes.def"
#undef ROUTE
