# bench/advice/programs/event_store.py - keeps events in a database, each with a statement of its own.
#
# SPDX-License-Identifier: Apache-2.0
# advice: query_per_row
import sqlite3
import tempfile

EVENTS = 2_000_000


class Store:
    def __init__(self, path):
        self.connection = sqlite3.connect(path)
        self.cursor = self.connection.cursor()
        self.cursor.execute("CREATE TABLE event (moment REAL, kind TEXT, value INTEGER)")

    def save(self, events):
        for moment, kind, value in events:
            self.cursor.execute("INSERT INTO event VALUES (?, ?, ?)", (moment, kind, value))  # <- here
        self.connection.commit()

    def count(self):
        return self.cursor.execute("SELECT COUNT(*) FROM event").fetchone()[0]


with tempfile.NamedTemporaryFile(suffix=".db") as file:
    store = Store(file.name)
    store.save((i / 10, "kind%d" % (i % 4), i) for i in range(EVENTS))
    print(store.count())
