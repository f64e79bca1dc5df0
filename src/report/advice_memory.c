/*
 * report/advice_memory.c - rules on buffers that are made anew or copied each time, on garbage
 * collections that the program asks for, and on structures that are built again and again.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

#include "report/advice.h"
#include "report/number.h"

#define COPY_MIN_MB_S       100.0
#define COPY_MIN_PERCENT    5.0  /* of the run's time: less would change little */
#define CHURN_MIN_FRACTION  0.25 /* of all that was allocated */
#define CHURN_MIN_MB        100.0
#define CHURN_MIN_HELD_MB   0.05 /* a smaller buffer is not worth keeping */
#define CHURN_KEPT_FRACTION 0.1  /* of what a line allocates, alive at once at most */
#define CHURN_MIN_PERCENT   3.0  /* of the run's time */

#define FREEING_MIN_PERCENT 10.0 /* of the run's time */
#define FREEING_MIN_SHARE   0.5  /* of the line's own: each line that computes frees something */

/* What a statement does to make new memory. */
struct making {
    bool slices;     /* x[a:b] */
    bool copies;     /* x.copy(), bytes(x) ... */
    bool computes;   /* x * y, which gives a new array */
    bool is_library; /* calls something else that makes its result itself */
};

/* Whether a call makes its result from what is there already: a name or a number. What is given the
 * result of another call, or items one by one, makes something new. */
static bool is_of_one_object(const struct sc_spot *spot, const struct sc_call *call)
{
    const struct sc_code *code = spot->code;
    uint32_t first = 0;
    uint32_t end = 0;
    if (strchr(sc_code_call_name(code, call), '.') != NULL)
        return true; /* a method, or a function of numpy */
    if (!sc_code_argument(code, call, 0, NULL, &first, &end))
        return false;
    for (uint32_t i = first; i < end; i++) {
        if (sc_code_is_one_of(code, i, "( for"))
            return false;
    }
    return code->lexemes.items[first].kind != SC_LEXEME_STRING;
}

static struct making making_of(const struct sc_spot *spot)
{
    static const char copiers[] =
        "bytes bytearray .copy .astype .tobytes list numpy.array numpy.copy tuple dict copy.copy";
    static const char makers[] =
        "numpy.zeros numpy.empty numpy.ones numpy.full numpy.zeros_like numpy.empty_like";
    const struct sc_code *code = spot->code;
    const struct sc_statement *statement = sc_spot_statement(spot);
    struct making making = {0};
    for (uint32_t i = statement->first + 1; i < statement->end; i++) {
        enum sc_lexeme_kind before = code->lexemes.items[i - 1].kind;
        bool is_operand = before == SC_LEXEME_NAME || sc_code_is_one_of(code, i - 1, "] )");
        uint32_t match = code->matches.items[i];
        if (sc_code_is(code, i, "[") && is_operand && match != SC_NONE) {
            for (uint32_t k = i + 1; k < match; k++)
                making.slices = making.slices || sc_code_is(code, k, ":");
        }
        making.computes = making.computes || (is_operand && sc_code_is_one_of(code, i, "* + - /"));
    }
    SC_EACH_CALL(call, code, spot->statement) {
        const char *name = sc_code_call_name(code, call);
        if (sc_call_is_one_of(name, copiers) || sc_call_is_one_of(name, makers))
            making.copies = making.copies || is_of_one_object(spot, call);
        else if (strcmp(name, "len") != 0 && strcmp(name, "range") != 0)
            making.is_library = true;
    }
    return making;
}

/* A line that allocates much of everything, as one buffer after another, and keeps next to nothing
 * of it. Objects of Python are made anew whatever the line is: only memory that compiled code
 * takes, or bytes, can be used again. */
static void find_churn(const struct sc_spot *spot, const struct making *making, const char *loop)
{
    const struct sc_cost *cost = spot->cost;
    double held_mb = fmax(cost->peak_mb, cost->peak_allocated_mb);
    if (held_mb < CHURN_MIN_HELD_MB) /* small blocks that are freed at once: no buffer */
        return;
    if (cost->malloc_mb < CHURN_MIN_MB || cost->usage_fraction < CHURN_MIN_FRACTION ||
        held_mb > CHURN_KEPT_FRACTION * cost->malloc_mb || spot->percent < CHURN_MIN_PERCENT)
        return;
    bool is_array = cost->python_fraction < 0.5 && making->computes && !making->is_library;
    if (!is_array && !making->copies)
        return;
    sc_advise(
        spot, "churn", spot->percent, "",
        sc_format("allocates %s%s, %s of all, and never holds more than %s at once",
                  sc_number_megabytes(cost->malloc_mb).text, loop,
                  sc_number_percent(100.0 * sc_clamp(cost->usage_fraction, 0.0, 1.0)).text,
                  sc_number_megabytes(held_mb).text),
        sc_strdup("Work in place (a += b, out=, readinto), or make the buffer once before the "
                  "loop."),
        sc_strdup("the line makes one buffer after another and each is freed before the next "
                  "ones"));
}

static void find_copies(const struct sc_spot *spot, const struct making *making, const char *loop)
{
    const struct sc_cost *cost = spot->cost;
    if (!(cost->copy_mb_s >= COPY_MIN_MB_S) || spot->percent < COPY_MIN_PERCENT ||
        making->is_library || (!making->slices && !making->copies))
        return;
    sc_advise(spot, "copies", spot->percent, "",
              sc_format("copies %s per second%s", sc_number_megabytes(cost->copy_mb_s).text, loop),
              sc_strdup(making->slices ? "Use a memoryview or keep an index, so that a part is not "
                                         "copied each time."
                                       : "Use the object itself, or a view of it."),
              sc_strdup("the copies were measured at this line"));
}

static void find_collect(const struct sc_spot *spot)
{
    const struct sc_code *code = spot->code;
    SC_EACH_CALL(call, code, spot->statement) {
        struct sc_repeat repeat = sc_code_repeat(code, spot->statement, call->open);
        if (strcmp(sc_code_call_name(code, call), "gc.collect") != 0 || !repeat.is_repeated)
            continue;
        SC_AUTO_FREE char *loop = sc_spot_loop(spot, &repeat);
        sc_advise(spot, "garbage_collection", spot->percent, "",
                  sc_format("has all objects searched for garbage%s (gc.collect)", loop),
                  sc_strdup("Leave it out: Python collects by itself, and most objects are freed "
                            "without it; or collect once behind the loop."),
                  sc_strdup("gc.collect visits every container object that is alive"));
    }
}

/* A line of a loop that has what it built taken apart again: freeing is done object by object. What
 * is freed as the program ends is in no loop. */
static void find_freeing(const struct sc_spot *spot, const char *loop)
{
    double total_s = spot->report->overview.total_s;
    double freeing_s = sc_clamp(spot->cost->freeing_s, 0.0, 1e9);
    double percent = total_s > 0.0 ? fmin(100.0, 100.0 * freeing_s / total_s) : 0.0;
    if (percent < FREEING_MIN_PERCENT || percent < FREEING_MIN_SHARE * spot->percent)
        return;
    sc_advise(
        spot, "freeing", percent, "",
        sc_format("frees what was made in the round before, object by object%s", loop),
        sc_strdup("Keep the structure and change it, or build it of fewer and larger parts "
                  "(arrays, tuples, __slots__)."),
        sc_format("freeing objects takes %s at this line", sc_number_duration(freeing_s).text));
}

void sc_advise_memory(const struct sc_spot *spot)
{
    find_collect(spot);
    struct sc_repeat repeat =
        sc_code_repeat(spot->code, spot->statement, sc_spot_statement(spot)->first);
    if (!repeat.is_repeated ||
        sc_advices_cover(spot->advices, spot->file, spot->lineno, spot->lineno))
        return;
    SC_AUTO_FREE char *loop = sc_spot_loop(spot, &repeat);
    struct making making = making_of(spot);
    size_t before = spot->advices->count;
    find_freeing(spot, loop);
    find_churn(spot, &making, loop);
    if (spot->advices->count == before)
        find_copies(spot, &making, loop);
}
