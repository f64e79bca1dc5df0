# tests/robust/silent_folder.py FOLDER FILE QUIET - a file system with one file, FILE's bytes as own.so, that answers nothing once QUIET exists.
#
# The kernel's FUSE protocol, as far as one reader needs it (include/uapi/linux/fuse.h). Ends when its standard input does.
#
# SPDX-License-Identifier: Apache-2.0
"""A folder that falls silent."""

import ctypes
import os
import select
import struct
import sys

LOOKUP, FORGET, GETATTR, OPEN, READ, STATFS, RELEASE, FLUSH, INIT, ACCESS, DESTROY, INTERRUPT = 1, 2, 3, 14, 15, 17, 18, 25, 26, 34, 38, 36
ENOENT, ENOSYS = 2, 38
ROOT_NODE, FILE_NODE = 1, 2


def attributes(node, size):
    mode = 0o40755 if node == ROOT_NODE else 0o100755
    return struct.pack("<6Q10I", node, size, 0, 0, 0, 0, 0, 0, 0, mode, 1, 0, 0, 0, 4096, 0)


def answer(opcode, node, body, text):
    """The answer's bytes, or the number of an error; None: none is wanted."""
    if opcode == INIT:
        return struct.pack("<4I2H2I2H8I", 7, 31, 65536, 0, 16, 12, 65536, 1, 0, 0, *[0] * 8)
    if opcode == GETATTR:
        return struct.pack("<QII", 0, 0, 0) + attributes(node, len(text))
    if opcode == LOOKUP:
        return struct.pack("<4Q2I", FILE_NODE, 1, 0, 0, 0, 0) + attributes(FILE_NODE, len(text)) if body == b"own.so\0" else ENOENT
    if opcode == OPEN:
        return struct.pack("<QII", 1, 2, 0)  # what was read stays in memory
    if opcode == READ:
        _, offset, size = struct.unpack("<QQI", body[:20])
        return text[offset:offset + size]
    if opcode in (FLUSH, RELEASE, ACCESS, DESTROY):
        return b""
    return None if opcode in (FORGET, INTERRUPT) else ENOSYS


def main():
    folder, file, quiet = sys.argv[1:]
    with open(file, "rb") as stream:
        text = stream.read()
    device = os.open("/dev/fuse", os.O_RDWR)
    libc = ctypes.CDLL(None, use_errno=True)
    options = "fd=%d,rootmode=40000,user_id=%d,group_id=%d,allow_other" % (device, os.getuid(), os.getgid())
    if libc.mount(b"silent", folder.encode(), b"fuse", 0, options.encode()) != 0:
        sys.exit("cannot mount: %s" % os.strerror(ctypes.get_errno()))
    print("mounted", flush=True)
    while not os.path.exists(quiet):
        ready, _, _ = select.select([device, 0], [], [], 0.01)
        if 0 in ready:
            break
        if device not in ready or os.path.exists(quiet):
            continue
        request = os.read(device, 1 << 17)
        _, opcode, unique, node = struct.unpack("<IIQQ", request[:24])
        said = answer(opcode, node, request[40:], text)
        if said is not None:
            error, body = (-said, b"") if isinstance(said, int) else (0, said)
            os.write(device, struct.pack("<IiQ", 16 + len(body), error, unique) + body)
    sys.stdin.read()
    libc.umount2(folder.encode(), 2)  # MNT_DETACH; what waits is ended with the device


main()
