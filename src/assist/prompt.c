/* assist/prompt.c - see prompt.h. SPDX-License-Identifier: Apache-2.0 */
#include "assist/prompt.h"

#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "report/report.h"
#include "source/source.h"

#define PLACE_LIMIT_BYTES  ((size_t)32 << 10) /* of the lines themselves */
#define AROUND_LIMIT_BYTES ((size_t)12 << 10) /* before them, and as much again behind */
#define LINES_BEFORE       60U
#define LINES_BEHIND       30U
#define IMPORTS_MAX        60U
#define ANSWER_TOKENS      16384U

#define X_NAME(name, text) text,
const char *const sc_ai_goal_names[SC_AI_GOAL_COUNT_] = {SC_AI_GOALS(X_NAME)};
#undef X_NAME

static const char *const systems[SC_AI_GOAL_COUNT_] = {
    [SC_AI_GOAL_PERFORMANCE] =
        "You make Python programs faster. You are shown a piece of a program with the "
        "measurements of a profiler, and you replace it by one that does the same in less time.\n",
    [SC_AI_GOAL_MEMORY] =
        "You make Python programs need less memory. You are shown a piece of a program with the "
        "measurements of a profiler, and you replace it by one that does the same in less "
        "memory.\n",
};

static const char *const rules =
    "\n"
    "Rules:\n"
    "1. The replacement gives the same results and the same output, raises the same exceptions, "
    "and keeps every name that code outside of it may use.\n"
    "2. It replaces the lines between the two marks, all of them and nothing else, in one fenced "
    "block that begins with ```python. Leave out the marks. Keep the indentation of the lines.\n"
    "3. If it needs modules that are not imported yet, put nothing but their import statements "
    "into a fenced block of their own before the first. Use only the standard library and packages "
    "that the file imports already, unless the gain is large; then say so.\n"
    "4. Behind the blocks, say in at most five short sentences what you changed, why it helps by "
    "these measurements, and what to look out for.\n"
    "5. If you know nothing that would help much, give no block and say why.\n";

static const char *const wishes[SC_AI_GOAL_COUNT_] = {
    [SC_AI_GOAL_PERFORMANCE] =
        "Goal: less time. Look first for a better algorithm or data structure, for work that is "
        "done again and again, and for copies. Then move time out of interpreted Python: built-in "
        "functions, comprehensions, whole-array operations where the data are numbers.\n",
    [SC_AI_GOAL_MEMORY] =
        "Goal: a lower peak of memory. Look first for data that are kept longer than they are "
        "needed, for lists that could be generators, and for copies. Then for denser forms: "
        "arrays instead of lists of numbers, __slots__, smaller types, working in place or in "
        "pieces. Time may rise a little for it.\n",
};

static void note(struct sc_ai_prompt *prompt, char *sentence)
{
    sc_str_add_format(&prompt->user, "(%s)\n", sentence);
    sc_vec_push(&prompt->notes, sentence);
}

/* Where the line with this number begins, 1-based; the text's end for one behind the last. */
static size_t start_of(const struct sc_source *source, uint32_t lineno)
{
    return lineno - 1 < source->lines.count ? source->lines.items[lineno - 1].start
                                            : source->length;
}

static void add_code(struct sc_str *text, const char *code, size_t length)
{
    sc_str_add_bytes(text, code, length);
    if (length > 0 && code[length - 1] != '\n')
        sc_str_add_char(text, '\n');
}

static size_t indent_of(const char *line)
{
    return strspn(line, " \t");
}

/* The first line around the place that is shown: the function's, if that is not too far. */
static uint32_t first_shown(const struct sc_ai_place *place, const struct sc_source *source)
{
    uint32_t function = place->file->lines.items[place->first - 1].region.start_function_line;
    uint32_t first = place->first > LINES_BEFORE ? place->first - LINES_BEFORE : 1;
    if (function > 0 && function <= place->first && place->first - function <= LINES_BEFORE)
        first = function > 5 ? function - 5 : 1;
    while (first < place->first && place->start - start_of(source, first) > AROUND_LIMIT_BYTES)
        first++;
    return first;
}

static uint32_t last_shown(const struct sc_ai_place *place, const struct sc_source *source)
{
    uint32_t count = (uint32_t)source->lines.count;
    uint32_t last = place->last + LINES_BEHIND < count ? place->last + LINES_BEHIND : count;
    while (last > place->last && start_of(source, last + 1) - place->end > AROUND_LIMIT_BYTES)
        last--;
    return last;
}

static void add_source(const struct sc_ai_place *place, const struct sc_source *source,
                       struct sc_ai_prompt *prompt)
{
    struct sc_str *text = &prompt->user;
    const char *code = sc_str_text(&place->text);
    uint32_t first = first_shown(place, source);
    uint32_t last = last_shown(place, source);
    size_t start = start_of(source, first);
    size_t end = start_of(source, last + 1);
    int indent = (int)indent_of(code + place->start);
    sc_str_add_format(text, "\nLines %u-%u of the file:\n\n```python\n", first, last);
    add_code(text, code + start, place->start - start);
    sc_str_add_format(text, "%.*s" SC_AI_MARK_FIRST "\n", indent, code + place->start);
    add_code(text, code + place->start, place->end - place->start);
    sc_str_add_format(text, "%.*s" SC_AI_MARK_LAST "\n", indent, code + place->start);
    add_code(text, code + place->end, end - place->end);
    sc_str_add(text, "```\n");
    if (first > 1 || last < source->lines.count)
        note(prompt, sc_format("of the %zu lines of the file, %u are shown", source->lines.count,
                               last - first + 1));
    if (place->is_changed)
        note(prompt, sc_strdup("the file has changed since the run; this is the text that ran"));
}

static void add_imports(const struct sc_source *source, struct sc_ai_prompt *prompt)
{
    struct sc_str *text = &prompt->user;
    size_t count = source->import_statements.count;
    if (count == 0) {
        sc_str_add(text, "\nThe file imports nothing.\n");
        return;
    }
    sc_str_add(text, "\nImports of the file:\n");
    for (size_t i = 0; i < count && i < IMPORTS_MAX; i++)
        sc_str_add_format(text, "    %.200s\n", source->import_statements.items[i]);
    if (count > IMPORTS_MAX)
        note(prompt, sc_format("%zu more imports are left out", count - IMPORTS_MAX));
}

bool sc_ai_prompt_make(const struct sc_ai_place *place, enum sc_ai_goal goal, const char *hardware,
                       struct sc_ai_prompt *ret_prompt, struct sc_err *err)
{
    const struct sc_profile *profile = place->profile;
    if (place->end - place->start > PLACE_LIMIT_BYTES)
        return sc_fail(err, SC_ERR_USAGE,
                       "lines %u-%u are too large to ask about (%zu kB at most): choose a smaller "
                       "place",
                       place->first, place->last, PLACE_LIMIT_BYTES >> 10U);
    struct sc_ai_prompt prompt = {0};
    struct sc_source source;
    sc_source_init(&source, sc_str_text(&place->text), place->text.length);
    sc_str_add(&prompt.system, systems[goal]);
    sc_str_add(&prompt.system, rules);
    sc_str_add(&prompt.user, wishes[goal]);
    sc_str_add_format(&prompt.user, "\nFile %.200s, lines %u-%u",
                      sc_report_name(profile, place->file->name), place->first, place->last);
    if (profile->python_version != NULL && profile->python_version[0] != '\0')
        sc_str_add_format(&prompt.user, "; CPython %.40s", profile->python_version);
    sc_str_add_format(&prompt.user, ".\nMachine: %.400s.\n", hardware);
    sc_str_add(&prompt.user, "\nWhat the profiler measured for these lines:\n");
    sc_ai_facts_add(place, goal, &prompt.user);
    add_imports(&source, &prompt);
    add_source(place, &source, &prompt);
    sc_source_done(&source);
    struct sc_str clean = {0};
    sc_utf8_add(&clean, sc_str_text(&prompt.user), prompt.user.length);
    sc_str_done(&prompt.user);
    prompt.user = clean;
    *ret_prompt = prompt;
    ret_prompt->question = (struct sc_ai_question){sc_str_text(&ret_prompt->system),
                                                   sc_str_text(&ret_prompt->user), ANSWER_TOKENS};
    return true;
}

void sc_ai_prompt_done(struct sc_ai_prompt *prompt)
{
    sc_str_done(&prompt->system);
    sc_str_done(&prompt->user);
    sc_vec_free(&prompt->notes);
}
