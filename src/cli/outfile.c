/* cli/outfile.c - see outfile.h. SPDX-License-Identifier: Apache-2.0 */
#include "cli/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"
#include "base/str.h"
#include "cli/paths.h"

/* -------- names with places for what is known of a run -------- */

static void add_value(struct sc_str *name, const char *value)
{
    for (; *value != '\0'; value++) {
        bool is_plain = (unsigned char)*value >= ' ' && *value != '/' && *value != 0x7f;
        sc_str_add_char(name, is_plain ? *value : '_');
    }
}

static bool is_word(const char *place, size_t length, const char *word)
{
    return strlen(word) == length && strncmp(place, word, length) == 0;
}

static bool fail_unknown(const char *place, size_t length, const struct sc_name_facts *facts,
                         struct sc_err *err)
{
    SC_AUTO(sc_str_done) struct sc_str known = {0};
    for (size_t i = 0; i < facts->labels->count; i++)
        sc_str_add_format(&known, "{%s} ", facts->labels->items[i].name);
    return sc_fail(err, SC_ERR_USAGE,
                   "run: --outfile: this run has no {%.*s}; it has %s{pid} {time} ({{ is a brace)",
                   (int)(length < SC_LABEL_NAME_MAX ? length : SC_LABEL_NAME_MAX), place,
                   sc_str_text(&known));
}

/* place: what stands between braces. */
static bool add_place(struct sc_str *name, const char *place, size_t length,
                      const struct sc_name_facts *facts, struct sc_err *err)
{
    SC_EACH(const struct sc_label, label, facts->labels) {
        if (is_word(place, length, label->name)) {
            add_value(name, label->value);
            return true;
        }
    }
    struct tm parts;
    char text[32] = "";
    if (is_word(place, length, "pid")) {
        sc_str_add_format(name, "%ld", facts->pid);
    } else if (is_word(place, length, "time") && localtime_r(&facts->time, &parts) != NULL &&
               strftime(text, sizeof(text), "%Y%m%dT%H%M%S", &parts) > 0) {
        sc_str_add(name, text);
    } else {
        return fail_unknown(place, length, facts, err);
    }
    return true;
}

/* *ret_name, owned by the caller, is the name with its places filled. "{{" is a brace. What a value
 * has that is no part of a file's name (a slash, a control character) becomes "_". False, with the
 * names that there are, where one is not known. */
static bool fill_name(const char *pattern, const struct sc_name_facts *facts, char **ret_name,
                      struct sc_err *err)
{
    SC_AUTO(sc_str_done) struct sc_str name = {0};
    sc_str_add(&name, "");
    for (const char *at = pattern; *at != '\0'; at++) {
        if ((*at == '{' || *at == '}') && at[1] == *at) {
            sc_str_add_char(&name, *at++);
        } else if (*at != '{') {
            sc_str_add_char(&name, *at);
        } else {
            size_t length = strcspn(at + 1, "{}");
            if (at[1 + length] != '}')
                return sc_fail(err, SC_ERR_USAGE,
                               "run: --outfile: '%.100s': a { has no } ({{ is a brace)", pattern);
            if (!add_place(&name, at + 1, length, facts, err))
                return false;
            at += length + 1;
        }
    }
    *ret_name = sc_str_take(&name);
    return true;
}

/* Whether the pattern has a place of that name. */
static bool has(const char *pattern, const char *word)
{
    for (const char *at = strchr(pattern, '{'); at != NULL; at = strchr(at + 1, '{')) {
        if (at[1] == '{')
            at++;
        else if (is_word(at + 1, strcspn(at + 1, "}"), word))
            return true;
    }
    return false;
}

/* Whether two ranks of the run could get the same name by it. */
static bool is_shared(const char *pattern, const struct sc_labels *labels)
{
    const char *size = sc_label_of(labels, SC_LABEL_WORLD_SIZE);
    if (sc_label_of(labels, SC_LABEL_RANK) == NULL || (size != NULL && strcmp(size, "1") == 0))
        return false;
    /* numbers of processes are those of one machine, or even of one container */
    bool is_of_one =
        has(pattern, SC_LABEL_HOST) && (has(pattern, "pid") || has(pattern, SC_LABEL_LOCAL_RANK));
    return !has(pattern, SC_LABEL_RANK) && !is_of_one;
}

/* -------- files -------- */

#define EXTENSION ".json"

static char *with_json(const char *path)
{
    const char *name = sc_after_last(path, '/');
    const char *dot = strrchr(name, '.');
    /* ".profile" is a name, not an extension, and "a.{host}" ends with what is still unknown */
    bool is_extension = dot != NULL && dot != name && strchr(dot, '{') == NULL;
    size_t length = is_extension ? (size_t)(dot - path) : strlen(path);
    return sc_format("%.*s" EXTENSION, (int)length, path);
}

/* Fills the places of a name that ends with the extension. Ranks that would write over one
 * another's file have their number in its name. */
static bool fill(const char *pattern, const struct sc_name_facts *facts, char **ret_name,
                 struct sc_err *err)
{
    int stem = (int)(strlen(pattern) - strlen(EXTENSION));
    SC_AUTO_FREE char *own = is_shared(pattern, facts->labels)
                                 ? sc_format("%.*s-rank{rank}" EXTENSION, stem, pattern)
                                 : sc_strdup(pattern);
    return fill_name(own, facts, ret_name, err);
}

static bool check_writable(const char *path, struct sc_err *err)
{
    struct stat status;
    if (stat(path, &status) == 0) {
        if (S_ISDIR(status.st_mode))
            return sc_fail(err, SC_ERR_FAILED,
                           "cannot write the profile to '%s', which is a directory; give a file "
                           "with -o",
                           path);
        if (faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) != 0)
            return sc_fail_errno(err, errno, "cannot write the profile to '%s'", path);
        return true;
    }
    bool is_name_wrong = errno == ENAMETOOLONG || errno == ELOOP;
    return (!is_name_wrong && sc_can_make_file(path)) ||
           sc_fail_errno(err, errno, "cannot write the profile to '%s' (see -o)", path);
}

bool sc_outfile_resolve(const char *command, const char *given, const struct sc_name_facts *facts,
                        char **ret_path, struct sc_err *err)
{
    SC_AUTO_FREE char *expanded = sc_path_expand(given);
    struct stat status;
    bool exists = stat(expanded, &status) == 0;
    size_t length = strlen(expanded);
    if ((exists && S_ISDIR(status.st_mode)) || (length > 0 && expanded[length - 1] == '/'))
        return sc_fail(err, SC_ERR_FAILED,
                       "%s: --outfile: '%s' is a directory; give the name of a file", command,
                       given);
    bool is_open = exists && !S_ISREG(status.st_mode);
    SC_AUTO_FREE char *pattern = is_open ? sc_strdup(expanded) : with_json(expanded);
    SC_AUTO_FREE char *name = NULL;
    if (is_open || facts == NULL)
        name = sc_strdup(pattern);
    else if (!fill(pattern, facts, &name, err))
        return false;
    char *path = sc_path_absolute(name);
    if (!check_writable(path, err)) {
        free(path);
        return false;
    }
    *ret_path = path;
    return true;
}

const char *sc_output_beside(const char *input, const char *other)
{
    struct stat facts;
    bool is_open = sc_starts_with_any(input, "/dev/ /proc/");
    bool is_special = stat(input, &facts) == 0 && !S_ISREG(facts.st_mode);
    return is_open || is_special ? other : input;
}

bool sc_output_is_same(const char *one, const char *other)
{
    struct stat first;
    struct stat second;
    return stat(one, &first) == 0 && stat(other, &second) == 0 && S_ISREG(first.st_mode) &&
           first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

bool sc_output_stdout(const struct sc_str *bytes, struct sc_err *err)
{
    if (fwrite(sc_str_text(bytes), 1, bytes->length, stdout) == bytes->length &&
        fflush(stdout) == 0)
        return true;
    (void)sc_fail_errno(err, errno, "the output cannot be written");
    clearerr(stdout); /* it is said once */
    return false;
}
