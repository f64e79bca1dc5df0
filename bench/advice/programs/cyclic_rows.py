# bench/advice/programs/cyclic_rows.py - rows that refer to their table and it to them, made by the million.
#
# SPDX-License-Identifier: Apache-2.0
# advice: garbage_collection
# also: python_loop python_function leak peak_allocation
ROWS = 1_500_000


class Row:
    def __init__(self, table, number):
        self.table = table
        self.number = number
        self.near = {"self": self}


class Table:
    def __init__(self):
        self.rows = []

    def fill(self, count):
        for number in range(count):
            self.rows.append(Row(self, number))


table = Table()
table.fill(ROWS)
print(len(table.rows))
