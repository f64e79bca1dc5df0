# bench/advice/programs/crawl_frontier.py - visits the pages of a made-up site, breadth first.
#
# SPDX-License-Identifier: Apache-2.0
# advice: list_membership
# also: list_front
PAGES = 15_000


def links(page):
    return [(page * 3 + 1) % PAGES, (page * 7 + 5) % PAGES, (page + 1) % PAGES]


visited = []
frontier = [0]
while frontier:
    page = frontier.pop()
    if page in visited:  # <- here
        continue
    visited.append(page)
    for link in links(page):
        if link < PAGES - 10:
            frontier.append(link)
print(len(visited))
