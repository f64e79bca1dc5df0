/* costs/ledger.c - see ledger.h. SPDX-License-Identifier: Apache-2.0 */
#include "costs/ledger.h"

#include <math.h>

#define LINE_POINTS 40 /* of the curve of a line or function */
#define SECOND_NS   1000000000U

void sc_ledger_init(struct sc_ledger *ledger, struct sc_owners *owners)
{
    *ledger = (struct sc_ledger){.peak_line = 0};
    sc_places_init(&ledger->places, owners);
    ledger->all.node = SC_NONE;
    sc_vec_push(&ledger->lines, (struct sc_ledger_account){.node = SC_NONE});
    sc_vec_push(&ledger->functions, (struct sc_ledger_account){.node = SC_NONE});
}

void sc_ledger_done(struct sc_ledger *ledger)
{
    sc_places_done(&ledger->places);
    sc_curve_done(&ledger->all.curve);
    for (size_t i = 0; i < ledger->lines.count; i++)
        sc_curve_done(&ledger->lines.items[i].curve);
    for (size_t i = 0; i < ledger->functions.count; i++)
        sc_curve_done(&ledger->functions.items[i].curve);
    sc_vec_done(&ledger->lines);
    sc_vec_done(&ledger->functions);
    sc_vec_done(&ledger->stacks);
    sc_live_moments_done(&ledger->moments);
    sc_live_samples_done(&ledger->live_samples);
    sc_map_done(&ledger->stack_index);
    sc_curve_done(&ledger->rss);
}

/* The index of an account by the number of its place: 0 is the account for no line in scope. */
static uint32_t account_at(struct sc_ledger_accounts *accounts, uint32_t number, uint32_t node)
{
    if (number == SC_NONE)
        return 0;
    if (accounts->count == number + 1)
        sc_vec_push(accounts, (struct sc_ledger_account){.node = node});
    return number + 1;
}

static uint32_t line_at(struct sc_ledger *ledger, const struct sc_place *place)
{
    return account_at(&ledger->lines, place->line, place->node);
}

static uint32_t function_at(struct sc_ledger *ledger, const struct sc_place *place)
{
    return account_at(&ledger->functions, place->function, place->node);
}

static uint32_t stack_at(struct sc_ledger *ledger, uint32_t node)
{
    uint32_t at = sc_map_get(&ledger->stack_index, node);
    if (at == SC_NONE) {
        at = (uint32_t)ledger->stacks.count;
        sc_vec_push(&ledger->stacks, (struct sc_ledger_stack){.node = node});
        sc_map_put(&ledger->stack_index, node, at);
    }
    return at;
}

/* Called before live_bytes changes: the old value counts up to now, and for the program's peak if
 * that was reached since the last call. */
static void settle(const struct sc_ledger *ledger, struct sc_ledger_account *account,
                   uint64_t time_ns)
{
    if (time_ns > account->curve.last_ns && account->live_bytes > 0) {
        double passed_ns = (double)(time_ns - account->curve.last_ns);
        account->live_byte_ns += passed_ns * (double)account->live_bytes;
        account->alive_ns += passed_ns;
    }
    if (account->peak_serial != ledger->peak_serial) {
        account->at_peak_bytes = account->live_bytes;
        account->peak_serial = ledger->peak_serial;
    }
}

/* Blocks that were young in earlier seconds no longer are. */
static void age(struct sc_ledger_account *account, uint64_t time_ns)
{
    uint64_t now_s = time_ns / SECOND_NS;
    if (now_s <= account->young_s) /* records of several threads may be a little out of order */
        return;
    account->samples_young[now_s & 1U] = 0;
    if (now_s > account->young_s + 1)
        account->samples_young[~now_s & 1U] = 0;
    account->young_s = now_s;
}

static void be_born(struct sc_ledger_account *account, uint64_t time_ns)
{
    age(account, time_ns);
    account->samples_live++;
    account->samples_young[(time_ns / SECOND_NS) & 1U]++;
}

static void die(struct sc_ledger_account *account, uint64_t born_s, uint64_t time_ns)
{
    age(account, time_ns);
    account->samples_live -= account->samples_live > 0;
    uint64_t *young = &account->samples_young[born_s & 1U];
    if (born_s + 1 < account->young_s)
        account->samples_freed_late++;
    else
        *young -= *young > 0;
}

/* Called before a stack's live_bytes changes, as settle() is for accounts. */
static struct sc_ledger_stack *settled_stack(const struct sc_ledger *ledger, uint32_t at)
{
    struct sc_ledger_stack *stack = &ledger->stacks.items[at];
    if (stack->peak_serial != ledger->peak_serial) {
        stack->at_peak_bytes = stack->live_bytes;
        stack->peak_serial = ledger->peak_serial;
    }
    return stack;
}

/* Bytes that a block holds, or that are alive, from now on. */
struct gain {
    uint64_t held_bytes;
    uint64_t live_bytes;
    uint64_t since_ns; /* they may have come as early as that; 0: they come now */
};

static void keep(const struct sc_ledger *ledger, struct sc_ledger_account *account,
                 const struct sc_ledger_block *block, struct gain gain, uint64_t time_ns)
{
    uint64_t bytes = gain.live_bytes;
    settle(ledger, account, time_ns);
    account->held_bytes += gain.held_bytes;
    if (account->held_bytes > account->held_peak_bytes)
        account->held_peak_bytes = account->held_bytes;
    account->live_bytes += bytes;
    account->live_python_bytes += block->is_pythons ? bytes : 0;
    account->live_callee_bytes += block->is_callees ? bytes : 0;
    if (account->live_bytes > account->peak_bytes) {
        account->peak_bytes = account->live_bytes;
        account->peak_scatter = account->live_scatter;
    }
    sc_curve_add(&account->curve, time_ns, account->live_bytes);
}

static void keep_all(struct sc_ledger *ledger, const struct sc_ledger_block *block,
                     struct gain gain, uint64_t time_ns)
{
    uint64_t peak_bytes = ledger->all.peak_bytes;
    sc_live_moments_pass(&ledger->moments, &ledger->stacks, time_ns);
    keep(ledger, &ledger->all, block, gain, time_ns);
    keep(ledger, &ledger->lines.items[block->line], block, gain, time_ns);
    keep(ledger, &ledger->functions.items[block->function], block, gain, time_ns);
    settled_stack(ledger, block->stack)->live_bytes += gain.live_bytes;
    if (ledger->all.peak_bytes <= peak_bytes)
        return;
    ledger->peak_serial++;
    ledger->peak_python_bytes = ledger->all.live_python_bytes;
    bool is_late = gain.since_ns != 0 && gain.since_ns < ledger->peak_ns;
    if (is_late && gain.live_bytes < ledger->peak_gain_bytes)
        return;
    ledger->peak_line = block->line;
    ledger->peak_gain_bytes = gain.live_bytes;
    ledger->peak_ns = time_ns;
}

static void request_of(struct sc_ledger_account *account, const struct sc_ledger_block *block,
                       uint64_t bytes)
{
    account->allocated_bytes += bytes;
    account->python_bytes += block->is_pythons ? bytes : 0;
}

/* Counts bytes as allocated, and more if the line would otherwise hold more than it has allocated,
 * when held_bytes are added: of a resized block only the growth is counted, and the sample of what
 * it was before may be missing. Returns how many were counted. */
static uint64_t request(struct sc_ledger *ledger, const struct sc_ledger_block *block,
                        uint64_t bytes, uint64_t held_bytes)
{
    const struct sc_ledger_account *line = &ledger->lines.items[block->line];
    uint64_t known = line->allocated_bytes + line->churn_bytes + line->moved_bytes + bytes;
    uint64_t held = line->held_bytes + held_bytes;
    bytes += held > known ? held - known : 0;
    request_of(&ledger->all, block, bytes);
    request_of(&ledger->lines.items[block->line], block, bytes);
    request_of(&ledger->functions.items[block->function], block, bytes);
    struct sc_ledger_stack *stack = &ledger->stacks.items[block->stack];
    stack->allocated_bytes += bytes;
    ledger->native_bytes += stack->node == 0 ? bytes : 0;
    return bytes;
}

static void count_blocks(struct sc_ledger_account *account,
                         const struct sc_ledger_allocation *allocation)
{
    uint64_t weight = allocation->weight_bytes;
    account->allocations += allocation->is_exact || allocation->size_bytes == 0
                                ? 1
                                : (double)weight / (double)allocation->size_bytes;
}

/* Fills in a sample of several points, which stand for equal parts of weight, and adds it to the
 * succession. Returns its number there. */
static uint64_t follow(struct sc_succession *succession, uint64_t weight, uint32_t points,
                       struct sc_sampled_bytes *sample)
{
    sample->points = points > 0 ? points : 1;
    double each = (double)weight / sample->points;
    sample->square = each * each;
    if (succession == NULL) /* as if each followed a sample of another place */
        return 0;
    uint64_t number = sc_succession_add(succession, sample);
    *sample = *sc_succession_at(succession, number);
    return number;
}

static void count_sample(struct sc_ledger *ledger, const struct sc_sampled_bytes *sample,
                         double times)
{
    sc_succession_count(&ledger->lines.items[sample->line].scatter, sample, sample->same_lines,
                        times);
    sc_succession_count(&ledger->functions.items[sample->function].scatter, sample,
                        sample->same_functions, times);
}

/* Adds a live sample to the scatters of what is alive. times: 1, or -1 to take it back. */
static void count_live(struct sc_ledger *ledger, uint32_t index, double times)
{
    if (index == 0)
        return;
    const struct sc_live_sample *live = &ledger->live_samples.items.items[index];
    struct sc_ledger_account *line = &ledger->lines.items[live->bytes.line];
    struct sc_ledger_account *function = &ledger->functions.items[live->bytes.function];
    sc_succession_count(&ledger->all.live_scatter, &live->bytes, live->same_all, times);
    sc_succession_count(&line->live_scatter, &live->bytes, live->bytes.same_lines, times);
    sc_succession_count(&function->live_scatter, &live->bytes, live->bytes.same_functions, times);
}

static double square_of(const struct sc_ledger_block *block, uint32_t points)
{
    double each = (double)block->live_bytes / points;
    return each * each;
}

static void begin_life(struct sc_ledger *ledger, struct sc_ledger_block *block)
{
    if (block->succession == NULL)
        return;
    uint32_t points = sc_succession_at(block->succession, block->number)->points;
    block->live_sample = sc_live_samples_add(&ledger->live_samples, block->succession,
                                             block->number, square_of(block, points));
    count_live(ledger, block->live_sample, 1);
}

/* Other bytes of the block are alive now than before. */
static void change_life(struct sc_ledger *ledger, const struct sc_ledger_block *block)
{
    if (block->live_sample == 0)
        return;
    struct sc_sampled_bytes *sample = &ledger->live_samples.items.items[block->live_sample].bytes;
    count_live(ledger, block->live_sample, -1);
    sample->square = square_of(block, sample->points);
    count_live(ledger, block->live_sample, 1);
}

static void end_life(struct sc_ledger *ledger, const struct sc_ledger_block *block)
{
    uint32_t after[2];
    if (block->live_sample == 0)
        return;
    sc_live_samples_after(&ledger->live_samples, block->live_sample, after);
    count_live(ledger, block->live_sample, -1);
    for (int i = 0; i < 2; i++)
        count_live(ledger, after[i], -1);
    sc_live_samples_remove(&ledger->live_samples, block->live_sample);
    for (int i = 0; i < 2; i++)
        count_live(ledger, after[i], 1);
}

/* Subtracts a sample of a place whose weight is no longer known, as one of average weight. */
static void forget_one(struct sc_scatter *scatter)
{
    double kept = scatter->samples > 1 ? 1 - 1 / scatter->samples : 0;
    scatter->samples *= kept;
    scatter->squares *= kept;
    for (int i = 0; i < 2; i++) {
        scatter->same_squares[i] *= kept;
        scatter->first_squares[i] *= kept;
    }
}

/* Subtracts the block's sample from its line and function. The samples after it then count as
 * following a sample of another place. */
static void take_back(struct sc_ledger *ledger, const struct sc_ledger_block *block)
{
    if (block->succession == NULL)
        return;
    struct sc_sampled_bytes *sample = sc_succession_at(block->succession, block->number);
    if (sample == NULL) {
        forget_one(&ledger->lines.items[block->line].scatter);
        forget_one(&ledger->functions.items[block->function].scatter);
        return;
    }
    count_sample(ledger, sample, -1);
    sample->is_gone = true;
    for (uint64_t next = block->number + 1; next <= block->number + 2; next++) {
        const struct sc_sampled_bytes *after = sc_succession_at(block->succession, next);
        if (after == NULL || after->is_gone)
            continue;
        count_sample(ledger, after, -1);
        sc_succession_relate(block->succession, next);
        count_sample(ledger, after, 1);
    }
}

/* The block was freed at once: what it stands for no longer counts as allocated by the account. */
static void churn(struct sc_ledger_account *account, const struct sc_ledger_block *block)
{
    double weight = (double)block->churn_bytes;
    account->churn_bytes += block->churn_bytes;
    account->allocated_bytes -= block->churn_bytes;
    account->python_bytes -= block->churn_bytes;
    account->allocations = fmax(account->allocations - weight / block->size_bytes, 0);
}

/* Whether a function of Python code stands between a stack's end and the frame that is charged. */
static bool is_by_callee(const struct sc_collect *collect, uint32_t node, uint32_t owner)
{
    while (node != 0 && node != owner && sc_collect_is_native(collect, node))
        node = collect->nodes.items[node].parent;
    return node != 0 && node != owner;
}

/* bytes * part / whole; all of bytes where part is not less than whole. */
static uint64_t share_of(uint64_t bytes, uint64_t part, uint64_t whole)
{
    if (part == 0)
        return 0;
    return part < whole ? (uint64_t)((double)bytes * ((double)part / (double)whole)) : bytes;
}

struct sc_ledger_block sc_ledger_allocate(struct sc_ledger *ledger,
                                          const struct sc_ledger_allocation *allocation, bool stays)
{
    struct sc_place place = sc_place_of(&ledger->places, allocation->node);
    uint64_t weight = allocation->weight_bytes;
    uint64_t size = allocation->size_bytes;
    uint64_t requested = weight - share_of(weight, allocation->old_bytes, size);
    struct sc_ledger_block block = {
        .line = line_at(ledger, &place),
        .function = function_at(ledger, &place),
        .weight_bytes = allocation->is_young && size < weight ? size : weight,
        .born_s = allocation->time_ns / SECOND_NS,
        .is_pythons = allocation->is_pythons,
        .is_callees = is_by_callee(ledger->places.owners->collect, allocation->node, place.node),
    };
    block.live_bytes =
        block.weight_bytes - share_of(block.weight_bytes, allocation->untouched_bytes, size);
    ledger->records++;
    block.stack = stack_at(ledger, allocation->node);
    uint64_t moved = allocation->moved_bytes;
    if (block.line != allocation->moved_line)
        ledger->lines.items[block.line].moved_bytes +=
            moved < weight - requested ? moved : weight - requested;
    requested = request(ledger, &block, requested, stays ? block.weight_bytes : 0);
    if (allocation->is_pythons && !allocation->is_exact && size > 0 && requested == weight &&
        size <= SC_CHURN_BLOCK_BYTES_MAX) {
        block.size_bytes = (uint16_t)size;
        block.churn_bytes = weight;
        block.born_ns = allocation->time_ns;
    }
    count_blocks(&ledger->all, allocation);
    count_blocks(&ledger->lines.items[block.line], allocation);
    count_blocks(&ledger->functions.items[block.function], allocation);
    if (!allocation->is_exact) {
        struct sc_sampled_bytes sample = {.line = block.line, .function = block.function};
        block.succession = allocation->succession;
        block.number = follow(allocation->succession, requested, allocation->points, &sample);
        count_sample(ledger, &sample, 1);
    }
    if (!stays)
        return block;
    be_born(&ledger->lines.items[block.line], allocation->time_ns);
    be_born(&ledger->functions.items[block.function], allocation->time_ns);
    begin_life(ledger, &block);
    struct gain gain = {.held_bytes = block.weight_bytes, .live_bytes = block.live_bytes};
    keep_all(ledger, &block, gain, allocation->time_ns);
    return block;
}

void sc_ledger_grow(struct sc_ledger *ledger, struct sc_ledger_block *block, uint64_t bytes,
                    uint64_t time_ns)
{
    struct gain gain = {
        .held_bytes = bytes,
        .live_bytes = share_of(bytes, block->live_bytes, block->weight_bytes),
    };
    (void)request(ledger, block, 0, bytes);
    block->weight_bytes += gain.held_bytes;
    block->live_bytes += gain.live_bytes;
    change_life(ledger, block);
    keep_all(ledger, block, gain, time_ns);
}

static uint64_t less(uint64_t bytes, uint64_t freed_bytes)
{
    return freed_bytes < bytes ? bytes - freed_bytes : 0;
}

/* Bytes of the block are no longer held, or alive. */
static void lose(const struct sc_ledger *ledger, struct sc_ledger_account *account,
                 const struct sc_ledger_block *block, struct gain lost, uint64_t time_ns)
{
    uint64_t bytes = lost.live_bytes;
    settle(ledger, account, time_ns);
    account->held_bytes = less(account->held_bytes, lost.held_bytes);
    account->live_bytes = less(account->live_bytes, bytes);
    if (block->is_pythons)
        account->live_python_bytes = less(account->live_python_bytes, bytes);
    if (block->is_callees)
        account->live_callee_bytes = less(account->live_callee_bytes, bytes);
    sc_curve_add(&account->curve, time_ns, account->live_bytes);
}

static void lose_all(struct sc_ledger *ledger, const struct sc_ledger_block *block,
                     struct gain lost, uint64_t time_ns)
{
    sc_live_moments_pass(&ledger->moments, &ledger->stacks, time_ns);
    lose(ledger, &ledger->all, block, lost, time_ns);
    lose(ledger, &ledger->lines.items[block->line], block, lost, time_ns);
    lose(ledger, &ledger->functions.items[block->function], block, lost, time_ns);
    struct sc_ledger_stack *stack = settled_stack(ledger, block->stack);
    stack->live_bytes = less(stack->live_bytes, lost.live_bytes);
}

void sc_ledger_free(struct sc_ledger *ledger, const struct sc_ledger_block *block, uint64_t time_ns)
{
    struct gain lost = {.held_bytes = block->weight_bytes, .live_bytes = block->live_bytes};
    ledger->records++;
    die(&ledger->lines.items[block->line], block->born_s, time_ns);
    die(&ledger->functions.items[block->function], block->born_s, time_ns);
    lose_all(ledger, block, lost, time_ns);
    end_life(ledger, block);
    if (block->size_bytes == 0 || time_ns > block->born_ns + SC_CHURN_LIFE_NS)
        return;
    churn(&ledger->all, block);
    churn(&ledger->lines.items[block->line], block);
    churn(&ledger->functions.items[block->function], block);
    take_back(ledger, block);
    ledger->stacks.items[block->stack].allocated_bytes -= block->churn_bytes;
    if (ledger->stacks.items[block->stack].node == 0)
        ledger->native_bytes -= block->churn_bytes;
}

void sc_ledger_touch(struct sc_ledger *ledger, struct sc_ledger_block *block, uint64_t live_bytes,
                     uint64_t since_ns, uint64_t time_ns)
{
    uint64_t before = block->live_bytes;
    block->live_bytes = live_bytes < block->weight_bytes ? live_bytes : block->weight_bytes;
    change_life(ledger, block);
    if (block->live_bytes > before)
        keep_all(ledger, block,
                 (struct gain){.live_bytes = block->live_bytes - before, .since_ns = since_ns},
                 time_ns);
    else if (block->live_bytes < before)
        lose_all(ledger, block, (struct gain){.live_bytes = before - block->live_bytes}, time_ns);
}

struct sc_ledger_block sc_ledger_cut(struct sc_ledger *ledger, struct sc_ledger_block *block,
                                     uint64_t bytes, uint64_t live_bytes, uint64_t time_ns)
{
    struct sc_ledger_block part = *block;
    part.weight_bytes = bytes < block->weight_bytes ? bytes : block->weight_bytes;
    part.born_s = time_ns / SECOND_NS;
    block->weight_bytes -= part.weight_bytes;
    /* neither block has more bytes alive than it holds */
    uint64_t most = live_bytes < part.weight_bytes ? live_bytes : part.weight_bytes;
    uint64_t least = less(block->live_bytes, block->weight_bytes);
    part.live_bytes = most < block->live_bytes ? most : block->live_bytes;
    part.live_bytes = part.live_bytes > least ? part.live_bytes : least;
    block->live_bytes -= part.live_bytes;
    part.live_sample = 0; /* so the error of what is alive leaves out the parts of a cut block */
    change_life(ledger, block);
    be_born(&ledger->lines.items[part.line], time_ns);
    be_born(&ledger->functions.items[part.function], time_ns);
    return part;
}

void sc_ledger_copy(struct sc_ledger *ledger, const struct sc_ledger_copied *copied)
{
    struct sc_place place = sc_place_of(&ledger->places, copied->node);
    /* before any pointer into the items: a new account may move them */
    uint32_t line = line_at(ledger, &place);
    uint32_t function = function_at(ledger, &place);
    ledger->all.copied_bytes += copied->bytes;
    ledger->lines.items[line].copied_bytes += copied->bytes;
    ledger->functions.items[function].copied_bytes += copied->bytes;
    if (copied->points == 0)
        return;
    struct sc_sampled_bytes sample = {.line = line, .function = function};
    (void)follow(copied->succession, copied->bytes, copied->points, &sample);
    sc_succession_count(&ledger->lines.items[line].copy_scatter, &sample, sample.same_lines, 1);
    sc_succession_count(&ledger->functions.items[function].copy_scatter, &sample,
                        sample.same_functions, 1);
}

void sc_ledger_rss(struct sc_ledger *ledger, uint64_t time_ns, uint64_t bytes)
{
    sc_curve_add(&ledger->rss, time_ns, bytes);
}

static void finish(const struct sc_ledger *ledger, struct sc_ledger_account *account,
                   uint64_t end_ns, size_t points)
{
    struct sc_ledger_account until = *account;
    settle(ledger, &until, end_ns);
    age(&until, end_ns);
    account->at_peak_bytes = until.at_peak_bytes;
    account->peak_serial = until.peak_serial;
    account->mean_live_bytes = until.alive_ns > 0 ? until.live_byte_ns / until.alive_ns : 0;
    account->young_at_end = until.samples_young[0] + until.samples_young[1];
    sc_curve_finish(&account->curve, end_ns, points);
}

void sc_ledger_finish_line(const struct sc_ledger *ledger, struct sc_ledger_account *line,
                           uint64_t end_ns)
{
    finish(ledger, line, end_ns, LINE_POINTS);
}

void sc_ledger_finish(struct sc_ledger *ledger, uint64_t end_ns)
{
    finish(ledger, &ledger->all, end_ns, SC_CURVE_POINTS);
    for (size_t i = 0; i < ledger->lines.count; i++)
        sc_ledger_finish_line(ledger, &ledger->lines.items[i], end_ns);
    for (size_t i = 0; i < ledger->functions.count; i++)
        finish(ledger, &ledger->functions.items[i], end_ns, LINE_POINTS);
    for (uint32_t i = 0; i < ledger->stacks.count; i++)
        (void)settled_stack(ledger, i);
    sc_curve_finish(&ledger->rss, end_ns, SC_CURVE_POINTS);
}
