# tests/accuracy/test_relative_names.py - files that code objects name relative to a directory the program has left.
#
# SPDX-License-Identifier: Apache-2.0
"""A relative name means the file that it meant when the code was made."""

import os

import pytest

# Both files are the same but for one constant: only their folders tell them apart. The third one only defines a function,
# which runs when the program is elsewhere.
PROGRAM = """
import os, runpy

here = os.path.dirname(os.path.abspath(__file__))
BURN = '''
import time
end = time.thread_time() + %s
while time.thread_time() < end:
    sum(range(2000))
'''
LATER = '''
def later():
    import time
    end = time.thread_time() + 0.3
    while time.thread_time() < end:
        sum(range(2000))
'''
for folder, text in (("one", BURN % 0.3), ("two", BURN % 0.4), ("three", LATER)):
    os.mkdir(os.path.join(here, folder))
    with open(os.path.join(here, folder, folder == "three" and "other.py" or "plug.py"), "w") as file:
        file.write(text)
os.chdir(os.path.join(here, "one"))
runpy.run_path("plug.py")
os.chdir(os.path.join("..", "two"))
runpy.run_path("./plug.py")
folder = os.open(os.path.join(here, "three"), os.O_RDONLY)
os.chdir(folder)
later = runpy.run_path("other.py")["later"]
os.chdir("/")
later()
"""


@pytest.mark.by_version
def test_each_is_the_file_that_it_was(profile, python):
    found = profile(PROGRAM, python).expect(0).profile
    folder = os.path.dirname(found.program)
    names = [os.path.join(folder, *parts) for parts in (("one", "plug.py"), ("two", "plug.py"), ("three", "other.py"))]
    assert set(names) <= set(found.files) <= {found.program, *names}
    assert [found.file(name)["lines"][2]["line"] for name in names[:2]] == [
        "end = time.thread_time() + %s\n" % seconds for seconds in (0.3, 0.4)]
    assert [one["line"] for one in found.file(names[2])["functions"]] == ["later"]
