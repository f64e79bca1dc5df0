/*
 * symbol/symbols.c - names of native functions, for all files that a run has executed code of.
 *
 * Files are opened and read by errands (base/errands.h); here the errands are asked for and waited
 * for.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "symbol/symbols.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/vec.h"
#include "symbol/debug_file.h"
#include "symbol/demangle.h"
#include "symbol/file.h"

#define FILES_MAX 1024 /* each is an open descriptor */

/* While the program runs, its observer waits no longer than the first of these for a file: what
 * takes longer is known a little later. When the profile is written it waits up to the second, and
 * up to the third for an errand that was already late while the program ran; what takes longer is
 * given up. */
#define PATIENCE_NS      UINT64_C(5000000)
#define END_PATIENCE_NS  UINT64_C(8000000000)
#define SLOW_PATIENCE_NS UINT64_C(1000000000)

struct sc_symbols {
    struct sc_errands *errands;
    SC_VEC(struct sc_symbol_file *) files;
    struct sc_intern names;   /* of files, by their index */
    struct sc_intern mangled; /* names as files have them */
    SC_VEC(char *) demangled; /* the same for people */
    char *debug_path;         /* what libdwfl takes as its list of folders */
    Dwfl_Callbacks callbacks;
    struct sc_errand *slow;   /* one that was not done in time while the program ran, or NULL */
    uint64_t end_patience_ns; /* halved each time that it is not enough */
};

struct sc_symbols *sc_symbols_new(void)
{
    struct sc_symbols *symbols = sc_alloc(1, sizeof(*symbols));
    symbols->errands = sc_errands_new();
    symbols->end_patience_ns = END_PATIENCE_NS;
    /* beside the file, in .debug beside it, and where distributions put them */
    symbols->debug_path = sc_strdup(":.debug:/usr/lib/debug");
    symbols->callbacks = (Dwfl_Callbacks){
        .find_elf = dwfl_build_id_find_elf,
        .find_debuginfo = sc_debug_file_find,
        .section_address = dwfl_offline_section_address,
        .debuginfo_path = &symbols->debug_path,
    };
    (void)unsetenv("DEBUGINFOD_URLS"); /* libdwfl would ask those servers */
    return symbols;
}

/* An object with a lost errand may still be used by that errand's thread, so it is not freed. */
static struct sc_symbols *left_behind __attribute__((used));

void sc_symbols_free(struct sc_symbols *symbols)
{
    if (symbols == NULL)
        return;
    for (size_t i = 0; i < symbols->demangled.count; i++)
        free(symbols->demangled.items[i]);
    sc_vec_done(&symbols->demangled);
    sc_intern_done(&symbols->names);
    sc_intern_done(&symbols->mangled);
    if (!sc_errands_free(symbols->errands)) {
        left_behind = symbols;
        return;
    }
    for (size_t i = 0; i < symbols->files.count; i++)
        sc_symbol_file_free(symbols->files.items[i]);
    sc_vec_done(&symbols->files);
    free(symbols->debug_path);
    free(symbols);
}

static bool is_pending(enum sc_errand_state state)
{
    return state == SC_ERRAND_WAITING || state == SC_ERRAND_RUNNING;
}

/* 0 while an errand that was not done in time is still running: those after it have to wait for
 * it. */
static uint64_t patience_ns(struct sc_symbols *symbols)
{
    if (symbols->slow != NULL && !is_pending(sc_errands_wait(symbols->errands, symbols->slow, 0)))
        symbols->slow = NULL;
    return symbols->slow != NULL ? 0 : PATIENCE_NS;
}

/* Asks for the errand while the program runs. False when it is not done in time, or is lost. */
static bool is_done_soon(struct sc_symbols *symbols, struct sc_symbol_file *file,
                         struct sc_errand *errand)
{
    if (file->is_lost)
        return false;
    sc_errands_ask(symbols->errands, errand);
    uint64_t most_ns = patience_ns(symbols);
    enum sc_errand_state state = sc_errands_wait(symbols->errands, errand, most_ns);
    if (is_pending(state) && most_ns > 0)
        symbols->slow = errand;
    file->is_lost = state == SC_ERRAND_LOST;
    return state == SC_ERRAND_DONE;
}

static struct sc_symbol_file *find_file(const struct sc_symbols *symbols, const char *name)
{
    uint32_t at = sc_intern_find(&symbols->names, name, strlen(name));
    return at != SC_NONE ? symbols->files.items[at] : NULL;
}

bool sc_symbols_add(struct sc_symbols *symbols, const char *name, const char *open_path,
                    const char *other_path)
{
    struct sc_symbol_file *file = find_file(symbols, name);
    if (file == NULL) {
        if (symbols->files.count == FILES_MAX)
            return false;
        file = sc_symbol_file_new(name, open_path, other_path, &symbols->callbacks);
        (void)sc_intern_add(&symbols->names, name, strlen(name));
        sc_vec_push(&symbols->files, file);
    }
    return !is_done_soon(symbols, file, &file->opening) || file->is_open;
}

static const char *for_people(struct sc_symbols *symbols, const char *mangled)
{
    uint32_t at = sc_intern_add(&symbols->mangled, mangled, strlen(mangled));
    if (at == symbols->demangled.count)
        sc_vec_push(&symbols->demangled, sc_demangle(mangled));
    return symbols->demangled.items[at];
}

/* Waits once more for the errand that was late while the program ran, then gives it up. */
static void skip_slow_file(struct sc_symbols *symbols)
{
    if (symbols->slow != NULL &&
        is_pending(sc_errands_wait(symbols->errands, symbols->slow, SLOW_PATIENCE_NS)))
        sc_errands_give_up(symbols->errands);
    symbols->slow = NULL;
}

/* Asks when the profile is written. Returns the question with its answer, or NULL when the file
 * cannot be read in time, or was cut short while it was read; the question then still belongs to
 * the errand. */
static struct sc_file_question *ask(struct sc_symbols *symbols, struct sc_file_question *question)
{
    struct sc_symbol_file *file = question->file;
    sc_errands_ask(symbols->errands, &question->errand);
    enum sc_errand_state state = SC_ERRAND_WAITING;
    while (is_pending(state)) {
        state = sc_errands_wait(symbols->errands, &question->errand, symbols->end_patience_ns);
        if (state == SC_ERRAND_DONE)
            return question;
        if (is_pending(state)) {
            symbols->end_patience_ns /= 2;
            sc_errands_give_up(symbols->errands);
        }
    }
    file->is_lost = true;
    file->lost_question = question;
    return NULL;
}

static bool is_lost(const struct sc_symbols *symbols, struct sc_symbol_file *file)
{
    if (sc_errands_wait(symbols->errands, &file->opening, 0) == SC_ERRAND_LOST ||
        sc_errands_wait(symbols->errands, &file->reading_rows, 0) == SC_ERRAND_LOST)
        file->is_lost = true;
    return file->is_lost;
}

/* NULL when the file is not known, or lost. */
static struct sc_file_question *question_of(struct sc_symbols *symbols, const char *name,
                                            uint64_t file_offset)
{
    struct sc_symbol_file *file = find_file(symbols, name);
    skip_slow_file(symbols);
    return file != NULL && !is_lost(symbols, file) ? sc_file_question_new(file, file_offset) : NULL;
}

/* The answer to a question that was asked together with others, or NULL. */
static struct sc_file_question *known_answer(const struct sc_symbols *symbols, const char *name,
                                             uint64_t file_offset)
{
    const struct sc_symbol_file *file = find_file(symbols, name);
    uint32_t at = file != NULL ? sc_map_get(&file->answer_index, file_offset) : SC_NONE;
    return at != SC_NONE ? file->answers.items[at] : NULL;
}

void sc_symbols_prepare(struct sc_symbols *symbols, const char *name, const uint64_t *file_offsets,
                        size_t count, bool with_inlined)
{
    struct sc_file_question *all = NULL;
    for (size_t i = count; i-- > 0;) {
        struct sc_file_question *question = question_of(symbols, name, file_offsets[i]);
        if (question == NULL) /* the file is not known, or lost */
            break;
        question->with_names = true;
        question->with_inlined = with_inlined;
        question->next = all;
        all = question;
    }
    all = all != NULL ? ask(symbols, all) : NULL;
    for (; all != NULL; all = all->next) {
        struct sc_symbol_file *file = all->file;
        sc_map_put(&file->answer_index, all->file_offset, (uint32_t)file->answers.count);
        sc_vec_push(&file->answers, all);
    }
}

/* Frees the question unless it was asked together with others. */
static void done_with(struct sc_symbols *symbols, struct sc_file_question *question)
{
    if (known_answer(symbols, question->file->name, question->file_offset) != question)
        sc_file_question_free(question);
}

size_t sc_symbols_find(struct sc_symbols *symbols, const char *name, uint64_t file_offset,
                       bool with_inlined, struct sc_symbol_name *ret_names)
{
    struct sc_file_question *question = known_answer(symbols, name, file_offset);
    if (question == NULL) {
        question = question_of(symbols, name, file_offset);
        if (question == NULL)
            return 0;
        question->with_names = true;
        question->with_inlined = with_inlined;
        question = ask(symbols, question);
        if (question == NULL)
            return 0;
    }
    size_t count = question->name_count;
    for (size_t i = 0; i < count; i++)
        ret_names[i] = (struct sc_symbol_name){.text = for_people(symbols, question->names[i]),
                                               .inside = i == 0 ? question->inside : 0};
    done_with(symbols, question);
    return count;
}

uint64_t sc_symbols_start(struct sc_symbols *symbols, const char *name, uint64_t file_offset)
{
    struct sc_file_question *question = known_answer(symbols, name, file_offset);
    if (question == NULL) {
        question = question_of(symbols, name, file_offset);
        question = question != NULL ? ask(symbols, question) : NULL;
    }
    if (question == NULL)
        return file_offset;
    uint64_t start = question->start;
    done_with(symbols, question);
    return start;
}

enum sc_symbols_row sc_symbols_row(struct sc_symbols *symbols, const char *name,
                                   uint64_t file_offset, struct sc_frame_row *ret_row)
{
    struct sc_symbol_file *file = find_file(symbols, name);
    if (file == NULL || file->is_lost)
        return SC_SYMBOLS_NO_ROW;
    if (!is_done_soon(symbols, file, &file->opening) ||
        !is_done_soon(symbols, file, &file->reading_rows))
        return file->is_lost ? SC_SYMBOLS_NO_ROW : SC_SYMBOLS_ROW_LATER;
    return file->rows != NULL && sc_frame_rows_find(file->rows, file_offset, ret_row)
               ? SC_SYMBOLS_ROW
               : SC_SYMBOLS_NO_ROW;
}
