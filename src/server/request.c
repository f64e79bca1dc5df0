/* server/request.c - see request.h. SPDX-License-Identifier: Apache-2.0 */
#include "server/request.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "page/page.h"

bool sc_is_wanted(const struct sc_listener *listener)
{
    char byte;
    if (listener->ended != NULL && *listener->ended)
        return false;
    if (listener->fd < 0)
        return true;
    ssize_t got = recv(listener->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
}

void sc_response_done(struct sc_response *response)
{
    if (response->stream.done != NULL)
        response->stream.done(response->stream.state);
    sc_str_done(&response->text);
    free(response->location);
    *response = (struct sc_response){0};
}

void sc_response_fail(struct sc_response *response, enum sc_status status, const char *text)
{
    response->status = status;
    response->type = SC_TYPE_JSON;
    sc_str_clear(&response->text);
    sc_page_error(text, &response->text);
}
