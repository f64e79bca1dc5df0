/*
 * source/imports.h - reads import statements, lexeme by lexeme.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>

#include "base/str.h"
#include "source/lexer.h"
#include "source/parsed.h"

/* What may come next. */
enum sc_import_state {
    SC_IMPORT_IDLE,      /* not in an import statement */
    SC_IMPORT_BROKEN,    /* in an invalid import statement */
    SC_IMPORT_LAZY,      /* behind the word lazy: import or from */
    SC_IMPORT_MODULE,    /* a module to import */
    SC_IMPORT_DOT,       /* behind a part of it: a dot, as, a comma, the end */
    SC_IMPORT_AS,        /* the name behind as */
    SC_IMPORT_COMMA,     /* a comma or the end */
    SC_IMPORT_FROM,      /* dots or the first part of the module behind from */
    SC_IMPORT_FROM_PART, /* a part of the module behind a dot */
    SC_IMPORT_FROM_DOT,  /* a dot or the word import */
    SC_IMPORT_NAMES,     /* a bracket, a star or the first name */
    SC_IMPORT_NAME,      /* a name, or the end of the brackets */
    SC_IMPORT_NAME_END,  /* behind a name: as, a comma, the end */
    SC_IMPORT_NAME_AS,   /* the name behind as */
    SC_IMPORT_NAME_COMMA,
    SC_IMPORT_ALL, /* nothing more */
};

/* Initialise with {0}. */
struct sc_imports {
    enum sc_import_state state;
    bool bracket;
    size_t name_count; /* behind from ... import */
    struct sc_str statement;
    struct sc_str module;   /* the one being read */
    SC_VEC(char *) modules; /* complete ones */
};

/* A statement begins with this lexeme: import, from, or lazy before them. */
void sc_imports_begin(struct sc_imports *imports, const struct sc_lexer *lexer,
                      const struct sc_lexeme *lexeme);

/* The next lexeme of the statement. Does nothing outside of an import statement. */
void sc_imports_add(struct sc_imports *imports, const struct sc_lexer *lexer,
                    const struct sc_lexeme *lexeme);

/* The statement is over: adds what it imports to the source. */
void sc_imports_end(struct sc_imports *imports, struct sc_source *source);

void sc_imports_done(struct sc_imports *imports);
