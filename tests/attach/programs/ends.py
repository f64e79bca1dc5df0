# tests/attach/programs/ends.py - is ending, with modules taken apart already, until there is a file "end" beside it.
#
# SPDX-License-Identifier: Apache-2.0
import os
import sys
import time


class Last:
    def __del__(self, write=os.write, exists=os.path.exists, sleep=time.sleep):
        write(1, b"ready\n")
        while not exists("end"):
            sleep(0.01)
        write(1, b"ended\n")


kept = Last()
sys.exit(7)
