/*
 * render/ranks_json.c - what many ranks have done, as JSON.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "render/json_report.h"
#include "render/ranks.h"

#define FORMAT 1

static void place(struct sc_json_out *out, const struct sc_ranked_line *line)
{
    const char *text = line != NULL ? line->text + strspn(line->text, " \t") : "";
    SC_AUTO_FREE char *source = sc_strndup(text, strcspn(text, "\r\n"));
    sc_json_text_under(out, "file", line != NULL ? line->file : NULL);
    if (line != NULL)
        sc_json_count_under(out, "line", line->lineno);
    else
        sc_json_text_under(out, "line", NULL);
    sc_json_text_under(out, "source", line != NULL ? source : NULL);
}

static void rank_under(struct sc_json_out *out, const struct sc_ranks *ranks, uint32_t rank)
{
    sc_json_text_under(out, "rank", ranks->items.items[rank].name);
}

static void write_ranks(struct sc_json_out *out, const struct sc_ranks *ranks)
{
    sc_json_begin_under(out, "ranks", '[');
    for (uint32_t i = 0; i < ranks->items.count; i++) {
        const struct sc_one_rank *rank = &ranks->items.items[i];
        sc_json_begin(out, '{');
        rank_under(out, ranks, i);
        sc_json_text_under(out, "profile", rank->file);
        sc_json_count_under(out, "profiles", rank->profiles);
        sc_json_write_number(out, "elapsed_s", rank->elapsed_s);
        sc_json_write_number(out, "busy_s", rank->busy_s);
        sc_json_write_number(out, "waiting_s", rank->waiting_s);
        sc_json_write_number(out, "no_cpu_s", rank->left_out_s);
        sc_json_end(out, '}');
    }
    sc_json_end(out, ']');
}

static void write_straggler(struct sc_json_out *out, const struct sc_ranks *ranks,
                            const struct sc_straggler *one)
{
    sc_json_begin(out, '{');
    rank_under(out, ranks, one->rank);
    place(out, one->line);
    sc_json_write_number(out, "seconds", one->gap.time_s);
    sc_json_write_number(out, "others_s", one->gap.others_s);
    sc_json_write_number(out, "more_s", one->gap.more_s);
    sc_json_write_number(out, "error_s", one->gap.error_s);
    sc_json_write_number(out, "cost_s", one->cost_s);
    sc_json_begin_under(out, "meanwhile", '[');
    SC_EACH(const struct sc_mirror, mirror, &one->mirrors) {
        sc_json_begin(out, '{');
        place(out, mirror->line);
        sc_json_write_number(out, "seconds", mirror->time_s);
        sc_json_write_number(out, "others_s", mirror->others_s);
        sc_json_bool_under(out, "is_wait", mirror->is_wait);
        sc_json_end(out, '}');
    }
    sc_json_end(out, ']');
    sc_json_end(out, '}');
}

static void write_uneven(struct sc_json_out *out, const struct sc_ranks_view *shown)
{
    sc_json_begin_under(out, "uneven", '[');
    SC_EACH(const struct sc_uneven, one, &shown->stragglers->uneven) {
        sc_json_begin(out, '{');
        rank_under(out, shown->ranks, one->rank);
        place(out, one->line);
        sc_json_write_number(out, "most_s", one->most_s);
        sc_json_write_number(out, "mean_s", one->mean_s);
        sc_json_end(out, '}');
    }
    sc_json_end(out, ']');
}

void sc_render_ranks_json(const struct sc_ranks_view *shown, struct sc_str *ret_text)
{
    struct sc_json_out out = {.text = ret_text};
    const struct sc_stragglers *found = shown->stragglers;
    sc_json_begin(&out, '{');
    sc_json_count_under(&out, "format", FORMAT);
    sc_json_text_under(&out, "by", shown->ranks->by != NULL ? shown->ranks->by : "file");
    sc_json_texts_under(&out, "notes", shown->notes->items, shown->notes->count);
    sc_json_write_number(&out, "mean_busy_s", found->mean_s);
    sc_json_write_number(&out, "most_busy_s", found->most_s);
    write_ranks(&out, shown->ranks);
    sc_json_begin_under(&out, "stragglers", '[');
    for (size_t i = 0; i < found->items.count; i++)
        write_straggler(&out, shown->ranks, &found->items.items[i]);
    sc_json_end(&out, ']');
    write_uneven(&out, shown);
    sc_json_end(&out, '}');
    sc_str_add_char(ret_text, '\n');
}
