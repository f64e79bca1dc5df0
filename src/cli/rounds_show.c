/*
 * cli/rounds_show.c - says what `scalene compare` has found.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/rounds_show.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/visible.h"
#include "report/number.h"

#define COMMAND_SIZE 72
#define NOTABLE      0.01 /* below that, a difference in memory is not worth a word */

/* What a difference is of, in a sentence and in JSON. */
static const struct {
    const char *name;
    const char *title;
    const char *key;
} measures[SC_MEASURE_COUNT_] = {
    [SC_MEASURE_ELAPSED] = {"time", "elapsed time", "elapsed_s"},
    [SC_MEASURE_CPU] = {"CPU time", "CPU time", "cpu_s"},
    [SC_MEASURE_PEAK] = {"memory", "peak memory", "peak_mb"},
};

/* "3.1% less", "12% more". */
static void add_change(double change, struct sc_str *text)
{
    sc_str_add_format(text, "%s %s", sc_number_fine_percent(fabs(change) * 100.0).text,
                      change < 0.0 ? "less" : "more");
}

/* "between 2.0% less and 4.1% more". */
static void add_bounds(const struct sc_rank_difference *difference, struct sc_str *text)
{
    sc_str_add(text, "between ");
    add_change(difference->low, text);
    sc_str_add(text, " and ");
    add_change(difference->high, text);
}

static void add_certain(const struct sc_rank_difference *difference, enum sc_measure measure,
                        struct sc_str *text)
{
    sc_str_add(text, "B takes ");
    add_change(difference->change, text);
    sc_str_add_format(text, " %s than A (", measures[measure].name);
    add_bounds(difference, text);
    sc_str_add(text, ")");
}

void sc_rounds_verdict(const struct sc_rounds *rounds, struct sc_str *text)
{
    const struct sc_rank_difference *elapsed = &rounds->of[SC_MEASURE_ELAPSED].difference;
    const struct sc_rank_difference *cpu = &rounds->of[SC_MEASURE_CPU].difference;
    const struct sc_rank_difference *peak = &rounds->of[SC_MEASURE_PEAK].difference;
    if (!elapsed->has_bounds) {
        sc_str_add_format(text, "%u %s too few to tell a difference from chance: %u are needed",
                          rounds->count, rounds->count == 1 ? "round is" : "rounds are",
                          SC_ROUNDS_LEAST);
    } else if (elapsed->is_certain) {
        add_certain(elapsed, SC_MEASURE_ELAPSED, text);
    } else if (cpu->is_certain) {
        add_certain(cpu, SC_MEASURE_CPU, text);
        sc_str_add(text, "; what it takes in elapsed time differs too much from run to run here");
    } else {
        sc_str_add(text, "No difference that can be told from chance: B takes ");
        add_bounds(elapsed, text);
        sc_str_add(text, " time than A");
    }
    if (peak->is_certain && fabs(peak->change) >= NOTABLE) {
        sc_str_add(text, "; it needs ");
        add_change(peak->change, text);
        sc_str_add(text, " memory");
    }
}

static void add_row(enum sc_measure measure, const struct sc_measured *measured,
                    struct sc_str *text)
{
    struct sc_number values[2];
    for (int i = 0; i < 2; i++)
        values[i] = measure == SC_MEASURE_PEAK ? sc_number_megabytes(measured->medians[i])
                                               : sc_number_duration(measured->medians[i]);
    sc_str_add_format(text, "  %-14s%12s%12s   ", measures[measure].title, values[0].text,
                      values[1].text);
    if (!measured->difference.has_bounds)
        sc_str_add(text, "not known");
    else if (measured->difference.is_certain)
        add_change(measured->difference.change, text);
    else
        sc_str_add(text, "no certain difference");
    if (measured->difference.has_bounds) {
        sc_str_add(text, " (");
        add_bounds(&measured->difference, text);
        sc_str_add(text, ")");
    }
    sc_str_add(text, "\n");
}

void sc_rounds_text(const struct sc_rounds *rounds, char *const commands[2], struct sc_str *text)
{
    sc_rounds_verdict(rounds, text);
    sc_str_add(text, ".\n\n");
    for (int i = 0; i < 2; i++) {
        SC_AUTO_FREE char *shown = sc_visible(commands[i]);
        sc_str_add_format(text, "  %s: %.*s\n", i == 0 ? "A" : "B", COMMAND_SIZE, shown);
    }
    sc_str_add_format(text, "  %-14s%12s%12s   B against A\n", "medians", "A", "B");
    for (int i = 0; i < SC_MEASURE_COUNT_; i++)
        add_row((enum sc_measure)i, &rounds->of[i], text);
    sc_str_add_format(text, "  %u %s, each command once in each, in turn", rounds->count,
                      rounds->count == 1 ? "round" : "rounds");
    if (rounds->of[SC_MEASURE_ELAPSED].difference.has_bounds)
        sc_str_add_format(text, "; all intervals together hold in %.0f of 100 comparisons",
                          100.0 * (1.0 - SC_ROUNDS_ALPHA));
    sc_str_add(text, "\n");
    if (!rounds->same_output)
        sc_str_add(text, "  The outputs of A and B differ.\n");
    for (int i = 0; i < 2; i++)
        if (rounds->statuses[i] != 0)
            sc_str_add_format(text, "  %s ended with %s %d.\n", i == 0 ? "A" : "B",
                              rounds->statuses[i] > 0 ? "exit status" : "signal",
                              abs(rounds->statuses[i]));
}

static json_t *measured_json(const struct sc_measured *measured)
{
    const struct sc_rank_difference *difference = &measured->difference;
    json_t *object = json_pack("{s:f, s:f, s:f, s:b}", "a", measured->medians[0], "b",
                               measured->medians[1], "change_percent", difference->change * 100.0,
                               "is_certain", (int)difference->is_certain);
    json_t *low = difference->has_bounds ? json_real(difference->low * 100.0) : json_null();
    json_t *high = difference->has_bounds ? json_real(difference->high * 100.0) : json_null();
    (void)json_object_set_new(object, "low_percent", low);
    (void)json_object_set_new(object, "high_percent", high);
    return object;
}

void sc_rounds_json(const struct sc_rounds *rounds, char *const commands[2], const char *places,
                    struct sc_str *text)
{
    SC_AUTO(sc_str_done) struct sc_str verdict = {0};
    sc_rounds_verdict(rounds, &verdict);
    json_t *object =
        json_pack("{s:i, s:f, s:b, s:s, s:[i, i]}", "rounds", (int)rounds->count, "error_chance",
                  SC_ROUNDS_ALPHA, "same_output", (int)rounds->same_output, "verdict",
                  sc_str_text(&verdict), "statuses", rounds->statuses[0], rounds->statuses[1]);
    json_t *shown = json_array();
    for (int i = 0; i < 2; i++) {
        SC_AUTO_FREE char *command = sc_visible(commands[i]);
        (void)json_array_append_new(shown, json_string(command));
    }
    (void)json_object_set_new(object, "commands", shown);
    for (int i = 0; i < SC_MEASURE_COUNT_; i++)
        (void)json_object_set_new(object, measures[i].key, measured_json(&rounds->of[i]));
    (void)json_object_set_new(object, "profiles", json_loads(places, JSON_DECODE_ANY, NULL));
    SC_AUTO_FREE char *json =
        json_dumps(object, JSON_INDENT(4) | JSON_SORT_KEYS | JSON_REAL_PRECISION(9));
    sc_str_add_format(text, "%s\n", json != NULL ? json : "{}");
    json_decref(object);
}
