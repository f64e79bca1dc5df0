# tests/seen.py - the profiles that a test has made, wherever it did: each is checked (invariants.py).
#
# SPDX-License-Identifier: Apache-2.0
"""Finds and checks profiles that commands have written."""

import json
import os

import invariants
import whole

OUT_WORDS = ("-o", "--outfile")


def mark_of(path):
    """What distinguishes a file from one that was written later under its name; None without a file."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns, status.st_size


def files_of(command, folder):
    """Where a command in a folder may write a profile: what -o names, and all JSON files of the folder."""
    named = [word for before, word in zip(command, command[1:]) if before in OUT_WORDS]
    named += [word.partition("=")[2] for word in command if str(word).startswith("--outfile=")]
    found = {os.path.join(str(folder), str(word)) for word in named}
    found.update(os.path.join(str(folder), name) for name in os.listdir(str(folder)) if name.endswith(".json"))
    return found


def check_file(path):
    """Checks a file that is a profile; another one, or one that a program is still writing, is none."""
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            profile = json.load(file)
    except (OSError, ValueError):
        return
    if isinstance(profile, dict) and not os.environ.get("SC_UNCHECKED_PROFILES"): # which tools/check_tests sets
        invariants.check(whole.complete(profile), path)


class Watch:
    """Around a command: what it has written is checked by done()."""

    def __init__(self, command, folder):
        self.command, self.folder = command, folder
        self.before = {path: mark_of(path) for path in files_of(command, folder)}

    def done(self):
        for path in sorted(files_of(self.command, self.folder)):
            mark = mark_of(path)
            if mark is not None and mark != self.before.get(path) and os.path.isfile(path):
                check_file(path)
