/*
 * tests/fuzz/records_fuzz.c - any bytes as the segment of a process: from its ring through charging
 * to a profile, its JSON, and back.
 *
 * The first byte chooses what is measured. The next ones are the hostile part of the segment's
 * head, when that is chosen, and then the ring from its beginning. There is no such process: what
 * is asked of the kernel fails. Addresses of samples whose highest byte is 0xf0 become some of this
 * program, so that there is code to be judged.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "build/build.h"
#include "costs/ledger.h"
#include "cpython/layout_data.h"
#include "observer/account.h"
#include "observer/process.h"
#include "observer/process_life.h"
#include "observer/process_tick.h"
#include "observer/records.h"
#include "observer/tree.h"
#include "profile/profile.h"

enum {
    NO_PROCESS = 0x7fffff00,
    INPUT_MAX = 1 << 16,
    CHOICE_HEAD = 1, /* the head of the segment is hostile too */
    CHOICE_MEMORY = 2,
    CHOICE_GPU = 4,
    CHOICE_NATIVE = 8, /* native frames, and this program as the interpreter */
    CHOICE_BEGUN = 16,
    CHOICE_VIRTUAL = 32,
    CHOICE_CONTAINER = 64, /* it is in a PID namespace of its own */
    HEAD_FROM = offsetof(struct sc_segment, pace),
    HEAD_TO = offsetof(struct sc_segment, head),
};

static const uint64_t now_ns = UINT64_C(2000000000000);

/* What of a run is needed without one. */
struct world {
    struct sc_collect collect;
    struct sc_charge_young young;
    struct sc_scope scope;
    struct sc_ledger ledger;
    struct sc_gpu gpu;
    struct sc_tree tree;
    struct sc_cell_sources cell_sources;
    struct sc_process *process;
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct sc_segment *segment_of(int *ret_fd)
{
    static struct sc_segment *segment;
    static int fd = -1;
    if (segment == NULL) {
        fd = memfd_create("segment", MFD_CLOEXEC | MFD_ALLOW_SEALING);
        if (fd < 0 || ftruncate(fd, (off_t)sizeof(*segment)) != 0 ||
            fcntl(fd, F_ADD_SEALS, SC_SEGMENT_SEALS) != 0)
            abort();
        void *mapped = mmap(NULL, sizeof(*segment), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (mapped == MAP_FAILED)
            abort();
        segment = mapped;
    }
    *ret_fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    return segment;
}

/* As a sample has them, in words of 8 bytes. */
static void point_into_program(unsigned char *bytes, size_t size)
{
    for (size_t at = 0; size - at >= sizeof(uint64_t); at += sizeof(uint64_t)) {
        uint64_t word = 0;
        memcpy(&word, bytes + at, sizeof(word));
        if (word >> 56 != 0xf0)
            continue;
        word = ((uint64_t)(uintptr_t)LLVMFuzzerTestOneInput + (word & 0xffff)) |
               ((word >> 32 & 1) != 0 ? SC_ADDRESS_IN_LOOP : 0);
        memcpy(bytes + at, &word, sizeof(word));
    }
}

static void fill(struct sc_segment *segment, const uint8_t *data, size_t size, unsigned choice)
{
    size_t head_size = 0;
    memset(segment, 0, offsetof(struct sc_segment, ring) + INPUT_MAX);
    segment->pace.interval_ns = 1000000;
    if ((choice & CHOICE_HEAD) != 0) {
        head_size = size < HEAD_TO - HEAD_FROM ? size : HEAD_TO - HEAD_FROM;
        memcpy((unsigned char *)segment + HEAD_FROM, data, head_size);
    }
    segment->magic = SC_CHANNEL_MAGIC;
    segment->version = SC_CHANNEL_VERSION;
    segment->size_bytes = sizeof(*segment);
    memcpy(segment->ring, data + head_size, size - head_size);
    point_into_program(segment->ring, size - head_size);
    atomic_store(&segment->head, size - head_size);
}

/* One for all inputs: to read this program's own tables takes a while. */
static struct sc_classifier *classifier_of(struct sc_symbols **ret_symbols)
{
    static struct sc_classifier *classifier;
    static struct sc_symbols *symbols;
    struct sc_interpreter_facts facts = {
        .version = 0x030b,
        .runtime_size = 64,
        .eval_function = (uint64_t)(uintptr_t)LLVMFuzzerTestOneInput,
        .type_call = (uint64_t)(uintptr_t)classifier_of,
    };
    if (classifier == NULL) {
        classifier = sc_classifier_new(getpid(), NULL, &facts, NULL);
        symbols = sc_symbols_new();
    }
    *ret_symbols = symbols;
    return classifier;
}

static bool begin(struct world *world, int fd, unsigned choice)
{
    struct sc_reader reader;
    struct sc_symbols *symbols = NULL;
    struct sc_classifier *classifier = classifier_of(&symbols);
    char here[] = "/nowhere/python";
    const struct sc_process parent = {
        .layout = sc_layouts[choice % sc_layouts_count], .executable = here, .command = here};
    world->scope = (struct sc_scope){.root_dir = "/nowhere"};
    sc_collect_init(&world->collect, 0, 0);
    sc_ledger_init(&world->ledger, &world->collect, &world->scope);
    sc_gpu_init(&world->gpu, &world->collect, &world->scope);
    if (!sc_reader_open(&reader, fd, NULL))
        return false;
    const struct sc_process_start start = {
        .pid = NO_PROCESS,
        .names = {.numbers = {.count = (choice & CHOICE_CONTAINER) != 0 ? 2 : 1,
                              .numbers = {NO_PROCESS, 1}}},
        .parent = &parent,
        .executable = "",
        .collect = &world->collect,
        .young = &world->young,
        .ledger = (choice & CHOICE_MEMORY) != 0 ? &world->ledger : NULL,
        .gpu = (choice & CHOICE_GPU) != 0 ? &world->gpu : NULL,
        .symbols = (choice & CHOICE_NATIVE) != 0 ? symbols : NULL,
        .directory = "/nowhere",
    };
    world->process = sc_process_new(&start, &reader, NULL);
    if (world->process == NULL)
        return false;
    world->process->tree = &world->tree;
    world->process->codes.cell_sources = &world->cell_sources;
    if ((choice & CHOICE_BEGUN) == 0)
        return true;
    world->process->charge.begun = true;
    world->process->charge.begun_ns = 1;
    world->process->classifier = (choice & CHOICE_NATIVE) != 0 ? classifier : NULL;
    return true;
}

static void run(struct world *world)
{
    struct sc_process *process = world->process;
    sc_records_drain(process);
    sc_account_hostless(process, now_ns);
    sc_devices_settle(&process->devices, now_ns);
    process->classifier = NULL; /* others need it */
    sc_process_tick(process, now_ns);
    sc_process_end(process, now_ns, 1000000000);
    sc_account_young(&world->young, &world->collect);
    sc_ledger_finish(&world->ledger, now_ns);
    sc_process_free(process);
}

static void report(struct world *world, unsigned choice)
{
    struct sc_profile profile = {0};
    struct sc_profile again = {0};
    struct sc_str text = {0};
    struct sc_err err = {0};
    const struct sc_build_input input = {
        .collect = &world->collect,
        .scope = &world->scope,
        .virtual_time = (choice & CHOICE_VIRTUAL) != 0,
        .ledger = (choice & CHOICE_MEMORY) != 0 ? &world->ledger : NULL,
        .gpu = (choice & CHOICE_GPU) != 0 ? &world->gpu : NULL,
        .find_leaks = true,
        .stacks = true,
        .interval_ns = 1000000,
        .begun_ns = 1,
        .ended_ns = now_ns,
    };
    sc_profile_build(&input, &profile);
    sc_profile_to_json(&profile, &text);
    if (!sc_profile_from_json(text.data, text.length, &again, &err) ||
        again.files.count != profile.files.count)
        abort();
    sc_str_done(&text);
    sc_profile_done(&profile);
    sc_profile_done(&again);
}

static void end(struct world *world)
{
    sc_gpu_done(&world->gpu);
    sc_ledger_done(&world->ledger);
    sc_charge_young_done(&world->young);
    sc_collect_done(&world->collect);
    sc_tree_done(&world->tree);
    sc_cell_sources_done(&world->cell_sources);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct world world = {0};
    int fd = -1;
    if (size < 1 || size > INPUT_MAX)
        return 0;
    struct sc_segment *segment = segment_of(&fd);
    fill(segment, data + 1, size - 1, data[0]);
    if (!begin(&world, fd, data[0]))
        abort();
    run(&world);
    report(&world, data[0]);
    end(&world);
    return 0;
}
