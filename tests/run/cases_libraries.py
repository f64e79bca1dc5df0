# tests/run/cases_libraries.py - shared libraries whose unwind records are not what they should be.
#
# SPDX-License-Identifier: Apache-2.0
"""Libraries that the program can use although nothing can be unwound through them."""

from case import Case

# The alignment makes a gap without rights in front of the segment with the variable.
SPIN = """
__attribute__((aligned(0x40000))) volatile double far = 1;
void spin(long rounds) { for (long i = 0; i < rounds; i++) far = far * 1.0000001 + 1; }
"""

CASES = [
    Case(
        "unwind_records_in_a_gap",
        """
import ctypes, os, struct
PT_LOAD, PT_GNU_EH_FRAME = 1, 0x6474E550
def headers(library):
    start, = struct.unpack_from("<Q", library, 32)
    count, = struct.unpack_from("<H", library, 56)
    for place in range(start, start + 56 * count, 56):
        kind, _, offset, address, _, file_bytes = struct.unpack_from("<IIQQQQ", library, place)
        yield place, kind, offset, address, file_bytes
def records_in(library, gap):
    for _, kind, offset, address, _ in headers(library):
        if kind == PT_GNU_EH_FRAME:
            count, = struct.unpack_from("<I", library, offset + 8)
            for i in range(count):
                struct.pack_into("<i", library, offset + 12 + 8 * i + 4, gap - address)
def table_in(library, gap):
    for place, kind, _, _, _ in headers(library):
        if kind == PT_GNU_EH_FRAME:
            struct.pack_into("<Q", library, place + 16, gap)
def table_across(library, gap):
    for _, kind, offset, _, _ in headers(library):
        if kind == PT_GNU_EH_FRAME:
            struct.pack_into("<I", library, offset + 8, 100000)
def run(kind):
    with open("spin.so", "rb") as file:
        library = bytearray(file.read())
    ends = [address + file_bytes for _, kind_, _, address, file_bytes in headers(library) if kind_ == PT_LOAD]
    gap = (ends[-2] | 0xFFFF) + 1
    assert gap < ends[-1] - 0x10000
    kind(library, gap)
    with open(kind.__name__ + ".so", "wb") as file:
        file.write(library)
    spin = ctypes.CDLL(os.path.abspath(kind.__name__ + ".so")).spin
    spin.argtypes = [ctypes.c_long]
    for _ in range(20):
        spin(3000000)
    print(kind.__name__)
run(records_in)
run(table_in)
run(table_across)
""",
        libraries={"spin.so": SPIN},
    ),
]
