/* build/native_import.c - see native_import.h. SPDX-License-Identifier: Apache-2.0 */
#include "build/native_import.h"

#include <dirent.h>
#include <string.h>
#include <sys/stat.h>

#include "base/helper.h"
#include "base/mem.h"

/* A package's tree is searched this deep, and this many entries far. */
#define ASKED_MAX   4096U
#define DEPTH_LIMIT 6
#define ENTRY_LIMIT 20000

/* Modules compiled into one or another CPython 3.8 to 3.15: the union of sys.builtin_module_names
 * of those found. */
static const char builtin_modules[] =
    "_abc _ast _asyncio _bisect _blake2 _codecs _collections _contextvars _csv _datetime "
    "_elementtree _functools _heapq _imp _io _json _locale _math_integer _md5 _opcode _operator "
    "_peg_parser _pickle _posixsubprocess _random _sha1 _sha2 _sha256 _sha3 _sha512 _signal "
    "_socket _sre _stat _statistics _string _struct _suggestions _symtable _sysconfig _thread "
    "_tokenize _tracemalloc _types _typing _warnings _weakref _zstd array atexit binascii builtins "
    "cmath errno faulthandler fcntl gc grp itertools marshal math posix pwd pyexpat select spwd "
    "sys syslog time unicodedata zipimport zlib";

/* "name.so", "name.abi3.so", "name.cpython-311-x86_64-linux-gnu.so" */
static bool is_extension(const char *entry, const char *name, size_t length)
{
    return strncmp(entry, name, length) == 0 && entry[length] == '.' && sc_ends_with(entry, ".so");
}

/* Whether the directory tree holds a shared object. */
static bool tree_has_extension(const char *directory, unsigned depth, size_t *entries)
{
    DIR *stream = opendir(directory);
    if (stream == NULL)
        return false;
    bool found = false;
    const struct dirent *entry;
    while (!found && *entries < ENTRY_LIMIT && (entry = readdir(stream)) != NULL) {
        (*entries)++;
        if (entry->d_name[0] == '.')
            continue;
        if (sc_ends_with(entry->d_name, ".so")) {
            found = true;
        } else if (depth < DEPTH_LIMIT && strchr(entry->d_name, '.') == NULL &&
                   (entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN)) {
            SC_AUTO_FREE char *below = sc_format("%s/%s", directory, entry->d_name);
            found = tree_has_extension(below, depth + 1, entries);
        }
    }
    (void)closedir(stream);
    return found;
}

enum lookup { NOT_HERE, PURE, NATIVE };

/* What import would find for the name in this directory: a package, an extension, a source. */
static enum lookup look_in(const char *directory, const char *name, size_t length)
{
    SC_AUTO_FREE char *package = sc_format("%s/%.*s", directory, (int)length, name);
    SC_AUTO_FREE char *init = sc_format("%s/__init__.py", package);
    SC_AUTO_FREE char *source = sc_format("%s.py", package);
    struct stat status;
    if (stat(init, &status) == 0) {
        size_t entries = 0;
        return tree_has_extension(package, 0, &entries) ? NATIVE : PURE;
    }
    DIR *stream = opendir(directory);
    if (stream == NULL)
        return NOT_HERE;
    enum lookup found = NOT_HERE;
    const struct dirent *entry;
    while (found == NOT_HERE && (entry = readdir(stream)) != NULL) {
        if (is_extension(entry->d_name, name, length))
            found = NATIVE;
    }
    (void)closedir(stream);
    if (found == NOT_HERE && stat(source, &status) == 0)
        found = PURE;
    if (found == NOT_HERE && stat(package, &status) == 0 && S_ISDIR(status.st_mode)) {
        size_t entries = 0;
        found = tree_has_extension(package, 0, &entries) ? NATIVE : NOT_HERE;
    }
    return found;
}

/* The question: the directory, a 0, the name; the answer is one byte. */
static void answer_look(const char *question, size_t length, struct sc_str *ret_answer)
{
    const char *name = question + strlen(question) + 1;
    sc_str_add_char(ret_answer, (char)look_in(question, name, length - (size_t)(name - question)));
}

/* A directory that does not answer in time counts as one without the module. */
static enum lookup ask_to_look_in(const struct sc_scope *scope, const char *directory,
                                  const char *name, size_t length)
{
    SC_AUTO(sc_str_done) struct sc_str question = {0};
    SC_AUTO(sc_str_done) struct sc_str answer = {0};
    SC_AUTO_FREE char *path = sc_format("%s/%.*s", directory, (int)length, name);
    enum lookup found = NOT_HERE;
    sc_str_add_bytes(&question, directory, strlen(directory) + 1);
    sc_str_add_bytes(&question, name, length);
    if (sc_helper_ask(scope->helper, path, answer_look, sc_str_text(&question), question.length,
                      &answer) &&
        answer.length == 1)
        found = (enum lookup)answer.data[0];
    return found;
}

static bool is_native_relative(const struct sc_scope *scope, const char *file, const char *module)
{
    size_t dots = strspn(module, ".");
    const char *name = module + dots;
    size_t length = strcspn(name, ".");
    SC_AUTO_FREE char *directory = sc_strdup(file);
    for (size_t i = 0; i < dots; i++) {
        char *slash = strrchr(directory, '/');
        if (slash == NULL)
            return false;
        *slash = '\0';
    }
    return length > 0 && ask_to_look_in(scope, directory, name, length) == NATIVE;
}

/* In a directory of the standard library, and where it keeps compiled modules and packages. */
static enum lookup ask_library(const struct sc_scope *scope, const char *library, const char *name,
                               size_t length)
{
    static const char *const below[] = {"/lib-dynload", "/site-packages", "/dist-packages"};
    enum lookup found = ask_to_look_in(scope, library, name, length);
    for (size_t i = 0; found == NOT_HERE && i < sizeof(below) / sizeof(*below); i++) {
        SC_AUTO_FREE char *directory = sc_format("%s%s", library, below[i]);
        found = ask_to_look_in(scope, directory, name, length);
    }
    return found;
}

bool sc_is_native_module(const struct sc_scope *scope, const char *file, const char *module)
{
    if (module[0] == '.')
        return is_native_relative(scope, file, module);
    size_t length = strcspn(module, ".");
    SC_AUTO_FREE char *name = sc_strndup(module, length);
    if (length == 0 || strchr(name, '/') != NULL)
        return false;
    if (sc_is_among(name, builtin_modules))
        return true;
    enum lookup found = NOT_HERE;
    if (scope->root_dir != NULL)
        found = ask_to_look_in(scope, scope->root_dir, name, length);
    for (size_t i = 0; found == NOT_HERE && i < scope->library_dir_count; i++)
        found = ask_library(scope, scope->library_dirs[i], name, length);
    return found == NATIVE;
}

bool sc_native_imports_has(struct sc_native_imports *imports, const struct sc_scope *scope,
                           const char *file, const char *module)
{
    size_t length = strcspn(module, ".");
    uint32_t known = length > 0 ? sc_intern_find(&imports->names, module, length) : SC_NONE;
    if (known != SC_NONE)
        return imports->is_native.items[known];
    if (imports->asked == ASKED_MAX)
        return false;
    imports->asked++;
    bool is_native = sc_is_native_module(scope, file, module);
    if (length > 0) {
        (void)sc_intern_add(&imports->names, module, length);
        sc_vec_push(&imports->is_native, is_native);
    }
    return is_native;
}

void sc_native_imports_done(struct sc_native_imports *imports)
{
    sc_intern_done(&imports->names);
    sc_vec_done(&imports->is_native);
}
