/*
 * source/code_constant.c - whether an expression in a loop has the same value each time.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "source/code.h"
#include "source/code_parts.h"

#define CALLERS_MAX 4
#define STEPS_MAX   500000

struct walk {
    const struct sc_code *code;
    unsigned depth;
    unsigned long steps;
    bool is_part; /* it is asked for an attribute of what is passed */
};

static bool is_constant(struct walk *walk, uint32_t first, uint32_t end, uint32_t statement);

/* Whether the name is assigned within [first, end) of the statements. */
static bool is_bound_in(struct walk *walk, uint32_t name, uint32_t first, uint32_t end)
{
    const struct sc_code *code = walk->code;
    walk->steps += code->bindings.count;
    SC_EACH(const struct sc_binding, binding, &code->bindings) {
        if (binding->name == name && !binding->is_parameter && binding->statement >= first &&
            binding->statement < end)
            return true;
    }
    return false;
}

/* Whether a comprehension in the statement binds the name: "for name in" inside brackets. */
static bool is_bound_by_comprehension(const struct sc_code *code, uint32_t statement,
                                      uint32_t lexeme)
{
    const struct sc_statement *at = &code->statements.items[statement];
    const struct sc_lexeme *name = &code->lexemes.items[lexeme];
    size_t length = name->end - name->start;
    bool is_target = false;
    for (uint32_t i = at->first; i < at->end; i++) {
        const struct sc_lexeme *each = &code->lexemes.items[i];
        if (sc_code_is_one_of(code, i, "for lambda"))
            is_target = true;
        else if (sc_code_is_one_of(code, i, "in :"))
            is_target = false;
        else if (is_target && i != lexeme && each->end - each->start == length &&
                 memcmp(code->text + each->start, code->text + name->start, length) == 0)
            return true;
    }
    return false;
}

/* What the calls in the text pass for a parameter does not change in their loops. */
static bool is_constant_parameter(struct walk *walk, const struct sc_binding *parameter)
{
    const struct sc_code *code = walk->code;
    uint32_t id = sc_code_name_of(code, parameter->statement);
    const char *function = id != SC_NONE ? sc_intern_text(&code->texts, id) : "";
    bool any = false;
    SC_EACH(const struct sc_call, call, &code->calls) {
        const char *name = sc_code_call_name(code, call);
        uint32_t first = 0;
        uint32_t end = 0;
        if (++walk->steps > STEPS_MAX)
            return false;
        if (strcmp(sc_after_last(name, '.'), function) != 0)
            continue;
        if (!sc_code_passed(code, call, parameter, &first, &end) ||
            !is_constant(walk, first, end, call->statement))
            return false;
        any = true;
    }
    return any;
}

/* "a.b.c", as lexemes. */
struct path {
    uint32_t first, end;
};

static struct path path_at(const struct sc_code *code, uint32_t first)
{
    struct path path = {first, first + 1};
    while (sc_code_is(code, path.end, ".") && sc_code_is_name(code, path.end + 1))
        path.end += 2;
    return path;
}

/* Whether what the path "a" or "a.b" leads to is on the way of "a.b.c", or at its end. */
static bool is_on_way(const struct sc_code *code, uint32_t first, uint32_t end, struct path path)
{
    for (uint32_t i = first; i < end; i++) {
        if (path.first + (i - first) >= path.end ||
            !sc_code_is_same(code, i, path.first + (i - first)))
            return false;
    }
    return true;
}

/* Whether the lexeme assigns to what is before it. */
static bool assigns(const struct sc_code *code, uint32_t lexeme)
{
    return sc_code_is_one_of(code, lexeme, "= += -= *= /= //= %= |= &= <<= >>= **= ^= @=");
}

/* Whether a mention of something changes the value at the end of a path, whose first name is bound
 * in the text: what a method does to the object that it is called on is not known. */
static bool changes(const struct walk *walk, struct path mention, struct path path, bool is_bound)
{
    static const char changers[] = "append appendleft extend insert add update clear pop popleft "
                                   "popitem remove discard setdefault write seek";
    const struct sc_code *code = walk->code;
    uint32_t stop = mention.end;
    uint32_t owner = stop - 2;
    if (assigns(code, stop))
        return is_on_way(code, mention.first, stop, path);
    if (sc_code_is(code, stop, "["))
        return code->matches.items[stop] != SC_NONE &&
               assigns(code, code->matches.items[stop] + 1) &&
               is_on_way(code, mention.first, stop, path);
    if (!sc_code_is(code, stop, "(") || owner <= mention.first ||
        !is_on_way(code, mention.first, owner, path))
        return false;
    if (owner - mention.first == path.end - path.first && !walk->is_part)
        return sc_code_is_one_of(code, stop - 1, changers);
    /* what methods of self do is in sight */
    return is_bound && !(owner == mention.first + 1 && sc_code_is(code, mention.first, "self"));
}

/* Whether the value at the end of a path is changed in a loop. */
static bool is_changed_in(struct walk *walk, const struct sc_statement *loop, uint32_t name,
                          struct path path)
{
    const struct sc_code *code = walk->code;
    uint32_t end = code->statements.items[loop->block_end - 1].end;
    bool is_bound = is_bound_in(walk, name, 0, (uint32_t)code->statements.count);
    SC_EACH(const struct sc_binding, binding, &code->bindings)
        is_bound = is_bound || (binding->name == name && binding->is_parameter);
    walk->steps += end - loop->first;
    for (uint32_t i = loop->first; i < end; i++) {
        if (!sc_code_is_name(code, i) || !sc_code_is_same(code, i, path.first) ||
            sc_code_is(code, i - 1, "."))
            continue;
        struct path mention = path_at(code, i);
        if (changes(walk, mention, path, is_bound))
            return true;
        i = mention.end - 1;
    }
    return false;
}

/* Whether a binding leaves the name its value as often as the statement runs. */
static bool is_constant_binding(struct walk *walk, const struct sc_binding *binding,
                                uint32_t statement)
{
    const struct sc_code *code = walk->code;
    const struct sc_statement *at = &code->statements.items[statement];
    const struct sc_statement *bound = &code->statements.items[binding->statement];
    bool is_own = binding->scope == at->function;
    if (binding->is_parameter) {
        bool is_self = strcmp(sc_intern_text(&code->texts, binding->name), "self") == 0;
        return is_self || (is_own && at->loop != SC_NONE) || is_constant_parameter(walk, binding);
    }
    if (bound->function == at->function && (at->loop != SC_NONE || at->function == SC_NONE))
        return true; /* before the loop */
    if (bound->function != binding->scope)
        return false; /* a function assigns to a name outside of it */
    /* made in the function: constant where what it is made from is */
    if (is_own)
        return binding->statement != statement && binding->first < binding->end &&
               is_constant(walk, binding->first, binding->end, binding->statement);
    return at->loop != SC_NONE || (bound->loop == SC_NONE && bound->kind != SC_STATEMENT_FOR);
}

/* "self.x": whether nothing but __init__ assigns to it, or the statement's function before its
 * loop. */
static bool is_constant_attribute(const struct walk *walk, struct path path, uint32_t statement)
{
    const struct sc_code *code = walk->code;
    const struct sc_statement *at = &code->statements.items[statement];
    SC_AUTO(sc_str_done) struct sc_str name = {0};
    const struct sc_lexeme *last = &code->lexemes.items[path.first + 2];
    sc_str_add(&name, "self.");
    sc_str_add_bytes(&name, code->text + last->start, last->end - last->start);
    uint32_t id = sc_intern_find(&code->texts, name.data, name.length);
    for (size_t i = 0; id != SC_NONE && i < code->bindings.count; i++) {
        const struct sc_binding *binding = &code->bindings.items[i];
        uint32_t function = code->statements.items[binding->statement].function;
        if (binding->name != id || binding->scope != at->class_statement || function == SC_NONE ||
            (function == at->function && at->loop != SC_NONE))
            continue;
        uint32_t text = sc_code_name_of(code, function);
        if (text == SC_NONE || strcmp(sc_intern_text(&code->texts, text), "__init__") != 0)
            return false;
    }
    return true;
}

/* A name at a lexeme, "x" or "self.x". */
static bool is_constant_name(struct walk *walk, uint32_t lexeme, uint32_t statement)
{
    const struct sc_code *code = walk->code;
    const struct sc_statement *at = &code->statements.items[statement];
    const struct sc_lexeme *name = &code->lexemes.items[lexeme];
    uint32_t id = sc_intern_find(&code->texts, code->text + name->start, name->end - name->start);
    struct path path = path_at(code, lexeme);
    if (sc_code_is(code, path.end, "(") && path.end > lexeme + 2)
        path.end -= 2; /* of a method, what it is called on */
    if (is_bound_by_comprehension(code, statement, lexeme))
        return false;
    if (sc_code_is(code, lexeme, "self") && path.end > lexeme + 2 &&
        !is_constant_attribute(walk, path, statement))
        return false;
    uint32_t outermost = at->loop;
    while (outermost != SC_NONE && code->statements.items[outermost].loop != SC_NONE)
        outermost = code->statements.items[outermost].loop;
    if (outermost != SC_NONE) {
        const struct sc_statement *loop = &code->statements.items[outermost];
        if ((id != SC_NONE && is_bound_in(walk, id, outermost, loop->block_end)) ||
            is_changed_in(walk, loop, id, path))
            return false;
    }
    bool was_part = walk->is_part;
    bool is_same = true;
    bool is_bound = id == SC_NONE;
    for (uint32_t scope = at->function; is_same && !is_bound;
         scope = code->statements.items[scope].function) {
        walk->is_part = was_part || path.end > lexeme + 1;
        SC_EACH(const struct sc_binding, binding, &code->bindings) {
            if (binding->name != id || binding->scope != scope)
                continue;
            is_bound = true;
            is_same = is_same && is_constant_binding(walk, binding, statement);
        }
        if (scope == SC_NONE)
            break;
    }
    walk->is_part = was_part;
    return is_same;
}

/* Whether the call whose bracket opens at the lexeme gives something else each time: x.pop(), or
 * one without arguments, which has nothing else to do. */
static bool takes_next(const struct sc_code *code, uint32_t open)
{
    static const char takers[] =
        "next input pop popleft popitem read readline readlines readexactly readuntil recv "
        "recv_bytes recvfrom receive get_nowait fetchone fetchmany send choice randint random "
        "randrange sample uniform token_hex urandom uuid4";
    static const char makers[] =
        "strip lstrip rstrip lower upper title encode decode split rsplit splitlines read_text "
        "read_bytes exists resolve absolute expanduser as_posix getcwd cwd home items keys values "
        "copy tolist hexdigest digest dict list set tuple str bytes format super";
    if (open == 0 || !sc_code_is_plain_name(code, open - 1) || !sc_code_is(code, open, "("))
        return false;
    if (sc_code_is_one_of(code, open - 1, takers))
        return true;
    if (sc_code_is(code, open + 1, ")"))
        return !sc_code_is_one_of(code, open - 1, makers);
    /* of a queue: q.get(timeout=1), q.get(True) */
    return sc_code_is(code, open - 1, "get") &&
           sc_code_is_one_of(code, open + 1, "timeout block True False");
}

static bool is_constant(struct walk *walk, uint32_t first, uint32_t end, uint32_t statement)
{
    const struct sc_code *code = walk->code;
    if (walk->depth > CALLERS_MAX || first >= end)
        return false;
    walk->depth++;
    bool is_same = true;
    for (uint32_t i = first; i < end && is_same; i++) {
        const struct sc_lexeme *at = &code->lexemes.items[i];
        if (++walk->steps > STEPS_MAX) {
            is_same = false;
        } else if (at->kind == SC_LEXEME_NAME && !(i > first && sc_code_is(code, i - 1, "."))) {
            bool is_keyword = sc_code_is(code, i + 1, "=");
            is_same = !sc_code_is_one_of(code, i, "await yield");
            if (sc_code_is_plain_name(code, i) && !is_keyword)
                is_same = is_constant_name(walk, i, statement);
        } else {
            is_same = !takes_next(code, i);
        }
    }
    walk->depth--;
    return is_same;
}

bool sc_code_is_constant(const struct sc_code *code, uint32_t first, uint32_t end,
                         uint32_t statement)
{
    struct walk walk = {.code = code};
    return is_constant(&walk, first, end, statement);
}
