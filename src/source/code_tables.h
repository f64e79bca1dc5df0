/*
 * source/code_tables.h - what is found in a source text: its statements, assignments and calls.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"
#include "source/lexeme.h"

enum sc_statement_kind {
    SC_STATEMENT_SIMPLE,
    SC_STATEMENT_FOR,
    SC_STATEMENT_WHILE,
    SC_STATEMENT_TRY,
    SC_STATEMENT_EXCEPT,
    SC_STATEMENT_WITH,
    SC_STATEMENT_DEF,
    SC_STATEMENT_CLASS,
    SC_STATEMENT_BLOCK, /* if, else, match ... */
};

/* A simple statement, or the header of a block. Indices are those of statements, or SC_NONE. */
struct sc_statement {
    enum sc_statement_kind kind;
    bool is_async;
    uint32_t first, end;            /* its lexemes [first, end) */
    uint32_t first_line, last_line; /* 1-based; of a block, those of its header */
    uint32_t block_end_line;        /* of a block, where it ends */
    uint32_t block_end;             /* of a block, the statement behind its last one */
    uint32_t parent;
    uint32_t loop;     /* the innermost around it, in the same function */
    uint32_t function; /* the innermost around it */
    uint32_t class_statement;
};

/* What a name is known to hold. */
enum sc_name_kind {
    SC_NAME_UNKNOWN,
    SC_NAME_NONE, /* None: agrees with every other kind */
    SC_NAME_NUMBER,
    SC_NAME_STR,
    SC_NAME_BYTES,
    SC_NAME_LIST,
    SC_NAME_TUPLE,
    SC_NAME_SET,
    SC_NAME_DICT,
    SC_NAME_DEQUE,
    SC_NAME_ARRAY, /* of numpy */
    SC_NAME_FRAME, /* of pandas */
    SC_NAME_REGEX,
    SC_NAME_LOGGER,
    SC_NAME_LOCK,
    SC_NAME_ASYNC_LOCK,
    SC_NAME_FILE,
    SC_NAME_CONNECTION, /* of a database, or a cursor of one */
    SC_NAME_LOADER,     /* of batches: a DataLoader of torch */
    SC_NAME_OTHER,      /* something else */
};

/* An assignment to a name, or to an attribute of self. */
struct sc_binding {
    uint32_t name;       /* in texts; "x" or "self.x" */
    uint32_t scope;      /* a def, or for attributes a class; SC_NONE: the module */
    uint32_t statement;  /* where it is */
    uint32_t first, end; /* lexemes of the value or of the annotation; first == end: not known */
    bool is_annotation;
    bool is_parameter;
    bool is_change; /* "x += y": says that x changes, and nothing of its kind */
};

/* The last function that has declared a name global or nonlocal, and whose the name is there. */
struct sc_declared {
    uint32_t function;
    uint32_t scope;
};

struct sc_alias {
    uint32_t name; /* in texts */
    uint32_t target;
    uint32_t scope;
};

struct sc_call {
    uint32_t name;  /* in texts: "numpy.mean" for np.mean, ".strip" for a method of an expression */
    uint32_t first; /* of the callee */
    uint32_t open, close;
    uint32_t statement;
};

struct sc_code {
    const char *text;
    SC_VEC(struct sc_lexeme) lexemes;
    SC_VEC(uint32_t) matches; /* of each lexeme that is a bracket: the other one; else SC_NONE */
    SC_VEC(uint32_t) around;  /* the bracket that each lexeme is directly in, or SC_NONE */
    SC_VEC(uint32_t) loops;   /* of each bracket: the first "for" directly in it, or SC_NONE */
    SC_VEC(struct sc_statement) statements;
    SC_VEC(struct sc_binding) bindings;
    SC_VEC(struct sc_declared) declared; /* by name */
    SC_VEC(struct sc_alias) aliases;
    SC_VEC(struct sc_call) calls;
    struct sc_intern texts;
};

/* The next lexeme at the same depth: behind the closing bracket of one that opens. */
static inline uint32_t sc_code_step(const struct sc_code *code, uint32_t lexeme)
{
    uint32_t match = code->matches.items[lexeme];
    return match != SC_NONE && match > lexeme ? match + 1 : lexeme + 1;
}
