# tests/robust/test_own_library.py - a library that the program shortens, replaces or keeps from us costs its own names.
#
# SPDX-License-Identifier: Apache-2.0
"""Files that native code came from, changed while the observer has them."""

import shutil
import subprocess

import pytest
from silent_folder import silent_folder

SOURCE = """
long spin(long n)
{
    volatile long sum = 0;
    for (long i = 0; i < n; i++)
        sum += i ^ (sum >> 3);
    return sum;
}
"""

PROGRAM = """
import ctypes, os, sys, time

library = ctypes.CDLL(os.path.abspath("own.so"))
library.spin.argtypes = [ctypes.c_long]


def run(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:  #: native
        library.spin(200000)  #: native


run(0.4)
time.sleep(0.8)  # profiles are written meanwhile, with the names
CHANGE
end = time.process_time() + 0.3
while time.process_time() < end:  #: busy
    sum(range(1000))  #: busy
sys.stdout.write("done\\n")
sys.stdout.flush()
os._exit(5)
"""


def build(folder, *names):
    """The library, once under each name."""
    compiler = shutil.which("cc") or pytest.skip("no C compiler")
    (folder / "own.c").write_text(SOURCE)
    for name in names:
        subprocess.run([compiler, "-g", "-O1", "-shared", "-fPIC", "-o", str(folder / name), str(folder / "own.c")], check=True)


def expect_both_works(ended):
    """Each work is a stretch of one CPU clock, asked for it included: only where one ends may a tick's time be another's."""
    assert ended.stdout == "done\n"
    assert abs(ended.profile.cpu_marked("native") - 0.4) <= 0.1, ended.profile.hottest()
    assert abs(ended.profile.cpu_marked("busy") - 0.3) <= 0.1, ended.profile.hottest()


@pytest.mark.one_python
@pytest.mark.parametrize("change", [
    'os.truncate("own.so", 0)',
    'os.rename("other.so", "own.so")',
    'import random; open("own.so", "r+b").write(random.Random(1).randbytes(40000))',
])
@pytest.mark.statistical
def test_a_library_that_changes(profile, python, tmp_path, change):
    build(tmp_path, "own.so", "other.so")
    with open(tmp_path / "own.so", "ab") as stream: # long tables, beyond the page that is read first
        stream.truncate(1 << 20)
    ended = profile(PROGRAM.replace("CHANGE", change), python, options=["--profile-interval", "0.3"]).expect(5)
    expect_both_works(ended)


SILENT = """
import ctypes, os, sys, time

library = ctypes.CDLL(sys.argv[1] + "/own.so")
library.spin.argtypes = [ctypes.c_long]
library.spin(10)
open(sys.argv[2], "w").close()
time.sleep(0.1)
end = time.process_time() + 0.4
while time.process_time() < end:  #: native
    library.spin(200000)  #: native
end = time.process_time() + 0.3
while time.process_time() < end:  #: busy
    sum(range(1000))  #: busy
sys.stdout.write("done\\n")
sys.stdout.flush()
os._exit(5)
"""


@pytest.mark.one_python
@pytest.mark.statistical
def test_a_library_in_a_folder_that_stops_answering(profile, python, tmp_path):
    """Whatever is asked of its file system keeps whoever asks waiting."""
    build(tmp_path, "own.so")
    folder, quiet = tmp_path / "silent", str(tmp_path / "quiet")
    with silent_folder(folder, quiet, tmp_path / "own.so"):
        ended = profile(SILENT, python, [str(folder), quiet]).expect(5)
    expect_both_works(ended)
