/*
 * source/code_keeps.c - containers that outlive the functions that add to them, and from which
 * nothing in the text takes anything out.
 *
 * Such a container may be read elsewhere, or be what the program is for. So it is passed over as
 * soon as it is mentioned in a way that is neither adding nor looking one entry up.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "source/code.h"
#include "source/code_parts.h"

static const char adders[] = "append appendleft extend add insert";

/* The last lexeme of the container that the statement adds to: "x" of x.append(y), of self.x[y] =
 * z; SC_NONE: it adds to none. */
static uint32_t added_to(const struct sc_code *code, const struct sc_statement *statement,
                         bool *ret_is_table)
{
    for (uint32_t i = statement->first; i + 1 < statement->end; i++) {
        uint32_t match = code->matches.items[i];
        if (match == SC_NONE || match < i || match >= statement->end || i == statement->first ||
            !sc_code_is_name(code, i - 1))
            continue;
        *ret_is_table = sc_code_is(code, i, "[") && sc_code_is(code, match + 1, "=");
        if (*ret_is_table)
            return i - 1;
        *ret_is_table = sc_code_is(code, i - 1, "setdefault");
        if (sc_code_is(code, i, "(") && i >= statement->first + 3 && sc_code_is(code, i - 2, ".") &&
            sc_code_is_name(code, i - 3) &&
            (*ret_is_table || sc_code_is_one_of(code, i - 1, adders)))
            return i - 3;
    }
    return SC_NONE;
}

/* Whether the value is an empty container that may grow without end. */
static bool is_empty_container(const struct sc_code *code, uint32_t first, uint32_t end)
{
    static const char makers[] = "set dict list OrderedDict deque";
    if (end == first + 2)
        return sc_code_is_one_of(code, first, "[ {");
    while (first + 2 < end && sc_code_is(code, first + 1, "."))
        first += 2;
    if (sc_code_is(code, first, "defaultdict"))
        return sc_code_is(code, first + 1, "(");
    return end == first + 3 && sc_code_is_one_of(code, first, makers) &&
           sc_code_is(code, first + 1, "(");
}

/* Where the name at the lexeme is bound, at the beginning of its statement: whether to an empty
 * container. */
static bool binds_empty(const struct sc_code *code, const struct sc_statement *statement,
                        uint32_t lexeme)
{
    uint32_t sign = sc_code_next(code, lexeme + 1, statement->end, "=");
    return sign + 1 < statement->end && is_empty_container(code, sign + 1, statement->end);
}

/* Whether a lexeme behind "in" is searched, and not gone through by a "for". */
static bool is_searched(const struct sc_code *code, const struct sc_statement *statement,
                        uint32_t lexeme)
{
    return lexeme > statement->first && sc_code_is(code, lexeme - 1, "in") &&
           !sc_code_is_iterated(code, statement, lexeme);
}

/* What a mention of a container does with it. */
enum mention { MENTION_BINDS, MENTION_ADDS, MENTION_LOOKS_UP, MENTION_OTHER };

static enum mention mention_of(const struct sc_code *code, const struct sc_statement *statement,
                               uint32_t lexeme, bool is_table)
{
    uint32_t first = lexeme;
    if (first >= statement->first + 2 && sc_code_is(code, first - 1, "."))
        first -= 2;
    bool is_start = first == statement->first;
    if (sc_code_is_one_of(code, statement->first, "global del"))
        return sc_code_is(code, statement->first, "global") ? MENTION_LOOKS_UP : MENTION_OTHER;
    if (is_start && sc_code_is_one_of(code, lexeme + 1, "= :"))
        return binds_empty(code, statement, lexeme) ? MENTION_BINDS : MENTION_OTHER;
    if (sc_code_is(code, lexeme + 1, ".")) {
        if (sc_code_is_one_of(code, lexeme + 2, adders) ||
            sc_code_is(code, lexeme + 2, "setdefault"))
            return MENTION_ADDS;
        return is_table && sc_code_is(code, lexeme + 2, "get") ? MENTION_LOOKS_UP : MENTION_OTHER;
    }
    if (sc_code_is(code, lexeme + 1, "[") && is_table) {
        uint32_t match = code->matches.items[lexeme + 1];
        if (match == SC_NONE || sc_code_is(code, match + 1, "+="))
            return MENTION_OTHER;
        return sc_code_is(code, match + 1, "=") ? MENTION_ADDS : MENTION_LOOKS_UP;
    }
    if (first >= 2 && sc_code_is(code, first - 1, "(") && sc_code_is(code, first - 2, "len"))
        return MENTION_LOOKS_UP;
    return is_table && is_searched(code, statement, first) ? MENTION_LOOKS_UP : MENTION_OTHER;
}

/* Whether all that the text does with the container is to make it once, to add, and to look up. */
static bool is_only_added_to(const struct sc_code *code, uint32_t container, bool is_table)
{
    bool is_attribute = sc_code_is(code, container - 1, ".");
    unsigned bound = 0;
    for (uint32_t s = 0; s < code->statements.count; s++) {
        const struct sc_statement *at = &code->statements.items[s];
        unsigned looks_up = 0;
        unsigned adds = 0;
        for (uint32_t i = at->first; i < at->end; i++) {
            if (!sc_code_is_name(code, i) || !sc_code_is_same(code, i, container))
                continue;
            /* an attribute may be bound in the body of its class */
            bool is_in_class = at->class_statement != SC_NONE && at->function == SC_NONE;
            if (is_attribute != (i > at->first && sc_code_is(code, i - 1, ".")) && !is_in_class)
                continue;
            enum mention mention = mention_of(code, at, i, is_table);
            if (mention == MENTION_OTHER)
                return false;
            bound += mention == MENTION_BINDS;
            adds += mention == MENTION_ADDS;
            looks_up += mention == MENTION_LOOKS_UP;
        }
        if (adds > 0 && looks_up > 0)
            return false; /* a count or a sum of each key */
    }
    return bound == 1;
}

/* Whether the name is one of the function's own, or of one around it. */
static bool is_local(const struct sc_code *code, uint32_t lexeme, uint32_t function)
{
    const struct sc_lexeme *at = &code->lexemes.items[lexeme];
    uint32_t id = sc_intern_find(&code->texts, code->text + at->start, at->end - at->start);
    bool is_module = false;
    SC_EACH(const struct sc_binding, binding, &code->bindings) {
        if (binding->name != id)
            continue;
        is_module = is_module || binding->scope == SC_NONE;
        for (uint32_t f = function; f != SC_NONE; f = code->statements.items[f].function) {
            if (binding->scope == f)
                return true;
        }
    }
    return !is_module;
}

/* Whether a call of the function's name is in its text. */
static bool calls_itself(const struct sc_code *code, uint32_t function)
{
    uint32_t id = sc_code_name_of(code, function);
    const struct sc_statement *header = &code->statements.items[function];
    for (size_t i = 0; id != SC_NONE && i < code->calls.count; i++) {
        const struct sc_call *call = &code->calls.items[i];
        const char *name = sc_code_call_name(code, call);
        if (call->statement > function && call->statement < header->block_end &&
            strcmp(sc_after_last(name, '.'), sc_intern_text(&code->texts, id)) == 0)
            return true;
    }
    return false;
}

bool sc_code_keeps(const struct sc_code *code, uint32_t statement, uint32_t *ret_first,
                   uint32_t *ret_end)
{
    const struct sc_statement *at = &code->statements.items[statement];
    bool is_table = false;
    uint32_t container = at->function != SC_NONE && at->kind == SC_STATEMENT_SIMPLE
                             ? added_to(code, at, &is_table)
                             : SC_NONE;
    if (container == SC_NONE || calls_itself(code, at->function))
        return false;
    bool is_attribute = container >= at->first + 2 && sc_code_is(code, container - 1, ".") &&
                        sc_code_is_name(code, container - 2);
    if (!is_attribute && (container > at->first && sc_code_is(code, container - 1, ".")))
        return false; /* of what an expression gives */
    if (is_attribute && container >= at->first + 3 && sc_code_is(code, container - 3, "."))
        return false;
    if ((!is_attribute && is_local(code, container, at->function)) ||
        !is_only_added_to(code, container, is_table))
        return false;
    *ret_first = is_attribute ? container - 2 : container;
    *ret_end = container + 1;
    return true;
}

bool sc_code_is_endless_cache(const struct sc_code *code, uint32_t function)
{
    bool is_cache = false;
    for (uint32_t s = function; s-- > 0;) {
        const struct sc_statement *at = &code->statements.items[s];
        SC_AUTO(sc_str_done) struct sc_str name = {0};
        uint32_t end = 0;
        if (!sc_code_is(code, at->first, "@"))
            break;
        if (sc_code_dotted(code, at->first + 1, at->function, &name, &end)) {
            bool is_whole = end == at->end;
            bool is_none = sc_code_is(code, end, "(") && sc_code_is(code, at->end - 2, "None");
            is_cache = is_cache || (strcmp(name.data, "functools.cache") == 0 && is_whole) ||
                       (strcmp(name.data, "functools.lru_cache") == 0 && is_none);
        }
    }
    return is_cache && !calls_itself(code, function);
}
