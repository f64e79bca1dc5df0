/* source/entry_point.c - see entry_point.h. SPDX-License-Identifier: Apache-2.0 */
#include "source/entry_point.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

#define SETUPTOOLS_MARK "# EASY-INSTALL-ENTRY-SCRIPT: '"
#define EXIT_CALL       "sys.exit("
#define WORD_LETTERS    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

struct words {
    char *package; /* of the last import of a name */
    char *name;    /* that it has imported */
    bool is_called;
};

static char *word_at(const char *text)
{
    return sc_strndup(text, strspn(text, WORD_LETTERS));
}

static char *package_at(const char *text)
{
    return word_at(text + strspn(text, "_"));
}

/* "from a.b import c" */
static void take_import(struct words *words, const char *module)
{
    const char *name = strstr(module, " import ");
    if (name == NULL)
        return;
    free(words->package);
    free(words->name);
    words->package = package_at(module);
    words->name = word_at(name + strlen(" import "));
}

/* "c())", or "c.d())": without arguments, as an installer calls it. */
static void take_call(struct words *words, const char *call)
{
    size_t length = words->name != NULL ? strlen(words->name) : 0;
    if (length == 0 || strncmp(call, words->name, length) != 0)
        return;
    size_t path = strspn(call + length, WORD_LETTERS ".");
    words->is_called =
        (path == 0 || call[length] == '.') && strncmp(call + length + path, "())", 3) == 0;
}

/* Reads a line, which comes without its indentation; false when no installer would write that. */
static bool take_line(struct words *words, const char *line)
{
    static const char *const others[] = {"#",    "import ", "if ", "elif ",
                                         "else", "try:",    "exc", "sys.argv[0] = "};
    if (line[0] == '\0')
        return true;
    if (sc_starts_with(line, "from ")) {
        take_import(words, line + strlen("from "));
        return true;
    }
    if (sc_starts_with(line, EXIT_CALL)) {
        take_call(words, line + strlen(EXIT_CALL));
        return words->is_called;
    }
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        if (sc_starts_with(line, others[i]))
            return true;
    }
    return false;
}

char *sc_entry_point_package(const char *text, size_t length)
{
    if (length > SC_CONSOLE_SCRIPT_BYTES_MAX)
        return NULL;
    SC_AUTO_FREE char *copy = sc_strndup(text, length);
    const char *mark = strstr(copy, SETUPTOOLS_MARK);
    if (mark != NULL)
        return package_at(mark + strlen(SETUPTOOLS_MARK));
    struct words words = {.is_called = false};
    bool is_plain = true;
    char *rest = copy;
    for (char *line = strsep(&rest, "\n"); line != NULL && is_plain; line = strsep(&rest, "\n")) {
        line[strcspn(line, "\r")] = '\0';
        is_plain = take_line(&words, line + strspn(line, " \t"));
    }
    free(words.name);
    if (is_plain && words.is_called && words.package[0] != '\0')
        return words.package;
    free(words.package);
    return NULL;
}
