/* report/name.c - see name.h. SPDX-License-Identifier: Apache-2.0 */
#include "report/name.h"

#include <ctype.h>
#include <string.h>

const char *sc_report_name(const struct sc_profile *profile, const char *name)
{
    const char *root = profile->root_dir;
    if (root == NULL || root[0] != '/' || !sc_starts_with(name, root))
        return name;
    const char *rest = name + strlen(root);
    if (*rest != '/' && !sc_ends_with(root, "/"))
        return name;
    while (*rest == '/')
        rest++;
    return *rest != '\0' ? rest : name;
}

/* The part behind the last folder of packages or "pythonX.Y", or NULL. */
static const char *in_library(const char *name)
{
    static const char *const folders[] = {"/site-packages/", "/dist-packages/", "/lib-dynload/"};
    const char *found = NULL;
    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
        for (const char *at = name; (at = strstr(at, folders[i])) != NULL;) {
            at += strlen(folders[i]);
            if (found == NULL || at > found)
                found = at;
        }
    }
    for (const char *at = name; found == NULL && (at = strstr(at, "/python3.")) != NULL;) {
        at += strlen("/python3.");
        const char *end = at;
        while (isdigit((unsigned char)*end))
            end++;
        end += *end == 't'; /* without the interpreter's lock */
        if (end > at && *end == '/')
            return end + 1;
    }
    return found;
}

/* "numpy/core/x.py" as "numpy.core.x", "json/__init__.py" as "json". */
static char *dotted(const char *path)
{
    static const char package[] = "/__init__";
    struct sc_str text = {0};
    size_t length = strlen(path) - (sc_ends_with(path, ".py") ? strlen(".py") : 0);
    if (length > strlen(package) &&
        strncmp(path + length - strlen(package), package, strlen(package)) == 0)
        length -= strlen(package);
    for (size_t i = 0; i < length; i++)
        sc_str_add_char(&text, path[i] == '/' ? '.' : path[i]);
    return sc_str_take(&text);
}

char *sc_library_module(const char *name)
{
    static const char frozen[] = "<frozen ";
    size_t length = strlen(name);
    if (sc_starts_with(name, frozen) && sc_ends_with(name, ">"))
        return sc_strndup(name + strlen(frozen), length - strlen(frozen) - 1);
    const char *rest = in_library(name);
    return rest != NULL && *rest != '\0' && sc_ends_with(name, ".py") ? dotted(rest) : NULL;
}

char *sc_shown_name(const struct sc_profile *profile, const char *name)
{
    /* a program that is itself installed as a package has its files by path */
    const char *rest = sc_report_name(profile, name);
    char *module = sc_library_module(rest);
    return module != NULL ? module : sc_strdup(rest);
}

char *sc_module_name(const struct sc_profile *profile, const char *name)
{
    char *module = sc_library_module(name);
    if (module != NULL)
        return module;
    const char *rest = sc_report_name(profile, name);
    if (rest != name)
        return dotted(rest);
    const char *slash = strrchr(name, '/');
    bool is_package = slash != NULL && strcmp(slash, "/__init__.py") == 0;
    if (is_package) {
        while (slash > name && slash[-1] != '/')
            slash--;
        return dotted(slash);
    }
    return dotted(slash != NULL ? slash + 1 : name);
}
