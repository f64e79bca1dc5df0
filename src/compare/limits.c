/* compare/limits.c - see limits.h. SPDX-License-Identifier: Apache-2.0 */
#include "compare/limits.h"

#include <string.h>

const char *const sc_limit_outcomes[] = {"kept", "exceeded", "open"};

/* -------- reading -------- */

/* What is left to be read. */
struct reader {
    const char *at;
    const char *limit; /* where its limit begins */
    struct sc_err *err;
};

static bool wrong(struct reader *reader, const char *what)
{
    return sc_fail(reader->err, SC_ERR_USAGE, "--fail-if: '%.100s': %s", reader->limit, what);
}

static void skip_blanks(struct reader *reader)
{
    while (*reader->at == ' ')
        reader->at++;
}

static bool takes(struct reader *reader, const char *word)
{
    skip_blanks(reader);
    if (!sc_starts_with(reader->at, word))
        return false;
    reader->at += strlen(word);
    return true;
}

static bool read_metric(struct reader *reader, struct sc_limit *limit)
{
    size_t length = strspn(reader->at, "abcdefghijklmnopqrstuvwxyz");
    for (int i = 0; i < SC_METRIC_COUNT_; i++)
        if (strlen(sc_metric_keys[i]) == length &&
            strncmp(sc_metric_keys[i], reader->at, length) == 0) {
            limit->metric = (enum sc_metric)i;
            reader->at += length;
            return true;
        }
    return wrong(reader, "it begins with none of time, python, native, system, total, elapsed, "
                         "wait, peak, allocated, exit and copies");
}

/* A name of a file may have brackets; the place ends where a comparison follows. */
static bool read_place(struct reader *reader, struct sc_limit *limit)
{
    bool is_total = limit->metric == SC_METRIC_TOTAL;
    if (!takes(reader, "("))
        return !is_total || wrong(reader, "total is of a function: total(FILE:FUNCTION)");
    const char *end = reader->at;
    for (; (end = strchr(end, ')')) != NULL; end++) {
        const char *next = end + 1 + strspn(end + 1, " ");
        if (*next == '>' || *next == '<')
            break;
    }
    SC_AUTO_FREE char *place =
        end != NULL ? sc_strndup(reader->at, (size_t)(end - reader->at)) : NULL;
    char *colon = place != NULL ? strrchr(place, ':') : NULL;
    if (colon == NULL || colon == place || colon[1] == '\0')
        return wrong(reader, "a place is FILE:FUNCTION or FILE:LINE, in brackets");
    reader->at = end + 1;
    limit->file = sc_strndup(place, (size_t)(colon - place));
    if (colon[1 + strspn(colon + 1, "0123456789")] != '\0')
        limit->name = sc_strdup(colon + 1);
    else if (strlen(colon + 1) > 9)
        return wrong(reader, "no file has that many lines");
    else
        limit->lineno = (uint32_t)strtoul(colon + 1, NULL, 10);
    if (limit->metric == SC_METRIC_ELAPSED)
        return wrong(reader, "elapsed is of the whole program");
    return !is_total || limit->name != NULL || wrong(reader, "total is of a function");
}

/* Digits, and perhaps a point with more of them: nothing else that strtod reads. */
static bool read_number(struct reader *reader, double *ret_number)
{
    skip_blanks(reader);
    double sign = takes(reader, "-") ? -1.0 : 1.0;
    size_t whole = strspn(reader->at, "0123456789");
    size_t length = whole;
    if (whole > 0 && reader->at[whole] == '.')
        length += 1 + strspn(reader->at + whole + 1, "0123456789");
    if (whole == 0 || length > 30 || reader->at[length - 1] == '.')
        return wrong(reader, "behind the comparison stands no number");
    SC_AUTO_FREE char *digits = sc_strndup(reader->at, length);
    *ret_number = sign * strtod(digits, NULL);
    reader->at += length;
    return true;
}

static bool read_unit(struct reader *reader, struct sc_limit *limit, double number)
{
    static const struct {
        const char *name;
        double of;
        bool is_mb, is_rate;
    } units[] = {
        {"MB/s", 1.0, true, true},       {"MB", 1.0, true, false},    {"GB", 1024.0, true, false},
        {"KB", 1.0 / 1024, true, false}, {"ms", 0.001, false, false}, {"s", 1.0, false, false},
    };
    if (takes(reader, "%")) {
        limit->part = number / 100.0;
        return true;
    }
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (units[i].is_mb != sc_metric_is_mb(limit->metric) ||
            (units[i].is_rate && limit->metric != SC_METRIC_COPIES) ||
            !takes(reader, units[i].name))
            continue;
        limit->amount = number * units[i].of;
        limit->is_rate = units[i].is_rate;
        return true;
    }
    return wrong(reader, limit->metric == SC_METRIC_COPIES
                             ? "its unit is none of %, KB, MB, GB, MB/s"
                         : sc_metric_is_mb(limit->metric) ? "its unit is none of %, KB, MB and GB"
                                                          : "its unit is none of %, ms and s");
}

static bool read_limit(struct reader *reader, struct sc_limit *limit)
{
    double number = 0.0;
    skip_blanks(reader);
    reader->limit = reader->at;
    if (!read_metric(reader, limit) || !read_place(reader, limit))
        return false;
    limit->is_below = takes(reader, "<");
    if (!limit->is_below && !takes(reader, ">"))
        return wrong(reader, "it has neither > nor <");
    if (!read_number(reader, &number) || !read_unit(reader, limit, number))
        return false;
    limit->text = sc_strndup(reader->limit, (size_t)(reader->at - reader->limit));
    return true;
}

bool sc_limits_parse(struct sc_limits *limits, const char *text, struct sc_err *err)
{
    struct reader reader = {text, text, err};
    do {
        sc_vec_push(limits, (struct sc_limit){.place = NULL});
        if (!read_limit(&reader, &limits->items[limits->count - 1]))
            return false;
    } while (takes(&reader, ","));
    return *reader.at == '\0' || wrong(&reader, "a comma goes between limits");
}

void sc_limits_done(struct sc_limits *limits)
{
    for (size_t i = 0; i < limits->count; i++) {
        free(limits->items[i].text);
        free(limits->items[i].file);
        free(limits->items[i].name);
    }
    sc_vec_done(limits);
}

/* -------- deciding -------- */

/* Whether a file is meant, by its whole name or else by the last parts of its path. */
static bool is_file(const struct sc_comparison *comparison, const struct sc_compared *place,
                    int side, const char *name, bool is_whole)
{
    if (place->file[side] == SC_NONE)
        return false;
    const char *whole = sc_intern_text(&comparison->match.sides[side].names, place->file[side]);
    if (is_whole)
        return strcmp(whole, name) == 0;
    size_t length = strlen(whole);
    size_t tail = strlen(name);
    return length > tail && sc_ends_with(whole, name) && whole[length - tail - 1] == '/';
}

struct found SC_VEC_OF(const struct sc_compared *);

/* Adds the places that are meant; several where files of several folders have that name. A line is
 * meant as it is numbered after, or before where it is gone. */
static void find_places(const struct sc_comparison *comparison, const struct sc_limit *limit,
                        struct found *ret_found)
{
    enum sc_compare_table table = limit->file == NULL   ? SC_COMPARE_RUN
                                  : limit->name != NULL ? SC_COMPARE_FUNCTIONS
                                                        : SC_COMPARE_LINES;
    const struct sc_compared_places *places = &comparison->tables[table];
    if (table == SC_COMPARE_RUN) {
        sc_vec_push(ret_found, places->items);
        return;
    }
    for (int pass = 0; pass < 4 && ret_found->count == 0; pass++) {
        int side = pass % 2 == 0 ? 1 : 0;
        SC_EACH(const struct sc_compared, place, places) {
            bool is_it = is_file(comparison, place, side, limit->file, pass < 2) &&
                         (side == 1 || table == SC_COMPARE_FUNCTIONS || place->lineno[1] == 0);
            if (is_it && (limit->name != NULL ? strcmp(place->name, limit->name) == 0
                                              : place->lineno[side] == limit->lineno))
                sc_vec_push(ret_found, place);
        }
    }
}

static enum sc_limit_outcome judge(const struct sc_limit *limit, const struct sc_compared *place,
                                   double elapsed_s, double alpha)
{
    const struct sc_difference *one = &place->differences[limit->metric];
    double amount = limit->amount * (limit->is_rate ? elapsed_s : 1.0);
    double threshold = limit->part * one->mean[0] + amount;
    double p = sc_difference_beyond(one, 1.0 + limit->part, amount, limit->is_below);
    bool is_kept_as_is = limit->is_below ? threshold <= 0.0 : threshold >= 0.0;
    if (one->verdict == SC_VERDICT_EQUAL && is_kept_as_is)
        return SC_LIMIT_KEPT;
    return p <= alpha ? SC_LIMIT_EXCEEDED : 1.0 - p <= alpha ? SC_LIMIT_KEPT : SC_LIMIT_OPEN;
}

/* How bad an outcome is. */
static int rank_of(enum sc_limit_outcome outcome)
{
    return outcome == SC_LIMIT_EXCEEDED ? 2 : outcome == SC_LIMIT_OPEN ? 1 : 0;
}

void sc_limits_decide(struct sc_limits *limits, const struct sc_comparison *comparison)
{
    const struct sc_compared *whole = comparison->tables[SC_COMPARE_RUN].items;
    double elapsed_s = whole != NULL ? whole->differences[SC_METRIC_ELAPSED].mean[1] : 0.0;
    double alpha = SC_COMPARE_ALPHA / (double)limits->count;
    SC_EACH(struct sc_limit, limit, limits) {
        struct found found = {0};
        find_places(comparison, limit, &found);
        limit->outcome = SC_LIMIT_OPEN;
        limit->place = found.count > 0 ? found.items[0] : NULL;
        bool is_measured = !sc_metric_is_mb(limit->metric) || comparison->has_memory;
        for (size_t i = 0; is_measured && i < found.count; i++) {
            enum sc_limit_outcome outcome =
                judge(limit, found.items[i], elapsed_s, alpha / (double)found.count);
            if (i == 0 || rank_of(outcome) > rank_of(limit->outcome)) {
                limit->outcome = outcome;
                limit->place = found.items[i];
            }
        }
        sc_vec_done(&found);
    }
}
