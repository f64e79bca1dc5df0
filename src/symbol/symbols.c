/*
 * symbol/symbols.c - names of native functions, for all files that a run has executed code of.
 *
 * Questions are asked, and answers kept, here; file.h answers them in a child process.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "symbol/symbols.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/helper.h"
#include "base/io.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/vec.h"
#include "symbol/file.h"

#define FILES_MAX 1024 /* each is an open descriptor */
#define ROWS_MAX  4096 /* kept */

/* While the program runs, its observer waits for answers no longer than the first of these in the
 * time of the second: what takes longer is known a little later. */
#define WAIT_NS    UINT64_C(10000000)
#define RENEWAL_NS UINT64_C(100000000)

static_assert(SC_FILE_NAMES_MAX <= SC_SYMBOL_DEPTH_MAX, "all names fit");

struct answer {
    struct sc_file_answer facts;
    char *names; /* owned */
};

struct file {
    char *name;
    char *paths[2];  /* to open it by; owned */
    bool is_missing; /* it cannot be opened, or is broken, or did not answer in time */
    struct sc_file_identity identity;
    SC_VEC(struct answer) answers;
    struct sc_map answer_index; /* file_offset -> answers */
};

struct row {
    uint32_t file;
    enum sc_symbols_row state;
    struct sc_unwind_row row;
};

struct sc_symbols {
    struct sc_helper *helper; /* not owned */
    struct sc_intern paths;
    struct sc_map path_files; /* place in paths -> how many files had it */
    struct sc_map path_names; /* mix of that place and a file's identity -> its name, in paths */
    struct sc_intern names;   /* of files, by their index */
    SC_VEC(struct file) files;
    SC_VEC(struct row) rows;
    struct sc_map row_index; /* mix of file and file_offset -> rows */
    uint64_t renewed_ns;     /* since when wait_left_ns counts */
    uint64_t wait_left_ns;   /* of WAIT_NS */
};

struct sc_symbols *sc_symbols_new(struct sc_helper *helper)
{
    struct sc_symbols *symbols = sc_alloc(1, sizeof(*symbols));
    symbols->helper = helper;
    return symbols;
}

static void free_file(struct file *file)
{
    free(file->name);
    free(file->paths[0]);
    free(file->paths[1]);
    for (size_t i = 0; i < file->answers.count; i++)
        free(file->answers.items[i].names);
    sc_vec_done(&file->answers);
    sc_map_done(&file->answer_index);
}

void sc_symbols_free(struct sc_symbols *symbols)
{
    if (symbols == NULL)
        return;
    sc_vec_done_each(&symbols->files, free_file);
    sc_intern_done(&symbols->paths);
    sc_map_done(&symbols->path_files);
    sc_map_done(&symbols->path_names);
    sc_intern_done(&symbols->names);
    sc_vec_done(&symbols->rows);
    sc_map_done(&symbols->row_index);
    free(symbols);
}

static void wait_for_answer(struct sc_symbols *symbols)
{
    uint64_t begun_ns = sc_now_ns();
    if (begun_ns - symbols->renewed_ns >= RENEWAL_NS) {
        symbols->renewed_ns = begun_ns;
        symbols->wait_left_ns = WAIT_NS;
    }
    (void)sc_helper_wait(symbols->helper, symbols->wait_left_ns);
    uint64_t waited_ns = sc_now_ns() - begun_ns;
    symbols->wait_left_ns -= waited_ns < symbols->wait_left_ns ? waited_ns : symbols->wait_left_ns;
}

/* Posts a question about a file, or about a place in it, and waits for a moment, unless earlier
 * questions are still without an answer. */
static void post(struct sc_symbols *symbols, const struct file *file, sc_helper_work *work,
                 const uint64_t *place, sc_helper_take *take, uint32_t number)
{
    SC_AUTO(sc_str_done) struct sc_str question = {0};
    struct sc_file_question head = {.identity = file->identity, .place_count = place != NULL};
    bool is_free = sc_helper_wait(symbols->helper, 0);
    sc_file_ask(&question, &head, place, file->name, (const char *const *)file->paths);
    sc_helper_post(symbols->helper, file->name, work, sc_str_text(&question), question.length, take,
                   symbols, number);
    if (is_free)
        wait_for_answer(symbols);
}

const char *sc_symbols_name(struct sc_symbols *symbols, const char *path, uint64_t identity)
{
    uint32_t place = sc_intern_add(&symbols->paths, path, strlen(path));
    uint64_t key = sc_mix(place, identity);
    uint32_t name = sc_map_get(&symbols->path_names, key);
    if (name == SC_NONE) {
        uint32_t before = sc_map_get(&symbols->path_files, place);
        uint32_t number = before == SC_NONE ? 1 : before + 1;
        SC_AUTO_FREE char *numbered = sc_format("%s#%u", path, number);
        name = number == 1 ? place : sc_intern_add(&symbols->paths, numbered, strlen(numbered));
        sc_map_put(&symbols->path_files, place, number);
        sc_map_put(&symbols->path_names, key, name);
    }
    return sc_intern_text(&symbols->paths, name);
}

static uint32_t index_of(const struct sc_symbols *symbols, const char *name)
{
    return sc_intern_find(&symbols->names, name, strlen(name));
}

static void take_opening(void *context, uint32_t number, const char *answer, size_t length)
{
    struct sc_symbols *symbols = context;
    struct file *file = &symbols->files.items[number];
    file->is_missing = answer == NULL || length != sizeof(file->identity);
    if (!file->is_missing)
        memcpy(&file->identity, answer, sizeof(file->identity));
}

bool sc_symbols_add(struct sc_symbols *symbols, const char *name, const char *open_path,
                    const char *other_path)
{
    uint32_t at = index_of(symbols, name);
    if (at == SC_NONE) {
        if (symbols->files.count == FILES_MAX)
            return false;
        at = sc_intern_add(&symbols->names, name, strlen(name));
        struct file file = {.name = sc_strdup(name),
                            .paths = {sc_strdup(open_path), sc_strdup(other_path)}};
        sc_vec_push(&symbols->files, file);
        post(symbols, &file, sc_file_open, NULL, take_opening, at);
    }
    return !symbols->files.items[at].is_missing;
}

/* Keeps the answers that are about these places. */
static void keep(struct file *file, const uint64_t *file_offsets, const struct sc_str *all)
{
    const char *text = sc_str_text(all);
    for (size_t at = 0, i = 0; at < all->length; i++) {
        struct answer answer;
        memcpy(&answer.facts, text + at, sizeof(answer.facts));
        size_t begin = at += sizeof(answer.facts);
        for (uint64_t name = 0; name < answer.facts.name_count; name++)
            at += strlen(text + at) + 1;
        answer.names = sc_alloc(at - begin + 1, 1);
        memcpy(answer.names, text + begin, at - begin);
        sc_map_put(&file->answer_index, file_offsets[i], (uint32_t)file->answers.count);
        sc_vec_push(&file->answers, answer);
    }
}

void sc_symbols_prepare(struct sc_symbols *symbols, const char *name, const uint64_t *file_offsets,
                        size_t count, bool with_inlined)
{
    uint32_t at = index_of(symbols, name);
    struct file *file = at != SC_NONE ? &symbols->files.items[at] : NULL;
    SC_AUTO(sc_str_done) struct sc_str question = {0};
    SC_AUTO(sc_str_done) struct sc_str answer = {0};
    if (file == NULL || file->is_missing || count == 0)
        return;
    struct sc_file_question head = {file->identity, count, with_inlined};
    sc_file_ask(&question, &head, file_offsets, name, (const char *const *)file->paths);
    if (sc_helper_ask(symbols->helper, file->name, sc_file_names, sc_str_text(&question),
                      question.length, &answer))
        keep(file, file_offsets, &answer);
    else
        file->is_missing = true;
}

/* The answer about a place, which is asked for unless it was before; NULL when there is none. */
static const struct answer *answer_to(struct sc_symbols *symbols, const char *name,
                                      uint64_t file_offset, bool with_inlined)
{
    uint32_t at = index_of(symbols, name);
    if (at == SC_NONE)
        return NULL;
    struct file *file = &symbols->files.items[at];
    if (sc_map_get(&file->answer_index, file_offset) == SC_NONE)
        sc_symbols_prepare(symbols, name, &file_offset, 1, with_inlined);
    uint32_t answer = sc_map_get(&file->answer_index, file_offset);
    return answer != SC_NONE ? &file->answers.items[answer] : NULL;
}

size_t sc_symbols_find(struct sc_symbols *symbols, const char *name, uint64_t file_offset,
                       bool with_inlined, struct sc_symbol_name *ret_names)
{
    const struct answer *answer = answer_to(symbols, name, file_offset, with_inlined);
    if (answer == NULL)
        return 0;
    const char *text = answer->names;
    for (size_t i = 0; i < answer->facts.name_count; i++) {
        ret_names[i] = (struct sc_symbol_name){text, i == 0 ? answer->facts.inside : 0};
        text += strlen(text) + 1;
    }
    return answer->facts.name_count;
}

uint64_t sc_symbols_start(struct sc_symbols *symbols, const char *name, uint64_t file_offset)
{
    const struct answer *answer = answer_to(symbols, name, file_offset, false);
    return answer != NULL ? answer->facts.start : file_offset;
}

static void take_row(void *context, uint32_t number, const char *answer, size_t length)
{
    struct sc_symbols *symbols = context;
    struct row *row = &symbols->rows.items[number];
    row->state = SC_SYMBOLS_NO_ROW;
    if (answer == NULL) {
        symbols->files.items[row->file].is_missing = true;
    } else if (length == sizeof(row->row)) {
        memcpy(&row->row, answer, length);
        row->state = SC_SYMBOLS_ROW;
    }
}

/* Asks for a row; SC_NONE while another is still without an answer. */
static uint32_t ask_for_row(struct sc_symbols *symbols, uint32_t file, uint64_t file_offset)
{
    if (!sc_helper_wait(symbols->helper, 0))
        return SC_NONE;
    if (symbols->rows.count == ROWS_MAX) {
        symbols->rows.count = 0;
        sc_map_done(&symbols->row_index);
        symbols->row_index = (struct sc_map){0};
    }
    uint32_t at = (uint32_t)symbols->rows.count;
    sc_vec_push(&symbols->rows, (struct row){.file = file, .state = SC_SYMBOLS_ROW_LATER});
    sc_map_put(&symbols->row_index, sc_mix(file, file_offset), at);
    post(symbols, &symbols->files.items[file], sc_file_row, &file_offset, take_row, at);
    return at;
}

enum sc_symbols_row sc_symbols_row(struct sc_symbols *symbols, const char *name,
                                   uint64_t file_offset, struct sc_unwind_row *ret_row)
{
    uint32_t file = index_of(symbols, name);
    if (file == SC_NONE || symbols->files.items[file].is_missing)
        return SC_SYMBOLS_NO_ROW;
    uint32_t at = sc_map_get(&symbols->row_index, sc_mix(file, file_offset));
    if (at == SC_NONE)
        at = ask_for_row(symbols, file, file_offset);
    else
        (void)sc_helper_wait(symbols->helper, 0);
    if (at == SC_NONE)
        return SC_SYMBOLS_ROW_LATER;
    *ret_row = symbols->rows.items[at].row;
    return symbols->rows.items[at].state;
}
