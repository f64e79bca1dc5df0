/* observer/system/procfs_text.c - see procfs_text.h. SPDX-License-Identifier: Apache-2.0 */
#include "observer/system/procfs_text.h"

#include <stdlib.h>
#include <string.h>

/* Moves *text past a number; false when there is none. */
static bool take_number(const char **text, int base, uint64_t *ret_value)
{
    char *end = NULL;
    *ret_value = strtoull(*text, &end, base);
    bool found = end != *text;
    *text = end;
    return found;
}

bool sc_schedstat_parse(const char *text, struct sc_schedstat *ret)
{
    struct sc_schedstat stat;
    if (!take_number(&text, 10, &stat.run_ns) || !take_number(&text, 10, &stat.delay_ns) ||
        !take_number(&text, 10, &stat.slices))
        return false;
    *ret = stat;
    return true;
}

bool sc_blocked_parse(const char *text, struct sc_blocked *ret)
{
    char *end = NULL;
    *ret = (struct sc_blocked){.running = strncmp(text, "running", 7) == 0};
    if (ret->running)
        return true;
    ret->number = strtol(text, &end, 10);
    if (ret->number < 0)
        return true;
    const char *rest = end;
    for (int i = 0; i < 6; i++) {
        if (!take_number(&rest, 16, &ret->arguments[i]))
            return false;
    }
    return take_number(&rest, 16, &ret->stack) && take_number(&rest, 16, &ret->instruction);
}

bool sc_status_parse(const char *text, const char *field, uint64_t *ret_value)
{
    const char *found = strstr(text, field);
    if (found == NULL)
        return false;
    found += strlen(field);
    return take_number(&found, 10, ret_value);
}

/* The name is in parentheses and may hold parentheses itself: the last one ends it. */
struct sc_stat sc_stat_parse(const char *text)
{
    struct sc_stat stat = {0};
    const char *name_end = strrchr(text, ')');
    if (name_end == NULL || name_end[1] != ' ' || name_end[2] == '\0')
        return stat;
    stat.state = name_end[2];
    const char *rest = name_end + 3;
    for (size_t i = SC_STAT_PARENT; i < SC_STAT_PLACES; i++) {
        if (!take_number(&rest, 10, &stat.numbers[i]))
            break;
    }
    return stat;
}

uint64_t sc_statm_resident(const char *text)
{
    const char *blank = strchr(text, ' ');
    return blank != NULL ? strtoull(blank + 1, NULL, 10) : 0;
}

size_t sc_cmdline_join(char *text, size_t length)
{
    while (length > 0 && text[length - 1] == '\0')
        length--;
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\0' || text[i] == '\n')
            text[i] = ' ';
    }
    return length;
}
