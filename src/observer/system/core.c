/*
 * observer/system/core.c - the memory of a process that a core file is of.
 *
 * A mapped file is still the same if the build id in the first page of its mapping, which the
 * kernel puts into the core for this, is that of the file; without one, if the headers of ELF are
 * equal. Where the core has no such page, a file that was written later than the core is taken for
 * another one.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/system/core.h"

#include <elf.h>
#include <inttypes.h>
#include <string.h>

#include "base/helper.h"
#include "base/io.h"
#include "base/sort.h"

#define PAGE_BYTES   4096U
#define ID_BYTES_MAX 64U
#define DELETED      " (deleted)"

/* What is known of a file that was mapped. */
struct file {
    enum { UNCHECKED, SAME, CHANGED, MISSING } state;
    uint64_t bytes;
};

struct sc_core {
    struct sc_core_file facts;
    struct sc_helper *helper;
    struct file *files; /* one for each name */
};

struct sc_core *sc_core_open(const char *path, struct sc_helper *helper, struct sc_err *err)
{
    struct sc_core *core = sc_alloc(1, sizeof(*core));
    core->helper = helper;
    if (!sc_core_file_open(path, &core->facts, err)) {
        sc_core_free(core);
        return NULL;
    }
    core->files = sc_alloc(core->facts.names.count + 1, sizeof(*core->files));
    return core;
}

void sc_core_free(struct sc_core *core)
{
    if (core == NULL)
        return;
    sc_core_file_done(&core->facts);
    free(core->files);
    free(core);
}

const struct sc_core_file *sc_core_facts(const struct sc_core *core)
{
    return &core->facts;
}

/* A page as the core has it. */
static bool read_held(const struct sc_core *core, const struct sc_core_segment *segment,
                      uint64_t address, void *ret_bytes)
{
    return segment != NULL && address < segment->held_end &&
           segment->held_end - address >= PAGE_BYTES &&
           sc_read_part(core->facts.fd, segment->offset + (address - segment->start), ret_bytes,
                        PAGE_BYTES);
}

/* Finds the build id in the first page of a file; its length, or 0. */
static size_t find_id(const unsigned char *page, unsigned char ret_id[ID_BYTES_MAX])
{
    Elf64_Ehdr head;
    memcpy(&head, page, sizeof(head));
    for (size_t i = 0; i < head.e_phnum; i++) {
        Elf64_Phdr part;
        uint64_t at = head.e_phoff + i * sizeof(part);
        if (at < head.e_phoff || at > PAGE_BYTES - sizeof(part))
            return 0;
        memcpy(&part, page + at, sizeof(part));
        if (part.p_type != PT_NOTE || part.p_offset > PAGE_BYTES)
            continue;
        uint64_t left = PAGE_BYTES - part.p_offset;
        left = part.p_filesz < left ? part.p_filesz : left;
        for (at = part.p_offset; left > sizeof(Elf64_Nhdr) + sizeof(ELF_NOTE_GNU);) {
            Elf64_Nhdr note;
            memcpy(&note, page + at, sizeof(note));
            uint64_t name = ((uint64_t)note.n_namesz + 3) & ~(uint64_t)3;
            uint64_t step = sizeof(note) + name + (((uint64_t)note.n_descsz + 3) & ~(uint64_t)3);
            if (step > left)
                break;
            if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof(ELF_NOTE_GNU) &&
                memcmp(page + at + sizeof(note), ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)) == 0 &&
                note.n_descsz <= ID_BYTES_MAX) {
                memcpy(ret_id, page + at + sizeof(note) + name, note.n_descsz);
                return note.n_descsz;
            }
            at += step;
            left -= step;
        }
    }
    return 0;
}

/* Where the headers of an ELF file end, within the page; of another file the end of the page. What
 * follows may be data that the program has changed. */
static size_t headers_end(const unsigned char *page)
{
    Elf64_Ehdr head;
    memcpy(&head, page, sizeof(head));
    size_t end = sizeof(head) + head.e_phnum * sizeof(Elf64_Phdr);
    bool is_elf = memcmp(page, ELFMAG, SELFMAG) == 0 && head.e_phoff == sizeof(head);
    return is_elf && end < PAGE_BYTES ? end : PAGE_BYTES;
}

static bool is_same_head(const unsigned char *one, const unsigned char *other)
{
    unsigned char id[ID_BYTES_MAX];
    unsigned char other_id[ID_BYTES_MAX];
    size_t length = memcmp(one, ELFMAG, SELFMAG) == 0 ? find_id(one, id) : 0;
    if (length > 0 && memcmp(other, ELFMAG, SELFMAG) == 0)
        return find_id(other, other_id) == length && memcmp(id, other_id, length) == 0;
    return memcmp(one, other, headers_end(one)) == 0;
}

/* The first page of the file, as it was mapped; false when the core does not have it. */
static bool read_head(const struct sc_core *core, size_t index, unsigned char *ret_page)
{
    SC_EACH(const struct sc_core_mapping, mapping, &core->facts.mappings)
        if (mapping->name == index && mapping->offset == 0 &&
            read_held(core, sc_core_file_segment(&core->facts, mapping->start), mapping->start,
                      ret_page))
            return true;
    return false;
}

/* Where the file is now; one that was deleted may have been replaced by the same. To be freed. */
static char *place_of(const struct sc_core *core, size_t index)
{
    const char *name = core->facts.names.items[index];
    size_t length = strlen(name);
    return sc_strndup(name, sc_ends_with(name, DELETED) ? length - strlen(DELETED) : length);
}

static bool read_file(struct sc_core *core, size_t index, uint64_t offset, void *ret_page)
{
    struct stat facts;
    uint64_t bytes = core->files[index].bytes;
    SC_AUTO_FREE char *path = place_of(core, index);
    if (offset >= bytes)
        return false;
    size_t length = bytes - offset < PAGE_BYTES ? (size_t)(bytes - offset) : PAGE_BYTES;
    memset(ret_page, 0, PAGE_BYTES); /* as the kernel does behind the end of a file */
    return sc_helper_read_part(core->helper, path, offset, ret_page, length, &facts);
}

static struct file *check(struct sc_core *core, size_t index)
{
    struct file *file = &core->files[index];
    unsigned char then[PAGE_BYTES];
    unsigned char now[PAGE_BYTES];
    struct stat facts;
    if (file->state != UNCHECKED)
        return file;
    SC_AUTO_FREE char *path = place_of(core, index);
    file->state = MISSING;
    if (sc_helper_stat(core->helper, path, &facts) != 0 || !S_ISREG(facts.st_mode))
        return file;
    file->bytes = (uint64_t)facts.st_size;
    bool is_same = read_head(core, index, then)
                       ? read_file(core, index, 0, now) && is_same_head(then, now)
                       : (double)facts.st_mtim.tv_sec <= core->facts.written_s;
    file->state = is_same ? SAME : CHANGED;
    return file;
}

bool sc_core_page(struct sc_core *core, uint64_t number, void *ret_bytes)
{
    uint64_t address = number * PAGE_BYTES;
    const struct sc_core_segment *segment = sc_core_file_segment(&core->facts, address);
    if (read_held(core, segment, address, ret_bytes))
        return true;
    /* what the program has written is in no file */
    if (segment != NULL && segment->may_write && address < segment->written_end)
        return false;
    const struct sc_core_mapping *mapping = sc_core_file_mapping(&core->facts, address);
    uint64_t offset = mapping != NULL ? mapping->offset + (address - mapping->start) : 0;
    return mapping != NULL && offset % PAGE_BYTES == 0 &&
           check(core, mapping->name)->state == SAME &&
           read_file(core, mapping->name, offset, ret_bytes);
}

/* A line of the maps. */
struct line {
    uint64_t start;
    uint64_t end;
    uint64_t offset;
    bool may_execute;
    const char *name;
};

void sc_core_maps(const struct sc_core *core, struct sc_str *ret_text)
{
    SC_AUTO_FREE SC_VEC(struct line) lines = {0};
    const struct sc_core_file *facts = &core->facts;
    SC_EACH(const struct sc_core_mapping, mapping, &facts->mappings) {
        const struct sc_core_segment *segment = sc_core_file_segment(facts, mapping->start);
        /* gdb writes no header for what it leaves out: that is code more often than not */
        bool may_execute = segment == NULL || segment->may_execute;
        struct line line = {mapping->start, mapping->end, mapping->offset, may_execute,
                            facts->names.items[mapping->name]};
        sc_vec_push(&lines, line);
    }
    SC_EACH(const struct sc_core_segment, segment, &facts->segments) {
        struct line line = {segment->start, segment->end, 0, true,
                            segment->start == facts->vdso ? "[vdso]" : ""};
        if (segment->may_execute && sc_core_file_mapping(facts, segment->start) == NULL)
            sc_vec_push(&lines, line);
    }
    sc_vec_sort(&lines, sc_by_count); /* by their first member */
    SC_EACH(const struct line, line, &lines)
        sc_str_add_format(ret_text, "%" PRIx64 "-%" PRIx64 " r-%cp %" PRIx64 " 00:00 0 %s\n",
                          line->start, line->end, line->may_execute ? 'x' : '-', line->offset,
                          line->name);
}

char *sc_core_path(struct sc_core *core, const char *name)
{
    for (size_t i = 0; i < core->facts.names.count; i++) {
        if (strcmp(core->facts.names.items[i], name) == 0)
            return check(core, i)->state == SAME ? place_of(core, i) : NULL;
    }
    return NULL;
}

const char *sc_core_program(const struct sc_core *core)
{
    const struct sc_core_mapping *mapping =
        core->facts.entry != 0 ? sc_core_file_mapping(&core->facts, core->facts.entry) : NULL;
    return mapping != NULL ? core->facts.names.items[mapping->name] : NULL;
}

const char *sc_core_lost_file(const struct sc_core *core, bool *ret_has_changed)
{
    for (size_t i = 0; i < core->facts.names.count; i++) {
        *ret_has_changed = core->files[i].state == CHANGED;
        if (core->files[i].state == CHANGED || core->files[i].state == MISSING)
            return core->facts.names.items[i];
    }
    return NULL;
}

void sc_core_losses(const struct sc_core *core, struct sc_texts *ret_sentences)
{
    const struct sc_core_file *facts = &core->facts;
    if (facts->lost_bytes > 0)
        sc_vec_push(ret_sentences,
                    sc_format("the core file is cut: it lacks %" PRIu64 " of the bytes that were "
                              "to be in it, so some frames or values may be missing",
                              facts->lost_bytes));
    if (facts->mappings.count == 0)
        sc_vec_push(ret_sentences, sc_strdup("the core file does not list the mapped files"));
    for (size_t i = 0; i < facts->names.count; i++) {
        if (core->files[i].state == CHANGED || core->files[i].state == MISSING)
            sc_vec_push(ret_sentences,
                        sc_format("%s %s, so that what the core file left to it cannot be read",
                                  facts->names.items[i],
                                  core->files[i].state == CHANGED
                                      ? "has changed since the core was written"
                                      : "is not there any more"));
    }
}
