# tests/pythons.py - finds the CPython interpreters the tests can use.
#
# The profiler supports many versions and two ways of linking, so every black-box test runs on all
# interpreters of the machine. Nothing here imports the profiler. Run as a program it lists them.
#
# SPDX-License-Identifier: Apache-2.0
"""Discovery of interpreters: $SC_PYTHONS, pyenv, ~/.cache/pythons and PATH, in this order."""

import dataclasses
import functools
import glob
import json
import os
import re
import subprocess

OLDEST = (3, 8)
NEWEST = (3, 15)

# What the candidates have answered, for processes that this one starts: workers of pytest, and pytest in a test.
KNOWN = "SC_KNOWN_PYTHONS"

# Asked of each candidate. Works in Python 2 too, so that an old one is refused by its version and
# not by a syntax error. Whether libpython is shared is read from the maps: sysconfig also says
# "shared" where a distribution builds the library but links the program statically.
PROBE = r"""
import json, os, struct, sys, sysconfig
try:
    import numpy
    numpy_version = numpy.__version__
except Exception:
    numpy_version = None
try:
    from importlib.util import find_spec
    runs_notebooks = all(map(find_spec, ("ipykernel", "nbclient", "nbformat")))
except Exception:
    runs_notebooks = False
maps = open("/proc/self/maps").read()
print(json.dumps(dict(
    implementation=sys.implementation.name if hasattr(sys, "implementation") else "cpython",
    version=list(sys.version_info[:3]),
    release=sys.version_info[3],
    free_threaded=bool(sysconfig.get_config_var("Py_GIL_DISABLED")),
    shared="libpython" in maps,
    musl="ld-musl" in maps,
    bits=struct.calcsize("P") * 8,
    prefix=sys.base_prefix,
    runs_notebooks=runs_notebooks,
    numpy=numpy_version)))
"""


@dataclasses.dataclass(frozen=True)
class Python:
    """One interpreter that can be profiled."""

    path: str
    version: tuple  # (3, 11, 2)
    free_threaded: bool
    shared: bool  # the program uses libpython3.x.so; otherwise everything is in the executable
    numpy: str  # its version, or "" when it cannot be imported
    runs_notebooks: bool
    id: str = ""

    @property
    def static(self):
        return not self.shared

    @property
    def has_numpy(self):
        return bool(self.numpy)

    @property
    def minor(self):
        return self.version[:2]


def _executables(directory):
    """The names python3.N in a directory, free-threaded ones last."""
    pattern = re.compile(r"python3\.\d+t?$")
    try:
        names = sorted(os.listdir(directory))
    except OSError:
        return []
    return [os.path.join(directory, name) for name in names if pattern.match(name)]


def _candidates():
    for path in os.environ.get("SC_PYTHONS", "").split(":"):
        if path:
            yield path
    home = os.path.expanduser("~")
    pyenv = os.environ.get("PYENV_ROOT") or os.path.join(home, ".pyenv")
    for directory in sorted(glob.glob(os.path.join(pyenv, "versions", "*", "bin"))):
        yield from _executables(directory)
    for pattern in ("*/bin", "*/usr/bin"):
        for directory in sorted(glob.glob(os.path.join(home, ".cache", "pythons", pattern))):
            yield from _executables(directory)
    for directory in os.environ.get("PATH", "").split(":"):
        # A shim is a script that chooses an interpreter; those it can choose are found above.
        if directory and os.path.basename(directory) != "shims":
            yield from _executables(directory)


def _probe(path):
    try:
        answer = subprocess.run(
            [path, "-c", PROBE], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=300, check=True
        )
        return json.loads(answer.stdout)
    except (OSError, subprocess.SubprocessError, ValueError):
        return None


def _supported(facts):
    return facts["implementation"] == "cpython" and OLDEST <= tuple(facts["version"][:2]) <= NEWEST and facts["bits"] == 64 and not facts["musl"]


def _short_id(python):
    linkage = "shared" if python.shared else "static"
    return "%d.%d%s-%s" % (*python.minor, "t" if python.free_threaded else "", linkage)


@functools.lru_cache(maxsize=None)
def find():
    """All usable interpreters, oldest first, each once."""
    seen = set()
    found = []
    known = json.loads(os.environ.get(KNOWN, "{}"))
    for path in _candidates():
        real = os.path.realpath(path)
        if real in seen:
            continue
        seen.add(real)
        facts = known[path] = known[path] if path in known else _probe(path)
        if facts is None or not _supported(facts):
            continue
        # The same build is often installed under two names, as copies or hard links.
        build = (facts["prefix"], tuple(facts["version"]), facts["free_threaded"], facts["shared"])
        if build in seen:
            continue
        seen.add(build)
        found.append(
            Python(
                path=path, version=tuple(facts["version"]), free_threaded=facts["free_threaded"], shared=facts["shared"],
                numpy=facts["numpy"] or "", runs_notebooks=facts["runs_notebooks"],
            )
        )
    os.environ[KNOWN] = json.dumps(known)
    found.sort(key=lambda python: (python.version, python.free_threaded, python.shared))
    named = []
    for python in found:
        name = _short_id(python)
        if sum(_short_id(other) == name for other in found) > 1:
            name = name.replace("%d.%d" % python.minor, "%d.%d.%d" % python.version, 1)
        named.append(dataclasses.replace(python, id=name))
    return tuple(named)


def missing():
    """The minor versions between the oldest and the newest that no interpreter was found for."""
    have = {python.minor for python in find()}
    return [(3, minor) for minor in range(OLDEST[1], NEWEST[1] + 1) if (3, minor) not in have]


def few():
    """A small choice that still has an old, a new, a free-threaded one and one with numpy."""
    pythons = find()
    chosen = [pythons[0], pythons[-1]] if pythons else []
    chosen += [python for python in pythons if python.free_threaded][-1:]
    chosen += [python for python in pythons if python.has_numpy][-1:]
    return tuple(python for python in pythons if python in chosen)


def for_gate():
    """The oldest, the system's and the newest with the interpreter's lock: what a machine has without one being compiled."""
    usual = [python for python in find() if not python.free_threaded]
    system = os.path.realpath("/usr/bin/python3")
    chosen = [python for python in usual if os.path.realpath(python.path) == system] + usual[:1] + usual[-1:]
    return tuple(python for python in usual if python in chosen)


if __name__ == "__main__":
    for each in find():
        print(each.id, each.path, "numpy " + each.numpy if each.has_numpy else "no numpy", sep="\t")
    for major, minor in missing():
        print("%d.%d\tnot found" % (major, minor))
