/* assist/wipe.c - see wipe.h. SPDX-License-Identifier: Apache-2.0 */
#include "assist/wipe.h"

#include <stdlib.h>
#include <string.h>

void sc_ai_wipe(char *text)
{
    if (text != NULL)
        explicit_bzero(text, strlen(text));
    free(text);
}

void sc_ai_wipe_str(struct sc_str *str)
{
    if (str->data != NULL)
        explicit_bzero(str->data, str->capacity);
    sc_str_done(str);
}
