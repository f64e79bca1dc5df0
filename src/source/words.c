/*
 * source/words.c - the keywords and builtin names of Python, up to 3.15.
 *
 * Names that came late are known to all versions: a program that uses one as its own name is
 * coloured a little too much, which does no harm.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "source/words.h"

#include <stdlib.h>
#include <string.h>

struct text {
    const char *bytes;
    size_t length;
};

struct keyword {
    const char *name;
    enum sc_word word;
};

/* Both tables in the order of strcmp. */
static const struct keyword keywords[] = {
    {"False", SC_WORD_OTHER},
    {"None", SC_WORD_OTHER},
    {"True", SC_WORD_OTHER},
    {"and", SC_WORD_OTHER},
    {"as", SC_WORD_AS},
    {"assert", SC_WORD_STATEMENT},
    {"async", SC_WORD_ASYNC},
    {"await", SC_WORD_OTHER},
    {"break", SC_WORD_STATEMENT},
    {"case", SC_WORD_SOFT_CASE},
    {"class", SC_WORD_CLASS},
    {"continue", SC_WORD_STATEMENT},
    {"def", SC_WORD_DEF},
    {"del", SC_WORD_STATEMENT},
    {"elif", SC_WORD_ELIF},
    {"else", SC_WORD_ELSE},
    {"except", SC_WORD_EXCEPT},
    {"finally", SC_WORD_FINALLY},
    {"for", SC_WORD_FOR},
    {"from", SC_WORD_FROM},
    {"global", SC_WORD_STATEMENT},
    {"if", SC_WORD_IF},
    {"import", SC_WORD_IMPORT},
    {"in", SC_WORD_OTHER},
    {"is", SC_WORD_OTHER},
    {"lambda", SC_WORD_LAMBDA},
    {"lazy", SC_WORD_SOFT_LAZY},
    {"match", SC_WORD_SOFT_MATCH},
    {"nonlocal", SC_WORD_STATEMENT},
    {"not", SC_WORD_OTHER},
    {"or", SC_WORD_OTHER},
    {"pass", SC_WORD_STATEMENT},
    {"raise", SC_WORD_STATEMENT},
    {"return", SC_WORD_STATEMENT},
    {"try", SC_WORD_TRY},
    {"type", SC_WORD_SOFT_TYPE},
    {"while", SC_WORD_WHILE},
    {"with", SC_WORD_WITH},
    {"yield", SC_WORD_OTHER},
};

static const char *const builtins[] = {
    "ArithmeticError",
    "AssertionError",
    "AttributeError",
    "BaseException",
    "BaseExceptionGroup",
    "BlockingIOError",
    "BrokenPipeError",
    "BufferError",
    "BytesWarning",
    "ChildProcessError",
    "ConnectionAbortedError",
    "ConnectionError",
    "ConnectionRefusedError",
    "ConnectionResetError",
    "DeprecationWarning",
    "EOFError",
    "Ellipsis",
    "EncodingWarning",
    "EnvironmentError",
    "Exception",
    "ExceptionGroup",
    "FileExistsError",
    "FileNotFoundError",
    "FloatingPointError",
    "FutureWarning",
    "GeneratorExit",
    "IOError",
    "ImportCycleError",
    "ImportError",
    "ImportWarning",
    "IndentationError",
    "IndexError",
    "InterruptedError",
    "IsADirectoryError",
    "KeyError",
    "KeyboardInterrupt",
    "LookupError",
    "MemoryError",
    "ModuleNotFoundError",
    "NameError",
    "NotADirectoryError",
    "NotImplemented",
    "NotImplementedError",
    "OSError",
    "OverflowError",
    "PendingDeprecationWarning",
    "PermissionError",
    "ProcessLookupError",
    "PythonFinalizationError",
    "RecursionError",
    "ReferenceError",
    "ResourceWarning",
    "RuntimeError",
    "RuntimeWarning",
    "StopAsyncIteration",
    "StopIteration",
    "SyntaxError",
    "SyntaxWarning",
    "SystemError",
    "SystemExit",
    "TabError",
    "TimeoutError",
    "TypeError",
    "UnboundLocalError",
    "UnicodeDecodeError",
    "UnicodeEncodeError",
    "UnicodeError",
    "UnicodeTranslateError",
    "UnicodeWarning",
    "UserWarning",
    "ValueError",
    "Warning",
    "ZeroDivisionError",
    "__import__",
    "abs",
    "aiter",
    "all",
    "anext",
    "any",
    "ascii",
    "bin",
    "bool",
    "breakpoint",
    "bytearray",
    "bytes",
    "callable",
    "chr",
    "classmethod",
    "compile",
    "complex",
    "delattr",
    "dict",
    "dir",
    "divmod",
    "enumerate",
    "eval",
    "exec",
    "exit",
    "filter",
    "float",
    "format",
    "frozendict",
    "frozenset",
    "getattr",
    "globals",
    "hasattr",
    "hash",
    "help",
    "hex",
    "id",
    "input",
    "int",
    "isinstance",
    "issubclass",
    "iter",
    "len",
    "list",
    "locals",
    "map",
    "max",
    "memoryview",
    "min",
    "next",
    "object",
    "oct",
    "open",
    "ord",
    "pow",
    "print",
    "property",
    "quit",
    "range",
    "repr",
    "reversed",
    "round",
    "sentinel",
    "set",
    "setattr",
    "slice",
    "sorted",
    "staticmethod",
    "str",
    "sum",
    "super",
    "tuple",
    "type",
    "vars",
    "zip",
};

static int compare(const struct text *text, const char *name)
{
    int order = strncmp(text->bytes, name, text->length);
    if (order != 0)
        return order;
    return name[text->length] == '\0' ? 0 : -1;
}

static int compare_keyword(const void *key, const void *item)
{
    return compare(key, ((const struct keyword *)item)->name);
}

static int compare_builtin(const void *key, const void *item)
{
    return compare(key, *(const char *const *)item);
}

enum sc_word sc_word_of(const char *name, size_t length)
{
    struct text key = {name, length};
    const struct keyword *found = bsearch(&key, keywords, sizeof(keywords) / sizeof(keywords[0]),
                                          sizeof(keywords[0]), compare_keyword);
    return found ? found->word : SC_WORD_NONE;
}

bool sc_word_begins_statement(enum sc_word word)
{
    switch (word) {
    case SC_WORD_CLASS:
    case SC_WORD_DEF:
    case SC_WORD_ELIF:
    case SC_WORD_EXCEPT:
    case SC_WORD_FINALLY:
    case SC_WORD_IMPORT:
    case SC_WORD_TRY:
    case SC_WORD_WHILE:
    case SC_WORD_WITH:
    case SC_WORD_STATEMENT:
        return true;
    default:
        return false;
    }
}

bool sc_word_is_builtin(const char *name, size_t length)
{
    struct text key = {name, length};
    return bsearch(&key, builtins, sizeof(builtins) / sizeof(builtins[0]), sizeof(builtins[0]),
                   compare_builtin) != NULL;
}
