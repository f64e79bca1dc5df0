/*
 * cli/cmd_mcp.c - `scalene mcp`: a server for coding agents.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/help.h"
#include "mcp/mcp.h"

static bool serve(const struct sc_values *values, struct sc_err *err)
{
    const char *folder = sc_value_given(&values->of[SC_OPT_MCP_ROOT]);
    const struct sc_value *list = &values->of[SC_OPT_MCP_ALLOW];
    SC_AUTO_FREE char *root = realpath(folder != NULL ? folder : ".", NULL);
    SC_AUTO_FREE char *self = realpath("/proc/self/exe", NULL);
    if (root == NULL || access(root, X_OK) != 0 || chdir(root) != 0)
        return sc_fail_errno(err, errno, "mcp: '%.200s' is no folder that can be used",
                             folder != NULL ? folder : ".");
    if (self == NULL)
        return sc_fail_errno(err, errno, "mcp: the command itself cannot be found");
    struct sc_words allowed = {0};
    for (size_t i = 0; i < list->list.count; i++)
        sc_vec_push(&allowed, list->list.items[i]);
    sc_vec_push(&allowed, NULL);
    const struct sc_mcp_settings settings = {
        .executable = self,
        .root = root,
        .python = sc_value_given(&values->of[SC_OPT_MCP_PYTHON]),
        .allowed = allowed.items,
    };
    bool is_good = sc_mcp_serve(&settings, STDIN_FILENO, STDOUT_FILENO, err);
    sc_vec_done(&allowed);
    return is_good;
}

int sc_cmd_mcp(char *const *words, struct sc_err *err)
{
    struct sc_values values;
    struct sc_words operands = {0};
    sc_values_init(&values);
    if (sc_options_parse(SC_VERB_MCP, words, &values, &operands, err)) {
        if (values.of[SC_OPT_MCP_HELP].flag)
            sc_help_show(SC_VERB_MCP, SC_GROUP_BASIC);
        else if (operands.count > 0)
            (void)sc_fail(err, SC_ERR_USAGE, "mcp: '%.100s' is no option", operands.items[0]);
        else
            (void)serve(&values, err);
    }
    sc_vec_done(&operands);
    sc_values_done(&values);
    return sc_err_status(err);
}
