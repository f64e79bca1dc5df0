/*
 * tests/unit/intervals_test.c - of each kind of number 2,500 made-up programs, and how often the
 * interval that is stated holds the truth: 93 to 97 times in 100.
 *
 * What draws samples, what weighs them and what states the error is the product's own code. What
 * differs from a real run is the program, whose lines take turns at a pace that is drawn anew each
 * time, from faster than samples come to hundreds of times slower. Of each one line is looked at,
 * so that the tries are independent: their share has a standard error of 0.4 points.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/budget.h"
#include "agent/memory/stream.h"
#include "build_world.h"
#include "channel/pace.h"
#include "observer/charge/charge.h"
#include "observer/memory/memory.h"

enum { RUNS = 2500, LINES = 5 };

static const uint32_t line_numbers[LINES] = {1, 4, 8, 9, 14};

#define JIFFY_NS  4000000U
#define SECOND_NS 1000000000U

/* The coverage that is asked for, in %. */
#define LEAST 93.0
#define MOST  97.0

static uint64_t random_state;

static double drawn(double from, double to)
{
    return from + (to - from) * (double)(sc_stream_random(&random_state) >> 11) * 0x1p-53;
}

static double drawn_by_size(double from, double to)
{
    return exp(drawn(log(from), log(to)));
}

/* How the lines of a program take turns. */
struct turns {
    double weights[LINES];
    double scale; /* of a turn, in whatever is sampled */
    bool is_in_order;
    uint32_t line;
};

static struct turns draw_turns(double from, double to)
{
    struct turns turns = {.scale = drawn_by_size(from, to), .is_in_order = drawn(0, 1) < 0.5};
    double sum = 0;
    for (int i = 0; i < LINES; i++)
        sum += turns.weights[i] = drawn_by_size(0.02, 1);
    for (int i = 0; i < LINES; i++)
        turns.weights[i] *= (double)LINES / sum;
    return turns;
}

/* How long the next turn takes, which is that of turns->line. */
static double next_turn(struct turns *turns)
{
    if (turns->is_in_order)
        turns->line = (turns->line + 1) % LINES;
    else
        turns->line = (uint32_t)drawn(0, LINES);
    return turns->weights[turns->line] * turns->scale * drawn(0.5, 1.5);
}

struct total {
    int tries;
    int held;
    double wide; /* half widths, as parts of the truth */
};

static void look(struct total *total, double found, double truth, double half_width)
{
    total->tries++;
    total->held += fabs(found - truth) <= half_width;
    total->wide += half_width / truth;
}

static void judge(const char *name, const struct total *total)
{
    double percent = 100.0 * total->held / total->tries;
    print_message("%-44s %5.2f %% of %d, half widths of %.0f %% in the mean\n", name, percent,
                  total->tries, 100 * total->wide / total->tries);
    assert_true(percent >= LEAST && percent <= MOST);
}

/* One thread that runs for so long, as sampled from begun_ns of its run on. */
struct timed {
    struct sc_charge_process process;
    struct sc_charge_thread thread;
    struct sc_sequence_thread sequence;
    struct sc_pace pace;
    uint32_t nodes[LINES];
    uint64_t truths[LINES];
    uint64_t next_ns; /* CPU time of the next sample */
    uint64_t base_ns; /* of the clock, when the CPU time was 0 */
};

/* The kernel's timers end at its ticks. */
static uint64_t tick_after(uint64_t ns)
{
    return (ns + JIFFY_NS - 1) / JIFFY_NS * JIFFY_NS;
}

static void apply(struct world *world, const struct sc_charges *charges)
{
    const struct sc_charge *charge = &charges->charge;
    sc_collect_cost(&world->collect, charge->node)->time_ns[charge->time] += charge->ns;
}

static void sample(struct world *world, struct timed *timed, uint32_t node)
{
    struct sc_charge_sample sample = {
        .time_ns = timed->base_ns + timed->next_ns,
        .cpu_ns = timed->next_ns,
        .kind = SC_SAMPLE_PYTHON,
        .has_frames = true,
        .node = node,
    };
    struct sc_charges charges = sc_charge_sample(&timed->process, &timed->thread, &sample);
    apply(world, &charges);
    sc_collect_cost(&world->collect, node)->samples++;
    sc_collect_sampled(&world->collect, &timed->sequence, node, charges.cpu_ns);
    uint64_t mean_ns = sc_pace_interval_ns(&timed->pace, JIFFY_NS, sample.time_ns);
    uint64_t interval_ns =
        sc_budget_interval_ns(mean_ns, JIFFY_NS / 2, 0, sc_stream_random(&random_state));
    timed->next_ns = tick_after(timed->next_ns + interval_ns);
}

static void run_lines(struct world *world, struct timed *timed, struct turns *turns,
                      uint64_t end_ns)
{
    double now_ns = drawn(0, JIFFY_NS); /* the thread begins between two ticks of the kernel */
    double begun_ns = now_ns;
    timed->process.begun_ns = timed->base_ns;
    timed->next_ns = tick_after((uint64_t)begun_ns + JIFFY_NS);
    timed->thread.charged_cpu_ns = timed->process.charged_cpu_ns = (uint64_t)begun_ns;
    while ((uint64_t)now_ns < end_ns) {
        double until_ns = fmin(now_ns + next_turn(turns), (double)end_ns);
        timed->truths[turns->line] += (uint64_t)(until_ns - now_ns);
        while ((double)timed->next_ns < until_ns)
            sample(world, timed, timed->nodes[turns->line]);
        now_ns = until_ns;
    }
    struct sc_charges rest = sc_charge_rest(&timed->process, &timed->thread, end_ns);
    apply(world, &rest);
}

/* A run that is so old when it is looked at. */
static void try_time(struct world *world, struct turns turns, uint64_t age_ns, struct total *total)
{
    struct timed timed = {
        .process = {.interval_ns = 10000000, .jiffy_ns = JIFFY_NS, .begun = true},
        .thread = {.is_main = true, .has_python = true},
        .base_ns = 100 * (uint64_t)SECOND_NS,
        .pace = {.interval_ns = 10000000, .begun_ns = 100 * (uint64_t)SECOND_NS - age_ns},
    };
    uint64_t end_ns = (uint64_t)(drawn(1, 4) * SECOND_NS);
    sc_collect_done(&world->collect);
    sc_collect_init(&world->collect, 0, 0);
    uint32_t module = sc_collect_code(&world->collect, world->program, "<module>", 1);
    for (int i = 0; i < LINES; i++)
        timed.nodes[i] = sc_collect_frame(&world->collect, 0, module, line_numbers[i]);
    run_lines(world, &timed, &turns, end_ns);
    double all = 0;
    for (int i = 0; i < LINES; i++)
        all += (double)timed.truths[i];
    uint32_t one = (uint32_t)drawn(0, LINES);
    double truth = 100 * (double)timed.truths[one] / all;
    if (truth < 2 || truth > 98)
        return;
    build(world, false);
    const struct sc_cost *cost = line(world, line_numbers[one]);
    look(total, cost->cpu_python_percent, truth, cost->cpu_share_error);
}

struct time_case {
    const char *name;
    double from_s, to_s; /* of a turn */
    double age_from_s, age_to_s;
};

static const struct time_case time_cases[] = {
    {"time, turns of 30 us to 1 ms", 30e-6, 1e-3, 0, 1},
    {"time, turns of 30 ms to 300 ms", 30e-3, 300e-3, 0, 1},
    {"time, turns of 30 us to 300 ms, young run", 30e-6, 300e-3, 0, 1},
    {"time, turns of 30 us to 300 ms, 5 to 10 s old", 30e-6, 300e-3, 5, 10},
    {"time, turns of 30 us to 300 ms, old run", 30e-6, 300e-3, 10, 20},
};

TEST(shares_of_time)
{
    WORLD(world);
    for (size_t i = 0; i < sizeof(time_cases) / sizeof(*time_cases); i++) {
        const struct time_case *now = &time_cases[i];
        struct total total = {0};
        random_state = 0x5eed + i;
        while (total.tries < RUNS) {
            struct turns turns = draw_turns(now->from_s * SECOND_NS, now->to_s * SECOND_NS);
            try_time(&world, turns, (uint64_t)(drawn(now->age_from_s, now->age_to_s) * SECOND_NS),
                     &total);
        }
        judge(now->name, &total);
    }
}

/* A thread that allocates or copies, and the observer's books of it. */
struct bytes_case {
    const char *name;
    int64_t window;
    double size_from, size_to; /* of a block */
    double turn_from, turn_to; /* bytes that a line allocates before it is another one's turn */
    double windows;            /* in all */
    bool is_copy;
    bool has_churn;
    enum { VOLUME, ALIVE_AT_END, ALIVE_AT_PEAK, ALL_AT_PEAK } what;
};

static const struct bytes_case bytes_cases[] = {
    {"bytes, blocks of 32 to 512", 8192, 32, 512, 32, 1 << 18, 250, false, false, VOLUME},
    {"bytes, blocks of 32 to 4,000", 8192, 32, 4000, 32, 1 << 18, 250, false, false, VOLUME},
    {"bytes, wide windows", 1 << 16, 300, 4000, 300, 1 << 20, 100, false, false, VOLUME},
    {"bytes, some of it freed at once", 8192, 32, 512, 32, 1 << 18, 250, false, true, VOLUME},
    {"copies of 2,000 to 400,000", 512 << 10, 2000, 400000, 2000, 1 << 25, 200, true, false,
     VOLUME},
    {"alive at the end", 8192, 32, 512, 32, 1 << 18, 250, false, false, ALIVE_AT_END},
    {"alive at the end, larger blocks", 8192, 32, 4000, 32, 1 << 18, 250, false, false,
     ALIVE_AT_END},
    {"alive at the peak", 8192, 32, 512, 32, 1 << 18, 250, false, false, ALIVE_AT_PEAK},
    {"alive at the program's peak", 8192, 32, 512, 32, 1 << 18, 250, false, false, ALL_AT_PEAK},
};

/* A block that is alive, sampled or not. */
struct living {
    uint64_t size;
    uint32_t slot; /* SC_NO_SLOT: not sampled */
};

/* What a line does with its blocks: after each it frees, with this chance, one of those that it
 * has, the latest or any; and now and then all of them. */
struct keeping {
    SC_VEC(struct living) blocks;
    double free_chance;
    double clear_chance;
    bool frees_latest;
    double live_bytes;
    double peak_bytes;
};

struct bytes {
    struct sc_collect collect;
    struct sc_scope scope;
    struct sc_owners owners;
    struct sc_ledger ledger;
    struct sc_followed_memory *memory; /* of all tries: no block is alive between two */
    struct sc_stream streams[SC_SMALL_STREAMS + 1]; /* the last is of larger blocks and of copies */
    uint32_t nodes[LINES];
    double sizes[LINES];
    double churns[LINES]; /* what part of its blocks */
    double truths[LINES];
    struct keeping keeping[LINES];
    double live_bytes;
    double peak_bytes;
    SC_VEC(uint32_t) free_slots;
    uint32_t slots;
    uint64_t time_ns;
};

static void bytes_init(struct bytes *bytes, const struct bytes_case *now,
                       struct sc_followed_memory *memory)
{
    *bytes =
        (struct bytes){.scope = {.root_dir = "/nowhere"}, .memory = memory, .time_ns = SECOND_NS};
    sc_collect_init(&bytes->collect, 0, 0);
    sc_owners_init(&bytes->owners, &bytes->collect, &bytes->scope);
    sc_ledger_init(&bytes->ledger, &bytes->owners);
    memory->ledger = &bytes->ledger;
    uint32_t module = sc_collect_code(&bytes->collect, "/nowhere/prog.py", "<module>", 1);
    for (uint32_t i = 0; i < LINES; i++) {
        bytes->nodes[i] = sc_collect_frame(&bytes->collect, 0, module, i + 1);
        sc_memory_add_stack(memory, i + 1, bytes->nodes[i]);
        bytes->sizes[i] = drawn_by_size(now->size_from, now->size_to);
        bytes->churns[i] = now->has_churn ? drawn(0, 1) : 0;
        bytes->keeping[i].free_chance = drawn(0, 1) < 0.3 ? 0 : drawn(0, 1.2);
        bytes->keeping[i].clear_chance = drawn(0, 1) < 0.7 ? 0 : drawn_by_size(1e-5, 1e-3);
        bytes->keeping[i].frees_latest = drawn(0, 1) < 0.5;
    }
}

static void bytes_done(struct bytes *bytes)
{
    free(bytes->memory->successions);
    bytes->memory->successions = NULL;
    for (int i = 0; i < LINES; i++)
        sc_vec_done(&bytes->keeping[i].blocks);
    sc_vec_done(&bytes->free_slots);
    sc_ledger_done(&bytes->ledger);
    sc_owners_done(&bytes->owners);
    sc_collect_done(&bytes->collect);
}

struct given {
    uint32_t line;
    uint32_t slot;
    uint64_t size;
    uint64_t weight;
    uint32_t points;
};

static void send_record(struct bytes *bytes, const struct bytes_case *now,
                        const struct given *given)
{
    if (now->is_copy) {
        struct sc_record_copy copy = {.time_ns = bytes->time_ns,
                                      .stack_key = given->line + 1,
                                      .weight_bytes = given->weight,
                                      .points = given->points};
        sc_memory_add_copy(bytes->memory, &copy);
        return;
    }
    struct sc_record_allocation block = {
        .time_ns = bytes->time_ns,
        .stack_key = given->line + 1,
        .size_bytes = given->size,
        .weight_bytes = given->weight,
        .slot = given->slot,
        .flags = SC_ALLOCATION_PYTHON,
        .points = (uint16_t)given->points,
    };
    sc_memory_add_allocation(bytes->memory, &block, UINT64_MAX);
}

static uint32_t new_slot(struct bytes *bytes)
{
    if (bytes->free_slots.count > 0)
        return bytes->free_slots.items[--bytes->free_slots.count];
    return bytes->slots++;
}

static void free_one(struct bytes *bytes, struct keeping *keeping, size_t index)
{
    struct living freed = keeping->blocks.items[index];
    keeping->blocks.items[index] = keeping->blocks.items[--keeping->blocks.count];
    keeping->live_bytes -= (double)freed.size;
    bytes->live_bytes -= (double)freed.size;
    if (freed.slot == SC_NO_SLOT)
        return;
    struct sc_record_free record = {.time_ns = bytes->time_ns, .slot = freed.slot};
    sc_memory_add_free(bytes->memory, &record);
    sc_vec_push(&bytes->free_slots, freed.slot);
}

/* The line has allocated a block, and frees some. */
static void keep_block(struct bytes *bytes, struct keeping *keeping, struct living living)
{
    sc_vec_push(&keeping->blocks, living);
    keeping->live_bytes += (double)living.size;
    keeping->peak_bytes = fmax(keeping->peak_bytes, keeping->live_bytes);
    bytes->live_bytes += (double)living.size;
    bytes->peak_bytes = fmax(bytes->peak_bytes, bytes->live_bytes);
    bytes->time_ns += 2 * SC_CHURN_LIFE_NS; /* none of them is freed at once */
    size_t count = keeping->blocks.count;
    if (drawn(0, 1) < keeping->free_chance)
        free_one(bytes, keeping,
                 keeping->frees_latest ? count - 1 : (size_t)drawn(0, (double)count));
    if (drawn(0, 1) >= keeping->clear_chance)
        return;
    while (keeping->blocks.count > 0)
        free_one(bytes, keeping, keeping->blocks.count - 1);
}

/* Returns the slot of the block, SC_NO_SLOT when it is not sampled. */
static uint32_t allocate(struct bytes *bytes, const struct bytes_case *now, uint32_t line)
{
    uint64_t size = (uint64_t)bytes->sizes[line];
    bool is_churn = bytes->churns[line] > 0 && drawn(0, 1) < bytes->churns[line];
    bytes->time_ns += 200;
    bytes->truths[line] += is_churn ? 0 : (double)size;
    bool is_small = !now->is_copy && size <= SC_SMALL_BLOCK_BYTES;
    struct sc_stream *stream = &bytes->streams[is_small ? sc_small_stream(size) : SC_SMALL_STREAMS];
    if (!sc_stream_passes(stream, size))
        return SC_NO_SLOT;
    if (stream->window == 0)
        sc_stream_begin(stream, size, now->window, &random_state);
    int64_t before = stream->window;
    uint64_t weight = sc_stream_take(stream, size, now->window, &random_state);
    if (weight == 0)
        return SC_NO_SLOT;
    struct given given = {
        .line = line,
        .slot = is_churn || now->what != VOLUME ? new_slot(bytes) : SC_NO_SLOT,
        .size = size,
        .weight = weight,
        .points = sc_stream_points(weight, before, now->window),
    };
    send_record(bytes, now, &given);
    if (is_churn) {
        struct sc_record_free freed = {.time_ns = bytes->time_ns + 100, .slot = given.slot};
        sc_memory_add_free(bytes->memory, &freed);
        sc_vec_push(&bytes->free_slots, given.slot);
        return SC_NO_SLOT;
    }
    return given.slot;
}

static const struct sc_ledger_account *account_of(const struct bytes *bytes, uint32_t node)
{
    for (size_t i = 1; i < bytes->ledger.lines.count; i++) {
        if (bytes->ledger.lines.items[i].node == node)
            return &bytes->ledger.lines.items[i];
    }
    return NULL;
}

struct finding {
    double bytes;
    double half_width;
};

static struct finding find(const struct bytes_case *now, const struct sc_ledger_account *account)
{
    if (account == NULL)
        return (struct finding){.bytes = 0};
    uint64_t bytes = account->allocated_bytes;
    const struct sc_scatter *scatter = &account->scatter;
    if (now->is_copy) {
        bytes = account->copied_bytes;
        scatter = &account->copy_scatter;
    } else if (now->what == ALIVE_AT_END) {
        bytes = account->live_bytes;
        scatter = &account->live_scatter;
    } else if (now->what != VOLUME) {
        bytes = account->peak_bytes;
        scatter = &account->peak_scatter;
    }
    return (struct finding){(double)bytes, sc_scatter_of_sum(scatter, SC_SCATTER_ANYWHERE)};
}

/* Lines that are smaller than some windows are not met often enough to say anything of. */
#define WINDOWS_MIN 4

static void try_bytes(const struct bytes_case *now, struct sc_followed_memory *memory,
                      struct total *total)
{
    struct turns turns = draw_turns(now->turn_from, now->turn_to);
    OWN(bytes, bytes);
    bytes_init(&bytes, now, memory);
    double most = now->windows * (double)now->window;
    for (double all = 0; all < most;) {
        double turn = next_turn(&turns);
        double had = 0;
        for (; had == 0 || (had < turn && all + had < most); had += bytes.sizes[turns.line]) {
            uint32_t slot = allocate(&bytes, now, turns.line);
            if (now->what != VOLUME)
                keep_block(&bytes, &bytes.keeping[turns.line],
                           (struct living){(uint64_t)bytes.sizes[turns.line], slot});
        }
        all += had;
    }
    uint32_t one = (uint32_t)drawn(0, LINES);
    struct keeping *keeping = &bytes.keeping[one];
    double truth = now->what == VOLUME          ? bytes.truths[one]
                   : now->what == ALIVE_AT_PEAK ? keeping->peak_bytes
                   : now->what == ALL_AT_PEAK   ? bytes.peak_bytes
                                                : keeping->live_bytes;
    if (truth >= WINDOWS_MIN * (double)now->window) {
        const struct sc_ledger_account *account =
            now->what == ALL_AT_PEAK ? &bytes.ledger.all : account_of(&bytes, bytes.nodes[one]);
        struct finding finding = find(now, account);
        look(total, finding.bytes, truth, finding.half_width);
    }
    for (int i = 0; i < LINES; i++) {
        while (bytes.keeping[i].blocks.count > 0)
            free_one(&bytes, &bytes.keeping[i], bytes.keeping[i].blocks.count - 1);
    }
}

TEST(volumes_of_bytes)
{
    OWN(sc_followed_memory, memory) = {0};
    for (size_t i = 0; i < sizeof(bytes_cases) / sizeof(*bytes_cases); i++) {
        struct total total = {0};
        random_state = 0xb17e5 + i;
        while (total.tries < RUNS)
            try_bytes(&bytes_cases[i], &memory, &total);
        judge(bytes_cases[i].name, &total);
    }
}
