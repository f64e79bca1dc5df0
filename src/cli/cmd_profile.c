/*
 * cli/cmd_profile.c - `scalene profile`: switches the profiling of a running program on and off.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>

#include "cli/command.h"
#include "cli/help.h"
#include "observer/link/control_client.h"

static void send_order(const struct sc_values *values, struct sc_err *err)
{
    const struct sc_value *of = values->of;
    struct sc_err cause = {0};
    bool is_on = false;
    if (of[SC_OPT_PROFILE_ON].flag == of[SC_OPT_PROFILE_OFF].flag)
        (void)sc_fail(err, SC_ERR_USAGE, "profile: name one of --on and --off");
    else if (of[SC_OPT_PROFILE_PID].source == SC_FROM_DEFAULT)
        (void)sc_fail(err, SC_ERR_USAGE, "profile: --pid names the program's process");
    else if (sc_control_send(of[SC_OPT_PROFILE_ON].flag ? "on" : "off",
                             (pid_t)of[SC_OPT_PROFILE_PID].count, &is_on, &cause))
        (void)printf("scalene: profiling is %s\n", is_on ? "on" : "off");
    else
        (void)sc_fail(err, cause.kind, "profile: %s", cause.text);
}

int sc_cmd_profile(char *const *words, struct sc_err *err)
{
    SC_AUTO(sc_values_done) struct sc_values values;
    SC_AUTO_FREE struct sc_words operands = {0};
    sc_values_init(&values);
    if (sc_options_parse(SC_VERB_PROFILE, words, &values, &operands, err)) {
        if (values.of[SC_OPT_PROFILE_HELP].flag)
            sc_help_show(SC_VERB_PROFILE, SC_GROUP_BASIC);
        else if (operands.count > 0)
            (void)sc_fail(err, SC_ERR_USAGE, "profile: '%.100s' is no option", operands.items[0]);
        else
            send_order(&values, err);
    }
    return sc_err_status(err);
}
