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

#include "base/str.h"

struct text {
    const char *bytes;
    size_t length;
};

struct keyword {
    const char *name;
    enum sc_word word;
};

/* In the order of strcmp. */
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

/* By their first letter. */
static const char *const builtins[] = {
    ['A'] = "ArithmeticError AssertionError AttributeError",
    ['B'] = ("BaseException BaseExceptionGroup BlockingIOError BrokenPipeError BufferError "
             "BytesWarning"),
    ['C'] = ("ChildProcessError ConnectionAbortedError ConnectionError ConnectionRefusedError "
             "ConnectionResetError"),
    ['D'] = "DeprecationWarning",
    ['E'] = "EOFError Ellipsis EncodingWarning EnvironmentError Exception ExceptionGroup",
    ['F'] = "FileExistsError FileNotFoundError FloatingPointError FutureWarning",
    ['G'] = "GeneratorExit",
    ['I'] = ("IOError ImportCycleError ImportError ImportWarning IndentationError IndexError "
             "InterruptedError IsADirectoryError"),
    ['K'] = "KeyError KeyboardInterrupt",
    ['L'] = "LookupError",
    ['M'] = "MemoryError ModuleNotFoundError",
    ['N'] = "NameError NotADirectoryError NotImplemented NotImplementedError",
    ['O'] = "OSError OverflowError",
    ['P'] = "PendingDeprecationWarning PermissionError ProcessLookupError PythonFinalizationError",
    ['R'] = "RecursionError ReferenceError ResourceWarning RuntimeError RuntimeWarning",
    ['S'] = "StopAsyncIteration StopIteration SyntaxError SyntaxWarning SystemError SystemExit",
    ['T'] = "TabError TimeoutError TypeError",
    ['U'] = ("UnboundLocalError UnicodeDecodeError UnicodeEncodeError UnicodeError "
             "UnicodeTranslateError UnicodeWarning UserWarning"),
    ['V'] = "ValueError",
    ['W'] = "Warning",
    ['Z'] = "ZeroDivisionError",
    ['_'] = "__import__",
    ['a'] = "abs aiter all anext any ascii",
    ['b'] = "bin bool breakpoint bytearray bytes",
    ['c'] = "callable chr classmethod compile complex",
    ['d'] = "delattr dict dir divmod",
    ['e'] = "enumerate eval exec exit",
    ['f'] = "filter float format frozendict frozenset",
    ['g'] = "getattr globals",
    ['h'] = "hasattr hash help hex",
    ['i'] = "id input int isinstance issubclass iter",
    ['l'] = "len list locals",
    ['m'] = "map max memoryview min",
    ['n'] = "next",
    ['o'] = "object oct open ord",
    ['p'] = "pow print property",
    ['q'] = "quit",
    ['r'] = "range repr reversed round",
    ['s'] = "sentinel set setattr slice sorted staticmethod str sum super",
    ['t'] = "tuple type",
    ['v'] = "vars",
    ['z'] = "zip",
};

static int compare_keyword(const void *key, const void *item)
{
    const struct text *text = key;
    const char *name = ((const struct keyword *)item)->name;
    int order = strncmp(text->bytes, name, text->length);
    return order != 0 || name[text->length] == '\0' ? order : -1;
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
    size_t letter = length > 0 ? (unsigned char)name[0] : 0;
    return letter < sizeof(builtins) / sizeof(builtins[0]) && builtins[letter] != NULL &&
           sc_is_one_of(name, length, builtins[letter]);
}
