# bench/advice/programs/message_framing.py - cuts messages off the front of a buffer of received bytes.
#
# SPDX-License-Identifier: Apache-2.0
# advice: copies | string_growth | churn
MESSAGES = 17_000


def encode(number):
    body = b"message %d " % number * 6
    return len(body).to_bytes(2, "big") + body


def decode(buffer):
    messages = []
    while buffer:
        size = int.from_bytes(buffer[:2], "big")
        messages.append(bytes(buffer[2 : 2 + size]))
        buffer = buffer[2 + size :]  # <- here
    return messages


if __name__ == "__main__":
    received = b"".join(encode(number) for number in range(MESSAGES))
    print(len(decode(received)))
