# bench/advice/programs/silent_read_chunks.py - copies a large file in large pieces.
#
# SPDX-License-Identifier: Apache-2.0
# advice: none
# also: waiting
import os
import shutil
import tempfile

MEGABYTES = 64
COPIES = 26


def main():
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "source")
        with open(source, "wb") as file:
            for _ in range(MEGABYTES):
                file.write(os.urandom(1 << 20))
        for i in range(COPIES):
            shutil.copyfile(source, os.path.join(folder, "copy"))
        print(os.path.getsize(os.path.join(folder, "copy")))


main()
