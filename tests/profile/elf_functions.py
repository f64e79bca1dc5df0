# tests/profile/elf_functions.py - which function an instruction is in, according to binutils.
#
# Nothing here uses the profiler: it is what the profiler's names are compared with.
#
# SPDX-License-Identifier: Apache-2.0
"""Functions of ELF files by readelf and nm."""

import bisect
import functools
import re
import subprocess

LOAD = re.compile(r"\s+LOAD\s+(0x[0-9a-f]+)\s+(0x[0-9a-f]+)\s+0x[0-9a-f]+\s+(0x[0-9a-f]+)")
FDE = re.compile(r" FDE .*pc=([0-9a-f]+)\.\.([0-9a-f]+)")
# What compilers append to the name of a part of a function, or of one made for certain arguments.
PART = re.compile(r"\.(?:isra|part|constprop|cold|lto_priv|llvm)\b.*")
SYMBOL = re.compile(r"([0-9a-f]+) ([0-9a-f]+) [tTwWiu] (\S+)")


def output_of(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False).stdout


class Functions:
    """Of one file. Places are offsets in the file."""

    def __init__(self, path):
        self.loads = [tuple(int(text, 16) for text in found) for found in LOAD.findall(output_of("readelf", "-lW", path))]
        ranges = sorted(
            (int(start, 16), int(end, 16)) for start, end in FDE.findall(output_of("readelf", "--debug-dump=frames", path))
        )
        self.starts = [start for start, _ in ranges]
        self.ends = [end for _, end in ranges]
        self.symbols = []
        for options in (["-S"], ["-S", "-D"]):
            for address, size, name in SYMBOL.findall(output_of("nm", "--defined-only", *options, path)):
                self.symbols.append((int(address, 16), int(size, 16), name.partition("@")[0]))

    def address_of(self, offset):
        """As the file's symbols count."""
        for in_file, address, size in self.loads:
            if in_file <= offset < in_file + size:
                return offset - in_file + address
        raise AssertionError("offset %#x is not in what is loaded" % offset)

    def offset_of(self, address):
        for in_file, start, size in self.loads:
            if start <= address < start + size:
                return address - start + in_file
        raise AssertionError("address %#x is not in what is loaded" % address)

    def start_of(self, offset):
        """The offset where the function begins that offset is in, by the unwind records; None without one."""
        address = self.address_of(offset)
        at = bisect.bisect_right(self.starts, address) - 1
        return self.offset_of(self.starts[at]) if at >= 0 and address < self.ends[at] else None

    def names_at(self, offset):
        """All functions, by their names in the source, whose symbols say that offset is theirs."""
        address = self.address_of(offset)
        found = {PART.sub("", name) for start, size, name in self.symbols if start <= address < start + size}
        return {output_of("c++filt", name).strip() if name.startswith("_Z") else name for name in found}


@functools.lru_cache(maxsize=None)
def functions_of(path):
    return Functions(path)
