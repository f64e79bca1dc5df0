/* assist/framing.c - see framing.h. SPDX-License-Identifier: Apache-2.0 */
#include "assist/framing.h"

#include <stdint.h>
#include <string.h>
#include <zlib.h>

/* A longer line or message cannot belong to an answer. */
#define PIECE_LIMIT_BYTES ((size_t)4 << 20)

static void give_event(struct sc_ai_frames *frames)
{
    if (frames->event.length > 0)
        frames->take(frames->context, frames->event.data, frames->event.length, "");
    sc_str_clear(&frames->event);
}

/* A line of text/event-stream: data is collected, an empty line ends the event. */
static void take_event_line(struct sc_ai_frames *frames, const char *line, size_t length)
{
    if (length == 0) {
        give_event(frames);
        return;
    }
    if (length < 5 || memcmp(line, "data:", 5) != 0)
        return;
    line += 5;
    length -= 5;
    if (length > 0 && line[0] == ' ') {
        line++;
        length--;
    }
    if (frames->event.length > 0)
        sc_str_add_char(&frames->event, '\n');
    sc_str_add_bytes(&frames->event, line, length);
}

static void take_line(struct sc_ai_frames *frames, const char *line, size_t length)
{
    if (length > 0 && line[length - 1] == '\r')
        length--;
    if (frames->kind == SC_AI_EVENTS)
        take_event_line(frames, line, length);
    else if (length > 0)
        frames->take(frames->context, line, length, "");
}

/* Passes on all complete lines; returns how many bytes they were. */
static size_t take_lines(struct sc_ai_frames *frames)
{
    const char *start = frames->pending.data;
    const char *end = start + frames->pending.length;
    const char *newline;
    while ((newline = memchr(start, '\n', (size_t)(end - start))) != NULL) {
        take_line(frames, start, (size_t)(newline - start));
        start = newline + 1;
    }
    return (size_t)(start - frames->pending.data);
}

static uint32_t number_at(const char *bytes, unsigned size)
{
    uint32_t number = 0;
    for (unsigned i = 0; i < size; i++)
        number = number << 8U | (unsigned char)bytes[i];
    return number;
}

static uint32_t checksum(const char *bytes, size_t length)
{
    return (uint32_t)crc32_z(0, (const unsigned char *)bytes, length);
}

/* How long the value of a header of this type is, its own length included; 0: no such type. */
static size_t value_size(unsigned type, const char *value, size_t room)
{
    static const size_t sizes[] = {1, 1, 2, 3, 5, 9, 0, 0, 9, 17}; /* with the byte of the type */
    if (type == 6 || type == 7)
        return room >= 2 ? 2 + number_at(value, 2) : 0;
    return type < sizeof(sizes) / sizeof(sizes[0]) ? sizes[type] - 1 : SIZE_MAX;
}

/* The text of :event-type or :exception-type among a message's headers. False when they are
 * incomplete. */
static bool read_type(const char *headers, size_t length, char ret_type[64])
{
    while (length > 0) {
        size_t name = (unsigned char)headers[0];
        if (length < 2 + name)
            return false;
        const char *value = headers + 2 + name;
        size_t room = length - 2 - name;
        unsigned type = (unsigned char)headers[1 + name];
        size_t size = value_size(type, value, room);
        if (size > room || (size == 0 && type > 1))
            return false;
        bool is_type = (name == 11 && memcmp(headers + 1, ":event-type", name) == 0) ||
                       (name == 15 && memcmp(headers + 1, ":exception-type", name) == 0);
        if (is_type && type == 7 && size - 2 < 64) {
            memcpy(ret_type, value + 2, size - 2);
            ret_type[size - 2] = '\0';
        }
        headers = value + size;
        length = room - size;
    }
    return true;
}

/* Passes on all complete messages: length, length of the headers, checksum of both; headers,
 * payload, checksum of all. */
static bool take_messages(struct sc_ai_frames *frames, size_t *ret_taken, struct sc_err *err)
{
    const char *bytes = frames->pending.data;
    size_t left = frames->pending.length;
    while (left >= 16) {
        size_t whole = number_at(bytes, 4);
        size_t headers = number_at(bytes + 4, 4);
        if (whole < 16 || whole > PIECE_LIMIT_BYTES || headers > whole - 16 ||
            checksum(bytes, 8) != number_at(bytes + 8, 4))
            return sc_fail(err, SC_ERR_FAILED, "the answer is not the stream it says it is");
        if (left < whole)
            break;
        char type[64] = "";
        if (checksum(bytes, whole - 4) != number_at(bytes + whole - 4, 4) ||
            !read_type(bytes + 12, headers, type))
            return sc_fail(err, SC_ERR_FAILED, "a piece of the answer was damaged on its way");
        frames->take(frames->context, bytes + 12 + headers, whole - 16 - headers, type);
        bytes += whole;
        left -= whole;
    }
    *ret_taken = frames->pending.length - left;
    return true;
}

bool sc_ai_frames_add(struct sc_ai_frames *frames, const char *bytes, size_t length,
                      struct sc_err *err)
{
    if (length == 0)
        return true;
    sc_str_add_bytes(&frames->pending, bytes, length);
    size_t taken = 0;
    if (frames->kind != SC_AI_AWS)
        taken = take_lines(frames);
    else if (!take_messages(frames, &taken, err))
        return false;
    struct sc_str *pending = &frames->pending;
    memmove(pending->data, pending->data + taken, pending->length - taken + 1);
    pending->length -= taken;
    if (pending->length > PIECE_LIMIT_BYTES || frames->event.length > PIECE_LIMIT_BYTES)
        return sc_fail(err, SC_ERR_FAILED, "a piece of the answer is larger than %zu bytes",
                       PIECE_LIMIT_BYTES);
    return true;
}

void sc_ai_frames_end(struct sc_ai_frames *frames)
{
    if (frames->kind == SC_AI_AWS)
        return;
    if (frames->pending.length > 0)
        take_line(frames, frames->pending.data, frames->pending.length);
    sc_str_clear(&frames->pending);
    if (frames->kind == SC_AI_EVENTS)
        give_event(frames);
}

void sc_ai_frames_done(struct sc_ai_frames *frames)
{
    sc_str_done(&frames->pending);
    sc_str_done(&frames->event);
}
