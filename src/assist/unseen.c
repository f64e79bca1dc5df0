/*
 * assist/unseen.c - characters in a proposal that a reader cannot see, or would see as others.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "assist/unseen.h"

#include "base/visible.h"

#define SENTENCES_MAX 10

/* What the character does, for those that are most often used to disguise code. */
static const char *meaning_of(uint32_t character)
{
    if (character == 0x061c || character == 0x200e || character == 0x200f ||
        (character >= 0x202a && character <= 0x202e) ||
        (character >= 0x2066 && character <= 0x2069))
        return ", which changes the order in which text is shown";
    if (character == 0x2028 || character == 0x2029 || character == 0x85)
        return ", which looks like the end of a line";
    if (character == '\r')
        return ", which ends the line for Python";
    return character < 0x20 || (character >= 0x7f && character < 0xa0) ? ", a control character"
                                                                       : ", which cannot be seen";
}

void sc_ai_unseen_find(const struct sc_diff *diff, struct sc_ai_sentences *ret_sentences)
{
    for (size_t i = 0; i < diff->rows.count && ret_sentences->count < SENTENCES_MAX; i++) {
        const struct sc_diff_row *row = &diff->rows.items[i];
        size_t length = row->length;
        size_t offset = 0;
        if (row->kind != SC_DIFF_ADDED)
            continue;
        if (length > 0 && row->text[length - 1] == '\r') /* its end, in files of another system */
            length--;
        uint32_t character = sc_next_unseen(row->text, length, &offset);
        if (character != 0)
            sc_vec_push(ret_sentences,
                        sc_format("line %u would have the character U+%04X in it%s",
                                  row->new_lineno, (unsigned)character, meaning_of(character)));
    }
}
