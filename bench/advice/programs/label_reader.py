# bench/advice/programs/label_reader.py - annotations of pictures, kept as Python literals in a text file.
#
# SPDX-License-Identifier: Apache-2.0
# advice: repeated_parse
import ast
import tempfile

LABELS = 120_000

with tempfile.TemporaryFile("w+") as file:
    for i in range(LABELS):
        file.write("{'picture': %d, 'box': (%d, %d, %d, %d), 'tags': ['a', 'b%d']}\n" % (i, i % 9, i % 7, i % 90, i % 70, i % 5))
    file.seek(0)
    area = 0
    for line in file:
        label = ast.literal_eval(line)  # <- here
        left, top, right, bottom = label["box"]
        area += max(0, right - left) * max(0, bottom - top)
print(area)
