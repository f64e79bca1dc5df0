/*
 * symbol/demangle_rust.c - names of Rust's functions.
 *
 * The newer scheme is that of https://doc.rust-lang.org/rustc/symbol-mangling/v0.html; each read_
 * function here is a rule of its grammar.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "symbol/demangle_rust.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

/* A name may refer to its own parts, over and over. */
enum { DEPTH_MAX = 100, RULES_MAX = 10000, NAME_BYTES_MAX = 4096 };

/* The character that the escape at text stands for; '\0' where there is none. */
static char escaped(const char *text, size_t *ret_length)
{
    static const char *const escapes[] = {"@$SP$", "*$BP$", "&$RF$", "<$LT$",
                                          ">$GT$", "($LP$", ")$RP$", ",$C$"};
    for (size_t i = 0; i < sizeof(escapes) / sizeof(escapes[0]); i++) {
        *ret_length = strlen(escapes[i] + 1);
        if (strncmp(text, escapes[i] + 1, *ret_length) == 0)
            return escapes[i][0];
    }
    char *end = NULL;
    unsigned long code = sc_starts_with(text, "$u") ? strtoul(text + 2, &end, 16) : 0;
    if (code < ' ' || code > '~' || *end != '$')
        return '\0';
    *ret_length = (size_t)(end - text) + 1;
    return (char)code;
}

void sc_demangle_old_rust(char *name)
{
    char *to = name;
    for (const char *from = name; *from != '\0';) {
        size_t length = 2;
        if (strncmp(from, "_$", 2) == 0 && (from == name || from[-1] == ':'))
            from++;
        char meant = strncmp(from, "..", 2) == 0 ? ':' : escaped(from, &length);
        if (meant == ':')
            *to++ = ':';
        *to++ = meant != '\0' ? meant : *from;
        from += meant != '\0' ? length : 1;
    }
    *to = '\0';
}

struct reader {
    const char *text; /* behind "_R" */
    size_t at;
    unsigned depth;
    unsigned rules;
    bool is_silent;
    bool has_failed;
    struct sc_str name;
};

static void put(struct reader *reader, const char *text, size_t length)
{
    if (!reader->is_silent)
        sc_str_add_bytes(&reader->name, text, length);
    reader->has_failed |= reader->name.length > NAME_BYTES_MAX;
}

static void put_text(struct reader *reader, const char *text)
{
    put(reader, text, strlen(text));
}

static char next(struct reader *reader)
{
    char found = reader->text[reader->at];
    reader->has_failed |= found == '\0';
    reader->at += found != '\0';
    return found;
}

static bool take(struct reader *reader, char wanted)
{
    bool is_there = reader->text[reader->at] == wanted;
    reader->at += is_there;
    return is_there;
}

/* To the end of a list; also where nothing makes sense any more. */
static bool ends(struct reader *reader)
{
    return take(reader, 'E') || reader->has_failed;
}

/* Hashes may be longer: what is cut off of them is of no interest. */
static uint64_t read_base_62(struct reader *reader)
{
    static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    uint64_t value = 0;
    if (take(reader, '_'))
        return 0;
    while (!reader->has_failed) {
        char found = next(reader);
        const char *digit = strchr(digits, found);
        if (found == '_')
            return value + 1;
        reader->has_failed |= digit == NULL;
        value = value * 62 + (digit != NULL ? (uint64_t)(digit - digits) : 0);
    }
    return 0;
}

static void skip_number(struct reader *reader, char mark)
{
    if (take(reader, mark))
        (void)read_base_62(reader);
}

/* Returns where its text begins. */
static const char *read_identifier(struct reader *reader, size_t *ret_length)
{
    char *end = NULL;
    skip_number(reader, 's');
    (void)take(reader, 'u'); /* of letters beyond ASCII, which stay encoded */
    const char *begin = reader->text + reader->at;
    bool has_length = isdigit((unsigned char)*begin);
    *ret_length = 0;
    if (has_length && !take(reader, '0')) {
        *ret_length = strtoul(begin, &end, 10);
        reader->at += (size_t)(end - begin);
    }
    (void)take(reader, '_');
    begin = reader->text + reader->at;
    reader->has_failed |= !has_length || strnlen(begin, *ret_length) < *ret_length;
    if (reader->has_failed)
        *ret_length = 0;
    reader->at += *ret_length;
    return begin;
}

typedef void rule(struct reader *reader);

static void read_type(struct reader *reader);

static void apply(struct reader *reader, rule *what)
{
    reader->has_failed |= ++reader->rules > RULES_MAX || reader->depth == DEPTH_MAX;
    reader->depth++;
    if (!reader->has_failed)
        what(reader);
    reader->depth--;
}

static void read_silently(struct reader *reader, rule *what)
{
    bool was_silent = reader->is_silent;
    reader->is_silent = true;
    apply(reader, what);
    reader->is_silent = was_silent;
}

static void read_earlier(struct reader *reader, rule *what)
{
    size_t here = reader->at - 1;
    uint64_t place = read_base_62(reader);
    size_t behind = reader->at;
    reader->has_failed |= place >= here;
    if (reader->is_silent || reader->has_failed)
        return;
    reader->at = place;
    apply(reader, what);
    reader->at = behind;
}

static void skip_constant(struct reader *reader)
{
    char type = next(reader);
    if (type == 'B')
        (void)read_base_62(reader);
    while (type != 'B' && type != 'p' && !reader->has_failed && next(reader) != '_')
        ;
}

static void read_argument(struct reader *reader)
{
    if (take(reader, 'L'))
        (void)read_base_62(reader);
    else if (take(reader, 'K'))
        skip_constant(reader);
    else
        apply(reader, read_type);
}

static void read_path(struct reader *reader)
{
    size_t length = 0;
    char kind = next(reader);
    if (kind == 'B') {
        read_earlier(reader, read_path);
    } else if (kind == 'C') {
        const char *root = read_identifier(reader, &length);
        put(reader, root, length);
    } else if (kind == 'N') {
        char space = next(reader);
        apply(reader, read_path);
        const char *name = read_identifier(reader, &length);
        put_text(reader, space == 'C' ? "::{closure}" : length > 0 ? "::" : "");
        put(reader, name, length);
    } else if (kind == 'I') {
        for (apply(reader, read_path); !ends(reader);)
            read_silently(reader, read_argument);
    } else if (kind == 'M' || kind == 'X' || kind == 'Y') {
        if (kind != 'Y') { /* where the implementation stands */
            skip_number(reader, 's');
            read_silently(reader, read_path);
        }
        put_text(reader, "<");
        apply(reader, read_type);
        put_text(reader, kind != 'M' ? " as " : "");
        if (kind != 'M')
            apply(reader, read_path);
        put_text(reader, ">");
    } else {
        reader->has_failed = true;
    }
}

static void read_function(struct reader *reader)
{
    size_t length = 0;
    skip_number(reader, 'G');
    (void)take(reader, 'U');
    if (take(reader, 'K') && !take(reader, 'C'))
        (void)read_identifier(reader, &length);
    while (!ends(reader))
        apply(reader, read_type);
    apply(reader, read_type);
}

static void read_bindings(struct reader *reader)
{
    size_t length = 0;
    while (take(reader, 'p')) {
        (void)read_identifier(reader, &length);
        apply(reader, read_type);
    }
}

static void read_traits(struct reader *reader)
{
    skip_number(reader, 'G');
    for (const char *word = "dyn "; !ends(reader); word = " + ") {
        put_text(reader, word);
        apply(reader, read_path);
        read_silently(reader, read_bindings);
    }
    skip_number(reader, 'L');
}

static void read_tuple(struct reader *reader)
{
    put_text(reader, "(");
    for (const char *word = ""; !ends(reader); word = ", ") {
        put_text(reader, word);
        apply(reader, read_type);
    }
    put_text(reader, ")");
}

static void read_type(struct reader *reader)
{
    static const char *const plain[26] = {"i8",   "bool",  "char",  "f64", "str", "f32", NULL,
                                          "u8",   "isize", "usize", NULL,  "i32", "u32", "i128",
                                          "u128", "_",     NULL,    NULL,  "i16", "u16", "()",
                                          "...",  NULL,    "i64",   "u64", "!"};
    static const char *const pointers[26] = {
        ['R' - 'A'] = "&", ['Q' - 'A'] = "&mut ", ['P' - 'A'] = "*const ", ['O' - 'A'] = "*mut "};
    char kind = next(reader);
    if (kind >= 'a' && kind <= 'z' && plain[kind - 'a'] != NULL) {
        put_text(reader, plain[kind - 'a']);
    } else if (kind >= 'A' && kind <= 'Z' && pointers[kind - 'A'] != NULL) {
        skip_number(reader, 'L');
        put_text(reader, pointers[kind - 'A']);
        apply(reader, read_type);
    } else if (kind == 'A' || kind == 'S') {
        put_text(reader, "[");
        apply(reader, read_type);
        if (kind == 'A')
            skip_constant(reader);
        put_text(reader, "]");
    } else if (kind == 'T') {
        read_tuple(reader);
    } else if (kind == 'F') {
        put_text(reader, "fn");
        read_silently(reader, read_function);
    } else if (kind == 'D') {
        read_traits(reader);
    } else if (kind == 'B') {
        read_earlier(reader, read_type);
    } else {
        reader->at -= kind != '\0';
        apply(reader, read_path);
    }
}

char *sc_demangle_rust(const char *symbol)
{
    struct reader reader = {.text = symbol + 2};
    if (!sc_starts_with(symbol, "_R"))
        return NULL;
    apply(&reader, read_path);
    if (!reader.has_failed && reader.name.length > 0)
        return reader.name.data;
    sc_str_done(&reader.name);
    return NULL;
}
