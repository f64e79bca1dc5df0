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

/* Binds the target at the lexeme, which is a name or an attribute of self. */
static void bind(struct sc_code *code, uint32_t self, uint32_t target, uint32_t target_end,
                 uint32_t first, uint32_t end, bool is_annotation)
{
    const struct sc_statement *statement = &code->statements.items[self];
    const struct sc_lexeme *at = &code->lexemes.items[target];
    if (!sc_code_is_name(code, target))
        return;
    if (target_end == target + 1) {
        uint32_t scope = statement->function;
        if (scope == SC_NONE && statement->class_statement != SC_NONE) {
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

/* "a, b = x, y": each name its value, where both sides have as many; else the names are unknown. */
static void bind_targets(struct sc_code *code, uint32_t self, uint32_t target, uint32_t target_end,
                         uint32_t first, uint32_t end)
{
    while (target < target_end && code->matches.items[target] == target_end - 1) {
        target++;
        target_end--;
    }
    uint32_t targets = parts_of(code, target, target_end);
    bool is_each = targets > 1 && parts_of(code, first, end) == targets;
    for (uint32_t i = 0; i < targets && target < target_end; i++) {
        uint32_t stop = sc_code_next(code, target, target_end, ",");
        uint32_t value_end = is_each ? sc_code_next(code, first, end, ",") : end;
        bool is_known = is_each || targets == 1;
        bind(code, self, target, stop, is_known ? first : 0, is_known ? value_end : 0, false);
        target = stop + 1;
        if (is_each)
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
    uint32_t signs[8];
    unsigned count = 0;
    uint32_t colon = SC_NONE;
    for (uint32_t i = statement.first; i < statement.end; i = sc_code_step(code, i)) {
        if (sc_code_is(code, i, "lambda"))
            break;
        if (sc_code_is(code, i, "=") && count < sizeof(signs) / sizeof(signs[0]))
            signs[count++] = i;
        if (sc_code_is(code, i, ":") && colon == SC_NONE && count == 0)
            colon = i;
    }
    if (colon != SC_NONE) {
        bind(code, self, statement.first, colon, colon + 1, count > 0 ? signs[0] : statement.end,
             true);
        return;
    }
    uint32_t target = statement.first;
    if (count == 0)
        take_change(code, self);
    for (unsigned i = 0; i < count; i++) {
        bind_targets(code, self, target, signs[i], signs[count - 1] + 1, statement.end);
        target = signs[i] + 1;
    }
}

/* "for a, b in x:", "with x as a:": what the names are is not known, but of files. */
static void take_header(struct sc_code *code, uint32_t self)
{
    const struct sc_statement statement = code->statements.items[self];
    for (uint32_t i = statement.first; i < statement.end; i = sc_code_step(code, i)) {
        if (statement.kind == SC_STATEMENT_FOR && sc_code_is(code, i, "in")) {
            uint32_t first = statement.first + (statement.is_async ? 2 : 1);
            bind_targets(code, self, first, i, 0, 0);
            return;
        }
        if (statement.kind == SC_STATEMENT_WITH && sc_code_is(code, i, "as")) {
            uint32_t stop = i + 1;
            while (stop < statement.end && !sc_code_is_one_of(code, stop, ", :"))
                stop = sc_code_step(code, stop);
            /* what the others give is for their __enter__ to say */
            uint32_t value = statement.first + 1;
            bool is_open = sc_code_is(code, value, "open");
            bind(code, self, i + 1, stop, is_open ? value : 0, is_open ? i : 0, false);
        }
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
            take_assignment(code, i);
            break;
        case SC_STATEMENT_FOR:
        case SC_STATEMENT_WITH:
            take_header(code, i);
            break;
        case SC_STATEMENT_DEF:
            take_parameters(code, i);
            add_name(code, i);
            break;
        case SC_STATEMENT_CLASS:
            add_name(code, i);
            break;
        default:
            break;
        }
    }
}
