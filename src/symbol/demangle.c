/* symbol/demangle.c - see demangle.h. SPDX-License-Identifier: Apache-2.0 */
#include "symbol/demangle.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "symbol/demangle_rust.h"

#define RUST_HASH_DIGITS 16

/* A longer name is not decoded: it takes too long, and nobody reads it. */
#define MANGLED_BYTES_MAX 8192

/* __cxa_demangle of the C++ run-time library (Itanium C++ ABI, 3.4): a new string, or NULL. */
typedef char *demangler(const char *mangled, char *buffer, size_t *length, int *status);

/* Loaded when the first C++ name comes: most runs meet none. NULL where there is no such library.
 */
static demangler *find_demangler(void)
{
    static bool is_loaded;
    static demangler *found;
    if (!is_loaded) {
        void *library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
        void *address = library != NULL ? dlsym(library, "__cxa_demangle") : NULL;
        memcpy(&found, &address, sizeof(found));
        is_loaded = true;
    }
    return found;
}

static const char *const split_suffixes[] = {".cold",       ".part.",     ".isra.",
                                             ".constprop.", ".lto_priv.", ".llvm."};

/* "name.part.0.cold" -> "name", "name@@V1" -> "name". */
static size_t plain_length(const char *symbol)
{
    size_t length = strcspn(symbol, "@");
    for (size_t i = 0; i < sizeof(split_suffixes) / sizeof(split_suffixes[0]); i++) {
        const char *found = strstr(symbol, split_suffixes[i]);
        if (found != NULL && found > symbol && (size_t)(found - symbol) < length)
            length = (size_t)(found - symbol);
    }
    return length;
}

/* Cuts "::h0123456789abcdef", and decodes what is before it. */
static void finish_old_rust(char *name)
{
    size_t length = strlen(name);
    if (length <= RUST_HASH_DIGITS + 3)
        return;
    char *hash = name + length - RUST_HASH_DIGITS - 3;
    if (strncmp(hash, "::h", 3) != 0)
        return;
    for (const char *digit = hash + 3; *digit != '\0'; digit++) {
        if (!isxdigit((unsigned char)*digit))
            return;
    }
    *hash = '\0';
    sc_demangle_old_rust(name);
}

/* The length of a group of Cython's, "4tree_" at its start; 0: none. */
static size_t group_length(const char *text)
{
    char *name = NULL;
    unsigned long length = isdigit((unsigned char)*text) ? strtoul(text, &name, 10) : 0;
    if (length == 0 || strnlen(name, length + 1) <= length || name[length] != '_')
        return 0;
    return (size_t)(name - text) + length + 1;
}

static void add_part(struct sc_str *name, const char *part, size_t length)
{
    sc_str_add(name, name->length > 0 ? "." : "");
    sc_str_add_bytes(name, part, length);
}

/* "__pyx_pw_7sklearn_4tree_4Tree_13apply" -> "sklearn.tree.Tree.apply". Package, module and class
 * are groups, each behind its length; the function is behind its number where Python may call it
 * (Cython/Compiler/Symtab.py: mangle; PyrexTypes.py: the prefixes). NULL: another name. */
static char *cython_name(const char *symbol)
{
    static const char prefix[] = "__pyx_";
    if (!sc_starts_with(symbol, prefix))
        return NULL;
    if (sc_starts_with(symbol, "__pyx_fuse_")) /* of fused types: __pyx_fuse_0__pyx_f_3pkg_... */
        symbol = strstr(symbol + 1, prefix);
    if (symbol == NULL)
        return NULL;
    const char *kind = symbol + sizeof(prefix) - 1;
    size_t kind_length = strcspn(kind, "0123456789");
    const char *rest = kind + kind_length;
    bool has_number =
        sc_starts_with(kind, "pw_") || sc_starts_with(kind, "pf_") || sc_starts_with(kind, "gb_");
    struct sc_str name = {0};
    for (size_t length; (length = group_length(rest)) > 0; rest += length) {
        if (has_number && !isdigit((unsigned char)rest[length]))
            break; /* this is the number, and the start of a name: 3fit_transform */
        size_t digits = strspn(rest, "0123456789");
        add_part(&name, rest + digits, length - digits - 1);
    }
    rest += has_number ? strspn(rest, "0123456789") : 0;
    if (name.length == 0 || *rest == '\0') {
        sc_str_done(&name);
        return NULL;
    }
    if (!sc_starts_with(kind, "gb_")) /* the body of the generator that the last group names */
        add_part(&name, rest, strcspn(rest, "("));
    return name.data;
}

/* "CPyDef_linegen___Line___append" -> "linegen.Line.append" (mypyc/namegen.py: exported_name).
 * NULL: another name. */
static char *mypyc_name(const char *symbol)
{
    static const char dot[] = "___";
    if (!sc_starts_with(symbol, "CPyDef_") && !sc_starts_with(symbol, "CPyPy_"))
        return NULL;
    static const char body[] = ".__mypyc_generator_helper__"; /* of a generator or coroutine */
    const char *rest = strchr(symbol, '_') + 1;
    struct sc_str name = {0};
    for (const char *end; (end = strstr(rest, dot)) != NULL; rest = end + sizeof(dot) - 1) {
        sc_str_add_bytes(&name, rest, (size_t)(end - rest));
        bool is_text = sc_starts_with(end, "___3_");
        sc_str_add(&name, is_text ? dot : ".");
        end += is_text ? 2 : 0;
    }
    sc_str_add(&name, rest);
    if (sc_ends_with(name.data, body))
        name.data[name.length - sizeof(body) + 1] = '\0';
    return name.data;
}

/* What the compilers of Python call a function of the source. name is freed where another is
 * returned. */
static char *python_name(char *name)
{
    char *found = cython_name(name);
    if (found == NULL)
        found = mypyc_name(name);
    if (found == NULL)
        return name;
    free(name);
    return found;
}

char *sc_demangle(const char *symbol)
{
    char *plain = sc_strndup(symbol, plain_length(symbol));
    char *rust = strlen(plain) <= MANGLED_BYTES_MAX ? sc_demangle_rust(plain) : NULL;
    if (rust != NULL) {
        free(plain);
        return rust;
    }
    if (!sc_starts_with(plain, "_Z") || strlen(plain) > MANGLED_BYTES_MAX)
        return python_name(plain);
    demangler *demangle = find_demangler();
    int status = 0;
    char *decoded = demangle != NULL ? demangle(plain, NULL, NULL, &status) : NULL;
    if (status != 0 || decoded == NULL) {
        free(decoded);
        return plain;
    }
    free(plain);
    finish_old_rust(decoded);
    return python_name(decoded);
}
