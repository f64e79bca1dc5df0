/*
 * tests/unit/site_test.c - who is answered and who is not, without a socket.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "server/site.h"

#include "page/page.h"
#include "report_fixture.h"
#include "sc_test.h"

static void site_init(struct sc_site *site)
{
    struct sc_profile profile = {.elapsed_s = 1.0};
    struct sc_err err = {0};
    (void)fixture_line(fixture_file(&profile, "/w/a.py"), "x = 1\n", 50, 0, 0);
    struct sc_page *page = sc_alloc(1, sizeof(*page));
    sc_page_init(page, &profile, NULL);
    assert_true(sc_site_init(site, page, NULL, &err));
    (void)strcpy(site->host, "127.0.0.1");
    site->port = 11235;
}

/* Where T of the target stands for the token. The status, the body in ret_text. */
static int ask(struct sc_site *site, const char *method, const char *target, const char *host,
               const char *origin, const char *body, struct sc_str *ret_text)
{
    struct sc_str whole = {0};
    struct sc_response response = {0};
    sc_str_add(&whole, "");
    for (const char *at = target; *at != '\0'; at++) {
        if (*at == 'T')
            sc_str_add(&whole, site->token);
        else
            sc_str_add_char(&whole, *at);
    }
    struct sc_request request = {method, whole.data, host, origin, body, strlen(body)};
    sc_site_answer(site, &request, &response);
    struct sc_response admitted = {0};
    bool admits = sc_site_admits(site, &request, &admitted);
    if (admits)
        assert_int_equal(admitted.status, 0);
    else /* whoever is not let in for the headers alone is not answered later either */
        assert_int_equal(admitted.status, response.status);
    int status = (int)response.status;
    assert_non_null(response.type);
    if (response.status == SC_STATUS_METHOD)
        assert_non_null(response.allow);
    if (ret_text != NULL)
        sc_str_add_bytes(ret_text, response.bytes != NULL ? response.bytes : response.text.data,
                         response.bytes != NULL ? response.length : response.text.length);
    sc_response_done(&admitted);
    sc_response_done(&response);
    sc_str_done(&whole);
    return status;
}

static int get(struct sc_site *site, const char *target)
{
    return ask(site, "GET", target, "127.0.0.1:11235", NULL, "", NULL);
}

TEST(the_token_opens_and_nothing_else)
{
    OWN(sc_site, site);
    site_init(&site);
    assert_int_equal(strlen(site.token), SC_TOKEN_LENGTH);
    assert_int_equal(strspn(site.token, "0123456789abcdef"), SC_TOKEN_LENGTH);
    assert_string_not_equal(site.token, site.one_time_token);
    assert_int_equal(get(&site, "/T/"), 200);
    assert_int_equal(get(&site, "/T/?a=b"), 200);
    assert_int_equal(get(&site, "/T/app.js"), 200);
    assert_int_equal(get(&site, "/T/app.css"), 200);
    assert_int_equal(get(&site, "/T/api/overview"), 200);
    static const char *const strangers[] =
        ROW("", "/", "//", "*", "/api/overview", "/TT/", "/T", "/t/", "T/", "/app.js", "/open/",
            "/open/T", "/open/T/", "http://127.0.0.1:11235/T/",
            "/00000000000000000000000000000000/", "/0000000000000000000000000000000/");
    for (size_t i = 0; i < sizeof(strangers) / sizeof(strangers[0]); i++)
        assert_int_equal(get(&site, strangers[i]), 403);
    site.token[31] = site.token[31] == '0' ? '1' : '0';
    OWN(sc_str, almost) = {0};
    sc_str_add_format(&almost, "/%s/", site.token);
    site.token[31] = site.token[31] == '0' ? '2' : '0';
    assert_int_equal(get(&site, almost.data), 403);
}

TEST(paths_are_taken_as_they_come)
{
    OWN(sc_site, site);
    site_init(&site);
    static const char *const tricks[] = LIST(
        "/T/..", "/T/../", "/T/../../etc/passwd", "/T/%2e%2e/app.js", "/T//app.js", "/T/./app.js",
        "/T/app.js/", "/T/app.js%00", "/T/api%2foverview", "/T/API/overview", "/T/api/overview;x",
        "/T/app.js#x", "/T//etc/passwd", "/T/index.html", "/T/favicon.ico", "/T/api/file/..");
    for (size_t i = 0; i < sizeof(tricks) / sizeof(tricks[0]); i++)
        assert_int_equal(get(&site, tricks[i]), 404);
}

TEST(hosts_and_origins_of_others_are_refused)
{
    OWN(sc_site, site);
    site_init(&site);
    static const char *const own[] = {"127.0.0.1:11235", "localhost:11235", "LocalHost:11235"};
    static const char *const foreign[] =
        ROW("", "evil.example:11235", "127.0.0.1:80", "127.0.0.1", "localhost", ":11235",
            "127.0.0.1:11235:11235", "127.0.0.1:112350", "127.0.0.2:11235", "evil.example",
            "localhost.evil.example:11235", "[::1]:11235", "127.0.0.1.evil.example:11235",
            "127.0.0.1:11235 ");
    for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
        SC_AUTO_FREE char *origin = sc_format("http://%s", own[i]);
        assert_int_equal(ask(&site, "GET", "/T/", own[i], NULL, "", NULL), 200);
        assert_int_equal(ask(&site, "POST", "/T/api/alive", own[i], origin, "", NULL), 200);
    }
    for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++) {
        SC_AUTO_FREE char *origin = sc_format("http://%s", foreign[i]);
        assert_int_equal(ask(&site, "GET", "/T/", foreign[i], NULL, "", NULL), 403);
        assert_int_equal(ask(&site, "GET", "/T/", own[0], origin, "", NULL), 403);
    }
    assert_int_equal(ask(&site, "GET", "/T/", NULL, NULL, "", NULL), 403);
    assert_int_equal(ask(&site, "GET", "/T/", own[0], "null", "", NULL), 403);
    assert_int_equal(ask(&site, "GET", "/T/", own[0], "https://127.0.0.1:11235", "", NULL), 403);
    assert_int_equal(ask(&site, "GET", "/T/", own[0], "", "", NULL), 403);
}

TEST(every_address_is_known_by_its_number_alone)
{
    OWN(sc_site, site);
    site_init(&site);
    (void)strcpy(site.host, "0.0.0.0");
    site.is_any_host = true;
    assert_int_equal(ask(&site, "GET", "/T/", "192.0.2.7:11235", NULL, "", NULL), 200);
    assert_int_equal(ask(&site, "GET", "/T/", "[2001:db8::1]:11235", NULL, "", NULL), 200);
    assert_int_equal(ask(&site, "GET", "/T/", "evil.example:11235", NULL, "", NULL), 403);
    assert_int_equal(ask(&site, "GET", "/T/", "[evil]:11235", NULL, "", NULL), 403);
    site.port = 80;
    assert_int_equal(ask(&site, "GET", "/T/", "192.0.2.7", NULL, "", NULL), 200);
}

TEST(methods_belong_to_addresses)
{
    OWN(sc_site, site);
    site_init(&site);
    static const char *const methods[] = {"PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "get", ""};
    for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
        assert_int_equal(ask(&site, methods[i], "/T/", "localhost:11235", NULL, "", NULL), 405);
        assert_int_equal(ask(&site, methods[i], "/T/api/load", "localhost:11235", NULL, "", NULL),
                         405);
    }
    assert_int_equal(ask(&site, "HEAD", "/T/", "localhost:11235", NULL, "", NULL), 200);
    assert_int_equal(ask(&site, "POST", "/T/api/overview", "localhost:11235", NULL, "", NULL), 405);
    assert_int_equal(ask(&site, "GET", "/T/api/load", "localhost:11235", NULL, "", NULL), 405);
}

TEST(bodies_have_limits)
{
    OWN(sc_site, site);
    site_init(&site);
    SC_AUTO_FREE char *body = sc_alloc(1026, 1);
    memset(body, 'x', 1025);
    assert_int_equal(ask(&site, "POST", "/T/api/alive", "localhost:11235", NULL, body, NULL), 413);
    assert_int_equal(ask(&site, "GET", "/T/", "localhost:11235", NULL, "x", NULL), 413);
    body[1024] = '\0';
    assert_int_equal(ask(&site, "POST", "/T/api/alive", "localhost:11235", NULL, body, NULL), 200);
}

#define SECOND UINT64_C(1000000000)
#define HOUR   (3600 * SECOND)

TEST(signs_of_life_do_not_wait_for_answers)
{
    OWN(sc_site, site);
    static const char *const signs[] = {"alive", "bye", "pause", "hold"};
    site_init(&site);
    (void)sc_site_hold(
        &site); /* as while an answer is made; a sign that waited would do so for ever */
    for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
        SC_AUTO_FREE char *target = sc_format("/T/api/%s", signs[i]);
        assert_int_equal(ask(&site, "POST", target, "127.0.0.1:11235", NULL, "1", NULL), 200);
    }
    sc_site_release(&site);
}

static bool shows_another(struct sc_site *site)
{
    struct sc_profile profile = {0};
    struct sc_page *page = sc_alloc(1, sizeof(*page));
    sc_page_init(page, &profile, NULL);
    return sc_site_show(site, page, true);
}

TEST(a_profile_that_is_paused_or_read_by_a_page_stays)
{
    OWN(sc_site, site);
    site_init(&site);
    site.live.is_live = site.live.is_paused = true;
    assert_false(shows_another(&site));
    site.live.is_paused = false;
    site.live.held_until_ns = UINT64_MAX;
    assert_false(shows_another(&site));
    site.live.held_until_ns = 1; /* is over, though the page has not said so */
    assert_true(shows_another(&site));
}

TEST(sources_are_not_read_for_a_server_that_ends)
{
    OWN(sc_site, site);
    OWN(sc_str, before) = {0};
    OWN(sc_str, after) = {0};
    struct sc_profile profile = {.elapsed_s = 1.0};
    char source[] = "/tmp/sc-site-test-XXXXXX";
    int fd = mkstemp(source);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "y = 2\n", 6), 6);
    (void)close(fd);
    (void)fixture_line(fixture_file(&profile, source), "x = 1\n", 50, 0, 0);
    struct sc_page *page = sc_alloc(1, sizeof(*page));
    sc_page_init(page, &profile, NULL);
    site_init(&site);
    assert_true(sc_site_show(&site, page, false));
    (void)ask(&site, "GET", "/T/api/overview", "127.0.0.1:11235", NULL, "", &before);
    assert_non_null(strstr(before.data, "\"stale\":true"));
    sc_site_end(&site);
    (void)ask(&site, "GET", "/T/api/overview", "127.0.0.1:11235", NULL, "", &after);
    assert_null(strstr(after.data, "\"stale\""));
    (void)unlink(source);
}

TEST(life_ends_with_the_last_page)
{
    struct sc_open_pages open_pages = {0};
    assert_false(sc_open_pages_are_gone(&open_pages, 1000 * SECOND));
    sc_open_pages_closed(&open_pages, "a", 1000 * SECOND);
    assert_false(sc_open_pages_are_gone(&open_pages, 2000 * SECOND));
    sc_open_pages_seen(&open_pages, "a", 2000 * SECOND);
    sc_open_pages_seen(&open_pages, "b", 2001 * SECOND);
    sc_open_pages_closed(&open_pages, "a", 2002 * SECOND);
    assert_false(sc_open_pages_are_gone(&open_pages, 2100 * SECOND));
    sc_open_pages_closed(&open_pages, "b", 2100 * SECOND);
    assert_false(sc_open_pages_are_gone(&open_pages, 2101 * SECOND));
    /* loaded anew in time */
    sc_open_pages_seen(&open_pages, "c", 2102 * SECOND);
    assert_false(sc_open_pages_are_gone(&open_pages, 2110 * SECOND));
    sc_open_pages_closed(&open_pages, "c", 2110 * SECOND);
    assert_true(sc_open_pages_are_gone(&open_pages, 2114 * SECOND));
}

TEST(a_page_that_loads_slowly_is_waited_for)
{
    struct sc_open_pages open_pages = {0};
    sc_open_pages_seen(&open_pages, "a", 10 * SECOND);
    sc_open_pages_loads(&open_pages, 20 * SECOND); /* may come before the old page's "bye" */
    sc_open_pages_closed(&open_pages, "a", 21 * SECOND);
    assert_false(sc_open_pages_are_gone(&open_pages, 60 * SECOND));
    assert_true(sc_open_pages_are_gone(&open_pages, 81 * SECOND));
    sc_open_pages_loads(&open_pages, 90 * SECOND);
    sc_open_pages_seen(&open_pages, "b", 100 * SECOND); /* it is there */
    sc_open_pages_closed(&open_pages, "b", 101 * SECOND);
    assert_true(sc_open_pages_are_gone(&open_pages, 105 * SECOND));
}

TEST(silent_pages_are_given_up)
{
    struct sc_open_pages open_pages = {0};
    sc_open_pages_seen(&open_pages, "", 10 * SECOND);
    sc_open_pages_seen(&open_pages, "", 80 * SECOND);
    assert_false(sc_open_pages_are_gone(&open_pages, 10 * HOUR)); /* a laptop that was closed */
    assert_true(sc_open_pages_are_gone(&open_pages, 24 * HOUR + 80 * SECOND));
    /* pages without names are one */
    sc_open_pages_seen(&open_pages, "", 30 * HOUR);
    sc_open_pages_closed(&open_pages, "", 30 * HOUR + 10 * SECOND);
    assert_false(sc_open_pages_are_gone(&open_pages, 30 * HOUR + 20 * SECOND));
    assert_true(sc_open_pages_are_gone(&open_pages, 30 * HOUR + 26 * SECOND));
}

TEST(more_pages_than_can_be_distinguished_do_no_harm)
{
    struct sc_open_pages open_pages = {0};
    for (int i = 0; i < 3 * SC_OPEN_PAGES_PAGES; i++) {
        char name[100];
        (void)snprintf(name, sizeof(name), "%d%0*d", i, 80, 7);
        sc_open_pages_seen(&open_pages, name, (uint64_t)(100 + i) * SECOND);
    }
    assert_false(sc_open_pages_are_gone(&open_pages, 300 * SECOND));
    assert_true(sc_open_pages_are_gone(&open_pages, 25 * HOUR));
}
