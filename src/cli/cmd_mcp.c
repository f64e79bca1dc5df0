/*
 * cli/cmd_mcp.c - `scalene mcp`: a server for coding agents.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/child.h"
#include "cli/command.h"
#include "mcp/mcp.h"

int sc_cmd_mcp(const struct sc_values *values, const struct sc_words *operands, struct sc_err *err)
{
    (void)operands;
    const char *folder = sc_value_given(&values->of[SC_OPT_MCP_ROOT]);
    const struct sc_value *list = &values->of[SC_OPT_MCP_ALLOW];
    SC_AUTO_FREE char *root = realpath(folder != NULL ? folder : ".", NULL);
    if (root == NULL || chdir(root) != 0)
        return sc_fail_errno(err, errno, "mcp: '%.200s' is no folder that can be used",
                             folder != NULL ? folder : ".");
    SC_AUTO_FREE char *self = sc_own_executable();
    SC_AUTO_FREE struct sc_words allowed = {0};
    for (size_t i = 0; i < list->list.count; i++)
        sc_vec_push(&allowed, list->list.items[i]);
    sc_vec_push(&allowed, NULL);
    const struct sc_mcp_settings settings = {
        .executable = self,
        .root = root,
        .python = sc_value_given(&values->of[SC_OPT_MCP_PYTHON]),
        .allowed = allowed.items,
    };
    (void)sc_mcp_serve(&settings, STDIN_FILENO, STDOUT_FILENO, err);
    return 0;
}
