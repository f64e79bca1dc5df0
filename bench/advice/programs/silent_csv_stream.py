# bench/advice/programs/silent_csv_stream.py - adds up a column of a CSV file line by line, without keeping it.
#
# SPDX-License-Identifier: Apache-2.0
# advice: none
import csv
import tempfile

ROWS = 1_900_000


def write(file):
    csv.writer(file).writerows((i, "name", i % 50) for i in range(ROWS))
    file.seek(0)


def total(file):
    return sum(int(row[2]) for row in csv.reader(file))


with tempfile.TemporaryFile("w+", newline="") as file:
    write(file)
    print(total(file))
