/*
 * cli/cmd_dump.c - `scalene dump`: the stacks of a running Python, now.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>

#include "cli/command.h"
#include "cli/dump_show.h"
#include "cli/help.h"
#include "cli/pid_word.h"
#include "observer/snapshot/snapshot.h"

static void dump(const struct sc_values *values, const char *word, struct sc_err *err)
{
    const struct sc_snapshot_wish wish = {
        .with_native = values->of[SC_OPT_DUMP_NATIVE].flag,
        .with_variables = values->of[SC_OPT_DUMP_LOCALS].flag,
    };
    struct sc_snapshot snapshot;
    struct sc_err cause = {0};
    SC_AUTO(sc_str_done) struct sc_str text = {0};
    pid_t pid = 0;
    if (!sc_pid_word_read("dump", word, &pid, err))
        return;
    if (sc_snapshot_take(pid, &wish, &snapshot, &cause)) {
        if (values->of[SC_OPT_DUMP_JSON].flag)
            sc_dump_show_json(&snapshot, &text);
        else
            sc_dump_show_text(&snapshot, &text);
        (void)fputs(sc_str_text(&text), stdout);
    } else {
        (void)sc_fail(err, cause.kind, "dump: process %d: %s", (int)pid, cause.text);
    }
    sc_snapshot_done(&snapshot);
}

int sc_cmd_dump(char *const *words, struct sc_err *err)
{
    SC_AUTO(sc_values_done) struct sc_values values;
    SC_AUTO_FREE struct sc_words operands = {0};
    sc_values_init(&values);
    if (sc_options_parse(SC_VERB_DUMP, words, &values, &operands, err)) {
        if (values.of[SC_OPT_DUMP_HELP].flag)
            sc_help_show(SC_VERB_DUMP, SC_GROUP_BASIC);
        else if (operands.count != 1)
            (void)sc_fail(err, SC_ERR_USAGE, "dump: name one process by its number");
        else
            dump(&values, operands.items[0], err);
    }
    return sc_err_status(err);
}
