# tests/robust/silent_folder.py FOLDER QUIET TAKEN FILE ... - a file system with the files' bytes under their names, that answers nothing once QUIET exists.
#
# From then on the first TAKEN questions are taken and kept: who has asked one cannot even be killed; the others are left where they are.
# The kernel's FUSE protocol, as far as readers need it (include/uapi/linux/fuse.h). Ends when its standard input does.
#
# SPDX-License-Identifier: Apache-2.0
"""A folder that stops answering."""

import contextlib
import ctypes
import os
import select
import struct
import subprocess
import sys

if __name__ != "__main__":
    import pytest

LOOKUP, FORGET, GETATTR, OPEN, READ, RELEASE, INIT = 1, 2, 3, 14, 15, 18, 26
OPENDIR, READDIR, RELEASEDIR, ACCESS, INTERRUPT, DESTROY = 27, 28, 29, 34, 36, 38
ENOENT, ENOSYS = 2, 38
ROOT_NODE, FIRST_NODE = 1, 2


def attributes(node, size):
    mode = 0o40755 if node == ROOT_NODE else 0o100755
    return struct.pack("<6Q10I", node, size, 0, 0, 0, 0, 0, 0, 0, mode, 1, 0, 0, 0, 4096, 0)


def answer(opcode, node, body, names, texts):
    """The answer's bytes, or the number of an error; None: none is wanted."""
    if opcode == INIT:
        return struct.pack("<4I2H2I2H8I", 7, 31, 65536, 0, 16, 12, 65536, 1, 0, 0, *[0] * 8)
    if opcode == GETATTR:
        return struct.pack("<QII", 0, 0, 0) + attributes(node, len(texts[node]) if node in texts else 0)
    if opcode == LOOKUP:
        found = names.get(os.fsdecode(body[:-1]))
        return struct.pack("<4Q2I", found, 1, 0, 0, 0, 0) + attributes(found, len(texts[found])) if found else ENOENT
    if opcode == OPEN:
        return struct.pack("<QII", 1, 2, 0)  # what was read stays in memory
    if opcode == READ:
        _, offset, size = struct.unpack("<QQI", body[:20])
        return texts[node][offset:offset + size]
    if opcode == OPENDIR:
        return struct.pack("<QII", 1, 0, 0)
    if opcode in (READDIR, RELEASEDIR, RELEASE, ACCESS, DESTROY):
        return b""
    return None if opcode in (FORGET, INTERRUPT) else ENOSYS  # of a flush: it is not asked for again, so files can be closed


def serve(device, quiet, names, texts):
    """Until the standard input ends, or for as long as it is not quiet."""
    while not os.path.exists(quiet):
        ready, _, _ = select.select([device, 0], [], [], 0.01)
        if 0 in ready:
            return
        if device not in ready or os.path.exists(quiet):
            continue
        request = os.read(device, 1 << 17)
        _, opcode, unique, node = struct.unpack("<IIQQ", request[:24])
        said = answer(opcode, node, request[40:], names, texts)
        if said is not None:
            error, body = (-said, b"") if isinstance(said, int) else (0, said)
            os.write(device, struct.pack("<IiQ", 16 + len(body), error, unique) + body)


def keep(device, taken):
    """Until the standard input ends."""
    while True:
        ready, _, _ = select.select([device, 0] if taken > 0 else [0], [], [])
        if 0 in ready:
            return
        os.read(device, 1 << 17)
        taken -= 1


def main():
    folder, quiet, taken, *files = sys.argv[1:]
    names, texts = {}, {}
    for number, file in enumerate(files, FIRST_NODE):
        with open(file, "rb") as stream:
            names[os.path.basename(file)], texts[number] = number, stream.read()
    device = os.open("/dev/fuse", os.O_RDWR)
    libc = ctypes.CDLL(None, use_errno=True)
    options = "fd=%d,rootmode=40000,user_id=%d,group_id=%d,allow_other" % (device, os.getuid(), os.getgid())
    if libc.mount(b"silent", folder.encode(), b"fuse", 0, options.encode()) != 0:
        sys.exit("cannot mount: %s" % os.strerror(ctypes.get_errno()))
    print("mounted", flush=True)
    serve(device, quiet, names, texts)
    keep(device, int(taken))
    libc.umount2(folder.encode(), 2)  # MNT_DETACH; what waits is ended with the device


@contextlib.contextmanager
def silent_folder(folder, quiet, *files, taken=0):
    """The folder, made and mounted while this lasts; skips the test where that is not allowed."""
    folder.mkdir()
    command = [sys.executable, "-S", os.path.abspath(__file__), str(folder), str(quiet), str(taken), *map(str, files)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        try:
            if server.stdout.readline() != "mounted\n":
                pytest.skip("no file system of one's own here: " + server.stderr.read().strip())
            yield
        finally:
            server.stdin.close()


if __name__ == "__main__":
    main()
