/*
 * tests/unit/follow_test.c - a profile that is replaced while questions are answered from it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "server/follow.h"

#include <jansson.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "page/ask.h"
#include "report_fixture.h"
#include "sc_test.h"

enum { ASKING = 4, PROFILES = 40 };

/* A profile whose length is its number, written to the path. */
static void write_numbered(const char *path, unsigned number)
{
    OWN(sc_profile, profile) = {.elapsed_s = number};
    OWN(sc_str, text) = {0};
    struct sc_err err = {0};
    (void)fixture_line(fixture_file(&profile, "/w/a.py"), "x = 1\n", 50, 0, 0);
    sc_profile_to_json(&profile, &text);
    assert_true(sc_write_private_file(path, text.data, text.length, &err));
}

static char *new_path(void)
{
    char *path = sc_strdup("/tmp/sc-follow-test-XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    (void)close(fd);
    return path;
}

static void site_init(struct sc_site *site, struct sc_follow *follow, const char *path)
{
    struct sc_err err = {0};
    struct sc_profile profile = {0};
    write_numbered(path, 1);
    *follow = (struct sc_follow){.path = path};
    assert_int_equal(sc_follow_read(follow, &profile, &err), SC_FOLLOWED_NEW);
    assert_int_equal(sc_follow_read(follow, &profile, &err), SC_FOLLOWED_SAME);
    struct sc_page *page = sc_alloc(1, sizeof(*page));
    sc_page_init(page, &profile, path);
    assert_true(sc_site_init(site, page, NULL, &err));
    site->live.is_live = true;
}

/* The length of the run in the overview, and the version of the answer. */
static double length_shown(struct sc_site *site, uint64_t *ret_version)
{
    struct sc_response response = {0};
    sc_site_ask(site, "api/overview", &response);
    assert_int_equal(response.status, SC_STATUS_OK);
    json_t *overview = json_loadb(response.text.data, response.text.length, 0, NULL);
    assert_non_null(overview);
    double length = json_number_value(json_object_get(overview, "elapsed_s"));
    *ret_version = response.version;
    json_decref(overview);
    sc_response_done(&response);
    return length;
}

struct asking {
    struct sc_site *site;
    bool is_wrong;
};

/* Asks until the last profile is shown. Each version has its own length, and none comes back. */
static void *ask_on(void *context)
{
    struct asking *asking = context;
    uint64_t last = 0;
    uint64_t version = 0;
    while (version < PROFILES) {
        double length = length_shown(asking->site, &version);
        asking->is_wrong = asking->is_wrong || length != (double)version || version < last;
        last = version;
    }
    return NULL;
}

TEST(each_answer_is_from_one_profile_while_profiles_are_replaced)
{
    struct sc_site site;
    struct sc_follow follow;
    pthread_t threads[ASKING];
    struct asking asking[ASKING];
    SC_AUTO_FREE char *path = new_path();
    site_init(&site, &follow, path);
    for (int i = 0; i < ASKING; i++) {
        asking[i] = (struct asking){.site = &site};
        assert_int_equal(pthread_create(&threads[i], NULL, ask_on, &asking[i]), 0);
    }
    for (unsigned number = 2; number <= PROFILES; number++) {
        write_numbered(path, number);
        assert_true(sc_follow_poll(&follow, &site));
    }
    for (int i = 0; i < ASKING; i++) {
        (void)pthread_join(threads[i], NULL);
        assert_false(asking[i].is_wrong);
    }
    (void)unlink(path);
    sc_site_done(&site);
}

TEST(what_is_no_profile_leaves_the_last_one)
{
    struct sc_site site;
    struct sc_follow follow;
    uint64_t version;
    struct sc_err err = {0};
    SC_AUTO_FREE char *path = new_path();
    site_init(&site, &follow, path);
    assert_true(sc_write_file(path, "{\"files\": ", 10, &err));
    assert_true(sc_follow_poll(&follow, &site));
    assert_non_null(site.live.trouble);
    assert_true(length_shown(&site, &version) == 1.0);
    (void)unlink(path);
    assert_true(sc_follow_poll(&follow, &site));
    assert_non_null(strstr(site.live.trouble, "no longer there"));
    assert_true(length_shown(&site, &version) == 1.0);
    assert_int_equal(version, 1);
    write_numbered(path, 2);
    assert_true(sc_follow_poll(&follow, &site));
    assert_null(site.live.trouble);
    assert_true(length_shown(&site, &version) == 2.0);
    assert_int_equal(version, 2);
    (void)unlink(path);
    sc_site_done(&site);
}

TEST(a_paused_page_takes_the_newest_profile_afterwards)
{
    struct sc_site site;
    struct sc_follow follow;
    uint64_t version;
    SC_AUTO_FREE char *path = new_path();
    site_init(&site, &follow, path);
    site.live.is_paused = true;
    write_numbered(path, 2);
    assert_false(sc_follow_poll(&follow, &site));
    write_numbered(path, 3);
    assert_false(sc_follow_poll(&follow, &site));
    assert_true(length_shown(&site, &version) == 1.0);
    site.live.is_paused = false;
    assert_true(sc_follow_poll(&follow, &site));
    assert_true(length_shown(&site, &version) == 3.0);
    assert_int_equal(version, 2);
    (void)unlink(path);
    sc_site_done(&site);
}

TEST(a_profile_that_a_page_reads_stays_until_it_is_read)
{
    struct sc_site site;
    struct sc_follow follow;
    uint64_t version;
    SC_AUTO_FREE char *path = new_path();
    site_init(&site, &follow, path);
    site.live.held_until_ns = UINT64_MAX;
    write_numbered(path, 2);
    assert_false(sc_follow_poll(&follow, &site));
    assert_true(length_shown(&site, &version) == 1.0);
    site.live.held_until_ns = 1; /* is over, though the page has not said so */
    assert_true(sc_follow_poll(&follow, &site));
    assert_true(length_shown(&site, &version) == 2.0);
    (void)unlink(path);
    sc_site_done(&site);
}

TEST(another_profile_ends_the_following)
{
    struct sc_site site;
    struct sc_follow follow;
    uint64_t version;
    struct sc_profile other = {.elapsed_s = 20.0};
    SC_AUTO_FREE char *path = new_path();
    site_init(&site, &follow, path);
    struct sc_page *page = sc_alloc(1, sizeof(*page));
    sc_page_init(page, &other, NULL);
    site.live.is_paused = true;
    assert_true(sc_site_show(&site, page, false));
    write_numbered(path, 2);
    assert_true(sc_follow_poll(&follow, &site));
    assert_true(length_shown(&site, &version) == 20.0);
    assert_int_equal(version, 2);
    (void)unlink(path);
    sc_site_done(&site);
}
