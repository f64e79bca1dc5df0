/* assist/place.c - see place.h. SPDX-License-Identifier: Apache-2.0 */
#include "assist/place.h"

#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "profile/command_mark.h"
#include "report/report.h"

/* The most lines of a place. */
#define LINES_MAX        400U
#define FILE_LIMIT_BYTES ((size_t)64 << 20)

#define X_NAME(name, text) text,
const char *const sc_ai_scope_names[SC_AI_SCOPE_COUNT_] = {SC_AI_SCOPES(X_NAME)};
#undef X_NAME

/* The next line of a text without what ends it; *offset moves behind it. */
static const char *next_line(const char *text, size_t length, size_t *offset, size_t *ret_length)
{
    const char *line = text + *offset;
    const char *newline = memchr(line, '\n', length - *offset);
    size_t whole = newline != NULL ? (size_t)(newline - line) + 1 : length - *offset;
    *offset += whole;
    while (whole > 0 && (line[whole - 1] == '\n' || line[whole - 1] == '\r'))
        whole--;
    *ret_length = whole;
    return line;
}

bool sc_ai_same_lines(const char *first, size_t first_length, const char *second,
                      size_t second_length)
{
    size_t i = 0;
    size_t k = 0;
    while (i < first_length && k < second_length) {
        size_t left;
        size_t right;
        const char *one = next_line(first, first_length, &i, &left);
        const char *other = next_line(second, second_length, &k, &right);
        if (left != right || memcmp(one, other, left) != 0)
            return false;
    }
    return i == first_length && k == second_length;
}

/* A profile may come from anybody: a line of it could hold several. */
static bool is_one_line(const char *text)
{
    const char *rest = text + strcspn(text, "\r\n");
    return sc_is_among(rest, "\n \r \r\n") || rest[0] == '\0';
}

/* The recorded text, and where the lines are in it. False when lines are missing, or all of it. */
static bool collect(struct sc_ai_place *place)
{
    const struct sc_file *file = place->file;
    for (size_t i = 0; i < file->lines.count; i++) {
        const struct sc_line *line = &file->lines.items[i];
        const char *text = line->text != NULL ? line->text : "";
        if (line->lineno != i + 1 || !is_one_line(text))
            return false;
        if (line->lineno == place->first)
            place->start = place->text.length;
        sc_str_add(&place->text, text);
        if (i + 1 < file->lines.count && !sc_ends_with(text, "\n"))
            sc_str_add_char(&place->text, '\n');
        if (line->lineno == place->last)
            place->end = place->text.length;
    }
    const char *text = sc_str_text(&place->text);
    return text[strspn(text, "\r\n")] != '\0'; /* else its source was not found */
}

static char *copy_text(const char *text)
{
    return sc_strdup(text != NULL ? text : "");
}

void sc_ai_program_copy(const struct sc_ai_program *program, struct sc_ai_program *ret_copy)
{
    *ret_copy = (struct sc_ai_program){
        .program = copy_text(program->program),
        .root_dir = copy_text(program->root_dir),
        .entrypoint_dir = copy_text(program->entrypoint_dir),
        .elapsed_s = program->elapsed_s,
        .memory = program->memory,
        .is_own = program->is_own,
    };
    for (size_t i = 0; i < program->args.count; i++)
        sc_vec_push(&ret_copy->args, sc_strdup(program->args.items[i]));
}

void sc_ai_program_done(struct sc_ai_program *program)
{
    free(program->program);
    sc_vec_free(&program->args);
    free(program->root_dir);
    free(program->entrypoint_dir);
    *program = (struct sc_ai_program){0};
}

static void read_program(const struct sc_profile *profile, struct sc_ai_program *ret_program)
{
    *ret_program = (struct sc_ai_program){
        .program = copy_text(profile->program),
        .root_dir = copy_text(profile->root_dir),
        .entrypoint_dir = copy_text(profile->entrypoint_dir),
        .elapsed_s = profile->elapsed_s,
        .memory = profile->memory,
        .is_own = sc_command_mark_is_right(profile),
    };
    for (size_t i = 0; i < profile->args.count; i++)
        sc_vec_push(&ret_program->args, sc_strdup(profile->args.items[i]));
}

bool sc_ai_read_source(const char *path, struct sc_str *ret_bytes, struct sc_err *err)
{
    return sc_read_regular_file(path, FILE_LIMIT_BYTES, ret_bytes, err);
}

bool sc_ai_is_file(const char *name)
{
    return name[0] != '[' && name[0] != '<';
}

static bool differs_on_disk(const struct sc_ai_place *place)
{
    SC_AUTO(sc_str_done) struct sc_str disk = {0};
    if (!sc_ai_is_file(place->file->name))
        return false;
    bool same = sc_ai_read_source(place->file->name, &disk, NULL) &&
                sc_ai_same_lines(sc_str_text(&disk), disk.length, sc_str_text(&place->text),
                                 place->text.length);
    return !same;
}

/* The lines that the scope means; the line itself where there is no such block around it. */
static void widen(const struct sc_line *line, enum sc_ai_scope scope, uint32_t *first,
                  uint32_t *last)
{
    uint32_t start = line->lineno;
    uint32_t end = line->lineno;
    if (scope == SC_AI_REGION) {
        start = line->region.start_region_line;
        end = line->region.end_region_line;
    } else if (scope == SC_AI_LOOP) {
        start = line->region.start_outermost_loop;
        end = line->region.end_outermost_loop;
    } else if (scope == SC_AI_FUNCTION) {
        start = line->region.start_function_line;
        end = line->region.end_function_line;
    }
    bool holds = start > 0 && start <= line->lineno && end >= line->lineno;
    *first = holds ? start : line->lineno;
    *last = holds ? end : line->lineno;
}

bool sc_ai_place_find(const struct sc_profile *profile, const struct sc_file *file, uint32_t first,
                      uint32_t last, enum sc_ai_scope scope, struct sc_ai_place *ret_place,
                      struct sc_err *err)
{
    size_t count = file->lines.count;
    if (last != 0 && last < first)
        return sc_fail(err, SC_ERR_USAGE, "lines %u-%u end before they begin", first, last);
    if (first == 0 || first > count || last > count)
        return sc_fail(err, SC_ERR_USAGE, "'%.200s' has the lines 1 to %zu in this profile",
                       file->name, count);
    struct sc_ai_place place = {.profile = profile, .file = file, .first = first, .last = last};
    if (last == 0)
        widen(&file->lines.items[first - 1], scope, &place.first, &place.last);
    if (place.last > count)
        place.last = (uint32_t)count;
    if (place.last - place.first >= LINES_MAX)
        return sc_fail(err, SC_ERR_USAGE,
                       "lines %u-%u are too many to ask about (%u at most): choose a smaller place",
                       place.first, place.last, LINES_MAX);
    if (!collect(&place)) {
        sc_ai_place_done(&place);
        return sc_fail(err, SC_ERR_FAILED, "the profile does not hold the whole text of '%.200s'",
                       file->name);
    }
    place.is_changed = differs_on_disk(&place);
    place.path = sc_strdup(file->name);
    place.name = sc_strdup(sc_report_name(profile, file->name));
    read_program(profile, &place.program);
    *ret_place = place;
    return true;
}

/* Whether name is path or its end, from a slash on. */
static bool is_named(const char *path, const char *name, size_t length)
{
    size_t whole = strlen(path);
    if (whole < length || memcmp(path + whole - length, name, length) != 0)
        return false;
    return whole == length || path[whole - length - 1] == '/';
}

const struct sc_file *sc_ai_file_find(const struct sc_profile *profile, const char *name,
                                      size_t length, struct sc_err *err)
{
    while (length > 2 && name[0] == '.' && name[1] == '/') {
        name += 2;
        length -= 2;
    }
    const struct sc_file *found = NULL;
    SC_EACH(const struct sc_file, file, &profile->files) {
        if (!is_named(file->name, name, length))
            continue;
        if (found != NULL) {
            (void)sc_fail(err, SC_ERR_USAGE, "'%.*s' may be '%.150s' or '%.150s': say more of it",
                          (int)length, name, found->name, file->name);
            return NULL;
        }
        found = file;
    }
    if (found == NULL)
        (void)sc_fail(err, SC_ERR_USAGE, "the profile has no file '%.*s'", (int)length, name);
    return found;
}

/* A line's number at *text, which moves behind it; 0 when there is none. */
static uint32_t read_number(const char **text)
{
    uint64_t number = 0;
    const char *start = *text;
    while (**text >= '0' && **text <= '9' && *text - start < 9)
        number = number * 10 + (uint64_t)(*(*text)++ - '0');
    return (uint32_t)number;
}

/* "FILE:LINE" or, where that may be, "FILE:FIRST-LAST"; NULL, with err set, where it is none. */
static const struct sc_file *read_place(const struct sc_profile *profile, const char *words,
                                        bool may_be_more, uint32_t *ret_first, uint32_t *ret_last,
                                        struct sc_err *err)
{
    const char *colon = strrchr(words, ':');
    const char *rest = colon != NULL ? colon + 1 : "";
    uint32_t first = read_number(&rest);
    uint32_t last = 0;
    if (first > 0 && *rest == '-' && may_be_more) {
        rest++;
        last = read_number(&rest);
        first = last == 0 ? 0 : first;
    }
    *ret_first = first;
    *ret_last = last;
    if (colon != words && first != 0 && *rest == '\0' && strlen(words) <= 4096)
        return sc_ai_file_find(profile, words, (size_t)(colon - words), err);
    (void)sc_fail(err, SC_ERR_USAGE, "'%.200s' is no place: write FILE:LINE%s", words,
                  may_be_more ? " or FILE:FIRST-LAST" : "");
    return NULL;
}

const struct sc_line *sc_ai_line_parse(const struct sc_profile *profile, const char *words,
                                       const struct sc_file **ret_file, struct sc_err *err)
{
    uint32_t number = 0;
    uint32_t last = 0;
    *ret_file = read_place(profile, words, false, &number, &last, err);
    if (*ret_file == NULL)
        return NULL;
    SC_EACH(const struct sc_line, line, &(*ret_file)->lines) {
        last = line->lineno > last ? line->lineno : last;
        if (line->lineno == number)
            return line;
    }
    (void)sc_fail(err, SC_ERR_USAGE, "'%.200s' has no line %u in this profile; its last is %u",
                  (*ret_file)->name, number, last);
    return NULL;
}

bool sc_ai_place_parse(const struct sc_profile *profile, const char *words, enum sc_ai_scope scope,
                       struct sc_ai_place *ret_place, struct sc_err *err)
{
    uint32_t first = 0;
    uint32_t last = 0;
    const struct sc_file *file = read_place(profile, words, true, &first, &last, err);
    return file != NULL && sc_ai_place_find(profile, file, first, last, scope, ret_place, err);
}

void sc_ai_place_done(struct sc_ai_place *place)
{
    free(place->path);
    free(place->name);
    sc_ai_program_done(&place->program);
    sc_str_done(&place->text);
}
