/*
 * report/advice_search.c - the rules on lists that are searched by comparing a key entry by entry,
 * and on loops that count.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "report/advice.h"

/* A search among few entries is as fast as a look into a dict: it must take this many times as long
 * as what follows a match, and as the line of the loop that it is done in. */
#define SEARCH_MIN_STEPS 5.0

/* Of the run: with so much, the loop's line may take long for a reason of its own. */
#define SEARCH_LARGE_PERCENT 25.0

/* Where these are on the line of the search. Of the run: less may be few entries. */
#define SEARCH_MIN_PERCENT 10.0

/* "for target in list" and "if key == value", as lexemes [first, end). */
struct search {
    uint32_t target, target_end;
    uint32_t list, list_end;
    uint32_t test, test_end;
};

/* Whether the lexeme is a name of its own, no attribute, and one that the loop binds. */
static bool is_target(const struct sc_code *code, const struct search *search, uint32_t lexeme)
{
    bool any = false;
    for (uint32_t i = search->target; i < search->target_end; i++)
        any = any ||
              (code->lexemes.items[i].kind == SC_LEXEME_NAME && sc_code_is_same(code, i, lexeme));
    return any && !sc_code_is(code, lexeme - 1, ".");
}

double sc_spot_lines_percent(const struct sc_spot *spot, uint32_t first, uint32_t last)
{
    double sum = 0.0;
    for (uint32_t n = first; n <= last && n <= spot->file->lines.count; n++)
        sum += sc_cost_time_percent(&spot->file->lines.items[n - 1].cost);
    return sum;
}

/* Whether a search that takes this much of the run goes through many entries each time. */
static bool is_long(const struct sc_spot *spot, const struct sc_repeat *repeat, double percent)
{
    const struct sc_statement *statement = sc_spot_statement(spot);
    uint32_t line = repeat->loop_line;
    if (line == 0 || (line >= statement->first_line && line <= statement->last_line))
        return percent >= SEARCH_MIN_PERCENT;
    return percent >= SEARCH_LARGE_PERCENT ||
           percent >= SEARCH_MIN_STEPS * sc_spot_lines_percent(spot, line, line);
}

/* Whether [first, end) is made of the entry alone: entry["key"], entry.key, key. */
static bool is_key(const struct sc_code *code, const struct search *search, uint32_t first,
                   uint32_t end)
{
    bool is_of_entry = first < end && is_target(code, search, first);
    for (uint32_t i = first + 1; i < end && is_of_entry; i++)
        is_of_entry =
            (code->lexemes.items[i].kind != SC_LEXEME_NAME || sc_code_is(code, i - 1, ".")) &&
            !sc_code_is(code, i, "(");
    return is_of_entry;
}

/* Whether [first, end) is a value that is looked for, which the entry has no part in. */
static bool is_wanted(const struct sc_code *code, const struct search *search, uint32_t first,
                      uint32_t end)
{
    bool is_named = false;
    for (uint32_t i = first; i < end; i++) {
        if (code->lexemes.items[i].kind != SC_LEXEME_NAME)
            continue;
        if (is_target(code, search, i) || sc_code_is_one_of(code, i, "and or"))
            return false;
        is_named = true;
    }
    return is_named;
}

/* The sides of the comparison: the key of an entry, and what is looked for. */
static bool part_test(const struct sc_code *code, const struct search *search, uint32_t *ret_key,
                      uint32_t *ret_key_end)
{
    uint32_t sign = sc_code_next(code, search->test, search->test_end, "==");
    uint32_t left = search->test;
    if (sign == search->test_end ||
        sc_code_next(code, sign + 1, search->test_end, "==") != search->test_end)
        return false;
    bool is_left = is_key(code, search, left, sign);
    *ret_key = is_left ? left : sign + 1;
    *ret_key_end = is_left ? sign : search->test_end;
    return is_left ? is_wanted(code, search, sign + 1, search->test_end)
                   : is_key(code, search, sign + 1, search->test_end) &&
                         is_wanted(code, search, left, sign);
}

/* Advises where the list is the same each time that it is searched, in a statement that begins the
 * search. */
static void advise(const struct sc_spot *spot, const struct search *search, uint32_t statement,
                   double percent, bool is_group)
{
    const struct sc_code *code = spot->code;
    uint32_t key_first = 0;
    uint32_t key_end = 0;
    uint32_t stop = 0;
    SC_AUTO(sc_str_done) struct sc_str dotted = {0};
    bool is_name = search->target < search->target_end && search->list < search->list_end &&
                   sc_code_dotted(code, search->list, SC_NONE, &dotted, &stop) &&
                   stop == search->list_end;
    struct sc_repeat repeat = sc_code_repeat(code, statement, search->list);
    if (!is_name || !repeat.is_repeated || !is_long(spot, &repeat, percent) ||
        !part_test(code, search, &key_first, &key_end) ||
        !sc_code_is_constant(code, search->list, search->list_end, statement))
        return;
    SC_AUTO_FREE char *list = sc_spot_text(spot, search->list, search->list_end);
    if (sc_code_is_small(code, list, statement))
        return;
    SC_AUTO_FREE char *key = sc_spot_text(spot, key_first, key_end);
    SC_AUTO_FREE char *test = sc_spot_text(spot, search->test, search->test_end);
    SC_AUTO_FREE char *loop = sc_spot_loop(spot, &repeat);
    sc_advise(spot, "linear_search", spot->percent, list,
              sc_format("searches %s entry by entry%s", list, loop),
              is_group
                  ? sc_format("Group it once in a dict of lists by %s, and look each group up "
                              "there.",
                              key)
                  : sc_format("Make a dict of it by %s once, and look each entry up there.", key),
              sc_format("%s is compared for one entry after the other, %s", test,
                        is_group ? "all of them each time"
                                 : "which takes many times as long as a step of the loop"));
}

/* "for entry in list:" with nothing in it but "if entry.key == value:", which ends in a return or
 * break. */
static void find_loop(const struct sc_spot *spot)
{
    const struct sc_code *code = spot->code;
    const struct sc_statement *statements = code->statements.items;
    const struct sc_statement *test = sc_spot_statement(spot);
    if (!sc_code_is(code, test->first, "if") || test->loop == SC_NONE ||
        test->parent != test->loop || spot->statement != test->loop + 1)
        return;
    const struct sc_statement *loop = &statements[test->loop];
    uint32_t last = test->block_end - 1;
    if (loop->kind != SC_STATEMENT_FOR || loop->is_async || loop->block_end != test->block_end ||
        last <= spot->statement || statements[last].parent != spot->statement ||
        !sc_code_is_one_of(code, statements[last].first, "return break"))
        return;
    double percent =
        spot->percent + sc_spot_lines_percent(spot, loop->first_line, test->first_line - 1);
    if (percent <
        SEARCH_MIN_STEPS * sc_spot_lines_percent(spot, test->last_line + 1, test->block_end_line))
        return;
    uint32_t in = sc_code_next(code, loop->first + 1, loop->end, "in");
    advise(spot,
           &(struct search){loop->first + 1, in, in + 1, loop->end - 1, test->first + 1,
                            test->end - 1},
           test->loop, percent, false);
}

/* "[... for entry in list if entry.key == value]", alone in its brackets. */
static void find_comprehensions(const struct sc_spot *spot)
{
    const struct sc_code *code = spot->code;
    const struct sc_statement *statement = sc_spot_statement(spot);
    for (uint32_t open = statement->first; open < statement->end; open++) {
        uint32_t close = code->matches.items[open];
        if (close == SC_NONE || close < open)
            continue;
        uint32_t loop = sc_code_next(code, open + 1, close, "for");
        uint32_t in = sc_code_next(code, loop, close, "in");
        uint32_t test = sc_code_next(code, in, close, "if");
        if (test == close || sc_code_next(code, loop + 1, close, "for") != close ||
            sc_code_next(code, test + 1, close, "if") != close ||
            sc_code_is(code, loop - 1, "async"))
            continue;
        bool is_next =
            open > statement->first &&
            (sc_code_is(code, open - 1, "next") ||
             (sc_code_is(code, open - 1, "(") && open > 1 && sc_code_is(code, open - 2, "next")));
        advise(spot, &(struct search){loop + 1, in, in + 1, test, test + 1, close}, spot->statement,
               spot->percent, !is_next);
    }
}

/* Whether [at, end) are these lexemes; NULL in texts is the key. */
static bool is_text(const struct sc_code *code, uint32_t at, uint32_t end, uint32_t key,
                    const char *const *texts, size_t count)
{
    if (end - at != count)
        return false;
    for (size_t i = 0; i < count; i++) {
        uint32_t lexeme = at + (uint32_t)i;
        if (texts[i] != NULL ? !sc_code_is(code, lexeme, texts[i])
                             : !sc_code_is_same(code, lexeme, key))
            return false;
    }
    return true;
}

/* "for key in items:" with nothing in it but "counts[key] += 1" or the same with get. */
static void find_count(const struct sc_spot *spot)
{
    static const char *const add[] = {"[", NULL, "]", "+=", "1"};
    static const char *const get[] = {".", "get", "(", NULL, ",", "0", ")", "+", "1"};
    const struct sc_code *code = spot->code;
    const struct sc_statement *at = sc_spot_statement(spot);
    if (at->kind != SC_STATEMENT_SIMPLE || at->loop == SC_NONE || at->parent != at->loop)
        return;
    const struct sc_statement *loop = &code->statements.items[at->loop];
    uint32_t key = loop->first + 1;
    if (loop->kind != SC_STATEMENT_FOR || loop->is_async || loop->block_end != at->loop + 2 ||
        !sc_code_is(code, key + 1, "in") || code->lexemes.items[at->first].kind != SC_LEXEME_NAME)
        return;
    uint32_t index = at->first + 1;
    uint32_t value = at->first + 5;
    bool is_count =
        is_text(code, index, at->end, key, add, 5) ||
        (is_text(code, index, index + 3, key, add, 3) && sc_code_is(code, index + 3, "=") &&
         sc_code_is_same(code, value, at->first) && is_text(code, value + 1, at->end, key, get, 9));
    if (!is_count)
        return;
    SC_AUTO_FREE char *counts = sc_spot_text(spot, at->first, at->first + 1);
    SC_AUTO_FREE char *items = sc_spot_text(spot, key + 2, loop->end - 1);
    sc_advise(spot, "manual_count", spot->percent, counts,
              sc_format("counts what line %u goes through one by one in Python", loop->first_line),
              sc_format("collections.Counter(%s) does it in compiled code.", items),
              sc_strdup("the loop does nothing but add one to the count of its item"));
}

void sc_advise_searches(const struct sc_spot *spot)
{
    find_count(spot);
    find_loop(spot);
    find_comprehensions(spot);
}
