/* cli/kept.c - see kept.h. SPDX-License-Identifier: Apache-2.0 */
#include "cli/kept.h"

#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/io.h"
#include "import/import.h"
#include "push/pieces.h"

#define DAY_S 86400U

/* -------- moments -------- */

/* Fills what the text has of a moment. */
static bool parse(const char *text, struct tm *parts, bool *ret_has_day, bool *ret_is_utc)
{
    static const char *const forms[] = {"%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M",
                                        "%Y-%m-%dT%H:%M",    "%H:%M:%S",          "%H:%M"};
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        struct tm read = *parts;
        const char *end = strptime(text, forms[i], &read);
        *ret_is_utc = end != NULL && strcmp(end, "Z") == 0;
        if (end == NULL || (*end != '\0' && !*ret_is_utc))
            continue;
        *ret_has_day = i < 4;
        *parts = read;
        return true;
    }
    return false;
}

/* Seconds since 1970, 0 where the text is no moment. */
static uint64_t moment_of(const char *text, uint64_t now_s)
{
    struct tm parts = {0};
    bool has_day = false;
    bool is_utc = false;
    time_t now = (time_t)now_s;
    if (!parse(text, &parts, &has_day, &is_utc))
        return 0;
    struct tm today = {0};
    (void)(is_utc ? gmtime_r(&now, &today) : localtime_r(&now, &today));
    if (!has_day) {
        parts.tm_year = today.tm_year;
        parts.tm_mon = today.tm_mon;
        parts.tm_mday = today.tm_mday;
    }
    for (int days = 0; days < 2; days++) {
        struct tm normal = parts;
        normal.tm_mday -= days;
        normal.tm_isdst = -1;
        time_t moment = is_utc ? timegm(&normal) : mktime(&normal);
        if (moment <= 0)
            return 0;
        if (has_day || moment <= now)
            return (uint64_t)moment;
    }
    return 0;
}

bool sc_kept_moment(const char *text, uint64_t now_s, uint64_t *ret_begin_s, uint64_t *ret_end_s,
                    struct sc_err *err)
{
    const char *slash = strchr(text, '/');
    SC_AUTO_FREE char *first =
        sc_strndup(text, slash != NULL ? (size_t)(slash - text) : strlen(text));
    *ret_begin_s = moment_of(first, now_s);
    *ret_end_s = slash != NULL ? moment_of(slash + 1, now_s) : *ret_begin_s + 1;
    if (*ret_begin_s == 0 || *ret_end_s == 0)
        return sc_fail(
            err, SC_ERR_USAGE,
            "--at takes a time as 03:00 or '2026-12-01 03:00', or a span as 02:00/04:00, "
            "not '%.60s'",
            text);
    return *ret_begin_s < *ret_end_s ||
           sc_fail(err, SC_ERR_USAGE, "--at: the span '%.60s' ends before it begins", text);
}

/* As people of this place write it. */
static void add_moment(struct sc_str *text, uint64_t moment_s)
{
    char words[32] = "";
    struct tm parts = {0};
    time_t moment = (time_t)moment_s;
    (void)localtime_r(&moment, &parts);
    (void)strftime(words, sizeof(words), "%Y-%m-%d %H:%M:%S", &parts);
    sc_str_add(text, words);
}

/* -------- pieces -------- */

static bool is_meant(const struct sc_piece *piece, uint64_t begin_s, uint64_t end_s)
{
    return piece->begin_s < end_s && piece->end_s > begin_s;
}

/* Whether a later piece of the process is meant, too: what is in use at its end is what counts. */
static bool has_successor(const struct sc_pieces *pieces, size_t at, uint64_t begin_s,
                          uint64_t end_s)
{
    for (size_t i = at + 1; i < pieces->count; i++) {
        if (pieces->items[i].pid == pieces->items[at].pid &&
            is_meant(&pieces->items[i], begin_s, end_s))
            return true;
    }
    return false;
}

/* What to say where no piece is meant. */
static bool refuse(const char *folder, const struct sc_pieces *pieces, uint64_t begin_s,
                   struct sc_err *err)
{
    SC_AUTO(sc_str_done) struct sc_str text = {0};
    uint64_t last_s = 0;
    sc_str_add_format(&text, "'%.200s' has nothing of ", folder);
    add_moment(&text, begin_s);
    SC_EACH(const struct sc_piece, piece, pieces)
        last_s = piece->end_s > last_s ? piece->end_s : last_s;
    if (pieces->count > 0) {
        sc_str_add(&text, ": it begins at ");
        add_moment(&text, pieces->items[0].begin_s);
        sc_str_add(&text, " and ends at ");
        add_moment(&text, last_s);
    }
    return sc_fail(err, SC_ERR_FAILED, "%s", sc_str_text(&text));
}

static bool read_piece(struct sc_import_tree *tree, const char *folder, const char *name,
                       struct sc_err *err)
{
    SC_AUTO(sc_str_done) struct sc_str bytes = {0};
    SC_AUTO_FREE char *path = sc_format("%s/%s", folder, name);
    uint64_t changed_ns = 0;
    struct sc_err cause = {0};
    const struct sc_import_format *format = sc_import_format_named("pprof", &cause);
    return (format != NULL && sc_import_load(path, &bytes, &changed_ns, &cause) &&
            sc_import_plain(&bytes, SC_IMPORT_BYTES_MAX, &cause) &&
            format->read(tree, sc_str_text(&bytes), bytes.length, &cause)) ||
           sc_fail(err, SC_ERR_FAILED, "'%.200s' cannot be read: %s", path, cause.text);
}

/* Adds the pieces that are meant to the tree. What the name of the profile says of them is title.
 */
static bool read_pieces(struct sc_import_tree *tree, const char *folder,
                        const struct sc_pieces *pieces, uint64_t begin_s, uint64_t end_s,
                        uint64_t *ret_changed_ns, struct sc_str *title, struct sc_err *err)
{
    uint64_t first_s = UINT64_MAX;
    uint64_t last_s = 0;
    unsigned count = 0;
    for (size_t i = 0; i < pieces->count; i++) {
        const struct sc_piece *piece = &pieces->items[i];
        if (!is_meant(piece, begin_s, end_s))
            continue;
        first_s = piece->begin_s < first_s ? piece->begin_s : first_s;
        last_s = piece->end_s > last_s ? piece->end_s : last_s;
        tree->pid = piece->pid;
        tree->is_continued = has_successor(pieces, i, begin_s, end_s);
        if (!read_piece(tree, folder, piece->name, err))
            return false;
        count++;
    }
    if (last_s == 0)
        return refuse(folder, pieces, begin_s, err);
    sc_str_add_format(title, "%s, ", folder);
    add_moment(title, first_s);
    sc_str_add(title, " to ");
    add_moment(title, last_s);
    tree->elapsed_s = (double)(last_s - first_s);
    sc_import_note(tree, sc_format("kept while the program ran (%u piece%s): time and memory by "
                                   "stack; what else was measured is shown as 0",
                                   count, count == 1 ? "" : "s"));
    *ret_changed_ns = last_s * 1000000000U;
    return true;
}

bool sc_kept_read(const char *path, const char *moment, struct sc_profile *ret_profile,
                  struct sc_err *err)
{
    SC_AUTO(sc_import_tree_done) struct sc_import_tree tree = {0};
    SC_AUTO(sc_pieces_done) struct sc_pieces pieces = {0};
    SC_AUTO(sc_str_done) struct sc_str title = {0};
    struct stat facts;
    uint64_t begin_s = 0;
    uint64_t end_s = 0;
    uint64_t changed_ns = 0;
    bool is_folder = stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
    SC_AUTO_FREE char *folder = is_folder ? sc_strdup(path) : sc_pieces_folder(path);
    sc_import_tree_init(&tree);
    if (!sc_kept_moment(moment, sc_realtime_ns() / 1000000000U, &begin_s, &end_s, err))
        return false;
    if (stat(folder, &facts) != 0)
        return sc_fail(err, SC_ERR_FAILED,
                       "there is no '%.200s'; 'scalene run --keep 1GB program.py' makes one",
                       folder);
    if (!sc_pieces_list(folder, &pieces, err) ||
        !read_pieces(&tree, folder, &pieces, begin_s, end_s, &changed_ns, &title, err))
        return false;
    sc_import_build(&tree, sc_str_text(&title), changed_ns, ret_profile);
    return true;
}
