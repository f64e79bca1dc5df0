# bench/advice/programs/sql_dump.py - writes rows as INSERT statements into one script, at module level.
#
# SPDX-License-Identifier: Apache-2.0
# advice: string_growth
# also: copies
ROWS = 9_000
script = "BEGIN;\n"


def quote(value):
    return "'" + value.replace("'", "''") + "'"


def add(table, row):
    global script
    values = ", ".join(quote(cell) for cell in row)
    script += "INSERT INTO " + table + " VALUES (" + values + ");\n"  # <- here


for number in range(ROWS):
    add("people", (str(number), "O'Neill %d" % number, "somewhere in the %d. street" % (number % 90)))
script += "COMMIT;\n"
print(len(script))
