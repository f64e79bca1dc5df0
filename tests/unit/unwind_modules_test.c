/*
 * tests/unit/unwind_modules_test.c - what is read of a loaded object, and how.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <dlfcn.h>
#include <link.h>
#include <sys/sendfile.h>

#include "sc_test.h"
#include "unwind/record.h"
#include "unwind/unwind.h"

/* An object as the loader maps it: a page of which the first bytes are a segment, a page without
 * rights, and one that is of no interest. */
enum {
    PAGE = 4096,
    PAGES = 3,
    HEADER_AT = 1024,
    SEGMENT_BYTES = 2048,
};

struct object {
    uint8_t *pages;
    uint32_t *header;
    ElfW(Phdr) * segments;
    struct sc_target target;
    struct sc_unwind_module module;
};

static bool read_first_page(void *context, uint64_t address, void *bytes, size_t length)
{
    uint64_t start = (uint64_t)context;
    if (address < start || address + length > start + PAGE)
        return false;
    memcpy(bytes, (const void *)address, length);
    return true;
}

static void map_object(struct object *object)
{
    static const ElfW(Ehdr) head = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3},
                                    .e_phoff = sizeof(head),
                                    .e_phentsize = sizeof(ElfW(Phdr)),
                                    .e_phnum = 2};
    object->pages = mmap(NULL, PAGES * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(object->pages != MAP_FAILED);
    assert_return_code(mprotect(object->pages, PAGE, PROT_READ | PROT_WRITE), 0);
    memcpy(object->pages, &head, sizeof(head));
    object->segments = (ElfW(Phdr) *)(object->pages + sizeof(head));
    object->segments[0] = (ElfW(Phdr)){.p_type = PT_LOAD, .p_flags = PF_R, .p_vaddr = 2 * PAGE};
    object->segments[1] =
        (ElfW(Phdr)){.p_type = PT_LOAD, .p_flags = PF_R, .p_filesz = SEGMENT_BYTES};
    object->header = (uint32_t *)(object->pages + HEADER_AT);
    object->header[0] = 0x3b031b01;
    object->header[2] = 1; /* entry */
    uint64_t start = (uint64_t)object->pages;
    object->target = (struct sc_target){read_first_page, object->pages};
    object->module = (struct sc_unwind_module){.start = start,
                                               .end = start + PAGES * PAGE,
                                               .header = start + HEADER_AT,
                                               .target = &object->target};
}

static void unmap_object(struct object *object)
{
    assert_return_code(munmap(object->pages, PAGES * PAGE), 0);
}

static uint64_t plain_bytes(struct object *object)
{
    sc_unwind_module_set_bounds(&object->module, object->module.start);
    return object->module.plain_end - object->module.plain_start;
}

TEST(test_plain_loads_stay_in_the_segment)
{
    struct object object;
    map_object(&object);
    assert_int_equal(plain_bytes(&object), SEGMENT_BYTES);
    assert_int_equal(object.module.plain_start, object.module.start);
    const struct sc_unwind_module *module = &object.module;
    assert_non_null(sc_unwind_at(module, module->start + SEGMENT_BYTES - 8, 8));
    assert_null(sc_unwind_at(module, module->start + SEGMENT_BYTES - 7, 8));
    object.segments[1].p_filesz = 1500; /* another object at the same place */
    assert_int_equal(plain_bytes(&object), 1500);
    unmap_object(&object);
}

TEST(test_without_its_segment_nothing_is_loaded_plainly)
{
    struct object object;
    map_object(&object);
    ElfW(Phdr) *segment = &object.segments[1];
    for (int is_seen = 0; is_seen < 2; is_seen++) {
        segment->p_filesz = PAGES * PAGE + 1;
        assert_int_equal(plain_bytes(&object), 0);
        segment->p_filesz = HEADER_AT;
        assert_int_equal(plain_bytes(&object), 0);
        segment->p_filesz = SEGMENT_BYTES;
        segment->p_flags = PF_X;
        assert_int_equal(plain_bytes(&object), 0);
        segment->p_flags = PF_R;
        segment->p_type = PT_NOTE;
        assert_int_equal(plain_bytes(&object), 0);
        segment->p_type = PT_LOAD;
        assert_int_equal(plain_bytes(&object), SEGMENT_BYTES);
    }
    memset(object.pages, 0, HEADER_AT); /* no ELF header */
    assert_int_equal(plain_bytes(&object), 0);
    unmap_object(&object);
}

/* Plainly (with the segment's rights) or by the reader. */
TEST(test_memory_without_rights_is_not_read)
{
    struct object object;
    struct sc_unwind_table table;
    struct sc_unwind_entry entry;
    struct sc_unwind_record record;
    map_object(&object);
    for (unsigned flags = 0; flags <= PF_R; flags += PF_R) {
        object.segments[1].p_flags = flags;
        assert_int_equal(plain_bytes(&object), flags != 0 ? SEGMENT_BYTES : 0);
        object.header[2] = 1;
        object.header[4] = PAGE; /* its record is in the gap */
        assert_true(sc_unwind_table_open(&object.module, &table));
        assert_true(sc_unwind_table_entry(&table, 0, &entry));
        assert_false(sc_unwind_record_read(&object.module, entry.record, &record));
        object.header[2] = PAGE / 8; /* the table goes on into the gap */
        assert_true(sc_unwind_table_open(&object.module, &table));
        assert_false(sc_unwind_table_entry(&table, table.count - 1, &entry));
    }
    unmap_object(&object);
}

TEST(test_a_library_that_is_loaded_later_is_listed)
{
    static const char name[] = "libBrokenLocale.so.1";
    struct sc_unwind_module module;
    sc_unwind_modules_ask_loader(false);
    sc_unwind_modules_follow();
    assert_null(dlopen(name, RTLD_LAZY | RTLD_NOLOAD));
    void *library = dlopen(name, RTLD_LAZY);
    assert_non_null(library);
    uint64_t address = (uint64_t)dlsym(library, "__ctype_get_mb_cur_max");
    assert_true(address != 0);
    assert_false(sc_unwind_module_find(address, NULL, &module));
    sc_unwind_modules_follow();
    assert_true(sc_unwind_module_find(address, NULL, &module));
    assert_true(module.start < address && address < module.end);
    uint32_t unloads = sc_unwind_modules_follow();
    assert_int_equal(dlclose(library), 0);
    assert_int_equal(sc_unwind_modules_follow(), unloads + 1);
    assert_false(sc_unwind_module_find(address, NULL, &module));
    sc_unwind_modules_ask_loader(true);
}

static void copy_file(const char *from, const char *to)
{
    int in = open(from, O_RDONLY | O_CLOEXEC);
    int out = open(to, O_WRONLY | O_CREAT | O_CLOEXEC, 0700);
    assert_true(in >= 0 && out >= 0);
    assert_true(sendfile(out, in, NULL, 1U << 20) > 0);
    assert_return_code(close(in), 0);
    assert_return_code(close(out), 0);
}

/* What is loaded last are the libraries of packages: none of them may be left out. */
TEST(test_many_libraries_are_listed)
{
    enum { LIBRARIES = 300 };
    static const char name[] = "libBrokenLocale.so.1";
    static void *libraries[LIBRARIES];
    struct link_map *map = NULL;
    char folder[] = "/tmp/scalene-libraries-XXXXXX";
    char copy[64];
    assert_non_null(mkdtemp(folder));
    void *first = dlopen(name, RTLD_LAZY);
    assert_return_code(dlinfo(first, RTLD_DI_LINKMAP, &map), 0);
    sc_unwind_modules_ask_loader(false);
    for (int i = 0; i < LIBRARIES; i++) {
        (void)snprintf(copy, sizeof(copy), "%s/%d.so", folder, i);
        copy_file(map->l_name, copy);
        libraries[i] = dlopen(copy, RTLD_LAZY);
        assert_non_null(libraries[i]);
        assert_return_code(unlink(copy), 0);
    }
    sc_unwind_modules_follow();
    for (int i = 0; i < LIBRARIES; i++) {
        struct sc_unwind_module module;
        uint64_t address = (uint64_t)dlsym(libraries[i], "__ctype_get_mb_cur_max");
        assert_true(sc_unwind_module_find(address, NULL, &module));
        assert_true(module.start < address && address < module.end);
        assert_int_equal(dlclose(libraries[i]), 0);
    }
    sc_unwind_modules_ask_loader(true);
    assert_int_equal(dlclose(first), 0);
    assert_return_code(rmdir(folder), 0);
}
