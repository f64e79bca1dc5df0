/*
 * mcp/tools.h - the tools, and which commands they are.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <jansson.h>

#include "base/vec.h"
#include "mcp/mcp.h"

/* What a call of a tool runs. Initialise with {0}. */
struct sc_mcp_call {
    SC_VEC(char *) words; /* of this program's command line, without its name; owned */
    char *profile;        /* that it writes, and that is then shown; NULL. Owned */
    double limit_s;       /* after that it is interrupted */
    size_t items;         /* of a list in the answer */
    bool is_sparse;       /* of its JSON, what is 0 says nothing */
};

/* The answer to tools/list. To be freed. */
json_t *sc_mcp_tools(void);

enum sc_mcp_found { SC_MCP_CALL, SC_MCP_NO_TOOL, SC_MCP_REFUSED };

/* arguments: an object or NULL. err says why a call is refused. */
enum sc_mcp_found sc_mcp_call_init(const struct sc_mcp_settings *settings, const char *name,
                                   json_t *arguments, struct sc_mcp_call *call, struct sc_err *err);
void sc_mcp_call_done(struct sc_mcp_call *call);
