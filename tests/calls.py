# tests/calls.py - the tree of calls of a profile, as tests read it.
#
# SPDX-License-Identifier: Apache-2.0
"""nodes(profile), stacks(profile), hits(profile): the tree of calls with its frames (docs/json.md)."""


def nodes(profile):
    """Of each node, in their order: (frames from the outermost one on, seconds, MB)."""
    own = profile["scalene_c"]
    found = [((), 0.0, 0.0)]
    for parent, frame, seconds, mb in own["call_tree"]:
        assert 0 <= parent < len(found), "a parent stands before its children"
        found.append((found[parent][0] + (own["call_frames"][frame],), seconds, mb))
    return found[1:]


def stacks(profile):
    """(frames, seconds) of the stacks that time was spent in, the heaviest first."""
    return sorted(((list(frames), seconds) for frames, seconds, _ in nodes(profile) if seconds > 0), key=lambda one: -one[1])


def hits(profile):
    """The same in sampling intervals."""
    return [(frames, seconds / profile["scalene_c"]["interval_s"]) for frames, seconds in stacks(profile)]


def is_library(frame):
    return frame.get("role") == "library"


def owner_of(frames):
    """The line that has the time of a stack: its innermost frame of Python that is no library's."""
    for frame in reversed(frames):
        if frame["kind"] == "py" and not is_library(frame):
            return frame["filename_or_module"], frame["line"]
    return None
