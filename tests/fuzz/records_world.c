/*
 * tests/fuzz/records_world.c - a process that is not there, as the observer sees it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "records_world.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"
#include "build/build.h"
#include "costs/ledger.h"
#include "observer/lifecycle/process_life.h"
#include "observer/lifecycle/process_poll.h"
#include "observer/lifecycle/records.h"
#include "observer/process/process.h"
#include "observer/process/tree.h"
#include "observer/sample/account.h"
#include "profile/profile.h"

/* No process has it: the kernel's own are below (PID_MAX_LIMIT of include/linux/threads.h). */
enum { NO_PROCESS = 1 << 22 };

/* Whatever this machine's are. */
#define JIFFY_NS   4000000
#define PROCESSORS 2

/* What of a run is needed without one. */
struct world {
    struct sc_run_plan plan;
    struct sc_observation run;
    struct sc_scope scope;
    struct sc_process *process;
    const struct records_input *input;
};

struct sc_segment *records_segment(int *ret_fd)
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

static uint64_t loop_address(void)
{
    return (uint64_t)(uintptr_t)records_profile;
}

void records_point_into_program(unsigned char *bytes, size_t size)
{
    for (size_t at = 0; size - at >= sizeof(uint64_t); at += sizeof(uint64_t)) {
        uint64_t word = 0;
        memcpy(&word, bytes + at, sizeof(word));
        if (word >> 56 == 0xf0)
            word = (loop_address() + (word & 0xffff)) |
                   ((word >> 32 & 1) != 0 ? SC_ADDRESS_IN_LOOP : 0);
        else if (word >> 56 == 0xf1)
            word = (uint64_t)(uintptr_t)qsort;
        memcpy(bytes + at, &word, sizeof(word));
    }
}

/* One for all inputs: to read this program's own tables takes a while. */
static struct sc_classifier *classifier_of(struct sc_symbols **ret_symbols)
{
    static struct sc_classifier *classifier;
    static struct sc_symbols *symbols;
    struct sc_interpreter_facts facts = {
        .version = 0x030b,
        .runtime_size = 64,
        .eval_function = loop_address(),
        .type_call = (uint64_t)(uintptr_t)classifier_of,
    };
    if (classifier == NULL) {
        classifier = sc_classifier_new((struct sc_subject){.pid = getpid()}, NULL, &facts, NULL);
        symbols = sc_symbols_new(NULL);
    }
    *ret_symbols = symbols;
    return classifier;
}

static bool begin(struct world *world, const struct records_input *input, int fd)
{
    struct sc_reader reader;
    struct sc_symbols *symbols = NULL;
    struct sc_classifier *classifier = classifier_of(&symbols);
    char here[] = "/nowhere/python";
    static char directory[] = "/nowhere";
    const struct sc_process parent = {
        .layout = *input->layout, .program.path = here, .command = here};
    world->scope = input->scope;
    sc_collect_init(&world->run.collect, 0, 0);
    sc_owners_init(&world->run.owners, &world->run.collect, &world->scope);
    sc_ledger_init(&world->run.ledger, &world->run.owners);
    sc_gpu_init(&world->run.gpu, &world->run.owners);
    if (!sc_reader_open(&reader, fd, NULL))
        return false;
    const struct sc_pid_names names = {
        .numbers = {.count = (input->choice & RECORDS_CONTAINER) != 0 ? 2 : 1,
                    .numbers = {NO_PROCESS, 1}}};
    world->plan.memory = (input->choice & RECORDS_MEMORY) != 0;
    world->plan.gpu = (input->choice & RECORDS_GPU) != 0;
    world->run.plan = &world->plan;
    world->run.symbols = (input->choice & RECORDS_NATIVE) != 0 ? symbols : NULL;
    world->run.directory = directory;
    world->process = sc_process_new(&world->run, NO_PROCESS, &names, &parent, "", &reader);
    if (world->process == NULL)
        return false;
    world->process->has_no_agent = (input->choice & RECORDS_OUTSIDE) != 0;
    if ((input->choice & RECORDS_BEGUN) == 0)
        return true;
    world->process->charge.begun = true;
    world->process->charge.begun_ns = input->begun_ns;
    world->process->charge.jiffy_ns = JIFFY_NS;
    world->process->gap.jiffy_ns = JIFFY_NS;
    world->process->gap.processors = PROCESSORS;
    world->process->threads.listed_ns = input->begun_ns; /* it is in no list of /proc */
    sc_gap_begin(&world->process->gap, input->begun_ns, 0);
    world->process->classifier = (input->choice & RECORDS_NATIVE) != 0 ? classifier : NULL;
    return true;
}

static bool report(struct world *world, uint64_t now_ns, struct sc_str *ret_json)
{
    const struct records_input *input = world->input;
    struct sc_profile profile = {0};
    struct sc_profile again = {0};
    struct sc_err err = {0};
    const struct sc_build_input build = {
        .collect = &world->run.collect,
        .scope = &world->scope,
        .virtual_time = (input->choice & RECORDS_VIRTUAL) != 0,
        .ledger = (input->choice & RECORDS_MEMORY) != 0 ? &world->run.ledger : NULL,
        .gpu = (input->choice & RECORDS_GPU) != 0 ? &world->run.gpu : NULL,
        .find_leaks = true,
        .stacks = true,
        .interval_ns = 1000000,
        .begun_ns = input->begun_ns,
        .ended_ns = now_ns,
    };
    sc_profile_build(&build, &profile);
    sc_profile_to_json(&profile, ret_json);
    bool is_read = sc_profile_from_json(ret_json->data, ret_json->length, &again, &err) &&
                   again.files.count == profile.files.count;
    sc_profile_done(&profile);
    sc_profile_done(&again);
    return is_read;
}

/* What the observer does with --profile-interval (write_interim of observer.c). */
static void looked(void *context, uint64_t now_ns)
{
    struct world *world = context;
    struct sc_str json = {0};
    if ((world->input->choice & RECORDS_INTERIM) == 0)
        return;
    sc_process_prepare_report(world->process, now_ns);
    sc_ledger_finish(&world->run.ledger, now_ns);
    sc_account_young(&world->run.young, &world->run.collect);
    if (!report(world, now_ns, &json))
        abort();
    sc_account_young_back(&world->run.young, &world->run.collect);
    sc_str_done(&json);
}

static void run(struct world *world, const struct records_input *input)
{
    struct sc_process *process = world->process;
    if (input->live != NULL)
        input->live(process, looked, world);
    sc_records_drain(process);
    sc_account_hostless(process, input->now_ns);
    sc_devices_charge_due(&process->devices, input->now_ns);
    process->classifier = NULL; /* others need it */
    sc_process_poll(process, input->now_ns);
    sc_process_end(process, input->now_ns, input->cpu_ns);
    sc_account_young(&world->run.young, &world->run.collect);
    sc_ledger_finish(&world->run.ledger, input->now_ns);
    sc_process_free(process);
}

static void end(struct world *world)
{
    sc_gpu_done(&world->run.gpu);
    sc_ledger_done(&world->run.ledger);
    sc_owners_done(&world->run.owners);
    sc_charge_young_done(&world->run.young);
    sc_collect_done(&world->run.collect);
    sc_tree_done(&world->run.tree);
    sc_cell_sources_done(&world->run.cell_sources);
    sc_sent_code_done(&world->run.sent);
}

bool records_profile(const struct records_input *input, int fd, struct sc_str *ret_json)
{
    struct world world = {.input = input};
    if (!begin(&world, input, fd))
        return false;
    run(&world, input);
    bool is_read = report(&world, input->now_ns, ret_json);
    end(&world);
    return is_read;
}
