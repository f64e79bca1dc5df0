/* mcp/channel.c - see channel.h. SPDX-License-Identifier: Apache-2.0 */
#include "mcp/channel.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

/* The longest line that is taken. Requests name programs and files; none is long. */
#define LINE_MAX_BYTES (1U << 20)

#define PART_BYTES 4096U /* a pipe that takes something takes so much, without waiting */
#define LOOK_MS    200   /* between two looks whether the server is stopping */

void sc_mcp_channel_done(struct sc_mcp_channel *channel)
{
    sc_str_done(&channel->read);
    json_decref(channel->batch);
}

void sc_mcp_send(struct sc_mcp_channel *channel, json_t *message)
{
    SC_AUTO_FREE char *text = json_dumps(message, JSON_COMPACT);
    json_decref(message);
    SC_AUTO(sc_str_done) struct sc_str line = {0};
    sc_str_add(&line, text != NULL ? text : "{}");
    sc_str_add_char(&line, '\n');
    for (size_t at = 0; at < line.length && !channel->has_failed;) {
        size_t rest = line.length - at;
        if (poll(&(struct pollfd){.fd = channel->out, .events = POLLOUT}, 1, LOOK_MS) > 0) {
            ssize_t written =
                write(channel->out, line.data + at, rest < PART_BYTES ? rest : PART_BYTES);
            at += written > 0 ? (size_t)written : 0;
            channel->has_failed = written < 0 && errno != EAGAIN && errno != EINTR;
        } else if (*channel->is_stopping != 0) {
            channel->has_failed = true;
        }
    }
}

void sc_mcp_reply(struct sc_mcp_channel *channel, json_t *id, json_t *result)
{
    sc_mcp_send(channel,
                json_pack("{s:s, s:O, s:o}", "jsonrpc", "2.0", "id", id, "result", result));
}

void sc_mcp_reply_error(struct sc_mcp_channel *channel, json_t *id, int code, const char *text)
{
    sc_mcp_send(channel, json_pack("{s:s, s:O, s:{s:i, s:s}}", "jsonrpc", "2.0", "id", id, "error",
                                   "code", code, "message", text));
}

/* Reads what is there. False when nothing came in that time. */
static bool fill(struct sc_mcp_channel *channel, int timeout_ms)
{
    struct pollfd in = {.fd = channel->in, .events = POLLIN};
    if (poll(&in, 1, timeout_ms) <= 0)
        return false;
    char bytes[4096];
    ssize_t count = read(channel->in, bytes, sizeof(bytes));
    if (count > 0)
        sc_str_add_bytes(&channel->read, bytes, (size_t)count);
    else if (count == 0 || (errno != EINTR && errno != EAGAIN))
        channel->has_ended = true;
    return count > 0;
}

/* Takes a line out of what was read, without its end. */
static bool take_line(struct sc_mcp_channel *channel, struct sc_str *ret_line)
{
    struct sc_str *read = &channel->read;
    const char *end = read->length > 0 ? memchr(read->data, '\n', read->length) : NULL;
    bool is_long = read->length > LINE_MAX_BYTES;
    if (end == NULL) {
        channel->is_skipping |= is_long;
        if (is_long)
            sc_str_clear(read);
        return false;
    }
    size_t length = (size_t)(end - read->data);
    if (channel->is_skipping)
        sc_str_add(ret_line, "?"); /* is no JSON, as what was too long shall be taken */
    else
        sc_str_add_bytes(ret_line, read->data, length);
    channel->is_skipping = false;
    memmove(read->data, end + 1, read->length - length - 1);
    read->length -= length + 1;
    return true;
}

json_t *sc_mcp_receive(struct sc_mcp_channel *channel, int timeout_ms)
{
    for (;;) {
        json_t *message = json_incref(json_array_get(channel->batch, channel->batch_at++));
        if (message == NULL) {
            SC_AUTO(sc_str_done) struct sc_str line = {0};
            if (!take_line(channel, &line)) {
                if (channel->has_ended || !fill(channel, timeout_ms))
                    return NULL;
                continue;
            }
            message = json_loadb(sc_str_text(&line), line.length, JSON_ALLOW_NUL, NULL);
            if (json_array_size(message) > 0) {
                json_decref(channel->batch);
                channel->batch = message;
                channel->batch_at = 0;
                continue;
            }
            if (strspn(sc_str_text(&line), " \t\r") == line.length)
                continue;
        }
        if (json_is_object(message))
            return message;
        sc_mcp_reply_error(
            channel, json_null(), message == NULL ? SC_RPC_NO_JSON : SC_RPC_NO_REQUEST,
            message == NULL ? "a line is no JSON text, or too long" : "a message is one object");
        json_decref(message);
    }
}
