# bench/advice/programs/silent_batch_insert.py - keeps many events in a database with executemany.
#
# SPDX-License-Identifier: Apache-2.0
# advice: none
import sqlite3

EVENTS = 1_600_000


def events():
    for i in range(EVENTS):
        yield i, i % 97


def main():
    db = sqlite3.connect(":memory:")
    db.execute("CREATE TABLE event (moment INTEGER, value INTEGER)")
    with db:
        db.executemany("INSERT INTO event VALUES (?, ?)", events())
    print(db.execute("SELECT COUNT(*), SUM(value) FROM event").fetchone())


main()
