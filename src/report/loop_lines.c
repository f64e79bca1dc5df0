/* report/loop_lines.c - see loop_lines.h. SPDX-License-Identifier: Apache-2.0 */
#include "report/loop_lines.h"

#include <string.h>

#include "source/code.h"

static const char runners[] =
    "asyncio.run trio.run curio.run anyio.run uvloop.run reactor.run uvicorn.run hypercorn.run "
    "app.run runner.run bot.run server.run run_app run_simple gevent.wait "
    "execute_from_command_line .run_app .run_forever .serve_forever .run_until_complete .run_sync "
    ".run_simple .mainloop .execute_from_command_line .start_serving";

static const char events[] = ".wait .serve_forever .wait_closed .Future";

static bool calls(const char *text, size_t length, const char *names)
{
    SC_AUTO(sc_code_done) struct sc_code code = {0};
    bool any = false;
    sc_code_init(&code, text, length);
    for (size_t i = 0; i < code.calls.count && !any; i++) {
        const char *name = sc_code_call_name(&code, &code.calls.items[i]);
        const char *last = strrchr(name, '.');
        /* the last is "tornado.ioloop.IOLoop.current().start()" */
        any = sc_call_is_one_of(name, names) ||
              (names == runners && last != NULL && strcmp(last, ".start") == 0 &&
               memmem(text, length, "IOLoop", 6) != NULL);
    }
    return any;
}

bool sc_line_runs_loop(const char *text, size_t length)
{
    return calls(text, length, runners);
}

bool sc_line_awaits_event(const char *text, size_t length)
{
    return calls(text, length, events);
}
