/*
 * cli/elf_facts.c - what an executable file says about itself, read before it is run.
 *
 * Starting an interpreter to ask it would cost more than everything else `scalene run` does.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/elf_facts.h"

#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct image {
    const unsigned char *bytes;
    size_t length;
    Elf64_Ehdr header;
};

static bool copy(const struct image *image, uint64_t offset, void *ret_value, size_t size)
{
    if (offset > image->length || size > image->length - offset)
        return false;
    memcpy(ret_value, image->bytes + offset, size);
    return true;
}

static bool segment(const struct image *image, size_t index, Elf64_Phdr *ret_segment)
{
    uint64_t step = image->header.e_phentsize;
    if (index >= image->header.e_phnum || step < sizeof(*ret_segment) ||
        image->header.e_phoff > image->length)
        return false;
    return copy(image, image->header.e_phoff + index * step, ret_segment, sizeof(*ret_segment));
}

/* The file offset of a loaded address, or image->length. */
static uint64_t offset_of(const struct image *image, uint64_t address)
{
    Elf64_Phdr loaded;
    for (size_t i = 0; segment(image, i, &loaded); i++)
        if (loaded.p_type == PT_LOAD && address >= loaded.p_vaddr &&
            address - loaded.p_vaddr < loaded.p_filesz && loaded.p_offset <= image->length)
            return loaded.p_offset + (address - loaded.p_vaddr);
    return image->length;
}

/* The string at offset, or "" when it does not end inside the file. */
static const char *string_at(const struct image *image, uint64_t offset)
{
    if (offset >= image->length ||
        memchr(image->bytes + offset, '\0', image->length - offset) == NULL)
        return "";
    return (const char *)image->bytes + offset;
}

static void read_needed(const struct image *image, const Elf64_Phdr *dynamic,
                        struct sc_elf_facts *facts)
{
    uint64_t count = dynamic->p_filesz / sizeof(Elf64_Dyn);
    uint64_t strings = image->length;
    for (int pass = 0; pass < 2; pass++) { /* the string table may be named last */
        for (uint64_t i = 0; i < count; i++) {
            Elf64_Dyn entry;
            if (!copy(image, dynamic->p_offset + i * sizeof(entry), &entry, sizeof(entry)) ||
                entry.d_tag == DT_NULL)
                break;
            if (pass == 0 && entry.d_tag == DT_STRTAB)
                strings = offset_of(image, entry.d_un.d_ptr);
            if (pass == 0 || entry.d_tag != DT_NEEDED || strings >= image->length ||
                entry.d_un.d_val > image->length)
                continue;
            const char *name = string_at(image, strings + entry.d_un.d_val);
            unsigned major;
            unsigned minor;
            if (sscanf(name, "libpython%2u.%3u", &major, &minor) == 2) {
                facts->python_major = major;
                facts->python_minor = minor;
            }
        }
    }
}

void sc_elf_read(const unsigned char *bytes, size_t length, struct sc_elf_facts *ret_facts)
{
    struct image image = {.bytes = bytes, .length = length};
    memset(ret_facts, 0, sizeof(*ret_facts));
    if (length < EI_NIDENT || memcmp(bytes, ELFMAG, SELFMAG) != 0)
        return;
    ret_facts->is_elf = true;
    ret_facts->names_python = memmem(bytes, length, "ython", strlen("ython")) != NULL ||
                              memmem(bytes, length, "pypy", strlen("pypy")) != NULL;
    ret_facts->is_32_bit = bytes[EI_CLASS] == ELFCLASS32;
    if (ret_facts->is_32_bit || !copy(&image, 0, &image.header, sizeof(image.header)))
        return;
    ret_facts->is_foreign = image.header.e_machine != SC_OWN_MACHINE;
    Elf64_Phdr part;
    for (size_t i = 0; segment(&image, i, &part); i++) {
        if (part.p_type == PT_INTERP) {
            ret_facts->is_dynamic = true;
            ret_facts->is_musl = strstr(string_at(&image, part.p_offset), "ld-musl") != NULL;
        }
        if (part.p_type == PT_DYNAMIC && part.p_offset <= length)
            read_needed(&image, &part, ret_facts);
    }
}
