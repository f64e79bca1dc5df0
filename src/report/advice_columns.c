/*
 * report/advice_columns.c - rules on columns of Python objects, and on data loaders that are waited
 * for.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

#include "report/advice.h"
#include "report/number.h"

/* Of the run: a column worth another type. */
#define COLUMN_MIN_PERCENT 5.0

/* Of the run: the loop waits for its loader, and what it does with the data could go on meanwhile.
 */
#define LOADER_MIN_PERCENT 30.0

/* Whether the lexeme says that a column is of Python objects: "object" in dtype=object or
 * astype("object"). */
static bool is_object_type(const struct sc_code *code, uint32_t lexeme)
{
    bool is_place = (sc_code_is(code, lexeme - 1, "=") && sc_code_is(code, lexeme - 2, "dtype")) ||
                    (sc_code_is(code, lexeme - 1, "(") && sc_code_is(code, lexeme - 2, "astype"));
    return is_place && sc_code_is_one_of(code, lexeme, "object \"object\" 'object' \"O\" 'O'");
}

/* The lexeme with the name of the column whose value has this lexeme: "x" of {"x": value} and of
 * f["x"] = value; SC_NONE: none. */
static uint32_t column_of(const struct sc_code *code, const struct sc_statement *statement,
                          uint32_t lexeme)
{
    for (uint32_t i = lexeme; i-- > statement->first;) {
        uint32_t match = code->matches.items[i];
        if (match != SC_NONE && match < i) {
            i = match; /* a bracket that has ended before */
            continue;
        }
        if (code->lexemes.items[i].kind == SC_LEXEME_STRING && sc_code_is(code, i + 1, ":"))
            return i;
    }
    for (uint32_t i = statement->first + 1; i + 3 < lexeme; i++) {
        if (sc_code_is(code, i, "[") && code->lexemes.items[i + 1].kind == SC_LEXEME_STRING &&
            sc_code_is(code, i + 2, "]") && sc_code_is(code, i + 3, "="))
            return i + 1;
    }
    return SC_NONE;
}

/* Whether two string lexemes say the same, in whatever quotes. */
static bool is_same_string(const struct sc_code *code, uint32_t left, uint32_t right)
{
    const struct sc_lexeme *a = &code->lexemes.items[left];
    const struct sc_lexeme *b = &code->lexemes.items[right];
    size_t length = a->end - a->start;
    return b->kind == SC_LEXEME_STRING && length == b->end - b->start && length > 2 &&
           memcmp(code->text + a->start + 1, code->text + b->start + 1, length - 2) == 0;
}

/* Whether the statement groups, compares or joins by the values, as is done with texts. */
static bool tells_apart(const struct sc_code *code, const struct sc_statement *statement)
{
    static const char words[] = "groupby == != isin merge join value_counts nunique unique map";
    for (uint32_t i = statement->first; i < statement->end; i++) {
        if (sc_code_is_one_of(code, i, words))
            return true;
    }
    return false;
}

/* The spot works with the column that a string names and another statement has made. */
static bool advise_column(const struct sc_spot *spot, uint32_t column, uint32_t maker)
{
    const struct sc_code *code = spot->code;
    const struct sc_statement *at = sc_spot_statement(spot);
    for (uint32_t i = at->first; i < at->end; i++) {
        if (!is_same_string(code, column, i))
            continue;
        SC_AUTO_FREE char *name = sc_spot_text(spot, i, i + 1);
        bool is_text = tells_apart(code, at);
        sc_advise(spot, "object_column", spot->percent, name,
                  sc_format("works with the column %s, whose values are Python objects: each is "
                            "looked at on its own",
                            name),
                  is_text ? sc_strdup("Give it the type \"category\" (astype(\"category\")), which "
                                      "keeps a small number for each value.")
                          : sc_strdup("Give it a type of numbers (dtype=float, astype(float), "
                                      "pandas.to_numeric), so that it is computed at once."),
                  sc_format("line %u makes it with the type object",
                            code->statements.items[maker].first_line));
        return true;
    }
    return false;
}

static void find_column(const struct sc_spot *spot)
{
    const struct sc_code *code = spot->code;
    if (spot->percent < COLUMN_MIN_PERCENT)
        return;
    for (uint32_t s = 0; s < code->statements.count; s++) {
        const struct sc_statement *at = &code->statements.items[s];
        for (uint32_t i = at->first + 2; s != spot->statement && i < at->end; i++) {
            uint32_t column = is_object_type(code, i) ? column_of(code, at, i) : SC_NONE;
            if (column != SC_NONE && advise_column(spot, column, s))
                return;
        }
    }
}

/* Whether a DataLoader of the text is given other processes to read with. */
static bool has_workers(const struct sc_code *code)
{
    SC_EACH(const struct sc_call, call, &code->calls) {
        uint32_t first = 0;
        uint32_t end = 0;
        if (sc_ends_with(sc_code_call_name(code, call), "DataLoader") &&
            sc_code_argument(code, call, 0, "num_workers", &first, &end) &&
            !(end == first + 1 && sc_code_is(code, first, "0")))
            return true;
    }
    return false;
}

/* How much of the run its threads were blocked at the line by others, in %. While workers compute
 * this is no part of the run's time. */
static double blocked_percent(const struct sc_spot *spot)
{
    const double *wait_s = spot->cost->wait_s;
    double elapsed_s = spot->report->overview.elapsed_s;
    double sum_s = wait_s[SC_WAIT_IO] + wait_s[SC_WAIT_LOCK] + wait_s[SC_WAIT_CHILD];
    return elapsed_s > 0.0 ? 100.0 * sc_clamp(sum_s, 0.0, elapsed_s) / elapsed_s : 0.0;
}

/* "for batch in loader": the time of its header is that of making the next batch ready. */
static void find_loader(const struct sc_spot *spot)
{
    const struct sc_code *code = spot->code;
    const struct sc_statement *at = sc_spot_statement(spot);
    uint32_t first = at->first;
    uint32_t end = at->end - 1;
    while (first < end && !sc_code_is(code, first, "in"))
        first++;
    first++;
    if (first + 1 < end && sc_code_is_one_of(code, first, "enumerate tqdm"))
        first += 2; /* "enumerate(" */
    uint32_t stop = first;
    while (stop < end && !sc_code_is_one_of(code, stop, ", )"))
        stop = code->matches.items[stop] != SC_NONE && code->matches.items[stop] > stop
                   ? code->matches.items[stop] + 1
                   : stop + 1;
    if (at->kind != SC_STATEMENT_FOR || first >= end ||
        sc_code_kind(code, first, stop, spot->statement) != SC_NAME_LOADER)
        return;
    bool are_workers = has_workers(code);
    double blocked = blocked_percent(spot);
    struct sc_spot whole = *spot;
    double all =
        are_workers ? fmax(spot->kinds[SC_KIND_SYSTEM], blocked) : spot->cost->cumulative_percent;
    whole.percent = fmin(100.0, fmax(sc_clamp(all, 0.0, 100.0), are_workers ? 0.0 : spot->percent));
    if (whole.percent < LOADER_MIN_PERCENT)
        return;
    whole.is_wait = are_workers && blocked > spot->kinds[SC_KIND_SYSTEM]; /* of the elapsed time */
    SC_AUTO_FREE char *loader = sc_spot_text(spot, first, stop);
    sc_advise(&whole, "loader_starved", whole.percent, loader,
              sc_format("waits for %s to make the next batch ready, and computes nothing meanwhile",
                        loader),
              are_workers ? sc_strdup("Give the loader more workers (num_workers=), let them work "
                                      "further ahead (prefetch_factor=), or do less for each item.")
                          : sc_strdup("Let other processes make the batches (num_workers=, with "
                                      "persistent_workers=True), or do less for each item."),
              sc_format("%s of the %s is below the header of this loop%s",
                        sc_number_percent(whole.percent).text,
                        whole.is_wait ? "elapsed time" : "run",
                        are_workers ? ", waiting"
                                    : "; the loader has no workers, so the loop "
                                      "makes each batch itself"));
}

void sc_advise_columns(const struct sc_spot *spot)
{
    find_column(spot);
    find_loader(spot);
}
