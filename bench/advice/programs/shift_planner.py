# bench/advice/programs/shift_planner.py - how many hours each employee worked, from a table of times.
#
# SPDX-License-Identifier: Apache-2.0
# advice: repeated_parse
import csv
import io
from datetime import datetime

ROWS = 230_000


def table():
    text = io.StringIO()
    writer = csv.writer(text)
    for i in range(ROWS):
        writer.writerow((i % 40, "2024-%02d-%02d %02d:00" % (i % 12 + 1, i % 28 + 1, i % 9), "2024-%02d-%02d %02d:30" % (i % 12 + 1, i % 28 + 1, i % 9 + 8)))
    text.seek(0)
    return text


class Shift:
    def __init__(self, row):
        self.who = int(row[0])
        self.begin = datetime.strptime(row[1], "%Y-%m-%d %H:%M")  # <- here
        self.end = datetime.strptime(row[2], "%Y-%m-%d %H:%M")  # <- here

    @property
    def hours(self):
        return (self.end - self.begin).total_seconds() / 3600


def main():
    worked = {}
    for row in csv.reader(table()):
        shift = Shift(row)
        worked[shift.who] = worked.get(shift.who, 0) + shift.hours
    print(len(worked), sum(worked.values()))


if __name__ == "__main__":
    main()
