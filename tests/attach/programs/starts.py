# tests/attach/programs/starts.py - is just starting most of the time, as it executes itself, until there is a file "end" beside it.
#
# SPDX-License-Identifier: Apache-2.0
import os
import sys

if not sys.argv[1:]:
    print("ready", flush=True)
if os.path.exists("end"):
    print("ended", flush=True)
    sys.exit(7)
os.execv(sys.executable, [sys.executable, "-S", "starts.py", "again"])
