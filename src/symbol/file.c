/*
 * symbol/file.c - what is done with one ELF file in the thread of errands.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "symbol/file.h"

#include <fcntl.h>
#include <gelf.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"
#include "symbol/elf_address.h"

#define HOLDER(errand, type, member) ((type *)(void *)((char *)(errand)-offsetof(type, member)))

static void open_file(struct sc_errand *errand)
{
    struct sc_symbol_file *file = HOLDER(errand, struct sc_symbol_file, opening);
    file->fd = sc_open_regular(file->paths[0]);
    if (file->fd < 0)
        file->fd = sc_open_regular(file->paths[1]);
    file->is_open = file->fd >= 0;
}

/* Reads only the unwind records, which takes little time; the rest waits until the program has
 * ended. The records are in our own memory then, unlike libdwfl's mapping of the file. */
static void read_rows(struct sc_errand *errand)
{
    struct sc_symbol_file *file = HOLDER(errand, struct sc_symbol_file, reading_rows);
    int fd = file->fd >= 0 ? fcntl(file->fd, F_DUPFD_CLOEXEC, 0) : -1;
    if (fd >= 0)
        file->rows = sc_frame_rows_open(fd);
}

static void read_file(struct sc_symbol_file *file)
{
    SC_AUTO_FREE char *again = sc_format("/proc/self/fd/%d", file->fd);
    int fd = fcntl(file->fd, F_DUPFD_CLOEXEC, 0);
    file->is_read = true;
    file->functions = sc_functions_read(NULL, again, NULL, NULL, NULL);
    file->dwfl = dwfl_begin(file->callbacks);
    if (file->dwfl != NULL && fd >= 0) {
        dwfl_report_begin(file->dwfl);
        file->module = dwfl_report_elf(file->dwfl, file->name, file->name, fd, 0, false);
        (void)dwfl_report_end(file->dwfl, NULL, NULL);
    }
    if (file->module != NULL) /* the module owns the descriptor now */
        sc_symbol_table_read(file->module, &file->table);
    else if (fd >= 0)
        (void)close(fd);
}

/* Where the byte at file_offset is, as the file numbers addresses; 0 when it is not loaded. */
static uint64_t address_of(const struct sc_symbol_file *file, uint64_t file_offset)
{
    GElf_Addr bias = 0;
    return sc_elf_address(file->module != NULL ? dwfl_module_getelf(file->module, &bias) : NULL,
                          file_offset);
}

static void find_start(struct sc_file_question *question)
{
    const struct sc_functions *functions = question->file->functions;
    uint64_t offset = question->file_offset;
    uint64_t address = functions != NULL ? sc_functions_address(functions, offset) : 0;
    uint64_t start = address != 0 ? sc_functions_start(functions, address) : 0;
    question->start = start != 0 && address - start <= offset ? offset - (address - start) : offset;
}

static void find_names(struct sc_file_question *question)
{
    struct sc_symbol_file *file = question->file;
    const char *inlined[SC_FILE_NAMES_MAX];
    uint64_t address = address_of(file, question->file_offset);
    if (address == 0)
        return;
    const struct sc_symbol_entry *entry = sc_symbol_table_find(&file->table, address);
    size_t count = question->with_inlined ? sc_inlined_find(&file->inlined, file->module, address,
                                                            inlined, SC_FILE_NAMES_MAX)
                                          : 0;
    for (size_t i = 0; i < count; i++)
        question->names[question->name_count++] = sc_strdup(inlined[i]);
    if (count == 0 && entry != NULL)
        question->names[question->name_count++] = sc_strdup(entry->name);
    if (question->name_count > 0 && entry != NULL)
        question->inside = address - entry->start;
}

static void answer(struct sc_errand *errand)
{
    struct sc_file_question *question = HOLDER(errand, struct sc_file_question, errand);
    if (!question->file->is_open)
        return;
    if (!question->file->is_read)
        read_file(question->file);
    for (; question != NULL; question = question->next) {
        find_start(question);
        if (question->with_names)
            find_names(question);
    }
}

struct sc_symbol_file *sc_symbol_file_new(const char *name, const char *path,
                                          const char *other_path, const Dwfl_Callbacks *callbacks)
{
    struct sc_symbol_file *file = sc_alloc(1, sizeof(*file));
    file->name = sc_strdup(name);
    file->paths[0] = sc_strdup(path);
    file->paths[1] = sc_strdup(other_path);
    file->callbacks = callbacks;
    file->fd = -1;
    file->opening.work = open_file;
    file->reading_rows.work = read_rows;
    return file;
}

void sc_symbol_file_free(struct sc_symbol_file *file)
{
    free(file->name);
    free(file->paths[0]);
    free(file->paths[1]);
    for (size_t i = 0; i < file->answers.count; i++)
        sc_file_question_free(file->answers.items[i]);
    sc_vec_done(&file->answers);
    sc_map_done(&file->answer_index);
    sc_symbol_table_done(&file->table);
    sc_inlined_done(&file->inlined);
    sc_functions_free(file->functions);
    sc_frame_rows_free(file->rows);
    if (file->dwfl != NULL)
        dwfl_end(file->dwfl);
    if (file->fd >= 0)
        (void)close(file->fd);
    free(file);
}

struct sc_file_question *sc_file_question_new(struct sc_symbol_file *file, uint64_t file_offset)
{
    struct sc_file_question *question = sc_alloc(1, sizeof(*question));
    question->errand.work = answer;
    question->file = file;
    question->file_offset = question->start = file_offset;
    return question;
}

void sc_file_question_free(struct sc_file_question *question)
{
    for (size_t i = 0; i < question->name_count; i++)
        free(question->names[i]);
    free(question);
}
