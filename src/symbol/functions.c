/*
 * symbol/functions.c - the functions of one ELF file: where each begins, and names if there are.
 *
 * The file is read, not mapped: a mapped file that is cut short would end the observer by a fault.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "symbol/functions.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/helper.h"
#include "base/mem.h"
#include "base/sort.h"
#include "base/str.h"
#include "base/vec.h"

#define PART_BYTES_MAX (256U << 20)

/* .eh_frame_hdr: encodings of the usual form (offsets of 4 bytes with sign from the section). */
enum {
    HEADER_VERSION = 1,
    COUNT_ENCODING = 0x03,
    TABLE_ENCODING = 0x3b,
};

struct header {
    uint8_t version;
    uint8_t frame_encoding;
    uint8_t count_encoding;
    uint8_t table_encoding;
    uint32_t frame;
    uint32_t count;
};

struct linkage {
    uint64_t start;
    uint64_t end;
};

/* Code is asked for a few bytes at a time, and each question costs tens of microseconds. */
#define BLOCK_BYTES 8192U
#define BLOCKS      64U

struct block {
    uint64_t offset; /* in the file */
    uint64_t length;
    unsigned char bytes[BLOCK_BYTES];
};

struct sc_functions {
    struct sc_helper *helper; /* for the file's bytes; not owned */
    char *path;
    uint64_t inode; /* 0 before the first look */
    SC_VEC(struct linkage) linkages;
    Elf64_Phdr *segments;
    size_t segment_count;
    uint64_t records; /* address of .eh_frame_hdr */
    uint64_t *starts; /* sorted */
    size_t count;
    struct block *blocks[BLOCKS]; /* of the code, by their number; NULL: none was read */
};

/* Reads nothing from a file that has been replaced since. */
static bool read_at(struct sc_functions *functions, uint64_t offset, void *bytes, uint64_t length)
{
    struct stat facts;
    if (!sc_helper_read_part(functions->helper, functions->path, offset, bytes, length, &facts))
        return false;
    if (functions->inode == 0)
        functions->inode = facts.st_ino;
    return functions->inode == facts.st_ino;
}

/* The bytes of a part of the file, NULL when it has not that many. To be freed. */
static void *read_part(struct sc_functions *functions, uint64_t offset, uint64_t length)
{
    if (length == 0 || length > PART_BYTES_MAX || offset > INT64_MAX - length)
        return NULL;
    void *bytes = sc_alloc(1, length);
    if (read_at(functions, offset, bytes, length))
        return bytes;
    free(bytes);
    return NULL;
}

static Elf64_Ehdr *read_head(struct sc_functions *functions)
{
    static const unsigned char wanted[] = {ELFMAG0, ELFMAG1,    ELFMAG2,
                                           ELFMAG3, ELFCLASS64, ELFDATA2LSB};
    Elf64_Ehdr *head = read_part(functions, 0, sizeof(*head));
    if (head != NULL && memcmp(head->e_ident, wanted, sizeof(wanted)) == 0 &&
        head->e_phentsize == sizeof(Elf64_Phdr))
        return head;
    free(head);
    return NULL;
}

/* As linkers leave them. */
static bool is_sorted(const uint64_t *starts, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        if (starts[i] < starts[i - 1])
            return false;
    }
    return true;
}

static bool read_table(struct sc_functions *functions, const Elf64_Phdr *segment)
{
    SC_AUTO_FREE char *bytes = read_part(functions, segment->p_offset, segment->p_filesz);
    struct header header;
    if (bytes == NULL || segment->p_filesz < sizeof(header))
        return false;
    memcpy(&header, bytes, sizeof(header));
    if (header.version != HEADER_VERSION || header.count_encoding != COUNT_ENCODING ||
        header.table_encoding != TABLE_ENCODING ||
        header.count > (segment->p_filesz - sizeof(header)) / 8)
        return false;
    functions->records = segment->p_vaddr;
    functions->count = header.count;
    functions->starts = sc_alloc(header.count, sizeof(uint64_t));
    for (size_t i = 0; i < header.count; i++) {
        int32_t offset;
        memcpy(&offset, bytes + sizeof(header) + 8 * i, sizeof(offset));
        functions->starts[i] = segment->p_vaddr + (uint64_t)(int64_t)offset;
    }
    if (!is_sorted(functions->starts, functions->count))
        qsort(functions->starts, functions->count, sizeof(uint64_t), sc_by_count);
    return header.count > 0;
}

static bool read_segments(struct sc_functions *functions, const Elf64_Ehdr *head)
{
    functions->segment_count = head->e_phnum;
    functions->segments =
        read_part(functions, head->e_phoff, functions->segment_count * sizeof(Elf64_Phdr));
    if (functions->segments == NULL)
        return false;
    for (size_t i = 0; i < functions->segment_count; i++) {
        if (functions->segments[i].p_type == PT_GNU_EH_FRAME)
            return read_table(functions, &functions->segments[i]);
    }
    return false;
}

static void name_symbols(struct sc_functions *functions, const Elf64_Shdr *section,
                         const Elf64_Shdr *names, sc_symbol_named *named, void *context)
{
    SC_AUTO_FREE Elf64_Sym *symbols = read_part(functions, section->sh_offset, section->sh_size);
    SC_AUTO_FREE char *text = read_part(functions, names->sh_offset, names->sh_size);
    if (symbols == NULL || text == NULL)
        return;
    text[names->sh_size - 1] = '\0';
    for (size_t i = 0; i < section->sh_size / sizeof(*symbols); i++) {
        unsigned type = ELF64_ST_TYPE(symbols[i].st_info);
        if ((type == STT_FUNC || type == STT_OBJECT) && symbols[i].st_value != 0 &&
            symbols[i].st_name < names->sh_size)
            named(context, &(struct sc_named_symbol){text + symbols[i].st_name, symbols[i].st_value,
                                                     symbols[i].st_size, type == STT_FUNC});
    }
}

/* The sections .plt, .plt.got and .plt.sec. */
static void find_linkages(struct sc_functions *functions, const Elf64_Ehdr *head,
                          const Elf64_Shdr *sections)
{
    if (head->e_shstrndx >= head->e_shnum)
        return;
    const Elf64_Shdr *names = &sections[head->e_shstrndx];
    SC_AUTO_FREE char *text = read_part(functions, names->sh_offset, names->sh_size);
    if (text == NULL)
        return;
    text[names->sh_size - 1] = '\0';
    for (size_t i = 0; i < head->e_shnum; i++) {
        const Elf64_Shdr *section = &sections[i];
        if (section->sh_name < names->sh_size && sc_starts_with(text + section->sh_name, ".plt"))
            sc_vec_push(&functions->linkages,
                        (struct linkage){section->sh_addr, section->sh_addr + section->sh_size});
    }
}

static void read_sections(struct sc_functions *functions, const Elf64_Ehdr *head,
                          sc_symbol_named *named, void *context)
{
    if (head->e_shentsize != sizeof(Elf64_Shdr))
        return;
    SC_AUTO_FREE Elf64_Shdr *sections =
        read_part(functions, head->e_shoff, (uint64_t)head->e_shnum * sizeof(Elf64_Shdr));
    if (sections == NULL)
        return;
    find_linkages(functions, head, sections);
    unsigned tables = 0; /* a file has one of each kind; more would only cost time */
    for (size_t i = 0; i < head->e_shnum && tables < 2; i++) {
        bool has_symbols = sections[i].sh_type == SHT_DYNSYM || sections[i].sh_type == SHT_SYMTAB;
        tables += has_symbols;
        if (has_symbols && named != NULL && sections[i].sh_link < head->e_shnum)
            name_symbols(functions, &sections[i], &sections[sections[i].sh_link], named, context);
    }
}

struct sc_functions *sc_functions_read(struct sc_helper *helper, const char *path,
                                       sc_symbol_named *named, void *context, struct sc_err *err)
{
    struct sc_functions *functions = sc_alloc(1, sizeof(*functions));
    functions->helper = helper;
    functions->path = sc_strdup(path);
    SC_AUTO_FREE Elf64_Ehdr *head = read_head(functions);
    if (head == NULL || !read_segments(functions, head)) {
        (void)sc_fail(err, SC_ERR_FAILED, "'%s' is no 64-bit ELF file with unwind records", path);
        sc_functions_free(functions);
        return NULL;
    }
    read_sections(functions, head, named, context);
    return functions;
}

void sc_functions_free(struct sc_functions *functions)
{
    if (functions == NULL)
        return;
    free(functions->path);
    sc_vec_done(&functions->linkages);
    free(functions->segments);
    free(functions->starts);
    for (size_t i = 0; i < BLOCKS; i++)
        free(functions->blocks[i]);
    free(functions);
}

uint64_t sc_functions_address(const struct sc_functions *functions, uint64_t file_offset)
{
    for (size_t i = 0; i < functions->segment_count; i++) {
        const Elf64_Phdr *segment = &functions->segments[i];
        if (segment->p_type == PT_LOAD && file_offset >= segment->p_offset &&
            file_offset - segment->p_offset < segment->p_filesz)
            return segment->p_vaddr + (file_offset - segment->p_offset);
    }
    return 0;
}

/* The number of functions that begin at or before address. */
static size_t count_before(const struct sc_functions *functions, uint64_t address)
{
    size_t low;
    sc_find_first(&low, functions->count, i, functions->starts[i] <= address);
    return low;
}

uint64_t sc_functions_start(const struct sc_functions *functions, uint64_t address)
{
    size_t before = count_before(functions, address);
    return before > 0 ? functions->starts[before - 1] : 0;
}

uint64_t sc_functions_end(const struct sc_functions *functions, uint64_t address)
{
    size_t before = count_before(functions, address);
    return before < functions->count ? functions->starts[before] : address;
}

/* The block that holds the byte at offset, as far as end; NULL when it cannot be read. */
static const struct block *block_at(struct sc_functions *functions, uint64_t offset, uint64_t end)
{
    struct block **block = &functions->blocks[offset / BLOCK_BYTES % BLOCKS];
    uint64_t start = offset - offset % BLOCK_BYTES;
    uint64_t length = end - start < BLOCK_BYTES ? end - start : BLOCK_BYTES;
    if (*block == NULL)
        *block = sc_alloc(1, sizeof(**block));
    if ((*block)->offset == start && (*block)->length >= length)
        return *block;
    (*block)->offset = start;
    (*block)->length = read_at(functions, start, (*block)->bytes, length) ? length : 0;
    return (*block)->length > 0 ? *block : NULL;
}

/* Copies bytes of the file, which has all of them up to end. */
static bool copy_code(struct sc_functions *functions, uint64_t offset, uint64_t end, void *bytes,
                      size_t length)
{
    unsigned char *to = bytes;
    while (length > 0) {
        const struct block *block = block_at(functions, offset, end);
        if (block == NULL)
            return false;
        size_t part = block->length - (offset - block->offset);
        part = part < length ? part : length;
        memcpy(to, block->bytes + (offset - block->offset), part);
        to += part;
        offset += part;
        length -= part;
    }
    return true;
}

bool sc_functions_bytes(struct sc_functions *functions, uint64_t address, void *bytes,
                        size_t length)
{
    for (size_t i = 0; i < functions->segment_count; i++) {
        const Elf64_Phdr *segment = &functions->segments[i];
        if (segment->p_type == PT_LOAD && address >= segment->p_vaddr &&
            address - segment->p_vaddr <= segment->p_filesz &&
            length <= segment->p_filesz - (address - segment->p_vaddr))
            return copy_code(functions, segment->p_offset + (address - segment->p_vaddr),
                             segment->p_offset + segment->p_filesz, bytes, length);
    }
    return false;
}

static bool read_segment_bytes(void *context, uint64_t address, void *bytes, size_t length)
{
    return sc_functions_bytes(context, address, bytes, length);
}

bool sc_functions_row(struct sc_functions *functions, uint64_t address,
                      struct sc_unwind_row *ret_row)
{
    struct sc_target file = {.read = read_segment_bytes, .context = functions};
    struct sc_unwind_module module = {
        .end = UINT64_MAX, .header = functions->records, .target = &file};
    struct sc_unwind_table table;
    struct sc_unwind_entry entry;
    struct sc_unwind_record record;
    uint32_t index;
    size_t used;
    if (!sc_unwind_table_open(&module, &table) ||
        !sc_unwind_table_search(&table, address, &index, &entry) ||
        !sc_unwind_record_read(&module, entry.record, &record) || address < record.start ||
        address >= record.end || record.signal_frame ||
        !sc_unwind_row_find(&module, &record, address, ret_row, &used))
        return false;
    for (size_t i = 0; i < SC_SLOTS; i++) {
        if (ret_row->kinds[i] == SC_RULE_EXPRESSION ||
            ret_row->kinds[i] == SC_RULE_VALUE_EXPRESSION)
            ret_row->kinds[i] = SC_RULE_UNKNOWN;
    }
    return !ret_row->frame_is_expression;
}

bool sc_functions_is_linkage(const struct sc_functions *functions, uint64_t address)
{
    for (size_t i = 0; i < functions->linkages.count; i++) {
        if (address >= functions->linkages.items[i].start &&
            address < functions->linkages.items[i].end)
            return true;
    }
    return false;
}
