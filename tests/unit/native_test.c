/*
 * tests/unit/native_test.c - native frames of addresses in this very process: what is shown, whose
 * it is, and how much is remembered.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/stack/native.h"

#include <sys/auxv.h>

#include "base/mem.h"
#include "sc_test.h"

#define PAGE      ((size_t)4096)
#define KNOWN_MAX ((size_t)1 << 18)

struct world {
    struct sc_collect collect;
    struct sc_native native;
    struct sc_classifier *classifier;
};

static void world_init(struct world *world)
{
    static const struct sc_interpreter_facts facts = {.version = 0x030b};
    *world = (struct world){0};
    sc_collect_init(&world->collect, 0, 0);
    world->native = (struct sc_native){.collect = &world->collect, .symbols = sc_symbols_new(NULL)};
    world->classifier = sc_classifier_new((struct sc_subject){.pid = getpid()}, NULL, &facts, NULL);
}

static void world_done(struct world *world)
{
    sc_native_done(&world->native);
    sc_symbols_free(world->native.symbols);
    sc_classifier_free(world->classifier);
    sc_collect_done(&world->collect);
}

static struct sc_native_frame frame_of(struct world *world, const void *address)
{
    return sc_native_frame(&world->native, world->classifier, (uintptr_t)address);
}

/* The module that a frame shows, NULL when it shows nothing. */
static const char *module_of(const struct world *world, struct sc_native_frame frame)
{
    if (frame.code == SC_NONE)
        return NULL;
    return sc_intern_text(&world->collect.names, world->collect.codes.items[frame.code].file);
}

static void remove_file(const char *name)
{
    char path[128];
    (void)snprintf(path, sizeof(path), "%s/%s", sc_test_folder, name);
    (void)unlink(path);
}

/* Executable memory of so many pages: of a file with this name, or of none. */
static void *map_kept(const char *name, size_t pages)
{
    char path[128];
    int fd = -1;
    if (name != NULL) {
        (void)snprintf(path, sizeof(path), "%s/%s", sc_test_folder, name);
        fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0700);
        assert_int_equal(ftruncate(fd, (off_t)((pages + 1) * PAGE)), 0);
    }
    void *memory =
        mmap(NULL, pages * PAGE, PROT_READ | PROT_EXEC,
             MAP_PRIVATE | (name == NULL ? MAP_ANONYMOUS : 0), fd, name != NULL ? (off_t)PAGE : 0);
    assert_ptr_not_equal(memory, MAP_FAILED);
    if (name != NULL)
        (void)close(fd);
    return memory;
}

/* The same of a file that is removed again. */
static void *map(const char *name, size_t pages)
{
    void *memory = map_kept(name, pages);
    if (name != NULL)
        remove_file(name);
    return memory;
}

struct row {
    const char *name;
    const char *file;   /* NULL: memory of no file */
    const char *module; /* a part of what is shown, NULL: nothing */
    uint64_t offset;
    bool is_users;
};

/* of the byte at 0x123 of a mapping that begins at the file's second page */
static const struct row rows[] = {
    {"a module of the program's", "_ext.so", "/_ext.so", 0x1123, true},
    {"the C library's kin", "libm.so.6", "/libm.so.6", 0x1123, false},
    {"musl's C library, which is its loader", "ld-musl-x86_64.so.1", "/ld-musl-x86_64.so.1", 0x1123,
     false},
    {"an allocator", "libjemalloc.so.2", "/libjemalloc.so.2", 0x1123, false},
    {"a main program of Python's, which only calls the interpreter", "python3.11", "/python3.11",
     0x1123, false},
    {"what is called so elsewhere", "notpython3", "/notpython3", 0x1123, true},
    {"we ourselves", "libscalene.so", NULL, 0, false},
    {"we ourselves, with memory", "libscalene-memory.so", NULL, 0, false},
    {"code made at run time", NULL, SC_MODULE_DYNAMIC, 0, true},
};

TEST(a_frame_is_of_its_module)
{
    FOR_EACH_ROW(row, rows) {
        struct world world;
        char *memory = map(row->file, 1);
        world_init(&world);
        struct sc_native_frame frame = frame_of(&world, memory + 0x123);
        assert_int_equal(frame.is_users, row->is_users);
        assert_int_equal(frame.code == SC_NONE, row->module == NULL);
        if (row->module != NULL) {
            assert_non_null(strstr(module_of(&world, frame), row->module));
            assert_int_equal(world.collect.codes.items[frame.code].offset, row->offset);
        }
        /* what shows nothing is remembered, too */
        assert_int_equal(world.native.known.count, 1);
        struct sc_native_frame again = frame_of(&world, memory + 0x123);
        assert_int_equal(again.code, frame.code);
        assert_int_equal(again.is_users, frame.is_users);
        assert_int_equal(world.native.known.count, 1);
        world_done(&world);
        (void)munmap(memory, PAGE);
    }
}

TEST(each_instruction_of_a_module_is_a_frame)
{
    struct world world;
    char *memory = map("_ext.so", 1);
    char *made = map(NULL, 1);
    world_init(&world);
    assert_int_not_equal(frame_of(&world, memory).code, frame_of(&world, memory + 4).code);
    /* nothing is known of places in code that no file holds */
    assert_int_equal(frame_of(&world, made).code, frame_of(&world, made + 4).code);
    world_done(&world);
    (void)munmap(memory, PAGE);
    (void)munmap(made, PAGE);
}

TEST(the_kernels_own_code_is_not_the_programs)
{
    uintptr_t vdso = getauxval(AT_SYSINFO_EHDR);
    WORLD(world);
    assert_int_not_equal(vdso, 0);
    struct sc_native_frame frame = sc_native_frame(&world.native, world.classifier, vdso + 64);
    assert_false(frame.is_users);
    assert_non_null(module_of(&world, frame));
}

TEST(an_address_in_no_memory_may_come_to_be_in_some)
{
    char *memory = map(NULL, 1);
    (void)munmap(memory, PAGE);
    WORLD(world);
    assert_int_equal(frame_of(&world, memory).code, SC_NONE);
    assert_false(frame_of(&world, memory).is_users);
    assert_int_equal(frame_of(&world, NULL).code, SC_NONE);
    assert_int_equal(world.native.known.count, 0);
}

/* The module at an address that is new: the maps are read again after a pause. */
static const char *module_in_time(struct world *world, const void *address)
{
    const char *module = NULL;
    for (int i = 0; module == NULL && i < 10000; i++) {
        module = module_of(world, frame_of(world, address));
        if (module == NULL)
            (void)usleep(1000);
    }
    return module;
}

TEST(what_was_known_is_forgotten_with_its_modules)
{
    struct world world;
    char *memory = map("_one.so", 1);
    world_init(&world);
    assert_non_null(strstr(module_of(&world, frame_of(&world, memory)), "/_one.so"));
    /* another file comes to the same place, and then memory that was not known makes the maps be
     * read again */
    (void)munmap(memory, PAGE);
    char *other = map("_two.so", 1);
    if (other != memory) {
        assert_ptr_equal(mremap(other, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, memory), memory);
    }
    char *new_memory = map("_three.so", 1);
    struct sc_modules *modules = sc_classifier_modules(world.classifier);
    uint64_t generation = sc_modules_generation(modules);
    assert_non_null(strstr(module_in_time(&world, new_memory), "/_three.so"));
    assert_int_not_equal(sc_modules_generation(modules), generation);
    assert_int_equal(world.native.known.count, 1);
    assert_non_null(strstr(module_of(&world, frame_of(&world, memory)), "/_two.so"));
    assert_int_equal(world.native.known.count, 2);
    world_done(&world);
    (void)munmap(memory, PAGE);
    (void)munmap(new_memory, PAGE);
}

TEST(a_library_may_come_to_the_place_of_one_that_was_unloaded)
{
    struct world world;
    char *memory = map("_one.so", 1);
    world_init(&world);
    struct sc_modules *modules = sc_classifier_modules(world.classifier);
    assert_non_null(strstr(module_of(&world, frame_of(&world, memory)), "/_one.so"));
    char *other = map("_two.so", 1);
    assert_ptr_equal(mremap(other, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, memory), memory);
    uint64_t generation = sc_modules_generation(modules);
    sc_modules_note_unloads(modules, 0);
    assert_int_equal(sc_modules_generation(modules), generation);
    sc_modules_note_unloads(modules, 1);
    assert_non_null(strstr(module_of(&world, frame_of(&world, memory)), "/_two.so"));
    world_done(&world);
    (void)munmap(memory, PAGE);
}

TEST(a_file_that_is_replaced_is_another_one)
{
    struct world world;
    char *memory = map_kept("_ext.so", 1);
    world_init(&world);
    uint32_t before = frame_of(&world, memory).code;
    remove_file("_ext.so");
    sc_modules_note_unloads(sc_classifier_modules(world.classifier), 1);
    assert_int_equal(frame_of(&world, memory).code, before);
    char *other = map("_ext.so", 1);
    sc_modules_note_unloads(sc_classifier_modules(world.classifier), 2);
    assert_int_equal(frame_of(&world, memory).code, before);
    assert_true(sc_ends_with(module_of(&world, frame_of(&world, memory)), "/_ext.so"));
    assert_true(sc_ends_with(module_of(&world, frame_of(&world, other)), "/_ext.so#2"));
    world_done(&world);
    (void)munmap(memory, PAGE);
    (void)munmap(other, PAGE);
}

TEST(code_made_for_ever_takes_no_more_memory)
{
    struct world world;
    size_t pages = (KNOWN_MAX + 100) / PAGE + 1;
    char *memory = map(NULL, pages);
    world_init(&world);
    for (size_t i = 0; i < KNOWN_MAX + 100; i++) {
        assert_true(frame_of(&world, memory + i).is_users);
        assert_true(world.native.known.count <= KNOWN_MAX);
    }
    assert_int_equal(world.native.known.count, 100);
    assert_true(frame_of(&world, memory).is_users);
    world_done(&world);
    (void)munmap(memory, pages * PAGE);
}

TESTS_IN_A_FOLDER(NULL)
