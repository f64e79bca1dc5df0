/* source/source.c - see source.h. SPDX-License-Identifier: Apache-2.0 */
#include "source/source.h"

#include "source/statements.h"

/* Lines end where Python ends them: \n, \r\n or \r, and nothing else. */
static void split_lines(struct sc_source *source)
{
    size_t start = 0;
    for (size_t at = 0; at < source->length; at++) {
        char byte = source->text[at];
        if (byte == '\r' && at + 1 < source->length && source->text[at + 1] == '\n')
            continue;
        if (byte != '\n' && byte != '\r')
            continue;
        sc_vec_push(&source->lines, (struct sc_source_line){start, at + 1 - start});
        start = at + 1;
    }
    if (start < source->length)
        sc_vec_push(&source->lines, (struct sc_source_line){start, source->length - start});
}

size_t sc_source_lines_at_most(const char *text, size_t length)
{
    size_t count = 1;
    for (size_t i = 0; i < length; i++)
        count += text[i] == '\n' || text[i] == '\r';
    return count;
}

void sc_source_init(struct sc_source *source, const char *text, size_t length)
{
    *source = (struct sc_source){.text = sc_strndup(text, length), .length = length};
    split_lines(source);
    sc_source_analyse(source);
}

void sc_source_done(struct sc_source *source)
{
    for (size_t i = 0; i < source->imports.count; i++)
        free(source->imports.items[i].module);
    sc_vec_done(&source->imports);
    sc_vec_free(&source->import_statements);
    sc_vec_done(&source->lines);
    sc_vec_done(&source->regions);
    sc_vec_done(&source->marks);
    free(source->text);
    *source = (struct sc_source){0};
}
