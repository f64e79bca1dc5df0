# bench/advice/programs/customer_orders.py - for each customer, the database is asked for the orders.
#
# SPDX-License-Identifier: Apache-2.0
# advice: query_per_row
import sqlite3

CUSTOMERS = 930_000


def fill(db):
    db.execute("CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT)")
    db.execute("CREATE TABLE orders (id INTEGER PRIMARY KEY, customer INTEGER, total INTEGER)")
    db.execute("CREATE INDEX by_customer ON orders (customer)")
    db.executemany("INSERT INTO customer VALUES (?, ?)", ((i, "c%d" % i) for i in range(CUSTOMERS)))
    db.executemany("INSERT INTO orders (customer, total) VALUES (?, ?)", ((i % 1000, i % 97) for i in range(5000)))


def report(db):
    best = 0
    for customer, name in db.execute("SELECT id, name FROM customer").fetchall():
        row = db.execute("SELECT SUM(total) FROM orders WHERE customer = ?", (customer,)).fetchone()  # <- here
        if row[0] and row[0] > best:
            best = row[0]
    return best


def main():
    db = sqlite3.connect(":memory:")
    fill(db)
    print(report(db))


if __name__ == "__main__":
    main()
