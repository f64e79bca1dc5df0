# bench/advice/programs/star_catalogue.py - reads a whole catalogue of stars into memory, to count the bright ones.
#
# SPDX-License-Identifier: Apache-2.0
# advice: peak_allocation
# also: python_function
import tempfile

STARS = 4_800_000


def write(file):
    for i in range(STARS):
        file.write("star %d,%d,%d\n" % (i, i % 360, i % 15))


def bright(file):
    rows = file.readlines()  # <- here
    return sum(1 for row in rows if row.endswith(",1\n"))


with tempfile.TemporaryFile("w+") as file:
    write(file)
    file.seek(0)
    print(bright(file))
