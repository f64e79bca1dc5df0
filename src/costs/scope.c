/*
 * costs/scope.c - which files are the user's own code.
 *
 * Directories are compared component by component and the longest one that holds the file decides,
 * so that a virtual environment inside a project is still a library, and a program that lives below
 * an interpreter's prefix is still the program. The rules in words: docs/scope.md.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "costs/scope.h"

#include <string.h>

#include "base/helper.h"
#include "base/mem.h"
#include "base/str.h"
#include "costs/console_script.h"
#include "costs/made_place.h"

/* The length of the directory if the file lies in it or below, else 0. */
static size_t holds(const char *directory, const char *file)
{
    size_t length = strlen(directory);
    while (length > 1 && directory[length - 1] == '/')
        length--;
    if (length == 0 || strncmp(directory, file, length) != 0)
        return 0;
    return directory[length - 1] == '/' || file[length] == '/' ? length : 0;
}

/* Names that stand for no file: "<frozen importlib._bootstrap>", "<string>", "". */
static bool is_internal(const char *file)
{
    if (file[0] == '\0')
        return true;
    return file[0] == '<' && sc_ends_with(file, ">");
}

/* Source text without a file that has a name of its own: exec'ed text, a notebook's cell, and a
 * program that Python reads from its standard input, the only code of that name. */
static bool is_named_text(const char *file)
{
    if (sc_is_made_place(file) || strcmp(file, "<stdin>") == 0)
        return true;
    bool is_named = strncmp(file, "[cell-", strlen("[cell-")) == 0; /* marimo's have no number */
    const char *name = file + (is_named ? strlen("[cell-") : 1);
    size_t length = file[0] != '[' ? 0
                    : is_named     ? strcspn(name, "@]")
                                   : strspn(name, "0123456789");
    const char *rest = name + length;
    if (length > 0 && rest[0] == '@') /* of another kernel: its pid */
        rest += 1 + strspn(rest + 1, "0123456789");
    return length > 0 && strcmp(rest, "]") == 0;
}

static bool contains_any(const char *file, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (words[i][0] != '\0' && strstr(file, words[i]) != NULL)
            return true;
    }
    return false;
}

static bool has_word(const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (words[i][0] != '\0')
            return true;
    }
    return false;
}

/* The length of the path up to and with the last site-packages or dist-packages directory in it,
 * else 0: where packages are installed, whatever environment that belongs to. */
static size_t installed_length(const char *file)
{
    static const char *const names[] = {"/site-packages/", "/dist-packages/"};
    size_t longest = 0;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        for (const char *at = file; (at = strstr(at, names[i])) != NULL; at++) {
            size_t length = (size_t)(at - file) + strlen(names[i]) - 1;
            longest = length > longest ? length : longest;
        }
    }
    return longest;
}

/* Whether the file is of Scalene's own package, which runs where a program switches profiling. */
static bool is_own(const char *file)
{
    size_t installed = installed_length(file);
    return installed > 0 && sc_starts_with(file + installed, "/scalene/");
}

/* Whether a part of a path, with ".py" or a "/" behind it, is the name of the tool that was
 * started. Leading underscores do not count: "_pytest" is pytest. */
static bool is_tools_part(const struct sc_scope *scope, const char *part)
{
    part += strspn(part, "_");
    size_t length = strcspn(part, "/");
    if (part[length] == '\0')
        length -= length > 3 && sc_ends_with(part, ".py") ? 3 : length;
    for (size_t i = 0; i < scope->tool_count; i++) {
        if (strlen(scope->tools[i]) == length && strncmp(scope->tools[i], part, length) == 0)
            return true;
    }
    return false;
}

/* Whether the file is the tool's. Below a library directory the first part of the path must be its
 * name; elsewhere any part may be, as a package may be installed as a link to its sources. */
static bool is_tools(const struct sc_scope *scope, const char *file, size_t library)
{
    const char *part = file + library + (file[library] == '/');
    bool found = is_tools_part(scope, part);
    while (!found && library == 0 && (part = strchr(part, '/')) != NULL)
        found = is_tools_part(scope, ++part);
    return found;
}

static enum sc_scope_reason scope_of_path(const struct sc_scope *scope, const char *file)
{
    size_t library = installed_length(file);
    for (size_t i = 0; i < scope->library_dir_count; i++) {
        size_t length = holds(scope->library_dirs[i], file);
        if (length > library)
            library = length;
    }
    size_t root = scope->root_dir != NULL ? holds(scope->root_dir, file) : 0;
    if (root != 0 && root >= library)
        return SC_SCOPE_IN;
    if (library != 0 && scope->profile_system_libraries)
        return SC_SCOPE_IN;
    if (is_tools(scope, file, library))
        return SC_SCOPE_TOOL;
    return library != 0 ? SC_SCOPE_LIBRARY : SC_SCOPE_OUTSIDE;
}

enum sc_scope_reason sc_scope_of(const struct sc_scope *scope, const char *file)
{
    if ((is_internal(file) && !is_named_text(file)) || is_own(file))
        return SC_SCOPE_INTERNAL;
    if (contains_any(file, scope->exclude, scope->exclude_count))
        return SC_SCOPE_EXCLUDED;
    if (has_word(scope->only, scope->only_count) &&
        !contains_any(file, scope->only, scope->only_count))
        return SC_SCOPE_EXCLUDED;
    if (scope->profile_all || is_named_text(file))
        return SC_SCOPE_IN;
    return scope_of_path(scope, file);
}

enum sc_scope_reason sc_scope_of_code(const struct sc_scope *scope, const char *name)
{
    if (scope->text_name != NULL && strcmp(scope->text_name, name) == 0)
        return SC_SCOPE_IN;
    uint32_t line = 0;
    SC_AUTO_FREE char *maker = sc_made_by(name, &line);
    if (maker != NULL && (maker[0] == '/' || maker[0] == '<'))
        return sc_scope_of_code(scope, maker);
    SC_AUTO_FREE char *resolved = name[0] == '/' ? sc_helper_resolve(scope->helper, name) : NULL;
    const char *file = resolved != NULL ? resolved : name;
    enum sc_scope_reason reason = sc_scope_of(scope, file);
    if (reason != SC_SCOPE_IN || scope->profile_all)
        return reason;
    SC_AUTO_FREE char *package = sc_console_script_package(scope->helper, file);
    return package != NULL ? SC_SCOPE_LIBRARY : reason;
}
