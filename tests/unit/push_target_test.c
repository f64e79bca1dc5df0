/*
 * tests/unit/push_target_test.c - addresses that can be pushed to, and when a receiver that failed
 * is asked again.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#include "push/backoff.h"
#include "push/target.h"
#include "sc_test.h"

static const struct address {
    const char *given;
    enum sc_push_kind kind;
    const char *url;
    const char *shown;
} good[] = {
    {"pyroscope+http://localhost:4040", SC_PUSH_PYROSCOPE, "http://localhost:4040/ingest",
     "http://localhost:4040"},
    {"pyroscope+https://p.example.com/", SC_PUSH_PYROSCOPE, "https://p.example.com/ingest",
     "https://p.example.com"},
    {"pyroscope+https://p.example.com/tenant/ingest", SC_PUSH_PYROSCOPE,
     "https://p.example.com/tenant/ingest", "https://p.example.com"},
    {"http://[::1]:4040/ingest", SC_PUSH_PYROSCOPE, "http://[::1]:4040/ingest",
     "http://[::1]:4040"},
    {"otlp+http://c:4318", SC_PUSH_OTLP, "http://c:4318/v1development/profiles", "http://c:4318"},
    {"https://c/v1development/profiles", SC_PUSH_OTLP, "https://c/v1development/profiles",
     "https://c"},
};

TEST(an_address_says_who_receives_and_where)
{
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        OWN(sc_push_target, target) = {0};
        struct sc_err err = {0};
        assert_true(sc_push_target_init(&target, good[i].given, NULL, &err));
        assert_int_equal(target.kind, good[i].kind);
        assert_string_equal(target.url, good[i].url);
        assert_string_equal(target.shown, good[i].shown);
        assert_null(target.token);
    }
}

TEST(what_is_no_address_is_refused)
{
    static const char *const bad[] =
        ROW("", "localhost:4040", "http://localhost:4040", "ftp://localhost/ingest", "otlp+c:4318",
            "pyroscope+http://", "pyroscope+http://:4040", "otlp+http://c/?key=1",
            "otlp+http://c/#x", "otlp+http://c d", "pyroscope+otlp+http://c", "otlp+http://c\n",
            "otlp+HTTP://c", "otlp+http://c\\d");
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct sc_push_target target = {0};
        struct sc_err err = {0};
        assert_false(sc_push_target_init(&target, bad[i], NULL, &err));
        assert_int_equal(err.kind, SC_ERR_USAGE);
        assert_non_null(strstr(err.text, "is no address"));
        assert_null(target.url);
    }
}

TEST(a_password_in_the_address_is_refused_and_not_said_again)
{
    static const char *const bad[] = {"pyroscope+https://me:hunter2@p.example.com",
                                      "otlp+http://hunter2@c:4318", "https://a@hunter2@c/ingest"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct sc_push_target target = {0};
        struct sc_err err = {0};
        assert_false(sc_push_target_init(&target, bad[i], NULL, &err));
        assert_non_null(strstr(err.text, "--push-token-file"));
        assert_null(strstr(err.text, "hunter2"));
    }
    struct sc_push_target target = {0};
    struct sc_err err = {0};
    assert_false(sc_push_target_init(&target, "me:hunter2@c:4318", NULL, &err));
    assert_null(strstr(err.text, "hunter2"));
}

TEST(waits_grow_up_to_a_limit_and_differ)
{
    uint64_t least = 0;
    for (unsigned attempts = 1; attempts < 100; attempts++) {
        uint64_t shortest = sc_push_backoff_ns(attempts, 0, 0);
        uint64_t other = sc_push_backoff_ns(attempts, 123456789, 0);
        assert_true(shortest >= least && shortest <= SC_PUSH_LONGEST_NS);
        assert_true(other > shortest && other <= 2 * shortest);
        least = shortest;
    }
    assert_int_equal(sc_push_backoff_ns(1, 0, 0), SC_PUSH_FIRST_NS / 2);
    assert_int_equal(least, SC_PUSH_LONGEST_NS / 2);
}

TEST(a_receiver_that_says_when_is_asked_then)
{
    assert_int_equal(sc_push_backoff_ns(1, 0, 7), 7000000000U);
    assert_int_equal(sc_push_backoff_ns(50, 0, 1), SC_PUSH_LONGEST_NS / 2);
    assert_int_equal(sc_push_backoff_ns(1, 0, -5), SC_PUSH_FIRST_NS / 2);
    assert_int_equal(sc_push_backoff_ns(1, 0, INT64_MAX), SC_PUSH_ASKED_S * 1000000000ULL);
}
