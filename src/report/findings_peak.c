/*
 * report/findings_peak.c - findings about memory that is alive at the peak and is not needed then.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

#include "report/findings.h"
#include "report/number.h"

/* Of the footprint's peak, and in MB: less would not change what a program needs. */
#define PEAK_MIN_SHARE 0.3
#define PEAK_MIN_MB    50.0

/* Memory is no part of the run's time. */
#define PEAK_WEIGHT_PERCENT 25.0

/* A file whose lines may be named. */
struct holding {
    const struct sc_report *report;
    const struct sc_file *file;
    const struct sc_code *code;
    struct sc_findings *findings;
};

static struct sc_memory_amount at_peak(const struct holding *holding, uint32_t first, uint32_t last)
{
    struct sc_memory_amount sum = {0};
    for (uint32_t n = first; n <= last && n <= holding->file->lines.count; n++) {
        const struct sc_cost *cost = &holding->file->lines.items[n - 1].cost;
        sc_memory_amount_add(&sum, cost, sc_clamp(cost->live_at_peak_mb, 0.0, 1e9));
    }
    return sum;
}

static bool is_much(const struct holding *holding, const struct sc_memory_amount *amount)
{
    return amount->mb >=
           fmax(PEAK_MIN_MB, PEAK_MIN_SHARE * holding->report->profile->max_footprint_mb);
}

static void add_peak(const struct holding *holding, uint32_t lineno,
                     const struct sc_memory_amount *amount, char *what, char *instead,
                     const char *evidence)
{
    const struct sc_profile *profile = holding->report->profile;
    SC_AUTO_FREE char *name = sc_shown_name(profile, holding->file->name);
    SC_AUTO_FREE char *fact = what;
    SC_AUTO_FREE char *advice = instead;
    SC_AUTO_FREE char *saving = sc_memory_saving(profile, amount);
    sc_found(holding->findings, "peak_allocation", PEAK_WEIGHT_PERCENT,
             sc_finding_at(holding->file, lineno, true),
             sc_format("%s:%u %s: %s. %s", name, lineno, fact, saving, advice));
    holding->findings->items[holding->findings->count - 1].evidence = sc_strdup(evidence);
}

/* Whether other queries are asked while the rows are gone through: some databases refuse that. */
static bool queries_in_loop(const struct sc_code *code, uint32_t statement)
{
    const struct sc_statement *loop = &code->statements.items[statement];
    SC_EACH(const struct sc_call, call, &code->calls)
        if (call->statement > statement && call->statement < loop->block_end &&
            sc_ends_with(sc_code_call_name(code, call), ".execute"))
            return true;
    return false;
}

static bool is_lazy(const struct holding *holding, uint32_t first, uint32_t end, uint32_t consumer,
                    const char **ret_instead)
{
    *ret_instead = sc_code_lazy(holding->code, first, end);
    return *ret_instead != NULL &&
           (strstr(*ret_instead, "cursor") == NULL || !queries_in_loop(holding->code, consumer));
}

/* "rows = f.readlines()", and "for row in rows" as all that is done with it. */
static bool find_made_at_once(const struct holding *holding, const struct sc_binding *binding,
                              const struct sc_uses *uses, const struct sc_memory_amount *amount)
{
    const struct sc_code *code = holding->code;
    const struct sc_statement *at = &code->statements.items[binding->statement];
    const struct sc_statement *user = &code->statements.items[uses->last_statement];
    const char *instead = NULL;
    if (uses->count != 1 || user->loop != at->loop || uses->last_statement <= binding->statement ||
        !sc_code_goes_through(code, uses->last_statement, uses->last_lexeme,
                              uses->last_lexeme + 1) ||
        !is_lazy(holding, binding->first, binding->end, uses->last_statement, &instead))
        return false;
    const char *name = sc_intern_text(&code->texts, binding->name);
    add_peak(holding, at->first_line, amount,
             sc_format("makes all of %s, which line %u goes through once", name, user->first_line),
             sc_format("Instead, %s.", instead),
             "the items are used one after another, and nothing else in the text asks for them");
    return true;
}

/* "for row in f.readlines()" */
static void find_full_read(const struct holding *holding, uint32_t statement)
{
    const struct sc_code *code = holding->code;
    const struct sc_statement *at = &code->statements.items[statement];
    uint32_t first = at->first;
    const char *instead = NULL;
    struct sc_memory_amount amount = at_peak(holding, at->first_line, at->last_line);
    while (first < at->end && !sc_code_is(code, first, "in"))
        first++;
    if (!is_much(holding, &amount) || first + 2 >= at->end ||
        !is_lazy(holding, first + 1, at->end - 1, statement, &instead))
        return;
    add_peak(holding, at->first_line, &amount,
             sc_strdup("makes all items before the first is used"),
             sc_format("Instead, %s.", instead),
             "the loop uses the items one after another, and they have no name");
}

/* How many operands of the statement are indexed with None or numpy.newaxis, in different places:
 * "a[:, None] - b[None, :]". */
static bool is_all_pairs(const struct sc_code *code, const struct sc_statement *statement)
{
    bool is_first = false;
    bool is_later = false;
    bool is_computed = false;
    for (uint32_t i = statement->first; i < statement->end; i++) {
        uint32_t match = code->matches.items[i];
        is_computed = is_computed || sc_code_is_one_of(code, i, "- + *");
        if (!sc_code_is(code, i, "[") || match == SC_NONE || i == statement->first)
            continue;
        for (uint32_t k = i + 1; k < match; k++) {
            if (!sc_code_is_one_of(code, k, "None newaxis"))
                continue;
            bool is_start = k == i + 1 || (k == i + 3 && sc_code_is(code, k - 1, "."));
            is_first = is_first || is_start;
            is_later = is_later || !is_start;
        }
    }
    return is_first && is_later && is_computed;
}

static void find_all_pairs(const struct holding *holding, uint32_t statement)
{
    const struct sc_statement *at = &holding->code->statements.items[statement];
    struct sc_memory_amount amount = at_peak(holding, at->first_line, at->last_line);
    if (at->kind != SC_STATEMENT_SIMPLE || !is_much(holding, &amount) ||
        !is_all_pairs(holding->code, at))
        return;
    add_peak(holding, at->first_line, &amount,
             sc_strdup("combines every row with every other in one array"),
             sc_strdup("Go through the rows in blocks of some hundred, so that only the pairs of a "
                       "block are alive; or use what needs no such array "
                       "(scipy.spatial, a*a + b*b - 2 * a @ b.T)."),
             "the operands are indexed with None in different places, so the result has as many "
             "entries as there are pairs");
}

/* The line behind the statement, in its function, that has most of the memory at the peak. */
static uint32_t largest_behind(const struct holding *holding, uint32_t statement,
                               struct sc_memory_amount *ret_largest)
{
    const struct sc_code *code = holding->code;
    const struct sc_statement *at = &code->statements.items[statement];
    uint32_t most = 0;
    for (uint32_t s = statement + 1; s < code->statements.count; s++) {
        const struct sc_statement *each = &code->statements.items[s];
        struct sc_memory_amount amount = at_peak(holding, each->first_line, each->last_line);
        if (each->function == at->function && amount.mb > ret_largest->mb) {
            *ret_largest = amount;
            most = each->first_line;
        }
    }
    return most;
}

/* Whether what is done with the value leaves nothing that keeps it: it is gone through, or given to
 * a function that makes something else of it. */
static bool is_used_up(const struct sc_code *code, const struct sc_uses *uses)
{
    static const char makers[] =
        "json.loads len sorted list tuple numpy.array bytes hash zlib.crc32 float ast.parse";
    static const char methods[] =
        "split splitlines decode encode lower upper strip count tolist sum mean copy";
    uint32_t at = uses->last_lexeme;
    if (sc_code_goes_through(code, uses->last_statement, at, at + 1))
        return true;
    if (sc_code_is(code, at + 1, ".") && sc_code_is_one_of(code, at + 2, methods) &&
        sc_code_is(code, at + 3, "("))
        return true;
    uint32_t call = at > 0 ? sc_code_call_at(code, at - 1) : SC_NONE;
    const char *name = call != SC_NONE ? sc_code_call_name(code, &code->calls.items[call]) : "";
    return sc_is_among(name, makers);
}

/* A value that is alive at the peak, which comes when nothing asks for it any more. */
static void find_kept(const struct holding *holding, const struct sc_binding *binding,
                      const struct sc_uses *uses, const struct sc_memory_amount *amount)
{
    const struct sc_code *code = holding->code;
    const struct sc_statement *at = &code->statements.items[binding->statement];
    const struct sc_statement *user = &code->statements.items[uses->last_statement];
    struct sc_memory_amount largest = {0};
    if (uses->count != 1 || at->loop != SC_NONE || user->loop != SC_NONE ||
        binding->first >= binding->end || !is_used_up(code, uses))
        return;
    uint32_t last = uses->last_statement;
    if (user->kind == SC_STATEMENT_FOR)
        last = user->block_end - 1;
    uint32_t later = largest_behind(holding, last, &largest);
    if (later == 0 || !is_much(holding, &largest))
        return;
    const char *name = sc_intern_text(&code->texts, binding->name);
    add_peak(holding, at->first_line, amount,
             sc_format("makes %s, which is kept behind line %u though nothing asks for it there",
                       name, code->statements.items[last].last_line),
             sc_format("Forget it before line %u takes its memory (del %s), or make and use it in "
                       "a function of its own.",
                       later, name),
             "the name is not in the text behind that line, and its memory was alive at the peak");
}

static void find_in_statements(const struct holding *holding)
{
    const struct sc_code *code = holding->code;
    for (uint32_t s = 0; s < code->statements.count; s++) {
        find_all_pairs(holding, s);
        if (code->statements.items[s].kind == SC_STATEMENT_FOR)
            find_full_read(holding, s);
    }
    SC_EACH(const struct sc_binding, binding, &code->bindings) {
        const struct sc_statement *at = &code->statements.items[binding->statement];
        struct sc_memory_amount amount = at_peak(holding, at->first_line, at->last_line);
        if (binding->is_parameter || binding->is_change || at->kind != SC_STATEMENT_SIMPLE ||
            !is_much(holding, &amount))
            continue;
        struct sc_uses uses = sc_code_uses(code, binding);
        if (!uses.is_rebound && !find_made_at_once(holding, binding, &uses, &amount))
            find_kept(holding, binding, &uses, &amount);
    }
}

static void find_in_file(const struct sc_report *report, const struct sc_file *file,
                         struct sc_findings *findings)
{
    SC_AUTO(sc_str_done) struct sc_str text = {0};
    SC_AUTO(sc_code_done) struct sc_code code = {0};
    struct holding holding = {.report = report, .file = file, .code = &code, .findings = findings};
    struct sc_memory_amount all = at_peak(&holding, 1, (uint32_t)file->lines.count);
    if (!sc_file_has_text(file) || !is_much(&holding, &all))
        return;
    sc_file_code_init(file, &text, &code);
    find_in_statements(&holding);
}

void sc_find_peak(const struct sc_report *report, struct sc_findings *findings)
{
    for (size_t f = 0; report->profile->memory && f < report->profile->files.count; f++)
        find_in_file(report, &report->profile->files.items[f], findings);
}
