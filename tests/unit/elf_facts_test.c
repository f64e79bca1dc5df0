/*
 * tests/unit/elf_facts_test.c - executables of several kinds, made here byte by byte.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/elf_facts.h"

#include <elf.h>

#include "base/io.h"
#include "base/mem.h"
#include "sc_test.h"

/* A file of one page: header, three segments, the loader's name, the dynamic section, strings. */
struct image {
    Elf64_Ehdr header;
    Elf64_Phdr segments[3];
    char loader[64];
    Elf64_Dyn dynamic[3];
    char strings[64];
};

#define BASE 0x400000U

static struct image make(const char *loader, const char *library)
{
    struct image image = {0};
    memcpy(image.header.e_ident, ELFMAG, SELFMAG);
    image.header.e_ident[EI_CLASS] = ELFCLASS64;
#if defined(__x86_64__)
    image.header.e_machine = EM_X86_64;
#else
    image.header.e_machine = EM_AARCH64;
#endif
    image.header.e_phoff = offsetof(struct image, segments);
    image.header.e_phentsize = sizeof(Elf64_Phdr);
    image.header.e_phnum = 3;
    image.segments[0] =
        (Elf64_Phdr){.p_type = PT_LOAD, .p_vaddr = BASE, .p_filesz = sizeof(struct image)};
    image.segments[1] = (Elf64_Phdr){.p_type = loader != NULL ? PT_INTERP : PT_NULL,
                                     .p_offset = offsetof(struct image, loader),
                                     .p_filesz = sizeof(image.loader)};
    image.segments[2] = (Elf64_Phdr){.p_type = PT_DYNAMIC,
                                     .p_offset = offsetof(struct image, dynamic),
                                     .p_filesz = sizeof(image.dynamic)};
    (void)strcpy(image.loader, loader != NULL ? loader : "");
    (void)strcpy(image.strings + 1, library);
    image.dynamic[0] = (Elf64_Dyn){.d_tag = DT_NEEDED, .d_un.d_val = 1};
    image.dynamic[1] =
        (Elf64_Dyn){.d_tag = DT_STRTAB, .d_un.d_ptr = BASE + offsetof(struct image, strings)};
    return image;
}

static struct sc_elf_facts facts_of(const struct image *image)
{
    struct sc_elf_facts facts;
    sc_elf_read((const unsigned char *)image, sizeof(*image), &facts);
    return facts;
}

TEST(a_usual_python_is_read)
{
    struct image image = make("/lib64/ld-linux-x86-64.so.2", "libpython3.12.so.1.0");
    struct sc_elf_facts facts = facts_of(&image);
    assert_true(facts.is_elf && facts.is_dynamic);
    assert_false(facts.is_32_bit || facts.is_foreign || facts.is_musl);
    assert_int_equal(facts.python_major, 3);
    assert_int_equal(facts.python_minor, 12);
}

TEST(unusual_programs_are_recognised)
{
    struct image image = make("/lib/ld-musl-x86_64.so.1", "libpython2.7.so.1.0");
    assert_true(facts_of(&image).is_musl);
    assert_true(facts_of(&image).names_python);
    assert_int_equal(facts_of(&image).python_major, 2);
    image = make(NULL, "libc.so.6");
    assert_false(facts_of(&image).names_python);
    assert_false(facts_of(&image).is_dynamic);
    assert_int_equal(facts_of(&image).python_major, 0);
    image.header.e_machine = EM_386;
    assert_true(facts_of(&image).is_foreign);
    image.header.e_ident[EI_CLASS] = ELFCLASS32;
    assert_true(facts_of(&image).is_32_bit);
    struct sc_elf_facts facts;
    sc_elf_read((const unsigned char *)"#!/bin/sh\nexec python3\n", 23, &facts);
    assert_false(facts.is_elf);
}

TEST(a_cut_or_broken_file_is_survived)
{
    struct image image = make("/lib64/ld.so", "libpython3.12.so.1.0");
    for (size_t length = 0; length < sizeof(image); length++) {
        unsigned char *bytes = sc_alloc(length + 1, 1);
        memcpy(bytes, &image, length);
        unsigned char *tight = sc_realloc(bytes, length > 0 ? length : 1, 1);
        struct sc_elf_facts facts;
        sc_elf_read(tight, length, &facts);
        assert_true(facts.is_elf == (length >= EI_NIDENT));
        free(tight);
    }
    image.header.e_phoff = UINT64_MAX - 8;
    assert_false(facts_of(&image).is_dynamic);
    image = make("/lib64/ld.so", "libpython3.12.so.1.0");
    image.segments[1].p_offset = UINT64_MAX;
    image.segments[0].p_filesz = UINT64_MAX;
    image.dynamic[1].d_un.d_ptr = UINT64_MAX - 1;
    image.dynamic[0].d_un.d_val = UINT64_MAX;
    struct sc_elf_facts facts = facts_of(&image);
    assert_true(facts.is_dynamic);
    assert_int_equal(facts.python_major, 0);
}

TEST(this_very_program_is_read)
{
    OWN(sc_str, bytes) = {0};
    assert_true(sc_read_file("/proc/self/exe", 1 << 28, &bytes, NULL));
    struct sc_elf_facts facts;
    sc_elf_read((const unsigned char *)bytes.data, bytes.length, &facts);
    assert_true(facts.is_elf && facts.is_dynamic);
    assert_false(facts.is_foreign || facts.is_32_bit);
}
