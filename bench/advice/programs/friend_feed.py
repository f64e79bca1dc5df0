# bench/advice/programs/friend_feed.py - posts of the friends of a user; one query for each friend.
#
# SPDX-License-Identifier: Apache-2.0
# advice: query_per_row
import sqlite3

READS = 4700
USERS = 300

connection = sqlite3.connect(":memory:")
cursor = connection.cursor()
cursor.execute("CREATE TABLE post (author INTEGER, number INTEGER, text TEXT)")
cursor.execute("CREATE INDEX author ON post (author)")
cursor.executemany("INSERT INTO post VALUES (?, ?, ?)", [(i % USERS, i, "text of post %d" % i) for i in range(6000)])


def posts_of(author):
    cursor.execute("SELECT number, text FROM post WHERE author = ? ORDER BY number DESC LIMIT 3", (author,))  # <- here
    return cursor.fetchall()  # <- here


def feed(user):
    friends = [(user * 7 + k) % USERS for k in range(25)]
    posts = []
    for friend in friends:
        posts += posts_of(friend)  # <- here
    posts.sort(reverse=True)
    return posts[:10]


print(sum(len(feed(i % USERS)) for i in range(READS)))
