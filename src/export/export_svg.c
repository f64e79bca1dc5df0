/*
 * export/export_svg.c - the calls as one picture, from the outermost at its top to the innermost.
 *
 * A box is a function below its caller, as wide as its time with what it called. The picture needs
 * no script and no other file: what a box is says its title, which a browser shows at the pointer.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "base/utf8.h"
#include "export/samples.h"
#include "export/writers.h"
#include "report/number.h"

#define WIDTH      1200.0
#define MARGIN     10
#define TOP        44 /* of the first row */
#define ROW        17
#define BOX        16
#define CHARACTER  6.7 /* its width in this font, about; of others than ASCII twice that */
#define NARROWEST  0.3 /* of a box that is drawn */
#define LEAST_TEXT 3   /* characters */

struct box {
    uint32_t parent;
    uint32_t function;
    uint32_t depth;
    double total;
    double from;   /* its left edge, and that of its next child, in the unit of total */
    double filled; /* what its children before have */
};

struct picture {
    struct sc_export_samples samples;
    SC_VEC(struct box) boxes; /* 0: the whole; parents come before their children */
    struct sc_map index;
    struct sc_str *text;
};

static const char style[] =
    "<style>\n"
    "svg{background:#fff;font:11px monospace}text{fill:#111;pointer-events:none}"
    "rect{stroke:#fff;stroke-width:.5}.head{font-size:14px}\n"
    ".k0{fill:#8ec5f5}.k1{fill:#c3d6e8}.k2{fill:#f2b680}.k3{fill:#e3d3c2}.k4{fill:#b9dca4}\n"
    "g:hover rect{stroke:#111;stroke-width:1}\n"
    "@media(prefers-color-scheme:dark){svg{background:#16181d}text{fill:#eee}"
    "rect{stroke:#16181d}g:hover rect{stroke:#eee}\n"
    ".k0{fill:#1f5f99}.k1{fill:#3d5166}.k2{fill:#8f4f13}.k3{fill:#5e4f40}.k4{fill:#3b6b27}}\n"
    "</style>\n";

/* U+FFFE and U+FFFF are no characters of XML. */
static void add_escaped(struct sc_str *text, const char *words, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        const char *entity = words[i] == '&'   ? "&amp;"
                             : words[i] == '<' ? "&lt;"
                             : words[i] == '>' ? "&gt;"
                             : words[i] == '"' ? "&quot;"
                                               : NULL;
        bool is_none = length - i >= 3 && memcmp(words + i, "\xef\xbf", 2) == 0 &&
                       ((unsigned char)words[i + 2] & 0xbe) == 0xbe;
        if (is_none) {
            sc_str_add(text, "?");
            i += 2;
        } else if (entity != NULL) {
            sc_str_add(text, entity);
        } else {
            sc_str_add_char(text, words[i]);
        }
    }
}

/* The box of a function below another. */
static uint32_t box_of(struct picture *picture, uint32_t parent, uint32_t function)
{
    uint64_t key = (uint64_t)parent << 32 | function;
    uint32_t at = sc_map_get(&picture->index, key);
    if (at != SC_NONE)
        return at;
    at = (uint32_t)picture->boxes.count;
    sc_map_put(&picture->index, key, at);
    uint32_t depth = parent > 0 ? picture->boxes.items[parent].depth + 1 : 0;
    sc_vec_push(&picture->boxes,
                (struct box){.parent = parent, .function = function, .depth = depth});
    return at;
}

static void add_boxes(struct picture *picture)
{
    const struct sc_export_samples *samples = &picture->samples;
    const double *time = samples->self[SC_EXPORT_TIME];
    SC_AUTO_FREE uint32_t *boxes = sc_alloc(samples->nodes.count, sizeof(*boxes));
    sc_vec_push(&picture->boxes, (struct box){.function = SC_NONE});
    for (size_t i = 1; i < samples->nodes.count; i++) {
        const struct sc_export_node *node = &samples->nodes.items[i];
        boxes[i] =
            box_of(picture, boxes[node->parent], samples->frames.items[node->frame].function);
        picture->boxes.items[boxes[i]].total += time != NULL ? time[i] : 0;
    }
    for (size_t i = picture->boxes.count; i-- > 1;)
        picture->boxes.items[picture->boxes.items[i].parent].total += picture->boxes.items[i].total;
    for (size_t i = 1; i < picture->boxes.count; i++) {
        struct box *box = &picture->boxes.items[i];
        struct box *parent = &picture->boxes.items[box->parent];
        box->from = parent->from + parent->filled;
        parent->filled += box->total;
    }
}

/* "1.21 s", "12 samples". Owned. */
static char *amount_of(const struct picture *picture, double total)
{
    return picture->samples.is_timed
               ? sc_strdup(sc_number_duration(total / 1e9).text)
               : sc_format("%s samples", sc_number_count((uint64_t)sc_export_whole(total)).text);
}

static void add_text(struct picture *picture, const char *shown, double x, double y, double width)
{
    size_t length = 0;
    size_t characters = 0;
    size_t left = strlen(shown);
    double used = 0;
    while (left > 0) {
        size_t size = sc_utf8_length(shown + length, left);
        used += size > 1 ? 2 * CHARACTER : CHARACTER;
        if (size == 0 || used > width)
            break;
        length += size;
        left -= size;
        characters++;
    }
    if (left > 0 && characters < LEAST_TEXT)
        return;
    sc_str_add_format(picture->text, "<text x=\"%.1f\" y=\"%.0f\">", x, y);
    add_escaped(picture->text, shown, length);
    sc_str_add(picture->text, "</text>");
}

static void add_box(struct picture *picture, const struct box *box)
{
    const struct sc_export_function *function = &picture->samples.functions.items[box->function];
    double whole = picture->boxes.items[0].total;
    double scale = (WIDTH - 2 * MARGIN) / whole;
    double x = MARGIN + box->from * scale;
    double y = TOP + (double)box->depth * ROW;
    SC_AUTO_FREE char *amount = amount_of(picture, box->total);
    sc_str_add(picture->text, "<g><title>");
    add_escaped(picture->text, function->shown, strlen(function->shown));
    sc_str_add_format(picture->text,
                      "\n%s, %.2f%%</title><rect class=\"k%u\" x=\"%.2f\" y=\"%.0f\" "
                      "width=\"%.2f\" height=\"%d\"/>",
                      amount, 100 * box->total / whole, (unsigned)function->kind, x, y,
                      box->total * scale, BOX);
    add_text(picture, function->shown, x + 2, y + BOX - 4, box->total * scale - 4);
    sc_str_add(picture->text, "</g>\n");
}

static void add_head(struct picture *picture, unsigned rows)
{
    static const char *const kinds[] = {"Python", "library", "native", "passes calls on", "kernel"};
    struct sc_intern *texts = &picture->samples.texts;
    const char *program =
        sc_export_text(texts, sc_after_last(picture->samples.profile->program, '/'));
    SC_AUTO_FREE char *amount = amount_of(picture, picture->boxes.items[0].total);
    int height = TOP + (int)rows * ROW + MARGIN;
    sc_str_add_format(picture->text,
                      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %d\" "
                      "width=\"%.0f\" height=\"%d\">\n",
                      WIDTH, height, WIDTH, height);
    sc_str_add_format(picture->text, "%s<text class=\"head\" x=\"%d\" y=\"22\">", style, MARGIN);
    add_escaped(picture->text, program, strlen(program));
    sc_str_add_format(picture->text, ": %s</text>\n", amount);
    for (unsigned kind = 0; kind < sizeof(kinds) / sizeof(kinds[0]); kind++)
        sc_str_add_format(picture->text,
                          "<rect class=\"k%u\" x=\"%u\" y=\"29\" width=\"9\" height=\"9\"/>"
                          "<text x=\"%u\" y=\"38\">%s</text>\n",
                          kind, MARGIN + kind * 130, MARGIN + kind * 130 + 14, kinds[kind]);
}

void sc_export_svg(const struct sc_profile *profile, struct sc_str *ret_bytes)
{
    struct picture picture = {.text = ret_bytes};
    unsigned rows = 0;
    sc_export_samples_init(&picture.samples, profile);
    add_boxes(&picture);
    double least = picture.boxes.items[0].total * NARROWEST / WIDTH;
    for (size_t i = 1; i < picture.boxes.count; i++) {
        const struct box *box = &picture.boxes.items[i];
        if (box->total > least && box->depth >= rows)
            rows = box->depth + 1;
    }
    add_head(&picture, rows);
    for (size_t i = 1; i < picture.boxes.count; i++) {
        if (picture.boxes.items[i].total > least)
            add_box(&picture, &picture.boxes.items[i]);
    }
    sc_str_add(ret_bytes, "</svg>\n");
    sc_vec_done(&picture.boxes);
    sc_map_done(&picture.index);
    sc_export_samples_done(&picture.samples);
}
