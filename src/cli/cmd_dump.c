/*
 * cli/cmd_dump.c - `scalene dump`: the stacks of a running Python, now, or of a core file.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/dump_show.h"
#include "observer/snapshot/snapshot.h"

int sc_cmd_dump(const struct sc_values *values, const struct sc_words *operands, struct sc_err *err)
{
    const struct sc_snapshot_options wish = {
        .with_native = values->of[SC_OPT_DUMP_NATIVE].flag,
        .with_variables = values->of[SC_OPT_DUMP_LOCALS].flag,
    };
    SC_AUTO(sc_snapshot_done) struct sc_snapshot snapshot = {0};
    SC_AUTO(sc_str_done) struct sc_str text = {0};
    struct sc_err cause = {0};
    pid_t pid = 0;
    if (operands->count != 1)
        return sc_fail(err, SC_ERR_USAGE, "dump: name one process by its number, or one core file");
    const char *word = operands->items[0];
    bool is_file = word[strspn(word, "0123456789")] != '\0';
    if (!is_file && !sc_pid_word_read("dump", word, &pid, err))
        return 1;
    if (is_file && !sc_snapshot_take_core(word, &wish, &snapshot, &cause))
        return sc_fail(err, cause.kind, "dump: '%.200s': %s", word, cause.text);
    if (!is_file && !sc_snapshot_take(pid, &wish, &snapshot, &cause))
        return sc_fail(err, cause.kind, "dump: process %d: %s", (int)pid, cause.text);
    if (values->of[SC_OPT_DUMP_JSON].flag)
        sc_dump_show_json(&snapshot, &text);
    else
        sc_dump_show_text(&snapshot, &text);
    (void)fputs(sc_str_text(&text), stdout);
    return 0;
}
