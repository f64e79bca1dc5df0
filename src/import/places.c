/*
 * import/places.c - which files the names in another profiler's file mean here.
 *
 * Some tools write whole paths, some cut off what is in front of a module's own path. A relative
 * name is looked for in the current folder and beside the file that has it. Tachyon's collapsed
 * stacks have a file's last name alone, so what is not found there can be any library's.
 *
 * Only files named as Python's are read: a profile from elsewhere must not bring the text of any
 * other file of this machine into a page.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "import/places.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/helper.h"
#include "base/str.h"
#include "source/source.h"

#define NAME_LENGTH_MAX  4096U
#define SOURCE_BYTES_MAX ((size_t)64 << 20U) /* of all sources together */
#define OTHER_FILES      "<other files>"

/* Modules and packages of Lib/ in CPython 3.8 to 3.15. */
static const char standard_modules[] =
    " abc aifc annotationlib argparse ast asynchat asyncio asyncore base64 bdb binhex bisect "
    "bz2 cProfile calendar cgi cgitb chunk cmd code codecs codeop collections colorsys "
    "compileall compression concurrent configparser contextlib contextvars copy copyreg crypt "
    "csv ctypes curses dataclasses datetime dbm decimal difflib dis distutils doctest "
    "dummy_threading email encodings ensurepip enum filecmp fileinput fnmatch formatter "
    "fractions ftplib functools genericpath getopt getpass gettext glob graphlib gzip hashlib "
    "heapq hmac html http imaplib imghdr imp importlib inspect io ipaddress json keyword "
    "lib2to3 linecache locale logging lzma mailbox mailcap mimetypes modulefinder "
    "multiprocessing netrc nntplib ntpath nturl2path numbers opcode operator optparse os "
    "pathlib pdb pickle pickletools pipes pkgutil platform plistlib poplib posixpath pprint "
    "profile profiling pstats pty py_compile pyclbr pydoc pydoc_data queue quopri random re "
    "reprlib rlcompleter runpy sched secrets selectors shelve shlex shutil signal site smtpd "
    "smtplib sndhdr socket socketserver sqlite3 sre_compile sre_constants sre_parse ssl stat "
    "statistics string stringprep struct subprocess sunau symbol symtable sysconfig tabnanny "
    "tarfile telnetlib tempfile textwrap threading timeit tkinter token tokenize tomllib "
    "trace traceback tracemalloc tty turtle types typing unittest urllib uu uuid venv "
    "warnings wave weakref webbrowser wsgiref xdrlib xml xmlrpc zipapp zipfile zipimport "
    "zoneinfo ";
static bool is_standard(const char *name)
{
    size_t length = strcspn(name, "/");
    length -= length > 3 && name[length] == '\0' && sc_ends_with(name, ".py") ? 3 : 0;
    for (const char *at = standard_modules + 1; *at != '\0'; at += strcspn(at, " ") + 1)
        if (strncmp(at, name, length) == 0 && at[length] == ' ')
            return true;
    return false;
}

/* As paths are written here: "C:\a\b.py" becomes "/C:/a/b.py". */
static char *plain_path(struct sc_import_text name)
{
    char *text =
        sc_strndup(name.bytes, name.length < NAME_LENGTH_MAX ? name.length : NAME_LENGTH_MAX);
    if (!isalpha((unsigned char)text[0]) || text[1] != ':' || (text[2] != '\\' && text[2] != '/'))
        return text;
    char *path = sc_format("/%s", text);
    for (char *at = path; *at != '\0'; at++)
        *at = *at == '\\' ? '/' : *at;
    free(text);
    return path;
}

/* The file of a relative name below a folder, or NULL. */
static char *found_below(const char *folder, const char *name)
{
    SC_AUTO_FREE char *path = sc_format("%s/%s", folder, name);
    return access(path, F_OK) == 0 ? realpath(path, NULL) : NULL;
}

static char *meant_path(const struct sc_import_places *places, struct sc_import_text name)
{
    char *path = plain_path(name);
    if (path[0] == '/' || path[0] == '<' || path[0] == '[' || path[0] == '~' || path[0] == '\0')
        return path;
    char *found = found_below(".", path);
    if (found == NULL && places->beside != NULL)
        found = found_below(places->beside, path);
    if (found == NULL)
        return path;
    free(path);
    return found;
}

/* A library's file, installed or standard. */
static bool is_library(const char *path)
{
    return strstr(path, "/site-packages/") != NULL || strstr(path, "/dist-packages/") != NULL ||
           strstr(path, "/lib/python") != NULL || strstr(path, "/Lib/") != NULL;
}

static void add_library(struct sc_import_places *places, const char *path)
{
    for (size_t i = 0; i < places->library_dirs.count; i++)
        if (strcmp(places->library_dirs.items[i], path) == 0)
            return;
    sc_vec_push(&places->library_dirs, sc_strdup(path));
}

/* Keeps ".../lib/python3.12" of a file below it, and "/C:/Python312/Lib"; also as what a link
 * means, since scope is about that. */
static void note_library(struct sc_import_places *places, const char *path)
{
    const char *at = strstr(path, "/lib/python");
    const char *end = at != NULL ? strchr(at + strlen("/lib/python"), '/') : NULL;
    if (end == NULL && (at = strstr(path, "/Lib/")) != NULL && path[0] == '/' && path[2] == ':')
        end = at + strlen("/Lib");
    if (end == NULL)
        return;
    SC_AUTO_FREE char *folder = sc_strndup(path, (size_t)(end - path));
    SC_AUTO_FREE char *meant = realpath(folder, NULL);
    add_library(places, folder);
    if (meant != NULL)
        add_library(places, meant);
}

/* Other names in brackets stand for Python code without a file. */
static bool is_python(const char *name)
{
    bool is_native = strcmp(name, "<built-in>") == 0 /* of pyinstrument */ ||
                     strcmp(name, SC_MODULE_KERNEL) == 0;
    return !is_native && (name[0] == '<' || name[0] == '[' || sc_ends_with_any(name, ".py .pyw"));
}

struct sc_import_file *sc_import_place(struct sc_import_places *places, struct sc_import_text name)
{
    struct sc_import_text wanted = name;
    if (places->files.count >= SC_IMPORT_FILES_MAX &&
        sc_intern_find(&places->names, name.bytes, name.length) == SC_NONE)
        wanted = (struct sc_import_text){OTHER_FILES, strlen(OTHER_FILES)};
    uint32_t at = sc_intern_add(&places->names, wanted.bytes, wanted.length);
    if (at == places->files.count) {
        char *path = meant_path(places, wanted);
        if (path[0] == '\0') {
            free(path);
            path = sc_strdup(SC_IMPORT_NO_FILE);
        }
        note_library(places, path);
        struct sc_import_file file = {.name = path, .is_python = is_python(path)};
        file.is_lost = file.is_python && strchr("/<[", path[0]) == NULL && !is_standard(path);
        places->has_own =
            places->has_own || (path[0] == '/' && access(path, F_OK) == 0 && !is_library(path));
        sc_vec_push(&places->files, file);
    }
    return &places->files.items[at];
}

static void read_source(struct sc_import_places *places, struct sc_import_file *file)
{
    SC_AUTO(sc_str_done) struct sc_str text = {0};
    struct stat status;
    file->is_read = true;
    size_t left = SOURCE_BYTES_MAX - places->source_bytes;
    if (file->is_python && file->name[0] == '/' &&
        sc_helper_read(NULL, file->name, left, &status, &text) == SC_HELPER_READ) {
        places->source_bytes += text.length;
        sc_source_init(&file->source, sc_str_text(&text), text.length);
        file->has_source = true;
    }
}

uint32_t sc_import_line(struct sc_import_places *places, struct sc_import_file *file, uint32_t line)
{
    if (!file->is_read)
        read_source(places, file);
    if (file->has_source || line <= file->last_line || file->name[0] == '<' ||
        is_library(file->name))
        return line;
    if (line - file->last_line > SC_IMPORT_MADE_LINES_MAX - places->made_lines)
        return 0;
    places->made_lines += line - file->last_line;
    file->last_line = line;
    return line;
}

/* The first line of the first def of that name; 0 without one. */
static uint32_t line_of_def(const struct sc_source *source, const char *function)
{
    const char *name = sc_after_last(function, '.');
    size_t length = strlen(name);
    for (uint32_t i = 0; i < source->lines.count && i < source->regions.count; i++) {
        const char *at = source->text + source->lines.items[i].start;
        at += strspn(at, " \t");
        at += strncmp(at, "async ", 6) == 0 ? 6 : 0;
        if (strncmp(at, "def ", 4) == 0 && strncmp(at + 4, name, length) == 0 &&
            strchr(" (", at[4 + length]) != NULL)
            return source->regions.items[i].start_function_line;
    }
    return 0;
}

uint32_t sc_import_first_line(struct sc_import_places *places, struct sc_import_file *file,
                              const char *function, uint32_t line)
{
    if (strcmp(function, "<module>") == 0)
        return 1;
    if (!file->is_python || (line == 0 && function[0] == '<'))
        return 0;
    if (function[0] == '<') /* a comprehension or a lambda: the function around is looked for */
        return line;
    if (!file->is_read)
        read_source(places, file);
    if (!file->has_source || line > file->source.regions.count)
        return 0;
    return line == 0 ? line_of_def(&file->source, function)
                     : file->source.regions.items[line - 1].start_function_line;
}

void sc_import_assume_own(struct sc_import_places *places, struct sc_collect *collect)
{
    char folder[PATH_MAX];
    if (places->has_own || getcwd(folder, sizeof(folder)) == NULL)
        return;
    SC_AUTO(sc_map_done) struct sc_map renamed = {0};
    SC_EACH(const struct sc_import_file, file, &places->files) {
        uint32_t old = sc_intern_find(&collect->names, file->name, strlen(file->name));
        if (!file->is_lost || old == SC_NONE)
            continue;
        SC_AUTO_FREE char *name =
            sc_format("%s/%s", strcmp(folder, "/") == 0 ? "" : folder, file->name);
        sc_map_put(&renamed, old, sc_intern_add(&collect->names, name, strlen(name)));
    }
    SC_EACH(struct sc_code, code, &collect->codes) {
        uint32_t name = sc_map_get(&renamed, code->file);
        code->file = name != SC_NONE ? name : code->file;
    }
}

void sc_import_places_done(struct sc_import_places *places)
{
    sc_intern_done(&places->names);
    for (size_t i = 0; i < places->files.count; i++) {
        free(places->files.items[i].name);
        if (places->files.items[i].has_source)
            sc_source_done(&places->files.items[i].source);
    }
    sc_vec_done(&places->files);
    sc_vec_free(&places->library_dirs);
}
