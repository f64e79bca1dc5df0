# bench/advice/programs/packet_assembler.py - puts a stream of packets together into one message.
#
# SPDX-License-Identifier: Apache-2.0
# advice: string_growth
# also: copies
import zlib

PACKETS = 9000
SIZE = 180


def packets():
    for number in range(PACKETS):
        body = bytes([number % 251]) * SIZE
        yield number, zlib.crc32(body), body


def receive(stream):
    message = b""
    bad = 0
    for number, checksum, body in stream:
        if zlib.crc32(body) != checksum:
            bad += 1
            continue
        message += body  # <- here
    return message, bad


message, bad = receive(packets())
print(len(message), bad)
