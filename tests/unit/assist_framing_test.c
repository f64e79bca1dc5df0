/*
 * tests/unit/assist_framing_test.c - streamed answers, cut at every place there is.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#include "assist/framing.h"
#include "base/mem.h"
#include "sc_test.h"

static void take(void *context, const char *text, size_t length, const char *type)
{
    struct sc_str *seen = context;
    sc_str_add_format(seen, "[%s|%.*s]", type, (int)length, text);
}

/* What comes of the bytes when they arrive in two parts. NULL: they are refused. */
static char *framed(enum sc_ai_framing kind, const char *bytes, size_t length, size_t cut)
{
    struct sc_str seen = {0};
    struct sc_err err = {0};
    struct sc_ai_frames frames = {.kind = kind, .take = take, .context = &seen};
    bool good = sc_ai_frames_add(&frames, bytes, cut, &err) &&
                sc_ai_frames_add(&frames, bytes + cut, length - cut, &err);
    assert_int_equal(good, err.kind == SC_ERR_NONE);
    sc_ai_frames_end(&frames);
    sc_ai_frames_done(&frames);
    char *text = good ? sc_strdup(sc_str_text(&seen)) : NULL;
    sc_str_done(&seen);
    return text;
}

static void expect_everywhere(enum sc_ai_framing kind, const char *bytes, size_t length,
                              const char *wanted)
{
    for (size_t cut = 0; cut <= length; cut++) {
        SC_AUTO_FREE char *text = framed(kind, bytes, length, cut);
        assert_non_null(text);
        assert_string_equal(text, wanted);
    }
}

TEST(events_are_their_lines_of_data)
{
    static const char bytes[] = ": a comment\r\nevent: x\r\ndata: {\"a\":\r\ndata: 1}\r\n\r\n"
                                "id: 3\n\ndata:{}\n\ndata: [DONE]\n";
    expect_everywhere(SC_AI_EVENTS, bytes, strlen(bytes), "[|{\"a\":\n1}][|{}][|[DONE]]");
}

TEST(lines_are_pieces)
{
    static const char bytes[] = "{\"a\":1}\n\n{\"b\":2}\r\n{\"c\":3}";
    expect_everywhere(SC_AI_LINES, bytes, strlen(bytes), "[|{\"a\":1}][|{\"b\":2}][|{\"c\":3}]");
}

/* A message with one header of another type before the one that counts; checksums by Python's
 * binascii.crc32. */
static const unsigned char message[] = {
    0x00, 0x00, 0x00, 0x34, 0x00, 0x00, 0x00, 0x22, 0x8d, 0x0b, 0x67, 0x6c, 0x01,
    'n',  0x04, 0x00, 0x00, 0x00, 0x07, 0x0b, ':',  'e',  'v',  'e',  'n',  't',
    '-',  't',  'y',  'p',  'e',  0x07, 0x00, 0x0b, 'm',  'e',  's',  's',  'a',
    'g',  'e',  'S',  't',  'o',  'p',  '{',  '}',  0,    0,    0,    0,    0,
};

static void set_number(unsigned char *bytes, uint32_t number)
{
    for (unsigned i = 0; i < 4; i++)
        bytes[i] = (unsigned char)(number >> (24 - 8 * i));
}

/* The table-driven form, unlike the one that is tested. */
static uint32_t crc(const unsigned char *bytes, size_t length)
{
    uint32_t table[256];
    for (uint32_t i = 0; i < 256; i++) {
        table[i] = i;
        for (int k = 0; k < 8; k++)
            table[i] = (table[i] & 1) != 0 ? 0xedb88320U ^ (table[i] >> 1) : table[i] >> 1;
    }
    uint32_t sum = 0xffffffffU;
    for (size_t i = 0; i < length; i++)
        sum = table[(sum ^ bytes[i]) & 0xff] ^ (sum >> 8);
    return sum ^ 0xffffffffU;
}

enum { HEADERS = 33, WHOLE = 12 + HEADERS + 2 + 4 };

static void make_message(unsigned char ret_bytes[WHOLE])
{
    assert_int_equal(crc((const unsigned char *)"123456789", 9), 0xcbf43926);
    memcpy(ret_bytes, message, WHOLE);
    set_number(ret_bytes, WHOLE);
    set_number(ret_bytes + 4, HEADERS);
    set_number(ret_bytes + 8, crc(ret_bytes, 8));
    set_number(ret_bytes + WHOLE - 4, crc(ret_bytes, WHOLE - 4));
}

TEST(messages_of_amazon_have_types)
{
    unsigned char bytes[2 * WHOLE];
    make_message(bytes);
    memcpy(bytes + WHOLE, bytes, WHOLE);
    expect_everywhere(SC_AI_AWS, (const char *)bytes, sizeof(bytes),
                      "[messageStop|{}][messageStop|{}]");
}

TEST(a_damaged_message_is_refused)
{
    for (size_t i = 0; i < WHOLE; i++) {
        unsigned char bytes[WHOLE];
        make_message(bytes);
        bytes[i] ^= 0x10;
        SC_AUTO_FREE char *text = framed(SC_AI_AWS, (const char *)bytes, WHOLE, 3);
        assert_null(text);
    }
}

TEST(a_line_without_an_end_is_refused)
{
    size_t length = (size_t)5 << 20;
    SC_AUTO_FREE char *bytes = sc_alloc(length, 1);
    memset(bytes, 'x', length);
    SC_AUTO_FREE char *text = framed(SC_AI_EVENTS, bytes, length, length / 2);
    assert_null(text);
}
