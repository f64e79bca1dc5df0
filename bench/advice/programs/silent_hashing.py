# bench/advice/programs/silent_hashing.py - digests of files in threads; hashing runs without the interpreter lock.
#
# SPDX-License-Identifier: Apache-2.0
# advice: none
import hashlib
import os
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

FILES = 74
SIZE = 8_000_000


def digest(path):
    total = hashlib.sha256()
    with open(path, "rb") as file:
        while chunk := file.read(1 << 20):
            total.update(chunk)
    return total.hexdigest()


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "data.bin")
        path.write_bytes(os.urandom(1 << 16) * (SIZE >> 16))
        with ThreadPoolExecutor(2) as pool:
            print(len(set(pool.map(digest, [path] * FILES))))


main()
