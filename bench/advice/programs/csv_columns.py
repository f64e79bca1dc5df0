# bench/advice/programs/csv_columns.py - builds the text of a large table column by column.
#
# SPDX-License-Identifier: Apache-2.0
# advice: string_growth
# also: copies
class Table:
    ROWS = 45_000

    def __init__(self):
        self.lines = ["" for _ in range(self.ROWS)]
        self.text = ""

    def fill(self):
        for number in range(self.ROWS):
            self.lines[number] = "%d,%d" % (number, number % 7)

    def render(self):
        for line in self.lines:
            if line:
                self.text = self.text + line + "\n"  # <- here
        return self.text


table = Table()
table.fill()
print(len(table.render()))
