/*
 * tests/unit/report_number_test.c - numbers as people read them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#include "report/number.h"
#include "sc_test.h"

TEST(percentages_never_read_as_nothing_when_there_is_something)
{
    assert_string_equal(sc_number_percent(0.0).text, "0%");
    assert_string_equal(sc_number_percent(0.01).text, "<1%");
    assert_string_equal(sc_number_percent(0.5).text, "0%");
    assert_string_equal(sc_number_percent(0.51).text, "1%");
    assert_string_equal(sc_number_percent(99.6).text, "100%");
    assert_string_equal(sc_number_percent(-3.0).text, "-3%");
    assert_string_equal(sc_number_fine_percent(0.04).text, "<0.1%");
    assert_string_equal(sc_number_fine_percent(0.44).text, "0.4%");
    assert_string_equal(sc_number_fine_percent(9.96).text, "10%");
    assert_string_equal(sc_number_exact_percent(71.234).text, "71.23%");
}

TEST(durations_use_the_unit_people_would)
{
    assert_string_equal(sc_number_duration(0.0).text, "0 s");
    assert_string_equal(sc_number_duration(0.0000062).text, "7 us");
    assert_string_equal(sc_number_duration(0.0004).text, "0.4 ms");
    assert_string_equal(sc_number_duration(0.01).text, "10 ms");
    assert_string_equal(sc_number_duration(0.8504).text, "850 ms");
    assert_string_equal(sc_number_duration(0.9996).text, "1.00 s");
    assert_string_equal(sc_number_duration(59.994).text, "59.99 s");
    assert_string_equal(sc_number_duration(59.996).text, "1m:00.00s");
    assert_string_equal(sc_number_duration(187.2).text, "3m:07.20s");
    assert_string_equal(sc_number_duration(3599.999).text, "1h:00m:00s");
    assert_string_equal(sc_number_duration(3849.0).text, "1h:04m:09s");
}

TEST(memory_changes_its_unit)
{
    assert_string_equal(sc_number_megabytes(0.04).text, "0.0 MB");
    assert_string_equal(sc_number_megabytes(812.04).text, "812.0 MB");
    assert_string_equal(sc_number_megabytes(1280.0).text, "1.25 GB");
    assert_string_equal(sc_number_megabytes(2.0 * 1024 * 1024).text, "2.00 TB");
}

TEST(counts_are_grouped)
{
    assert_string_equal(sc_number_count(0).text, "0");
    assert_string_equal(sc_number_count(999).text, "999");
    assert_string_equal(sc_number_count(1000).text, "1,000");
    assert_string_equal(sc_number_count(1234567).text, "1,234,567");
    assert_string_equal(sc_number_count(UINT64_MAX).text, "18,446,744,073,709,551,615");
}

TEST(absurd_values_stay_short)
{
    double values[] = {NAN, INFINITY, -INFINITY, 1e300, -1e300, 5e-324};
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        assert_true(strlen(sc_number_percent(values[i]).text) <= 6);
        assert_true(strlen(sc_number_fine_percent(values[i]).text) <= 6);
        assert_true(strlen(sc_number_exact_percent(values[i]).text) <= 9);
        assert_true(strlen(sc_number_duration(values[i]).text) <= 13);
        assert_true(strlen(sc_number_megabytes(values[i]).text) <= 11);
    }
    assert_string_equal(sc_number_percent(NAN).text, "0%");
}
