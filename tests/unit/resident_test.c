/*
 * tests/unit/resident_test.c - whose turn it is to be asked for its part, and what counts
 * meanwhile.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/memory/resident.h"

#include "base/map.h"
#include "sc_test.h"

#define MS  ((uint64_t)1000000)
#define NOW (5000 * MS)

struct turn_row {
    const char *name;
    uint64_t asked_ms[3]; /* before NOW; 0: never */
    uint32_t count;
    uint64_t rest_ms; /* beyond NOW */
    uint32_t next;
};

static const struct turn_row turn_rows[] = {
    {.name = "one alone shares nothing", .count = 1, .next = SC_NONE},
    {.name = "none is there", .next = SC_NONE},
    {.name = "who was never asked is first", .asked_ms = {900, 0, 800}, .count = 3, .next = 1},
    {.name = "then who was not for longest", .asked_ms = {300, 900, 800}, .count = 3, .next = 1},
    {.name = "but not so soon again", .asked_ms = {200, 100, 249}, .count = 3, .next = SC_NONE},
    ROW(.name = "nor while the last answer is being paid for", .count = 3, .rest_ms = 1,
        .next = SC_NONE),
};

TEST(turns)
{
    FOR_EACH_ROW(row, turn_rows) {
        struct sc_resident residents[3] = {0};
        const struct sc_resident *pointers[3];
        struct sc_resident_turns all = {.rest_until_ns = NOW + row->rest_ms * MS};
        for (size_t k = 0; k < 3; k++) {
            residents[k].asked_ns = row->asked_ms[k] != 0 ? NOW - row->asked_ms[k] * MS : 0;
            pointers[k] = &residents[k];
        }
        assert_int_equal(sc_resident_next(&all, pointers, row->count, NOW), row->next);
    }
}

TEST(an_answer_costs_a_hundredth_of_the_time)
{
    struct sc_resident_turns all = {0};
    struct sc_resident process = {0};
    sc_resident_note(&all, &process, 2, 0.25, NOW, 3 * MS);
    assert_int_equal(all.rest_until_ns, NOW + 300 * MS);
    assert_int_equal(process.asked_ns, NOW);
}

TEST(shared_pages_count_once)
{
    struct sc_resident_turns all = {0};
    struct sc_resident parent = {0};
    struct sc_resident child = {0};
    assert_int_equal(sc_resident_bytes(&all, &parent, 2, 1000), 1000); /* not read yet */
    sc_resident_note(&all, &parent, 2, 0.625, NOW, 0);                 /* 750 are shared */
    assert_int_equal(sc_resident_bytes(&all, &parent, 2, 1000), 625);
    assert_int_equal(sc_resident_bytes(&all, &parent, 3, 1000), 500); /* one more has come */
    assert_int_equal(sc_resident_bytes(&all, &parent, 1, 1000), 1000);
    assert_int_equal(sc_resident_bytes(&all, &child, 3, 1000), 500); /* most likely */
    sc_resident_note(&all, &child, 3, 0, NOW, 0);                    /* it may not be asked */
    assert_int_equal(sc_resident_bytes(&all, &child, 3, 1000), 1000);
    assert_int_equal(sc_resident_bytes(&all, &parent, 3, 1000), 500);
    sc_resident_note(&all, &child, 2, 0.125, NOW, 0); /* eight have it, and two are followed */
    assert_int_equal(sc_resident_bytes(&all, &child, 2, 1000), 500);
}
