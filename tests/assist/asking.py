# tests/assist/asking.py - a profiled program, and `scalene optimize` lines about it.
#
# SPDX-License-Identifier: Apache-2.0
"""What the tests of proposals share."""

import hashlib
import hmac
import json
import os

import pytest

from conftest import execute
from services import KEYS

PROGRAM = """\
import sys


def total(count):
    result = 0
    for number in range(count):
        result += number * number
    return result


print(total(int(sys.argv[1])))
"""

FASTER = """\
The loop adds squares, whose sum has a closed form.

```python
    result = (count - 1) * count * (2 * count - 1) // 6
```

This needs no loop at all.
"""

WRONG = """\
```python
    result = (count - 1) * count * (2 * count - 1) // 6 + 1
```
"""

LOOP = ("prog.py:5-7",)


def profile_of(path, text, args=(), costs=None, **more):
    """A profile of a program's text, written by hand: {line: share of the time}."""
    lines = []
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        share = (costs or {}).get(number, 0.0)
        lines.append({"lineno": number, "line": line, "n_cpu_percent_python": share, "start_region_line": number,
                      "end_region_line": number, "start_outermost_loop": number, "end_outermost_loop": number,
                      "start_function_line": 0, "end_function_line": 0})
    profile = {
        "program": str(path), "entrypoint_dir": os.path.dirname(str(path)), "filename": os.path.dirname(str(path)),
        "args": [str(path), *args], "elapsed_time_sec": 1.0, "memory": False,
        "files": {str(path): {"percent_cpu_time": 100.0, "lines": lines, "functions": [], "imports": [], "leaks": {}}},
    }
    profile.update(more)
    return profile


def mark_of(profile):
    """The mark that a run of this user would have given the profile (src/profile/command_mark.h)."""
    folder = os.path.join(os.environ["XDG_STATE_HOME"], "scalene")
    path = os.path.join(folder, "command-key")
    if not os.path.exists(path):
        os.makedirs(folder, mode=0o700, exist_ok=True)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
            out.write(os.urandom(32))
    with open(path, "rb") as file:
        digest = hmac.new(file.read(), digestmod=hashlib.sha256)
    for text in ("scalene command 1", profile["program"], profile["entrypoint_dir"], profile["filename"], "args", *profile["args"]):
        digest.update(len(os.fsencode(text)).to_bytes(8, "big") + os.fsencode(text))
    return digest.hexdigest()


class Project:
    """A directory with a program and its profile."""

    def __init__(self, scalene, directory):
        self.scalene = scalene
        self.directory = str(directory)
        self.program = os.path.join(self.directory, "prog.py")
        self.write(PROGRAM)

    def write(self, text, newline="\n"):
        with open(self.program, "w", encoding="utf-8", newline=newline) as out:
            out.write(text)

    def read(self):
        with open(self.program, "rb") as file:
            return file.read()

    def record(self, text=PROGRAM, args=("1000000",), is_own=True, **more):
        """Writes the profile: of a run of this user, or from somebody else."""
        profile = profile_of(self.program, text, args, {7: 90.0}, **more)
        if is_own:
            profile["scalene_c"] = {"command_mark": mark_of(profile)}
        with open(os.path.join(self.directory, "scalene-profile.json"), "w", encoding="utf-8") as out:
            json.dump(profile, out)
        return self

    def optimize(self, *words, env=None, stand_in=None, **how):
        """Runs the command, and looks for keys in what it says."""
        environment = {name: value for name, value in os.environ.items() if not name.endswith("_KEY")}
        environment.update(SCALENE_AI_TIMEOUT="300", NO_COLOR="1", http_proxy="http://127.0.0.1:9")
        if stand_in:
            environment.update(stand_in.service.environment(stand_in.url))
            words += stand_in.service.words
        environment.update(env or {})
        ended = execute([self.scalene, "optimize", *words], cwd=self.directory, env=environment, **how)
        for key in KEYS.values():
            assert key not in ended.stdout + ended.stderr
        if stand_in:
            assert not stand_in.wrong, stand_in.wrong
        return ended


@pytest.fixture
def project(scalene, tmp_path):
    return Project(scalene, tmp_path).record()
