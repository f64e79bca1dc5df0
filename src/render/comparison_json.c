/*
 * render/comparison_json.c - a comparison for scripts.
 *
 * The keys are documented in docs/diff.md; a change of the meaning of one raises FORMAT, new ones
 * do not.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "render/comparison.h"

enum { FORMAT = 1 };

void sc_json_write_difference(struct sc_json_out *out, const struct sc_difference *one)
{
    static const char *const words[] = {
        [SC_VERDICT_SMALL] = "small",          [SC_VERDICT_EQUAL] = "equal",
        [SC_VERDICT_THIN] = "not enough data", [SC_VERDICT_UNSURE] = "not certain",
        [SC_VERDICT_CERTAIN] = "certain",
    };
    sc_json_write_number(out, "before", one->mean[0]);
    sc_json_write_number(out, "after", one->mean[1]);
    sc_json_write_number(out, "change", one->change);
    sc_json_write_number(out, "error", sc_difference_error(one));
    sc_json_text_under(out, "verdict", words[one->verdict]);
}

static void write_numbers(struct sc_json_out *out, const struct sc_comparison *comparison,
                          enum sc_compare_table table, const struct sc_compared *place)
{
    sc_json_begin_under(out, "numbers", '{');
    for (int i = 0; i < SC_METRIC_COUNT_; i++) {
        enum sc_metric metric = (enum sc_metric)i;
        SC_AUTO_FREE char *key =
            sc_format("%s_%s", sc_metric_keys[i], sc_metric_is_mb(metric) ? "mb" : "s");
        if (!sc_compare_has(comparison, table, metric))
            continue;
        sc_json_begin_under(out, key, '{');
        sc_json_write_difference(out, &place->differences[i]);
        sc_json_end(out, '}');
    }
    sc_json_end(out, '}');
}

static void write_side(struct sc_json_out *out, const struct sc_comparison *comparison,
                       const struct sc_compared *place, int side, const char *key)
{
    const struct sc_match_line *line = sc_compared_line(comparison, place, side);
    if (place->file[side] == SC_NONE) {
        sc_json_text_under(out, key, NULL);
        return;
    }
    sc_json_begin_under(out, key, '{');
    sc_json_text_under(out, "file",
                       sc_intern_text(&comparison->match.sides[side].names, place->file[side]));
    sc_json_text_under(out, "path",
                       comparison->match.sides[side].files.items[place->file[side]].file->name);
    sc_json_count_under(out, "line", place->lineno[side]);
    if (place->name != NULL) {
        const struct sc_match_function *function = sc_compared_function(comparison, place, side);
        sc_json_text_under(out, "name", function != NULL ? function->name : place->name);
    } else {
        sc_json_key(out, "source");
        sc_json_text(out, line != NULL ? line->text : "", line != NULL ? line->length : 0);
    }
    sc_json_end(out, '}');
}

static void write_stack(struct sc_json_out *out, const struct sc_comparison *comparison,
                        const struct sc_compared *place)
{
    const struct sc_compared *stacks = comparison->tables[SC_COMPARE_STACKS].items;
    if (place->parent != SC_NONE)
        write_stack(out, comparison, &stacks[place->parent]);
    sc_json_begin(out, '[');
    sc_json_string(out, place->module);
    sc_json_string(out, place->name);
    sc_json_end(out, ']');
}

/* Whether the verdict of any number makes the place worth its room. */
static bool is_written(const struct sc_comparison *comparison, enum sc_compare_table table,
                       const struct sc_compared *place, bool is_all)
{
    for (int i = 0; i < SC_METRIC_COUNT_; i++) {
        enum sc_verdict verdict = place->differences[i].verdict;
        if (sc_compare_has(comparison, table, (enum sc_metric)i) &&
            (verdict == SC_VERDICT_CERTAIN ||
             (is_all && (verdict == SC_VERDICT_UNSURE || verdict == SC_VERDICT_THIN))))
            return true;
    }
    return false;
}

static void write_table(struct sc_json_out *out, const struct sc_comparison *comparison,
                        enum sc_compare_table table, const char *key, bool is_all)
{
    sc_json_begin_under(out, key, '[');
    SC_EACH(const struct sc_compared, place, &comparison->tables[table]) {
        if (!is_written(comparison, table, place, is_all))
            continue;
        sc_json_begin(out, '{');
        if (table == SC_COMPARE_STACKS) {
            sc_json_begin_under(out, "stack", '[');
            write_stack(out, comparison, place);
            sc_json_end(out, ']');
        } else {
            write_side(out, comparison, place, 0, "before");
            write_side(out, comparison, place, 1, "after");
        }
        write_numbers(out, comparison, table, place);
        sc_json_end(out, '}');
    }
    sc_json_end(out, ']');
}

static void write_limits(struct sc_json_out *out, const struct sc_limits *limits)
{
    SC_JSON_OBJECTS(out, "limits", const struct sc_limit, limit, limits) {
        sc_json_text_under(out, "limit", limit->text);
        sc_json_text_under(out, "outcome", sc_limit_outcomes[limit->outcome]);
        if (limit->place != NULL)
            sc_json_write_difference(out, &limit->place->differences[limit->metric]);
    }
}

void sc_json_write_comparison(struct sc_json_out *out, const struct sc_comparison *comparison,
                              const struct sc_limits *limits, bool is_all)
{
    sc_json_begin(out, '{');
    sc_json_count_under(out, "format", FORMAT);
    sc_json_count_under(out, "runs_before", comparison->sides[0].count);
    sc_json_count_under(out, "runs_after", comparison->sides[1].count);
    sc_json_bool_under(out, "same", comparison->is_same);
    sc_json_texts_under(out, "notes", comparison->notes.items, comparison->notes.count);
    write_numbers(out, comparison, SC_COMPARE_RUN, &comparison->tables[SC_COMPARE_RUN].items[0]);
    write_table(out, comparison, SC_COMPARE_LINES, "lines", is_all);
    write_table(out, comparison, SC_COMPARE_FUNCTIONS, "functions", is_all);
    write_table(out, comparison, SC_COMPARE_STACKS, "stacks", is_all);
    write_limits(out, limits);
    sc_json_end(out, '}');
}

void sc_render_comparison_json(const struct sc_comparison *comparison,
                               const struct sc_limits *limits, bool is_all, struct sc_str *ret_text)
{
    struct sc_json_out out = {.text = ret_text};
    sc_json_write_comparison(&out, comparison, limits, is_all);
    sc_str_add_char(ret_text, '\n');
}
