/*
 * source/code_names.c - the assignments of a source text: to which names, with which values.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#include "source/code.h"
#include "source/code_parts.h"

static void add_binding(struct sc_code *code, uint32_t statement, uint32_t scope, const char *name,
                        size_t length, uint32_t first, uint32_t end, bool is_annotation)
{
    struct sc_binding binding = {
        .name = sc_intern_add(&code->texts, name, length),
        .scope = scope,
        .statement = statement,
        .first = first,
        .end = end,
        .is_annotation = is_annotation,
    };
    sc_vec_push(&code->bindings, binding);
}

/* "global x", "nonlocal x": what the function assigns to x is of the module, or of the function
 * around it. */
static void take_declaration(struct sc_code *code, uint32_t self)
{
    const struct sc_statement *statement = &code->statements.items[self];
    bool is_global = sc_code_is(code, statement->first, "global");
    if (statement->function == SC_NONE ||
        (!is_global && !sc_code_is(code, statement->first, "nonlocal")))
        return;
    struct sc_declared declared = {.function = statement->function, .scope = SC_NONE};
    if (!is_global)
        declared.scope = code->statements.items[statement->function].function;
    for (uint32_t i = statement->first + 1; i < statement->end; i++) {
        uint32_t name = sc_code_add_text(code, i);
        while (code->declared.count <= name)
            sc_vec_push(&code->declared, (struct sc_declared){SC_NONE, SC_NONE});
        code->declared.items[name] = declared;
    }
}

static uint32_t scope_of(struct sc_code *code, uint32_t lexeme, uint32_t function)
{
    uint32_t name = sc_code_add_text(code, lexeme);
    bool is_declared = function != SC_NONE && name < code->declared.count &&
                       code->declared.items[name].function == function;
    return is_declared ? code->declared.items[name].scope : function;
}

/* Binds the target at the lexeme, which is a name or an attribute of self. */
static void bind(struct sc_code *code, uint32_t self, uint32_t target, uint32_t target_end,
                 uint32_t first, uint32_t end, bool is_annotation)
{
    const struct sc_statement *statement = &code->statements.items[self];
    const struct sc_lexeme *at = &code->lexemes.items[target];
    if (!sc_code_is_name(code, target))
        return;
    if (target_end == target + 1) {
        uint32_t scope = scope_of(code, target, statement->function);
        if (statement->function == SC_NONE && statement->class_statement != SC_NONE) {
            SC_AUTO(sc_str_done) struct sc_str name = {0};
            sc_str_add(&name, "self.");
            sc_str_add_bytes(&name, code->text + at->start, at->end - at->start);
            add_binding(code, self, statement->class_statement, name.data, name.length, first, end,
                        is_annotation);
            return;
        }
        add_binding(code, self, scope, code->text + at->start, at->end - at->start, first, end,
                    is_annotation);
    } else if (target_end == target + 3 && sc_code_is(code, target, "self") &&
               sc_code_is(code, target + 1, ".") && sc_code_is_name(code, target + 2)) {
        const struct sc_lexeme *last = &code->lexemes.items[target + 2];
        SC_AUTO(sc_str_done) struct sc_str name = {0};
        sc_str_add(&name, "self.");
        sc_str_add_bytes(&name, code->text + last->start, last->end - last->start);
        add_binding(code, self, statement->class_statement, name.data, name.length, first, end,
                    is_annotation);
    }
}

/* Whether the lexemes [first, end) are parted by a comma outside of brackets, and into how many
 * parts. */
static uint32_t parts_of(const struct sc_code *code, uint32_t first, uint32_t end)
{
    uint32_t parts = 1;
    for (uint32_t i = first; i < end; i = sc_code_step(code, i))
        parts += sc_code_is(code, i, ",") && i + 1 < end;
    return parts;
}

/* Binds all names and attributes of self in [first, end) to values that are not known, but neither
 * what has an index nor what is called. */
static void bind_each(struct sc_code *code, uint32_t self, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; i++) {
        uint32_t stop = i + 1;
        if (!sc_code_is_name(code, i) || sc_code_is(code, i - 1, "."))
            continue;
        while (stop + 1 < end && sc_code_is(code, stop, ".") && sc_code_is_name(code, stop + 1))
            stop += 2;
        bool is_part = stop < end && sc_code_is_one_of(code, stop, ". [ (");
        if (!is_part)
            bind(code, self, i, stop, 0, 0, false);
        i = is_part ? sc_code_step(code, stop) - 1 : stop - 1;
    }
}

/* "a, b = x, y": each name its value, where both sides have as many; else the names are unknown. */
static void bind_targets(struct sc_code *code, uint32_t self, uint32_t target, uint32_t target_end,
                         uint32_t first, uint32_t end)
{
    while (target < target_end && code->matches.items[target] == target_end - 1) {
        target++;
        target_end--;
    }
    uint32_t targets = parts_of(code, target, target_end);
    bool is_one = targets == 1 && !sc_code_is(code, target_end - 1, ","); /* no "a, = x" */
    if (!is_one && (targets == 1 || parts_of(code, first, end) != targets)) {
        bind_each(code, self, target, target_end);
        return;
    }
    for (uint32_t i = 0; i < targets && target < target_end; i++) {
        uint32_t stop = sc_code_next(code, target, target_end, ",");
        uint32_t value_end = targets > 1 ? sc_code_next(code, first, end, ",") : end;
        if (sc_code_is_one_of(code, target, "( [ *"))
            bind_each(code, self, target, stop);
        else
            bind(code, self, target, stop, first, value_end, false);
        target = stop + 1;
        if (targets > 1)
            first = value_end + 1;
    }
}

/* "a += value" */
static void take_change(struct sc_code *code, uint32_t self)
{
    static const char *const signs[] = {
        "+=", "-=", "*=", "/=", "//=", "%=", "|=", "&=", "<<=", ">>=", "**=", "^=", "@="};
    const struct sc_statement statement = code->statements.items[self];
    uint32_t sign = statement.first + 1;
    if (sc_code_is(code, sign, ".") && sc_code_is_name(code, sign + 1))
        sign += 2;
    for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
        size_t before = code->bindings.count;
        if (sign >= statement.end || !sc_code_is(code, sign, signs[i]))
            continue;
        bind(code, self, statement.first, sign, 0, 0, false);
        if (code->bindings.count > before)
            code->bindings.items[before].is_change = true;
    }
}

/* "a = b = value", "a: kind = value" */
static void take_assignment(struct sc_code *code, uint32_t self)
{
    const struct sc_statement statement = code->statements.items[self];
    uint32_t colon = SC_NONE;
    uint32_t sign = SC_NONE; /* the last one */
    for (uint32_t i = statement.first; i < statement.end; i = sc_code_step(code, i)) {
        if (sc_code_is(code, i, "lambda"))
            break;
        if (sc_code_is(code, i, "="))
            sign = i;
        if (sc_code_is(code, i, ":") && colon == SC_NONE && sign == SC_NONE)
            colon = i;
    }
    if (colon != SC_NONE) {
        bind(code, self, statement.first, colon, colon + 1, sign != SC_NONE ? sign : statement.end,
             true);
        return;
    }
    if (sign == SC_NONE) {
        take_change(code, self);
        return;
    }
    for (uint32_t target = statement.first; target <= sign;) {
        uint32_t end = sc_code_next(code, target, sign, "=");
        bind_targets(code, self, target, end, sign + 1, statement.end);
        target = end + 1;
    }
}

/* "for a, b in x:" */
static void take_for(struct sc_code *code, uint32_t self)
{
    const struct sc_statement statement = code->statements.items[self];
    uint32_t first = statement.first + (statement.is_async ? 2 : 1);
    bind_each(code, self, first, sc_code_next(code, first, statement.end, "in"));
}

/* "with x as a, y as b:", "except x as a:": what the names are is not known, but of files. */
static void take_as(struct sc_code *code, uint32_t self)
{
    const struct sc_statement statement = code->statements.items[self];
    uint32_t value = statement.first + (statement.is_async ? 2 : 1);
    uint32_t end = statement.end - 1; /* of the colon */
    /* brackets around all of it */
    if (value < end && sc_code_is(code, value, "(") && code->matches.items[value] == end - 1) {
        value++;
        end--;
    }
    while (value < end) {
        uint32_t stop = sc_code_next(code, value, end, ",");
        uint32_t word = sc_code_next(code, value, stop, "as");
        if (word < stop && stop == word + 2 && sc_code_is(code, value, "open"))
            bind(code, self, word + 1, stop, value, word, false);
        else if (word < stop)
            bind_each(code, self, word + 1, stop);
        value = stop + 1;
    }
}

/* "case [a, Kind(key=b), *c] if x:": the names that a pattern binds. */
static void take_pattern(struct sc_code *code, uint32_t self)
{
    const struct sc_statement statement = code->statements.items[self];
    for (uint32_t i = statement.first + 1; i < statement.end; i++) {
        if (sc_code_is(code, i, "if"))
            return;
        if (sc_code_is_plain_name(code, i) && !sc_code_is(code, i - 1, ".") &&
            !sc_code_is_one_of(code, i + 1, ". ( ="))
            bind(code, self, i, i + 1, 0, 0, false);
    }
}

/* "(a := value)", in whatever statement */
static void take_walrus(struct sc_code *code, uint32_t self)
{
    const struct sc_statement statement = code->statements.items[self];
    for (uint32_t i = statement.first + 1; i < statement.end; i++) {
        if (sc_code_is(code, i, ":="))
            bind(code, self, i - 1, i, 0, 0, false);
    }
}

static void take_parameters(struct sc_code *code, uint32_t self)
{
    const struct sc_statement statement = code->statements.items[self];
    uint32_t open = statement.first;
    while (open < statement.end && !sc_code_is(code, open, "("))
        open++;
    if (open >= statement.end || code->matches.items[open] == SC_NONE)
        return;
    uint32_t close = code->matches.items[open];
    for (uint32_t at = open + 1; at < close;) {
        uint32_t stop = sc_code_next(code, at, close, ",");
        while (at < stop && sc_code_is_one_of(code, at, "* ** /"))
            at++;
        if (at < stop && sc_code_is_name(code, at)) {
            const struct sc_lexeme *name = &code->lexemes.items[at];
            uint32_t sign = sc_code_next(code, at + 1, stop, "=");
            bool is_annotated = sc_code_is(code, at + 1, ":");
            add_binding(code, self, self, code->text + name->start, name->end - name->start,
                        is_annotated ? at + 2 : sign + 1, is_annotated ? sign : stop, is_annotated);
            struct sc_binding *binding = &code->bindings.items[code->bindings.count - 1];
            binding->is_parameter = true;
            if (binding->first >= binding->end)
                binding->first = binding->end = 0;
        }
        at = stop + 1;
    }
}

/* Makes sc_code_name_of find it. */
static void add_name(struct sc_code *code, uint32_t self)
{
    const struct sc_statement *header = &code->statements.items[self];
    uint32_t at = header->first + (header->is_async ? 2 : 1);
    if (at < header->end && sc_code_is_name(code, at))
        (void)sc_code_add_text(code, at);
}

void sc_code_take_bindings(struct sc_code *code)
{
    for (uint32_t i = 0; i < code->statements.count; i++) {
        switch (code->statements.items[i].kind) {
        case SC_STATEMENT_SIMPLE:
            take_declaration(code, i);
            take_assignment(code, i);
            break;
        case SC_STATEMENT_FOR:
            take_for(code, i);
            break;
        case SC_STATEMENT_WITH:
        case SC_STATEMENT_EXCEPT:
            take_as(code, i);
            break;
        case SC_STATEMENT_DEF:
            take_parameters(code, i);
            add_name(code, i);
            break;
        case SC_STATEMENT_CLASS:
            add_name(code, i);
            break;
        case SC_STATEMENT_BLOCK:
            if (sc_code_is(code, code->statements.items[i].first, "case"))
                take_pattern(code, i);
            break;
        default:
            break;
        }
        take_walrus(code, i);
    }
}
