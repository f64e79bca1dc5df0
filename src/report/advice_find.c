/*
 * report/advice_find.c - which statements took time, and which advice is worth a finding.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/advice.h"
#include "report/number.h"

/* Of the run: a statement with less is not worth a rule. Other lines may add to it. */
#define SPOT_MIN_PERCENT 0.5

/* What could be saved, of the run and in seconds: less is not worth a change of the program. */
#define ADVICE_MIN_PERCENT 3.0
#define ADVICE_MIN_S       0.02

/* A share whose error is larger than this part of it says too little. */
#define ERROR_MAX 0.6

/* Lines whose source is longer are generated. */
#define LINES_MAX 200000U

/* A line's time is each of its statements' time, since nothing tells them apart. With more on a
 * line than this, as in generated code, a rule would blame one of them by chance, and there may be
 * so many that looking at each costs minutes. */
#define STATEMENTS_PER_LINE_MAX 8U

/* An honest profile has at most 200 lines of SPOT_MIN_PERCENT, and those where threads wait. */
#define SPOTS_MAX 2000U

/* Whether so many statements begin on the line of statement i that its time says nothing of one. */
static bool is_crowded(const struct sc_code *code, uint32_t i)
{
    const struct sc_statement *statements = code->statements.items;
    uint32_t line = statements[i].first_line;
    uint32_t first = i;
    uint32_t last = i;
    while (first > 0 && i - first < STATEMENTS_PER_LINE_MAX &&
           statements[first - 1].first_line == line)
        first--;
    while (last + 1 < code->statements.count && last - i < STATEMENTS_PER_LINE_MAX &&
           statements[last + 1].first_line == line)
        last++;
    return last - first >= STATEMENTS_PER_LINE_MAX;
}

/* Sets the cost of the statement's lines. */
static void measure(const struct sc_file *file, const struct sc_statement *statement,
                    struct sc_spot *spot)
{
    double most = -1.0;
    for (uint32_t n = statement->first_line; n <= statement->last_line && n <= file->lines.count;
         n++) {
        const struct sc_line *line = &file->lines.items[n - 1];
        double kinds[SC_KIND_COUNT_];
        sc_cost_kinds(&line->cost, kinds);
        double here = 0.0;
        for (int k = 0; k < SC_KIND_COUNT_; k++) {
            double share = sc_clamp(kinds[k], 0.0, 100.0);
            spot->kinds[k] += share;
            here += share;
        }
        spot->percent = fmin(100.0, spot->percent + here);
        spot->interpreting += sc_cost_interpreting_percent(&line->cost);
        if (here > most) {
            most = here;
            spot->lineno = n;
            spot->cost = &line->cost;
        }
    }
    spot->error = sc_lines_error(file, statement->first_line, statement->last_line);
}

static void apply_rules(const struct sc_report *report, const struct sc_stacks *stacks,
                        const struct sc_file *file, const struct sc_code *code,
                        struct sc_advices *advices)
{
    uint32_t spots = 0;
    for (uint32_t i = 0; i < code->statements.count && spots < SPOTS_MAX; i++) {
        struct sc_spot spot = {
            .report = report,
            .stacks = stacks,
            .file = file,
            .code = code,
            .statement = i,
            .advices = advices,
        };
        measure(file, &code->statements.items[i], &spot);
        if (spot.cost == NULL ||
            (spot.percent < SPOT_MIN_PERCENT && spot.cost->wait_s[SC_WAIT_LOCK] <= 0.0 &&
             spot.cost->wait_s[SC_WAIT_IO] <= 0.0 && spot.cost->async_await_percent <= 0.0) ||
            is_crowded(code, i))
            continue;
        spots++;
        sc_advise_containers(&spot);
        sc_advise_searches(&spot);
        sc_advise_calls(&spot);
        sc_advise_waits(&spot);
        sc_advise_columns(&spot);
        sc_advise_memory(&spot);
    }
}

bool sc_file_has_text(const struct sc_file *file)
{
    if (file->source_changed || file->lines.count == 0 || file->lines.count > LINES_MAX)
        return false;
    for (size_t i = 0; i < file->lines.count; i++) {
        if (file->lines.items[i].lineno != i + 1)
            return false;
    }
    return true;
}

/* Whether a rule can say something about the file. */
static bool can_read(const struct sc_file *file)
{
    double sum = 0.0;
    for (size_t i = 0; i < file->lines.count; i++)
        sum += sc_clamp(sc_cost_time_percent(&file->lines.items[i].cost), 0.0, 100.0);
    return sum >= SPOT_MIN_PERCENT && sc_file_has_text(file);
}

void sc_file_code_init(const struct sc_file *file, struct sc_str *text, struct sc_code *code)
{
    for (size_t i = 0; i < file->lines.count; i++) {
        const char *line = file->lines.items[i].text != NULL ? file->lines.items[i].text : "";
        sc_str_add_bytes(text, line, strcspn(line, "\r\n"));
        sc_str_add_char(text, '\n');
    }
    sc_code_init(code, sc_str_text(text), text->length);
}

static void read_file(const struct sc_report *report, const struct sc_stacks *stacks,
                      const struct sc_file *file, struct sc_advices *advices)
{
    SC_AUTO(sc_str_done) struct sc_str text = {0};
    SC_AUTO(sc_code_done) struct sc_code code = {0};
    sc_file_code_init(file, &text, &code);
    apply_rules(report, stacks, file, &code, advices);
}

static bool is_worth_it(const struct sc_report *report, const struct sc_advice *advice)
{
    double seconds = advice->percent / 100.0 * report->overview.total_s;
    return advice->percent >= ADVICE_MIN_PERCENT && seconds >= ADVICE_MIN_S &&
           advice->error <= ERROR_MAX * advice->percent;
}

static void add_finding(const struct sc_report *report, const struct sc_advice *advice,
                        struct sc_findings *findings)
{
    SC_AUTO_FREE char *share = sc_share_text(advice->percent, advice->error);
    SC_AUTO_FREE char *saving =
        advice->is_wait ? sc_strdup("") : sc_format(": up to %s of the run could be saved", share);
    SC_AUTO_FREE char *more =
        advice->spots > 1 ? sc_format(", as do %u more lines", advice->spots - 1) : sc_strdup("");
    if (advice->spots == 2) {
        free(more);
        more = sc_strdup(", as does another line");
    }
    SC_AUTO_FREE char *name = sc_shown_name(report->profile, advice->file->name);
    sc_found(findings, advice->id, advice->percent,
             sc_finding_at(advice->file, advice->lineno, true),
             sc_format("%s:%u %s%s%s. %s", name, advice->lineno, advice->fact, more, saving,
                       advice->instead));
    findings->items[findings->count - 1].evidence = sc_strdup(advice->evidence);
}

void sc_find_advice(const struct sc_report *report, struct sc_findings *findings,
                    struct sc_advices *ret_advices)
{
    struct sc_stacks stacks = {0};
    bool has_stacks = false;
    SC_EACH(const struct sc_file, file, &report->profile->files) {
        if (!can_read(file))
            continue;
        if (!has_stacks)
            sc_stacks_init(&stacks, report->profile);
        has_stacks = true;
        read_file(report, &stacks, file, ret_advices);
    }
    if (has_stacks)
        sc_stacks_done(&stacks);
    size_t kept = 0;
    SC_EACH(struct sc_advice, advice, ret_advices) {
        if (!is_worth_it(report, advice)) {
            sc_advice_done(advice);
            continue;
        }
        add_finding(report, advice, findings);
        ret_advices->items[kept++] = *advice;
    }
    ret_advices->count = kept;
}
