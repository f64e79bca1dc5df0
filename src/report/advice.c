/* report/advice.c - see advice.h. SPDX-License-Identifier: Apache-2.0 */
#include "report/advice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/loop_stacks.h"
#include "report/number.h"

/* Bytes of a piece of source in a sentence; longer ones are cut. */
#define TEXT_MAX 40U

bool sc_spot_is_native(const struct sc_spot *spot)
{
    return spot->kinds[SC_KIND_NATIVE] >= 0.5 * spot->percent;
}

/* What a node of the tree of calls is, to sc_spot_callee_percent. */
enum below { BELOW_OUTSIDE, BELOW_SPOT, BELOW_NAMED };

static enum below below_of(const struct sc_spot *spot, const struct sc_frame *frame,
                           enum below parent, const char *names)
{
    const struct sc_intern *texts = &spot->stacks->texts;
    const struct sc_statement *statement = sc_spot_statement(spot);
    bool is_own = frame->kind == SC_FRAME_PYTHON &&
                  strcmp(sc_intern_text(texts, frame->path), spot->file->name) == 0;
    if (is_own && frame->line >= statement->first_line && frame->line <= statement->last_line)
        return BELOW_SPOT;
    if (frame->kind == SC_FRAME_PYTHON)
        return BELOW_OUTSIDE; /* its time is that of another line */
    const char *name = sc_intern_text(texts, frame->name);
    bool is_named = names != NULL ? sc_is_among(name, names)
                                  : sc_begins_fork(name, sc_intern_text(texts, frame->path));
    if (parent == BELOW_SPOT && is_named)
        return BELOW_NAMED;
    return parent;
}

double sc_spot_callee_percent(const struct sc_spot *spot, const char *names)
{
    const struct sc_stacks *stacks = spot->stacks;
    double total_s = spot->report->overview.total_s;
    if (stacks == NULL || !stacks->is_timed || total_s <= 0.0)
        return -1.0;
    const struct sc_trie *trie = &stacks->tries[SC_GRAIN_LINE];
    enum below *below = sc_alloc(trie->nodes.count + 1, sizeof(*below));
    for (size_t i = 1; i < trie->nodes.count; i++)
        below[i] = below_of(spot, &stacks->frames.items[trie->nodes.items[i].frame],
                            below[trie->nodes.items[i].parent], names);
    double sum_s = 0.0;
    bool any = false;
    SC_EACH(const struct sc_listed_stack, stack, &stacks->lists[SC_STACKS_TIME]) {
        any = any || below[stack->node] != BELOW_OUTSIDE;
        if (below[stack->node] == BELOW_NAMED)
            sum_s += sc_clamp(stack->weight, 0.0, 1e10);
    }
    free(below);
    return any ? 100.0 * sum_s / total_s : -1.0;
}

char *sc_spot_text(const struct sc_spot *spot, uint32_t first, uint32_t end)
{
    const struct sc_code *code = spot->code;
    struct sc_str text = {0};
    sc_str_add(&text, "");
    size_t from = code->lexemes.items[first].start;
    size_t to = end > first ? code->lexemes.items[end - 1].end : from;
    for (size_t i = from; i < to; i++) {
        unsigned char byte = (unsigned char)code->text[i];
        bool is_blank = byte <= ' ';
        /* a character of several bytes is not parted */
        if (text.length >= TEXT_MAX && (byte & 0xc0) != 0x80) {
            sc_str_add(&text, "...");
            break;
        }
        if (is_blank && (text.length == 0 || text.data[text.length - 1] == ' '))
            continue;
        sc_str_add_char(&text, is_blank ? ' ' : (char)byte);
    }
    return text.data;
}

char *sc_spot_loop(const struct sc_spot *spot, const struct sc_repeat *repeat)
{
    const struct sc_statement *statement = sc_spot_statement(spot);
    if (!repeat->is_repeated)
        return sc_strdup("");
    if (repeat->loop_line >= statement->first_line && repeat->loop_line <= statement->last_line)
        return sc_strdup(" in a loop");
    return sc_format(" in the loop at line %u", repeat->loop_line);
}

void sc_advice_done(struct sc_advice *advice)
{
    free(advice->key);
    free(advice->fact);
    free(advice->instead);
    free(advice->evidence);
}

/* Adds what another spot of the same advice costs. Statements come in their order, so several spots
 * of a line follow each other; what is saved there is saved once. */
static void join(struct sc_advice *into, struct sc_advice *more)
{
    if (more->lineno == into->last_lineno) {
        double further = fmax(0.0, more->percent - into->last_percent);
        into->percent = fmin(100.0, into->percent + further);
        into->last_percent += further;
        sc_advice_done(more);
        return;
    }
    double percent = fmin(100.0, into->percent + more->percent);
    double error = hypot(into->error, more->error);
    unsigned spots = into->spots + 1;
    uint32_t last_lineno = more->last_lineno;
    double last_percent = more->last_percent;
    if (more->largest > into->largest) {
        struct sc_advice other = *into;
        *into = *more;
        *more = other;
    }
    sc_advice_done(more);
    into->percent = percent;
    into->error = error;
    into->spots = spots;
    into->last_lineno = last_lineno;
    into->last_percent = last_percent;
}

void sc_advise(const struct sc_spot *spot, const char *id, double percent, const char *key,
               char *fact, char *instead, char *evidence)
{
    percent = sc_clamp(percent, 0.0, spot->percent);
    struct sc_advice advice = {
        .id = id,
        .key = sc_strdup(key),
        .fact = fact,
        .instead = instead,
        .evidence = evidence,
        .file = spot->file,
        .lineno = spot->lineno,
        .percent = percent,
        .error = spot->percent > 0.0 ? spot->error * sqrt(percent / spot->percent) : 0.0,
        .largest = percent,
        .last_lineno = spot->lineno,
        .last_percent = percent,
        .spots = 1,
        .is_wait = spot->is_wait,
    };
    SC_EACH(struct sc_advice, other, spot->advices) {
        if (strcmp(other->id, id) == 0 && other->file == spot->file &&
            strcmp(other->key, key) == 0) {
            join(other, &advice);
            return;
        }
    }
    sc_vec_push(spot->advices, advice);
}

bool sc_advices_cover(const struct sc_advices *advices, const struct sc_file *file, uint32_t first,
                      uint32_t last)
{
    SC_EACH(const struct sc_advice, each, advices)
        if (each->file == file && each->lineno >= first && each->lineno <= last)
            return true;
    return false;
}

void sc_advices_done(struct sc_advices *advices)
{
    sc_vec_done_each(advices, sc_advice_done);
}
