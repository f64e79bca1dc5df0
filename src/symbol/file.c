/*
 * symbol/file.c - answers to questions about one ELF file.
 *
 * In a child every file is kept from its first question on. Elsewhere it is read for each.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "symbol/file.h"

#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/vec.h"
#include "symbol/debug_file.h"
#include "symbol/demangle.h"
#include "symbol/functions.h"
#include "symbol/inlined.h"
#include "symbol/table.h"

struct file {
    int fd; /* -1 when it could not be opened */
    struct sc_file_identity identity;
    bool has_functions; /* they were looked for */
    bool is_read;
    struct sc_functions *functions; /* NULL without unwind records */
    Dwfl *dwfl;                     /* NULL when the file makes no sense */
    Dwfl_Module *module;
    struct sc_symbol_table table;
    struct sc_inlined inlined;
};

/* A question as it arrives. */
struct question {
    struct sc_file_question head;
    const char *places;
    const char *name;
    const char *paths[2];
};

static struct {
    struct sc_intern names;
    SC_VEC(struct file *) files; /* by name */
} kept;

/* beside the file, in .debug beside it, and where distributions put them */
static char debug_folders[] = ":.debug:/usr/lib/debug";
static char *debug_path = debug_folders;

static const Dwfl_Callbacks callbacks = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = sc_debug_file_find,
    .section_address = dwfl_offline_section_address,
    .debuginfo_path = &debug_path,
};

void sc_file_ask(struct sc_str *ret_question, const struct sc_file_question *head,
                 const uint64_t *places, const char *name, const char *const paths[2])
{
    const char *texts[] = {name, paths[0], paths[1]};
    sc_str_add_bytes(ret_question, (const char *)head, sizeof(*head));
    sc_str_add_bytes(ret_question, (const char *)places, head->place_count * sizeof(*places));
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        sc_str_add_bytes(ret_question, texts[i], strlen(texts[i]) + 1);
}

static struct question understand(const char *text)
{
    struct question question;
    memcpy(&question.head, text, sizeof(question.head));
    question.places = text + sizeof(question.head);
    question.name = question.places + question.head.place_count * sizeof(uint64_t);
    question.paths[0] = question.name + strlen(question.name) + 1;
    question.paths[1] = question.paths[0] + strlen(question.paths[0]) + 1;
    return question;
}

static uint64_t place_of(const struct question *question, size_t number)
{
    uint64_t place;
    memcpy(&place, question->places + number * sizeof(place), sizeof(place));
    return place;
}

static bool open_by(struct file *file, const char *path, struct sc_file_identity wanted)
{
    struct stat facts;
    file->fd = sc_open_regular(path);
    if (file->fd < 0 || fstat(file->fd, &facts) != 0)
        return false;
    file->identity = (struct sc_file_identity){facts.st_dev, facts.st_ino};
    if (wanted.inode == 0 || memcmp(&file->identity, &wanted, sizeof(wanted)) == 0)
        return true;
    (void)close(file->fd);
    file->fd = -1;
    return false;
}

static struct file *open_file(const struct question *question)
{
    struct file *file = sc_alloc(1, sizeof(*file));
    if (!open_by(file, question->paths[0], question->head.identity))
        (void)open_by(file, question->paths[1], question->head.identity);
    return file;
}

static struct file *file_of(const struct question *question)
{
    if (!sc_helper_is_child())
        return open_file(question);
    uint32_t at = sc_intern_add(&kept.names, question->name, strlen(question->name));
    if (at == kept.files.count)
        sc_vec_push(&kept.files, open_file(question));
    return kept.files.items[at];
}

static void done_with(struct file *file)
{
    if (sc_helper_is_child())
        return;
    sc_symbol_table_done(&file->table);
    sc_inlined_done(&file->inlined);
    sc_functions_free(file->functions);
    if (file->dwfl != NULL)
        dwfl_end(file->dwfl);
    sc_close(&file->fd);
    free(file);
}

void sc_file_open(const char *text, size_t length, struct sc_str *ret_answer)
{
    (void)length;
    struct question question = understand(text);
    struct file *file = file_of(&question);
    if (file->fd >= 0)
        sc_str_add_bytes(ret_answer, (const char *)&file->identity, sizeof(file->identity));
    done_with(file);
}

/* Reads only the unwind records, which takes little time; the rest waits until the program has
 * ended. */
static struct sc_functions *functions_of(struct file *file)
{
    SC_AUTO_FREE char *again = sc_format("/proc/self/fd/%d", file->fd);
    if (!file->has_functions && file->fd >= 0)
        file->functions = sc_functions_read(NULL, again, NULL, NULL, NULL);
    file->has_functions = true;
    return file->functions;
}

void sc_file_row(const char *text, size_t length, struct sc_str *ret_answer)
{
    (void)length;
    struct sc_unwind_row row;
    struct question question = understand(text);
    struct file *file = file_of(&question);
    struct sc_functions *functions = functions_of(file);
    uint64_t address =
        functions != NULL ? sc_functions_address(functions, place_of(&question, 0)) : 0;
    if (address != 0 && sc_functions_row(functions, address, &row))
        sc_str_add_bytes(ret_answer, (const char *)&row, sizeof(row));
    done_with(file);
}

static void read_file(struct file *file, const char *name)
{
    int fd = file->fd >= 0 ? fcntl(file->fd, F_DUPFD_CLOEXEC, 0) : -1;
    file->is_read = true;
    if (fd < 0)
        return;
    (void)unsetenv("DEBUGINFOD_URLS"); /* libdwfl would ask those servers */
    file->dwfl = dwfl_begin(&callbacks);
    if (file->dwfl != NULL) {
        dwfl_report_begin(file->dwfl);
        file->module = dwfl_report_elf(file->dwfl, name, name, fd, 0, false);
        (void)dwfl_report_end(file->dwfl, NULL, NULL);
    }
    if (file->module != NULL) /* the module owns the descriptor now */
        sc_symbol_table_read(file->module, &file->table);
    else
        (void)close(fd);
}

/* Where the byte at file_offset is, as the file numbers addresses; 0 when it is not loaded. elf may
 * be NULL. */
static uint64_t address_at(Elf *elf, uint64_t file_offset)
{
    size_t count = 0;
    if (elf == NULL || elf_getphdrnum(elf, &count) != 0)
        return 0;
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr segment;
        if (gelf_getphdr(elf, (int)i, &segment) != NULL && segment.p_type == PT_LOAD &&
            file_offset >= segment.p_offset && file_offset - segment.p_offset < segment.p_filesz)
            return segment.p_vaddr + (file_offset - segment.p_offset);
    }
    return 0;
}

/* Where the byte at the place is, as the file numbers addresses; 0 when it is not loaded. */
static uint64_t address_of(const struct file *file, uint64_t place)
{
    GElf_Addr bias = 0;
    return address_at(file->module != NULL ? dwfl_module_getelf(file->module, &bias) : NULL, place);
}

static uint64_t start_of(struct file *file, uint64_t place)
{
    const struct sc_functions *functions = functions_of(file);
    uint64_t address = functions != NULL ? sc_functions_address(functions, place) : 0;
    uint64_t start = address != 0 ? sc_functions_start(functions, address) : 0;
    return start != 0 && address - start <= place ? place - (address - start) : place;
}

static void answer_place(struct file *file, uint64_t place, bool with_inlined,
                         struct sc_str *ret_answer)
{
    const char *names[SC_FILE_NAMES_MAX];
    struct sc_file_answer answer = {.start = start_of(file, place)};
    uint64_t address = address_of(file, place);
    const struct sc_symbol_entry *entry =
        address != 0 ? sc_symbol_table_find(&file->table, address) : NULL;
    if (address != 0 && with_inlined)
        answer.name_count =
            sc_inlined_find(&file->inlined, file->module, address, names, SC_FILE_NAMES_MAX);
    if (answer.name_count == 0 && entry != NULL)
        names[answer.name_count++] = entry->name;
    if (answer.name_count > 0 && entry != NULL)
        answer.inside = address - entry->start;
    sc_str_add_bytes(ret_answer, (const char *)&answer, sizeof(answer));
    for (size_t i = 0; i < answer.name_count; i++) {
        SC_AUTO_FREE char *name = sc_demangle(names[i]);
        sc_str_add_bytes(ret_answer, name, strlen(name) + 1);
    }
}

void sc_file_names(const char *text, size_t length, struct sc_str *ret_answer)
{
    (void)length;
    struct question question = understand(text);
    struct file *file = file_of(&question);
    if (!file->is_read)
        read_file(file, question.name);
    for (size_t i = 0; i < question.head.place_count; i++)
        answer_place(file, place_of(&question, i), question.head.with_inlined, ret_answer);
    done_with(file);
}
