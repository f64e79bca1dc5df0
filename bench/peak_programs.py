# bench/peak_programs.py [NAME] - twenty programs whose peak of memory is compared with memray's, or the names of all.
#
# Each holds some tens of megabytes in a way of its own. All of it is touched, except where the name says so: memray
# counts what is asked for.
#
# SPDX-License-Identifier: Apache-2.0
"""Programs for bench/peaks.py; those that need a package of PyPI import it themselves."""

import sys


def integers():
    return [i * 1_000_003 for i in range(1_000_000)]


def floats():
    return [i / 7 for i in range(1_500_000)]


def strings():
    return ["%032d" % i for i in range(500_000)]


def words_of_text():
    return (" ".join("word%d" % (i % 5000) for i in range(800_000))).split()


def dictionaries():
    return [{"name": i, "value": -i} for i in range(200_000)]


def one_dictionary():
    return {i: str(i) for i in range(600_000)}


def tuples():
    return [(i, i + 1, i + 2) for i in range(400_000)]


def objects():
    class Point:
        def __init__(self, x, y):
            self.x, self.y = x, y

    return [Point(i, -i) for i in range(200_000)]


def objects_with_slots():
    class Point:
        __slots__ = ("x", "y")

        def __init__(self, x, y):
            self.x, self.y = x, y

    return [Point(i, -i) for i in range(400_000)]


def sets():
    return [{i, i + 1, i + 2} for i in range(150_000)]


def bytes_of_many_sizes():
    return [bytes([i % 255 + 1]) * (i * 37 % 9000 + 1) for i in range(15_000)]


def one_bytearray():
    grown = bytearray()
    for i in range(20_000):
        grown += bytes([i % 255 + 1]) * 4096
    return grown


def json_text():
    import json

    text = json.dumps([{"id": i, "tags": ["a%d" % (i % 50)] * 5, "score": i / 3} for i in range(100_000)])
    return json.loads(text)


def pickled():
    import pickle

    return pickle.loads(pickle.dumps([(str(i), i * 1.5) for i in range(400_000)]))


def sorted_copy():
    values = [(i * 7919) % 1_000_003 for i in range(1_000_000)]
    return sorted(values), values


def recursion():
    def tree(depth):
        return [tree(depth - 1), tree(depth - 1)] if depth else [depth]

    return tree(18)


def lines_of_a_file():
    import tempfile

    with tempfile.TemporaryFile("w+") as file:
        file.writelines("%d,%d,%s\n" % (i, i * i, "x" * (i % 60)) for i in range(400_000))
        file.seek(0)
        return [line.rstrip().split(",") for line in file]


def numpy_arrays():
    import numpy

    return [numpy.full(1_000_000, float(i)) for i in range(12)]


def numpy_temporaries():
    import numpy

    a = numpy.arange(4_000_000, dtype=float)
    return (a * 2 + 1) / (a + 3) - a


def pandas_table():
    import numpy
    import pandas

    table = pandas.DataFrame({"key": numpy.arange(1_000_000) % 1000, "value": numpy.random.default_rng(1).random(1_000_000)})
    return table, table.sort_values("value"), table.groupby("key").sum()


ALL = [
    integers, floats, strings, words_of_text, dictionaries, one_dictionary, tuples, objects, objects_with_slots, sets, bytes_of_many_sizes,
    one_bytearray, json_text, pickled, sorted_copy, recursion, lines_of_a_file, numpy_arrays, numpy_temporaries, pandas_table,
]  # fmt: skip

if __name__ == "__main__":
    if sys.argv[1:]:
        kept = globals()[sys.argv[1]]()
    else:
        print("\n".join(each.__name__ for each in ALL))
