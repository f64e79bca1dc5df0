/* observer/system/procfs_text.c - see procfs_text.h. SPDX-License-Identifier: Apache-2.0 */
#include "observer/system/procfs_text.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum {
    STATE = 3,
    PARENT = 4,
    TICKS = 14,
    CHILDREN_TICKS = 16,
    THREADS = 20,
    PROCESSOR = 39,
    EXIT_STATUS = 52
};

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
const char *sc_stat_field(const char *text, int number)
{
    const char *name_end = strrchr(text, ')');
    if (name_end == NULL || name_end[1] != ' ')
        return NULL;
    const char *field = name_end + 2;
    for (int i = STATE; i < number; i++) {
        field = strchr(field, ' ');
        if (field == NULL)
            return NULL;
        field++;
    }
    return *field != '\0' ? field : NULL;
}

char sc_stat_state(const char *text, pid_t *ret_parent)
{
    const char *state = sc_stat_field(text, STATE);
    const char *parent = sc_stat_field(text, PARENT);
    *ret_parent = parent != NULL ? (pid_t)strtol(parent, NULL, 10) : 0;
    return state != NULL ? *state : '\0';
}

bool sc_stat_is_over(const char *text)
{
    const char *state = sc_stat_field(text, STATE);
    const char *threads = sc_stat_field(text, THREADS);
    return state == NULL || *state == 'X' ||
           (*state == 'Z' && (threads == NULL || strtol(threads, NULL, 10) <= 1));
}

bool sc_stat_zombie(const char *text, int *ret_status)
{
    const char *state = sc_stat_field(text, STATE);
    const char *status = sc_stat_field(text, EXIT_STATUS);
    if (state == NULL || *state != 'Z' || status == NULL)
        return false;
    int found = (int)strtol(status, NULL, 10);
    if (found == 0) /* 0 also stands for a status that may not be read */
        return false;
    *ret_status = found;
    return true;
}

/* User's from the field of that number on, then the kernel's. */
static bool take_ticks(const char *text, int number, struct sc_cpu_ticks *ret)
{
    const char *field = sc_stat_field(text, number);
    struct sc_cpu_ticks ticks;
    if (field == NULL || !take_number(&field, 10, &ticks.user) ||
        !take_number(&field, 10, &ticks.kernel))
        return false;
    *ret = ticks;
    return true;
}

bool sc_stat_ticks(const char *text, struct sc_cpu_ticks *ret)
{
    return take_ticks(text, TICKS, ret);
}

bool sc_stat_children(const char *text, uint64_t *ret_ticks)
{
    struct sc_cpu_ticks ticks;
    if (!take_ticks(text, CHILDREN_TICKS, &ticks))
        return false;
    *ret_ticks = ticks.user + ticks.kernel;
    return true;
}

int sc_stat_processor(const char *text)
{
    const char *field = sc_stat_field(text, PROCESSOR);
    uint64_t number = 0;
    return field != NULL && take_number(&field, 10, &number) && number <= INT_MAX ? (int)number
                                                                                  : -1;
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
