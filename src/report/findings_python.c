/*
 * report/findings_python.c - findings about Python code that computes: loops, and functions that
 * call themselves.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "report/findings.h"
#include "report/number.h"
#include "source/code.h"

#define LOOP_MIN_PERCENT     20.0 /* of the run: for a finding about a loop */
#define FUNCTION_MIN_PERCENT 30.0 /* of the run: for a finding about a function */
#define MOSTLY               0.8  /* of a place's own time: it is of one kind */

/* Of a loop's own time: the rest is in the compiled functions that it calls for each number (min,
 * math.exp), and the freeing of numbers, which arrays save as well. */
#define LOOP_MOSTLY 0.5

/* Of a loop's time: its lines with less say little of what it does. */
#define WORKING_SHARE 0.1

/* Operations with numbers: one or two are counters, which every loop may have. */
#define FORMULA_MIN 3

/* Times of a run of lines, in percent of the run. */
struct time_sum {
    double total;
    double interpreting; /* the part that is sc_cost_interpreting_percent */
};

static bool is_loop(const struct sc_line *line)
{
    return line->region.start_outermost_loop > 0 &&
           line->region.end_outermost_loop > line->region.start_outermost_loop;
}

/* Whether the text of a line is the header of a loop and not of another block. */
static bool starts_loop(const struct sc_line *line)
{
    const char *text = line->text != NULL ? line->text : "";
    text += strspn(text, " \t\f");
    return sc_starts_with(text, "for ") || sc_starts_with(text, "while ") ||
           sc_starts_with(text, "async for ") || sc_starts_with(text, "while(");
}

/* sums[i]: the times of all lines before the i-th. Freed by the caller. */
static struct time_sum *running_sums(const struct sc_file *file)
{
    struct time_sum *sums = sc_alloc(file->lines.count + 1, sizeof(*sums));
    for (size_t i = 0; i < file->lines.count; i++) {
        const struct sc_cost *cost = &file->lines.items[i].cost;
        sums[i + 1].total = sums[i].total + sc_cost_time_percent(cost);
        sums[i + 1].interpreting = sums[i].interpreting + sc_cost_interpreting_percent(cost);
    }
    return sums;
}

/* What a text does that compiled code could do at once. */
struct deeds {
    unsigned indices;    /* "a[i]" */
    unsigned operations; /* with numbers: + - * / */
    unsigned own_calls;  /* of the function of this name */
    bool is_other;       /* works with texts, or calls functions that are no arithmetic */
};

static bool is_arithmetic(const char *name)
{
    static const char plain[] =
        "min max abs len range enumerate zip sum int float pow round divmod .append .random .gauss";
    return sc_call_is_one_of(name, plain) || sc_starts_with_any(name, "math. random.");
}

static struct deeds deeds_of(const char *text, size_t length, const char *function)
{
    struct deeds deeds = {0};
    SC_AUTO(sc_code_done) struct sc_code code = {0};
    sc_code_init(&code, text, length);
    for (uint32_t i = 1; i < code.lexemes.count; i++) {
        enum sc_lexeme_kind before = code.lexemes.items[i - 1].kind;
        bool is_operand = before == SC_LEXEME_NAME || before == SC_LEXEME_NUMBER ||
                          sc_code_is_one_of(&code, i - 1, "] )");
        static const char *const signs[] = {"+", "-", "*", "/", "**", "+=", "-=", "*=", "//", "%"};
        deeds.indices += is_operand && sc_code_is(&code, i, "[");
        for (size_t k = 0; k < sizeof(signs) / sizeof(signs[0]); k++)
            deeds.operations += is_operand && sc_code_is(&code, i, signs[k]);
    }
    unsigned loops = 0; /* "for" whose "in" is still to come */
    for (uint32_t i = 0; i < code.lexemes.count; i++) {
        bool is_in = sc_code_is(&code, i, "in");
        loops += sc_code_is(&code, i, "for");
        /* what is searched is no array, and what is handed out one by one is asked for so */
        deeds.is_other = deeds.is_other || code.lexemes.items[i].kind == SC_LEXEME_STRING ||
                         (is_in && loops == 0) || sc_code_is(&code, i, "yield");
        loops -= is_in && loops > 0;
    }
    for (size_t i = 0; i < code.calls.count; i++) {
        const char *name = sc_code_call_name(&code, &code.calls.items[i]);
        deeds.is_other = deeds.is_other || !is_arithmetic(name);
        if (function == NULL)
            continue;
        deeds.own_calls += strcmp(sc_after_last(name, '.'), function) == 0;
    }
    return deeds;
}

/* The most expensive line of [first, behind), and what the lines with much of the time do. */
static const struct sc_line *hottest(const struct sc_file *file, size_t first, size_t behind,
                                     double total, struct deeds *ret_deeds)
{
    const struct sc_line *most = &file->lines.items[first];
    SC_AUTO(sc_str_done) struct sc_str text = {0};
    for (size_t i = first; i < behind; i++) {
        const struct sc_line *line = &file->lines.items[i];
        double percent = sc_cost_time_percent(&line->cost);
        if (percent > sc_cost_time_percent(&most->cost))
            most = line;
        if (line->text != NULL && percent >= WORKING_SHARE * total)
            sc_str_add(&text, line->text);
    }
    *ret_deeds = deeds_of(sc_str_text(&text), text.length, NULL);
    return most;
}

/* Whether the line of the whole text is the header of a loop that ends soon, so that its time is
 * that of the many who run it; or whether a hot line of it looks into a dictionary. */
static bool is_no_array(const struct sc_file *file, size_t first, size_t behind, double total)
{
    SC_AUTO(sc_str_done) struct sc_str text = {0};
    SC_AUTO(sc_code_done) struct sc_code code = {0};
    bool is_other = false;
    sc_file_code_init(file, &text, &code);
    for (uint32_t s = 0; s < code.statements.count && !is_other; s++) {
        const struct sc_statement *at = &code.statements.items[s];
        if (at->first_line <= first || at->first_line > behind)
            continue;
        const struct sc_cost *cost = &file->lines.items[at->first_line - 1].cost;
        is_other = at->first_line == first + 1 && sc_code_is_short_loop(&code, s);
        for (uint32_t i = at->first; i + 1 < at->end && !is_other; i++) {
            SC_AUTO(sc_str_done) struct sc_str name = {0};
            uint32_t end = 0;
            is_other = sc_cost_time_percent(cost) >= WORKING_SHARE * total &&
                       sc_code_dotted(&code, i, at->function, &name, &end) &&
                       sc_code_is(&code, end, "[") &&
                       sc_code_kind_of_name(&code, name.data, s) == SC_NAME_DICT;
        }
    }
    return is_other;
}

/* A loop that begins at the line with this index, if it interprets Python most of its time, and its
 * most expensive line computes with numbers of lists or arrays one by one. What other loops do
 * cannot be told to be better done otherwise. */
static bool find_loop(const struct sc_report *report, const struct sc_advices *advices,
                      const struct sc_file *file, size_t index, const struct time_sum *sums,
                      struct sc_findings *findings)
{
    const struct sc_line *line = &file->lines.items[index];
    if (!is_loop(line) || line->lineno != line->region.start_outermost_loop || !starts_loop(line))
        return false;
    /* there is a record for every line, in order */
    size_t behind = index + (line->region.end_outermost_loop - line->lineno) + 1;
    if (behind > file->lines.count)
        behind = file->lines.count;
    double total = sums[behind].total - sums[index].total;
    double interpreting = sums[behind].interpreting - sums[index].interpreting;
    if (total < LOOP_MIN_PERCENT || interpreting < LOOP_MOSTLY * total ||
        sc_advices_cover(advices, file, line->lineno, line->region.end_outermost_loop))
        return false;
    struct deeds deeds;
    const struct sc_line *most = hottest(file, index, behind, total, &deeds);
    bool computes = (deeds.indices > 0 && deeds.operations > 0) || deeds.operations >= FORMULA_MIN;
    if (!computes || deeds.is_other || is_no_array(file, index, behind, total))
        return false;
    struct sc_finding_place place = {file, line->region.start_outermost_loop,
                                     line->region.end_outermost_loop, true};
    SC_AUTO_FREE char *name = sc_shown_name(report->profile, file->name);
    SC_AUTO_FREE char *saving =
        sc_share_text(total, sc_lines_error(file, line->lineno, line->region.end_outermost_loop));
    sc_found(findings, "python_loop", total, place,
             sc_format("the loop at %s:%u-%u spends %s of its time interpreting Python, most of it "
                       "at line %u, which computes number by number: up to %s of the run could be "
                       "saved. Compute with whole arrays (numpy), or have the function compiled "
                       "(numba).",
                       name, line->region.start_outermost_loop, line->region.end_outermost_loop,
                       sc_number_percent(100.0 * interpreting / total).text, most->lineno, saving));
    return true;
}

/* How often the text of a function calls the function itself. */
static unsigned own_calls(const struct sc_file *file, const struct sc_function *function,
                          uint32_t end)
{
    SC_AUTO(sc_str_done) struct sc_str text = {0};
    for (size_t i = function->lineno; i < end && i < file->lines.count; i++)
        sc_str_add(&text, file->lines.items[i].text != NULL ? file->lines.items[i].text : "\n");
    struct deeds deeds =
        deeds_of(sc_str_text(&text), text.length, sc_after_last(function->name, '.'));
    return deeds.own_calls;
}

/* Where no loop explains a file's Python time, the functions that take it by calling themselves
 * more than once: such a function is called with the same arguments again and again. */
static void find_functions(const struct sc_report *report, const struct sc_advices *advices,
                           const struct sc_file *file, struct sc_findings *findings)
{
    SC_EACH(const struct sc_function, function, &file->functions) {
        double total = sc_cost_time_percent(&function->cost);
        double interpreting = sc_cost_interpreting_percent(&function->cost);
        if (total < FUNCTION_MIN_PERCENT || interpreting < MOSTLY * total)
            continue;
        uint32_t end = sc_function_end(file, function);
        if (sc_advices_cover(advices, file, function->lineno, end) ||
            own_calls(file, function, end) < 2)
            continue;
        struct sc_finding_place place = {file, function->lineno, end, true};
        SC_AUTO_FREE char *name = sc_shown_name(report->profile, file->name);
        SC_AUTO_FREE char *saving = sc_share_text(total, function->cost.cpu_share_error);
        sc_found(
            findings, "python_function", total, place,
            sc_format("%s (%s:%u) spends %s of its own time interpreting Python, and calls itself "
                      "several times each time: up to %s of the run could be saved. Keep its "
                      "results (functools.cache), or compute them in order in a loop.",
                      function->name, name, function->lineno,
                      sc_number_percent(100.0 * interpreting / total).text, saving));
    }
}

void sc_find_python(const struct sc_report *report, const struct sc_advices *advices,
                    struct sc_findings *findings)
{
    SC_EACH(const struct sc_file, file, &report->profile->files) {
        SC_AUTO_FREE struct time_sum *sums = running_sums(file);
        bool any = false;
        for (size_t i = 0; i < file->lines.count; i++) {
            bool is_found = find_loop(report, advices, file, i, sums, findings);
            any = any || is_found;
        }
        if (!any)
            find_functions(report, advices, file, findings);
    }
}
