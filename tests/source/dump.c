/*
 * tests/source/dump.c - prints what src/source finds in files, for comparison with Python's parser.
 *
 * Reads paths, one per line, from its input. Output per file, numbers as in source.h:
 *   F <lines> <path>
 *   R <region, loop and function ranges: six numbers>    for each line
 *   S <line> <start> <length> <token>                     for each span that is not plain
 *   I <module><tab><statement>                            for each import
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <string.h>

#include "base/io.h"
#include "source/source.h"

#define FILE_LIMIT ((size_t)64 << 20)

static void dump_spans(const struct sc_source *source)
{
    struct sc_spans spans = {0};
    for (size_t line = 0; line < source->lines.count; line++) {
        spans.count = 0;
        sc_source_highlight(source, line, &spans);
        for (size_t i = 0; i < spans.count; i++) {
            const struct sc_span *span = &spans.items[i];
            if (span->token != SC_TOKEN_TEXT)
                printf("S %zu %zu %zu %d\n", line, span->start, span->length, (int)span->token);
        }
    }
    sc_vec_done(&spans);
}

static void dump(const char *path, const struct sc_source *source)
{
    printf("F %zu %s\n", source->lines.count, path);
    for (size_t i = 0; i < source->regions.count; i++) {
        const struct sc_region *region = &source->regions.items[i];
        printf("R %u %u %u %u %u %u\n", region->start_region_line, region->end_region_line,
               region->start_outermost_loop, region->end_outermost_loop,
               region->start_function_line, region->end_function_line);
    }
    dump_spans(source);
    for (size_t i = 0; i < source->imports.count; i++)
        printf("I %s\t%s\n", source->imports.items[i].module, source->imports.items[i].statement);
}

int main(void)
{
    char path[4096];
    while (fgets(path, sizeof(path), stdin) != NULL) {
        path[strcspn(path, "\n")] = '\0';
        struct sc_err err = {0};
        struct sc_str text = {0};
        if (!sc_read_file(path, FILE_LIMIT, &text, &err)) {
            fprintf(stderr, "%s\n", err.text);
            return sc_err_status(&err);
        }
        struct sc_source source;
        sc_source_init(&source, sc_str_text(&text), text.length);
        dump(path, &source);
        sc_source_done(&source);
        sc_str_done(&text);
    }
    return 0;
}
