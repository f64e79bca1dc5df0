# bench/advice/programs/silent_one_query.py - best customers, by one query that groups in the database.
#
# SPDX-License-Identifier: Apache-2.0
# advice: none
import sqlite3

ORDERS = 800_000
REPORTS = 7


def database():
    db = sqlite3.connect(":memory:")
    db.execute("CREATE TABLE orders (customer INTEGER, total INTEGER)")
    db.execute("WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ?) INSERT INTO orders SELECT i % 9973, i % 91 FROM n", (ORDERS,))
    return db


def best(db, least):
    query = "SELECT customer, SUM(total) AS sum FROM orders GROUP BY customer HAVING sum > ? ORDER BY sum DESC LIMIT 10"
    return db.execute(query, (least,)).fetchall()


db = database()
for i in range(REPORTS):
    rows = best(db, i)
print(rows[0])
