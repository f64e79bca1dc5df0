/*
 * report/advice_containers.c - rules on lists that are searched or shifted, and on texts and arrays
 * that are made anew to grow.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "report/advice.h"
#include "report/number.h"

/* What lists, tuples and queues are searched by, where the interpreter's functions have names. */
static const char searchers[] =
    "list_contains tuplecontains tuple_contains deque_contains PySequence_Contains";

/* A search among few entries takes about as long as a step of the loop itself. */
#define SEARCH_MIN_STEPS 5.0

/* Where the loop has no line of its own: of the run. */
#define SEARCH_MIN_PERCENT 10.0

/* A text that grows in place is not copied; one that is copied as often as it grows moves much more
 * than a program of this size holds. */
#define COPIED_MIN_MB 20.0

/* Without these numbers: the least share of the run that adding to a text in place does not reach.
 */
#define GROWTH_MIN_PERCENT 10.0

static uint32_t operand_stop(const struct sc_code *code, uint32_t first, uint32_t end)
{
    uint32_t at = first;
    while (at < end) {
        uint32_t match = code->matches.items[at];
        if (match != SC_NONE && match < at)
            break; /* a bracket around the operand ends */
        bool is_part = code->lexemes.items[at].kind == SC_LEXEME_NAME ||
                       code->lexemes.items[at].kind == SC_LEXEME_STRING ||
                       sc_code_is(code, at, ".");
        bool is_word = sc_code_is_one_of(code, at, "and or if else for");
        if (is_word || (!is_part && match == SC_NONE))
            break;
        at = match != SC_NONE ? match + 1 : at + 1;
    }
    return at;
}

static bool is_sequence(enum sc_name_kind kind)
{
    return kind == SC_NAME_LIST || kind == SC_NAME_TUPLE || kind == SC_NAME_DEQUE;
}

/* Whether the statement takes much longer than it would with few entries: many times what the step
 * of its loop does. */
static bool is_long_search(const struct sc_spot *spot)
{
    const struct sc_statement *statement = sc_spot_statement(spot);
    const struct sc_file *file = spot->file;
    if (statement->loop == SC_NONE)
        return spot->percent >= SEARCH_MIN_PERCENT;
    uint32_t line = spot->code->statements.items[statement->loop].first_line;
    double step =
        line <= file->lines.count ? sc_cost_time_percent(&file->lines.items[line - 1].cost) : 0.0;
    return spot->percent >= SEARCH_MIN_STEPS * step;
}

/* Whether a statement runs each time that the block does. */
static bool runs_with(const struct sc_code *code, uint32_t statement, uint32_t block)
{
    uint32_t parent = code->statements.items[statement].parent;
    while (parent != block && parent != SC_NONE &&
           (code->statements.items[parent].kind == SC_STATEMENT_WITH ||
            code->statements.items[parent].kind == SC_STATEMENT_TRY))
        parent = code->statements.items[parent].parent;
    return parent == block;
}

/* Whether each round of the loop, or each call of the function, gives another value to a name,
 * whose last lexeme is given: so it holds no more than a round adds, and is not there for other
 * rounds. */
static bool is_begun_anew(const struct sc_spot *spot, const char *name, uint32_t lexeme)
{
    const struct sc_code *code = spot->code;
    const struct sc_statement *statement = sc_spot_statement(spot);
    uint32_t block = statement->loop != SC_NONE ? statement->loop : statement->function;
    uint32_t id = sc_intern_find(&code->texts, name, strlen(name));
    for (size_t i = 0; id != SC_NONE && block != SC_NONE && i < code->bindings.count; i++) {
        const struct sc_binding *binding = &code->bindings.items[i];
        if (binding->name != id || binding->is_change || binding->is_parameter ||
            binding->statement == spot->statement || !runs_with(code, binding->statement, block))
            continue;
        bool grows = false; /* "x = x + y" */
        for (uint32_t k = binding->first; k < binding->end; k++)
            grows = grows || sc_code_is_same(code, k, lexeme);
        if (!grows)
            return true;
    }
    return false;
}

/* The operand [first, end) is searched by the "in" before it. */
static void advise_membership(const struct sc_spot *spot, uint32_t first, uint32_t end)
{
    const struct sc_code *code = spot->code;
    struct sc_repeat repeat = sc_code_repeat(code, spot->statement, first - 1);
    if (end <= first || !repeat.is_repeated || !is_long_search(spot))
        return;
    SC_AUTO_FREE char *name = sc_spot_text(spot, first, end);
    enum sc_name_kind kind = sc_code_kind(code, first, end, spot->statement);
    bool is_seen = sc_spot_callee_percent(spot, "list_contains") > 0.5 * spot->percent;
    if (!is_sequence(kind) && !(kind == SC_NAME_UNKNOWN && is_seen))
        return;
    if (sc_code_is_small(code, name, spot->statement) || sc_code_is_one_of(code, first, "( [") ||
        (!sc_code_in_comprehension(code, spot->statement, first) &&
         is_begun_anew(spot, name, end - 1)))
        return;
    double below = sc_spot_callee_percent(spot, searchers);
    SC_AUTO_FREE char *loop = sc_spot_loop(spot, &repeat);
    const char *word = kind == SC_NAME_TUPLE ? "tuple" : kind == SC_NAME_DEQUE ? "deque" : "list";
    sc_advise(spot, "list_membership", below > 0.3 * spot->percent ? below : spot->percent, name,
              sc_format("searches the %s %s from its start%s", word, name, loop),
              sc_format("Keep its entries in a set (or the keys of a dict), which finds one at "
                        "once however many there are."),
              sc_format("%s is a %s by %s, and the line takes many times as long as a step of the "
                        "loop",
                        name, word,
                        is_sequence(kind) ? "its assignments" : "the functions called"));
}

static void find_membership(const struct sc_spot *spot)
{
    const struct sc_code *code = spot->code;
    const struct sc_statement *statement = sc_spot_statement(spot);
    unsigned loops = 0; /* "for" whose "in" is still to come */
    for (uint32_t i = statement->first; i < statement->end; i++) {
        if (code->lexemes.items[i].kind != SC_LEXEME_NAME)
            continue;
        if (sc_code_is(code, i, "for"))
            loops++;
        if (!sc_code_is(code, i, "in"))
            continue;
        if (loops > 0)
            loops--;
        else
            advise_membership(spot, i + 1, operand_stop(code, i + 1, statement->end));
    }
}

static bool is_same_text(const struct sc_code *code, uint32_t left, uint32_t right, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct sc_lexeme *a = &code->lexemes.items[left + i];
        const struct sc_lexeme *b = &code->lexemes.items[right + i];
        if (a->end - a->start != b->end - b->start ||
            memcmp(code->text + a->start, code->text + b->start, a->end - a->start) != 0)
            return false;
    }
    return true;
}

/* Where what is added begins in "x += y" or "x = x + y", and in "x = y + x"; SC_NONE in others. The
 * target x ends before *ret_sign. */
static uint32_t grown(const struct sc_spot *spot, uint32_t *ret_sign)
{
    const struct sc_code *code = spot->code;
    const struct sc_statement *statement = sc_spot_statement(spot);
    uint32_t sign = statement->first;
    while (sign < statement->end && !sc_code_is_one_of(code, sign, "= +=")) {
        uint32_t match = code->matches.items[sign];
        sign = match != SC_NONE && match > sign ? match + 1 : sign + 1;
    }
    uint32_t length = sign - statement->first;
    *ret_sign = sign;
    if (length == 0 || sign + 1 >= statement->end)
        return SC_NONE;
    if (sc_code_is(code, sign, "+="))
        return sign + 1;
    uint32_t left = statement->end - sign - 1;
    if (left < length + 2)
        return SC_NONE;
    if (is_same_text(code, statement->first, sign + 1, length) &&
        sc_code_is(code, sign + 1 + length, "+"))
        return sign + length + 2;
    uint32_t last = statement->end - length;
    return is_same_text(code, statement->first, last, length) && sc_code_is(code, last - 1, "+")
               ? sign + 1
               : SC_NONE;
}

/* What a subscript of a target is not: the kind of all its items together. */
static enum sc_name_kind kind_of_grown(const struct sc_spot *spot, uint32_t sign, uint32_t value)
{
    const struct sc_code *code = spot->code;
    const struct sc_statement *statement = sc_spot_statement(spot);
    enum sc_name_kind kind = sc_code_kind(code, statement->first, sign, spot->statement);
    if (kind == SC_NAME_UNKNOWN)
        kind = sc_code_kind(code, value, statement->end, spot->statement);
    return kind;
}

static void find_string_growth(const struct sc_spot *spot)
{
    const struct sc_code *code = spot->code;
    const struct sc_statement *statement = sc_spot_statement(spot);
    uint32_t sign = 0;
    uint32_t value = statement->kind == SC_STATEMENT_SIMPLE ? grown(spot, &sign) : SC_NONE;
    struct sc_repeat repeat = sc_code_repeat(code, spot->statement, statement->first);
    if (value == SC_NONE || !repeat.is_repeated)
        return;
    SC_AUTO_FREE char *name = sc_spot_text(spot, statement->first, sign);
    enum sc_name_kind kind = kind_of_grown(spot, sign, value);
    const struct sc_profile *profile = spot->report->profile;
    double copied_mb = sc_clamp(spot->cost->copy_mb_s, 0.0, 1e9) * profile->elapsed_s;
    /* short texts are copied, too, but their memory is that of small objects */
    bool is_copied = profile->memory
                         ? copied_mb >= COPIED_MIN_MB && spot->cost->malloc_mb >= COPIED_MIN_MB
                         : spot->percent >= GROWTH_MIN_PERCENT;
    if ((kind == SC_NAME_STR || kind == SC_NAME_BYTES) && is_copied &&
        !is_begun_anew(spot, name, sign - 1)) {
        SC_AUTO_FREE char *loop = sc_spot_loop(spot, &repeat);
        bool is_str = kind == SC_NAME_STR;
        SC_AUTO_FREE char *copied =
            profile->memory ? sc_format("the line copied %s", sc_number_megabytes(copied_mb).text)
                            : sc_strdup("copies were not measured");
        sc_advise(spot, "string_growth", spot->percent, name,
                  sc_format("adds to the %s %s%s, which copies all of it each time",
                            is_str ? "text" : "bytes", name, loop),
                  is_str ? sc_strdup("Append the pieces to a list and join them once "
                                     "(''.join(pieces)), or write to an io.StringIO.")
                         : sc_strdup("Use a bytearray, which grows in place, or join the pieces "
                                     "once (b''.join(pieces))."),
                  sc_format("%s holds %s by its assignments; %s", name, is_str ? "a str" : "bytes",
                            copied));
    }
}

/* Whether the argument [first, end) of a call, or an item of it, is the name. */
static bool mentions(const struct sc_code *code, uint32_t first, uint32_t end, const char *name,
                     uint32_t scope)
{
    for (uint32_t i = first; i < end; i++) {
        SC_AUTO(sc_str_done) struct sc_str text = {0};
        uint32_t stop = i;
        bool is_same = sc_code_dotted(code, i, scope, &text, &stop) && strcmp(text.data, name) == 0;
        if (is_same && (i == first || !sc_code_is(code, i - 1, ".")) &&
            !sc_code_is(code, stop, "["))
            return true;
        i = stop > i ? stop - 1 : i;
    }
    return false;
}

static bool is_array_maker(const char *name)
{
    static const char makers[] =
        "numpy.append numpy.concatenate numpy.vstack numpy.hstack numpy.insert numpy.stack "
        "numpy.column_stack numpy.row_stack pandas.concat numpy.r_";
    return sc_is_among(name, makers);
}

/* "a = np.append(a, x)" in a loop */
static void find_array_growth(const struct sc_spot *spot, const struct sc_call *call)
{
    const struct sc_code *code = spot->code;
    const struct sc_statement *statement = sc_spot_statement(spot);
    const char *called = sc_code_call_name(code, call);
    SC_AUTO(sc_str_done) struct sc_str target = {0};
    uint32_t sign = 0;
    bool is_target = sc_code_dotted(code, statement->first, statement->function, &target, &sign) &&
                     sc_code_is(code, sign, "=");
    bool is_method = is_target && sc_ends_with(called, ".append") &&
                     sc_starts_with(called, target.data) &&
                     strlen(called) == target.length + strlen(".append");
    struct sc_repeat repeat = sc_code_repeat(code, spot->statement, call->open);
    if (is_target && repeat.is_repeated && !is_begun_anew(spot, target.data, sign - 1) &&
        ((is_array_maker(called) &&
          mentions(code, call->open + 1, call->close, target.data, statement->function)) ||
         (is_method &&
          sc_code_kind_of_name(code, target.data, spot->statement) == SC_NAME_FRAME))) {
        SC_AUTO_FREE char *loop = sc_spot_loop(spot, &repeat);
        SC_AUTO_FREE char *function = sc_spot_text(spot, call->first, call->open);
        sc_advise(
            spot, "array_growth", spot->percent, target.data,
            sc_format("makes %s anew by %s%s, which copies all rows so far each time", target.data,
                      function, loop),
            sc_format("Collect the pieces in a list and call %s once behind the loop, or "
                      "allocate the whole at once and fill it.",
                      sc_starts_with(called, "pandas") || is_method ? "pandas.concat"
                      : strcmp(called, "numpy.append") == 0         ? "numpy.array"
                                                                    : function),
            sc_format("%s is both what %s is given and what it makes", target.data, function));
    }
}

static void advise_front(const struct sc_spot *spot, uint32_t at, const char *list,
                         const char *what)
{
    const struct sc_code *code = spot->code;
    struct sc_repeat repeat = sc_code_repeat(code, spot->statement, at);
    enum sc_name_kind kind = sc_code_kind_of_name(code, list, spot->statement);
    if (!repeat.is_repeated || !sc_spot_is_native(spot) ||
        (kind != SC_NAME_LIST && kind != SC_NAME_UNKNOWN))
        return;
    SC_AUTO_FREE char *loop = sc_spot_loop(spot, &repeat);
    sc_advise(spot, "list_front", spot->percent, list,
              sc_format("%s the front of the list %s%s, which moves all other entries each time",
                        what, list, loop),
              sc_strdup("Use a collections.deque (popleft, appendleft), or work from the end of "
                        "the list."),
              sc_format("%s of the line's time is compiled code, which moves the entries",
                        sc_number_percent(100.0 * spot->kinds[SC_KIND_NATIVE] /
                                          (spot->percent > 0.0 ? spot->percent : 1.0))
                            .text));
}

/* x.pop(0), x.insert(0, y) */
static void find_front_call(const struct sc_spot *spot, const struct sc_call *call)
{
    const struct sc_code *code = spot->code;
    const char *called = sc_code_call_name(code, call);
    bool is_pop = sc_ends_with(called, ".pop");
    bool is_insert = sc_ends_with(called, ".insert");
    uint32_t first = 0;
    uint32_t end = 0;
    uint32_t second = 0;
    if ((!is_pop && !is_insert) || !sc_code_argument(code, call, 0, NULL, &first, &end) ||
        end != first + 1 || !sc_code_is(code, first, "0") ||
        sc_code_argument(code, call, 1, NULL, &second, &end) != is_insert)
        return;
    SC_AUTO(sc_str_done) struct sc_str list = {0};
    sc_str_add_bytes(&list, called, (size_t)(strrchr(called, '.') - called));
    if (list.length > 0)
        advise_front(spot, call->open, list.data, is_pop ? "takes entries off" : "inserts at");
}

/* del x[0], x = x[1:] */
static void find_front_statement(const struct sc_spot *spot)
{
    const struct sc_code *code = spot->code;
    const struct sc_statement *statement = sc_spot_statement(spot);
    uint32_t at = statement->first;
    SC_AUTO(sc_str_done) struct sc_str list = {0};
    SC_AUTO(sc_str_done) struct sc_str target = {0};
    uint32_t end = 0;
    if (sc_code_is(code, at, "del")) {
        if (sc_code_dotted(code, at + 1, statement->function, &list, &end) &&
            sc_code_is(code, end, "[") && sc_code_is(code, end + 1, "0") &&
            sc_code_is(code, end + 2, "]"))
            advise_front(spot, at, list.data, "deletes");
    } else if (sc_code_dotted(code, at, statement->function, &target, &end) &&
               sc_code_is(code, end, "=") &&
               sc_code_dotted(code, end + 1, statement->function, &list, &end) &&
               strcmp(list.data, target.data) == 0 && sc_code_is(code, end, "[") &&
               sc_code_is(code, end + 1, "1") && sc_code_is(code, end + 2, ":") &&
               sc_code_is(code, end + 3, "]") && end + 4 == statement->end &&
               sc_code_kind_of_name(code, list.data, spot->statement) == SC_NAME_LIST) {
        advise_front(spot, at, list.data, "cuts off");
    }
}

void sc_advise_containers(const struct sc_spot *spot)
{
    const struct sc_code *code = spot->code;
    find_membership(spot);
    find_string_growth(spot);
    find_front_statement(spot);
    SC_EACH_CALL(call, code, spot->statement) {
        find_array_growth(spot, call);
        find_front_call(spot, call);
    }
}
