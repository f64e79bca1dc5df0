/* report/loop_stacks.c - see loop_stacks.h. SPDX-License-Identifier: Apache-2.0 */
#include "report/loop_stacks.h"

#include <string.h>

#include "base/str.h"

/* What a frame is to a loop. */
enum role {
    ROLE_OWN,     /* the program's code, if a loop is above */
    ROLE_LIBRARY, /* Python out of scope */
    ROLE_LOOP,    /* runs callbacks */
    ROLE_UVLOOP,  /* likewise, but may also be called by the code that a loop runs */
    ROLE_INNARDS, /* of a loop */
    ROLE_POLL,    /* waits for events */
    ROLE_NATIVE,
    ROLE_PLUMBING, /* native, and not what the code has called */
    ROLE_APART, /* a task that waits, as another profiler marks it, or the start of a forked process
                 */
};

bool sc_begins_fork(const char *name, const char *path)
{
    return strcmp(sc_after_last(name, '.'), "_bootstrap") == 0 &&
           sc_ends_with(path, "/multiprocessing/process.py");
}

static enum role role_of_python(const struct sc_frame *frame, const char *name, const char *path)
{
    static const char runners[] = "run_forever _run_once _run";
    static const char trio_runners[] = "run unrolled_run";
    const char *last = sc_after_last(name, '.');
    if (sc_begins_fork(name, path) || sc_starts_with(name, "[await]"))
        return ROLE_APART;
    if (sc_ends_with_any(path, "/asyncio/base_events.py /asyncio/events.py"))
        return sc_is_among(last, runners) ? ROLE_LOOP : ROLE_INNARDS;
    if (strstr(path, "/asyncio/") != NULL && frame->kind == SC_FRAME_LIBRARY)
        return ROLE_INNARDS;
    if (sc_ends_with(path, "/trio/_core/_run.py"))
        return sc_is_among(last, trio_runners) ? ROLE_LOOP : ROLE_INNARDS;
    if (strstr(path, "/trio/") != NULL && frame->kind == SC_FRAME_LIBRARY)
        return strcmp(last, "get_events") == 0 ? ROLE_POLL : ROLE_INNARDS;
    if (sc_ends_with(path, "/selectors.py"))
        return strcmp(last, "select") == 0 ? ROLE_POLL : ROLE_INNARDS;
    return frame->kind == SC_FRAME_PYTHON ? ROLE_OWN : ROLE_LIBRARY;
}

static enum role role_of(const struct sc_stacks *stacks, const struct sc_frame *frame)
{
    static const char polls[] = "epoll_wait epoll_pwait epoll_pwait2 poll";
    const char *name = sc_intern_text(&stacks->texts, frame->name);
    const char *path = sc_intern_text(&stacks->texts, frame->path);
    if (sc_frame_is_python(frame))
        return role_of_python(frame, name, path);
    if (strstr(path, "/uvloop/loop") != NULL)
        return ROLE_UVLOOP;
    if (sc_is_among(name, polls))
        return ROLE_POLL;
    /* the interpreter's own functions (PyGen_am_send, _PyObject_Call) say nothing about a call */
    bool is_interpreter = sc_starts_with_any(name, "Py _Py");
    return frame->kind == SC_FRAME_PLUMBING || is_interpreter ? ROLE_PLUMBING : ROLE_NATIVE;
}

static const struct sc_loop_state outside = {SC_LOOP_NONE, SC_NONE, SC_NONE, SC_NONE};
static const struct sc_loop_state at_loop = {SC_LOOP_ITSELF, SC_NONE, SC_NONE, SC_NONE};

/* Native code, and that of libraries. */
static struct sc_loop_state below_other(struct sc_loop_state state, uint32_t frame, enum role role)
{
    if (state.part == SC_LOOP_OWN) {
        if (state.callee == SC_NONE && role != ROLE_PLUMBING)
            state.callee = frame;
    } else if (state.part == SC_LOOP_ITSELF && role == ROLE_LIBRARY) {
        state.part = SC_LOOP_LIBRARY;
    } else if (state.part == SC_LOOP_ITSELF && role == ROLE_POLL) {
        state.part = SC_LOOP_IDLE;
    }
    return state;
}

/* The state of a frame's node, from that of its caller's. */
static struct sc_loop_state below(struct sc_loop_state state, uint32_t frame, enum role role,
                                  bool is_coroutine)
{
    if (role == ROLE_APART)
        return outside;
    if (role == ROLE_LOOP) /* a loop within a loop: its tasks are kept waiting by what it runs */
        return at_loop;
    if (role == ROLE_UVLOOP && state.part == SC_LOOP_NONE)
        return at_loop;
    if (state.part == SC_LOOP_NONE)
        return state;
    if (role != ROLE_OWN)
        return below_other(state, frame, role);
    if (state.part != SC_LOOP_OWN || is_coroutine)
        state.coroutine = frame;
    state.part = SC_LOOP_OWN;
    state.own = frame;
    state.callee = SC_NONE;
    return state;
}

struct sc_loop_state *sc_loop_states(const struct sc_stacks *stacks, const bool *is_coroutine)
{
    const struct sc_trie *trie = &stacks->tries[SC_GRAIN_LINE];
    struct sc_loop_state *states = sc_alloc(trie->nodes.count, sizeof(*states));
    enum role *roles = sc_alloc(stacks->frames.count + 1, sizeof(*roles));
    for (size_t i = 0; i < stacks->frames.count; i++)
        roles[i] = role_of(stacks, &stacks->frames.items[i]);
    states[0] = outside;
    for (size_t i = 1; i < trie->nodes.count; i++) {
        const struct sc_trie_node *node = &trie->nodes.items[i];
        states[i] =
            below(states[node->parent], node->frame, roles[node->frame], is_coroutine[node->frame]);
    }
    free(roles);
    return states;
}
