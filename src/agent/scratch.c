/* agent/scratch.c - see scratch.h. SPDX-License-Identifier: Apache-2.0 */
#include "agent/scratch.h"

#include <stddef.h>

#include "agent/known_keys.h"
#include "agent/own_stack.h"
#include "agent/rules.h"
#include "agent/state.h"
#include "cpython/walk.h"

#define SCRATCHES    8U
#define ASKED_FOR_NS 1000000U
#define CODE_KEYS    2048U

static struct sc_scratch scratches[SCRATCHES];

/* Address of the frame that has taken the buffer; 0: it is free. */
static _Atomic uint64_t takers[SCRATCHES];

static _Atomic uint32_t unmappings;

/* Keys of code objects that were sent in this round. */
static struct sc_code_key_slot code_keys[CODE_KEYS];

void sc_scratch_unmapped(void)
{
    atomic_fetch_add_explicit(&unmappings, 1, memory_order_relaxed);
}

/* Hooks read the same few pages again and again: a page that was readable within the last
 * millisecond is not checked again, unless something has been unmapped since.
 *
 * Unmapping is seen where the program calls munmap, mremap, mprotect (also with a key) or a mmap
 * over a mapping: the interpreter unmaps its arenas and the chunks of its frames that way. It is
 * not seen where libc itself unmaps: large blocks and the end of the heap in free, stacks of
 * threads that have ended, libraries in dlclose. No read goes to such a page, for three reasons.
 *
 * First, all that a hook reads is alive while it reads: the thread state is its own thread's; a
 * frame reached from there is running or suspended in a caller, and keeps its code object alive,
 * which keeps its name and its line table; addresses on the stack are in libraries that are in use.
 * None of these is memory that has been freed.
 *
 * Second, pointers are wrong only while one stack is being replaced by another, as 3.11 and 3.12
 * keep the link to the frames on the C stack. greenlet corrects the thread state as soon as the
 * stack is in place. In between it only copies onto its own stack, for which no sample is taken
 * (own_stack.h), and frees, which reads no frames.
 *
 * Third, the stack of a thread whose start was seen is never among the remembered pages: only its
 * bounds are noted, while that thread reads, and not for other threads that use the buffer later.
 */
SC_SIGNAL_SAFE static void begin_reading(struct sc_scratch *scratch, uint64_t now_ns)
{
    struct sc_safe_reader *reader = &scratch->reader;
    uint32_t number = atomic_load_explicit(&unmappings, memory_order_acquire);
    bool is_fresh =
        now_ns != 0 && now_ns - scratch->asked_ns < ASKED_FOR_NS && number == scratch->unmappings;
    if (!is_fresh) {
        *reader = (struct sc_safe_reader){0};
        scratch->asked_ns = now_ns;
        scratch->unmappings = number;
    }
    sc_own_stack_find(&reader->sure_start, &reader->sure_end);
    scratch->reading++;
}

SC_SIGNAL_SAFE void sc_scratch_reclaim(uint64_t here)
{
    for (unsigned i = 0; i < SCRATCHES; i++) {
        uint64_t taker = atomic_load_explicit(&takers[i], memory_order_relaxed);
        if (taker == 0 || !sc_own_stack_is_abandoned(taker, here))
            continue;
        scratches[i].asked_ns = 0; /* it was left anywhere, so nothing in it counts */
        atomic_store_explicit(&takers[i], 0, memory_order_release);
    }
}

SC_SIGNAL_SAFE struct sc_scratch *sc_scratch_acquire(uint64_t now_ns)
{
    uint64_t here = (uint64_t)(uintptr_t)__builtin_frame_address(0);
    unsigned first = (unsigned)sc_agent_thread.tid;
    sc_scratch_reclaim(here);
    for (unsigned i = 0; i < SCRATCHES; i++) {
        unsigned at = (first + i) % SCRATCHES;
        uint64_t free = 0;
        if (atomic_compare_exchange_strong_explicit(&takers[at], &free, here, memory_order_acquire,
                                                    memory_order_relaxed)) {
            begin_reading(&scratches[at], now_ns);
            return &scratches[at];
        }
    }
    return NULL;
}

SC_SIGNAL_SAFE void sc_scratch_release(struct sc_scratch *scratch)
{
    atomic_store_explicit(&takers[scratch - scratches], 0, memory_order_release);
}

void sc_scratch_after_fork(void)
{
    for (unsigned i = 0; i < SCRATCHES; i++)
        atomic_store(&takers[i], 0);
}

SC_SIGNAL_SAFE void sc_scratch_read_of(struct sc_scratch *scratch, const struct sc_target *target,
                                       uint64_t state)
{
    const struct sc_layout *layout = &sc_agent.layout;
    uint64_t interpreter = 0;
    scratch->interpreter = 0;
    if (layout->is_id < 0 || !sc_target_read(target, state + (uint64_t)layout->ts_interp,
                                             &interpreter, sizeof(interpreter)))
        return;
    /* the main interpreter is part of the runtime: saves checking a page */
    bool is_main =
        interpreter - sc_agent.runtime < sc_agent.segment->facts.interpreter.runtime_size;
    scratch->interpreter = is_main ? 1 : sc_interpreter_number(layout, target, interpreter);
}

SC_SIGNAL_SAFE static uint64_t key_of(struct sc_scratch *scratch, const struct sc_code_namer *namer,
                                      struct sc_code_facts *facts)
{
    uint64_t token = sc_code_token(namer, facts);
    uint64_t key = token != 0 ? sc_code_key_find(namer, token) : 0;
    if (key != 0)
        return key;
    facts->key = token != 0 ? sc_code_key_make(namer, facts) : 0;
    if (facts->key == 0) {
        sc_agent_lose(SC_AGENT_LOSS_UNKNOWN_CODE);
        return 0;
    }
    if (!sc_announce(namer->target, facts, &scratch->texts))
        return 0;
    sc_code_key_keep(namer, token, facts->key);
    return facts->key;
}

SC_SIGNAL_SAFE uint64_t sc_scratch_key(struct sc_scratch *scratch, const struct sc_target *target,
                                       uint64_t code)
{
    struct sc_code_facts facts;
    unsigned at = (unsigned)(code >> 4) % SC_SEEN_CODES;
    if (scratch->seen[at].code == code && scratch->seen_in[at] == scratch->reading)
        return scratch->seen[at].key;
    if (!sc_code_read(&sc_agent.layout, target, code, &facts))
        return 0;
    struct sc_code_namer namer = {
        .layout = &sc_agent.layout,
        .target = target,
        .keys = {.slots = code_keys, .count = CODE_KEYS},
        .interpreter = scratch->interpreter,
        .epoch = sc_known_mixed(0),
        .directory = atomic_load_explicit(&sc_agent.directory_changes, memory_order_relaxed),
    };
    facts.key = key_of(scratch, &namer, &facts);
    scratch->seen[at].code = facts.key != 0 ? code : 0;
    scratch->seen[at].key = facts.key;
    scratch->seen_in[at] = scratch->reading;
    return facts.key;
}

SC_SIGNAL_SAFE size_t sc_loops_wanted(const struct sc_sample_frame *frames, uint32_t count)
{
    if (count == 0 || !sc_agent_thread.begins_in_python)
        return 0;
    size_t loops = 1;
    for (uint32_t i = 0; i < count; i++)
        loops += (frames[i].flags & SC_FRAME_CALLS_C) != 0;
    return loops;
}
