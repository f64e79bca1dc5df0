# tests/dump/running.py - programs that come to rest, and dumps of them.
#
# SPDX-License-Identifier: Apache-2.0
"""Programs of tests/dump/programs, while they run."""

import json
import os
import re
import subprocess
import time

from conftest import TIMEOUT_S, clean_environment, execute, kill_group

HERE = os.path.dirname(os.path.abspath(__file__))


class Running:
    """A program that runs in the folder tests/dump/programs; its first line of output is `line`."""

    def __init__(self, scalene, command, **how):
        self.scalene = scalene
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True,
            cwd=os.path.join(HERE, "programs"), env=clean_environment({"PYTHONDONTWRITEBYTECODE": "1"}), **how)
        self.pid = self.process.pid
        self.line = self.process.stdout.readline().strip()
        assert self.line, "the program has ended: %s" % self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        kill_group(self.process)
        self.process.stdin.close()
        self.process.stdout.close()

    def dump(self, *options):
        return execute([self.scalene, "dump", *options, str(self.pid)], cwd=HERE)

    def wait_for(self, is_there, *options):
        """The dump as an object, once is_there(it) holds."""
        end = time.monotonic() + TIMEOUT_S
        while True:
            found = json.loads(self.dump("--json", *options).expect(0).stdout)
            if is_there(found):
                return found
            assert time.monotonic() < end, json.dumps(found, indent=1)
            time.sleep(0.02)


def doing(found):
    """What each thread does, by its name, without addresses and numbers of threads."""
    return {thread["name"]: re.sub(r"0x[0-9a-f]+", "A", re.sub(r"thread \d+", "thread N", thread["doing"])) for thread in found["threads"]}
