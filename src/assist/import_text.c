/* assist/import_text.c - see import_text.h. SPDX-License-Identifier: Apache-2.0 */
#include "assist/import_text.h"

#include <stdbool.h>
#include <string.h>

int sc_ai_brackets(const char *line, size_t length)
{
    int depth = 0;
    for (size_t i = 0; i < length && line[i] != '#'; i++)
        depth += (line[i] == '(') - (line[i] == ')');
    return depth;
}

size_t sc_ai_import_length(const char *text, size_t left)
{
    size_t length = 0;
    int depth = 0;
    bool goes_on = true;
    while (goes_on && length < left) {
        const char *line = text + length;
        const char *feed = memchr(line, '\n', left - length);
        size_t size = feed != NULL ? (size_t)(feed - line) + 1 : left - length;
        size_t end = strcspn(line, "\r\n");
        depth += sc_ai_brackets(line, size);
        goes_on = depth > 0 || (end > 0 && line[end - 1] == '\\');
        length += size;
    }
    return goes_on ? 0 : length;
}
