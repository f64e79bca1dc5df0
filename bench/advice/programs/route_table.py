# bench/advice/programs/route_table.py - finds which handler serves a path; patterns are made from the routes.
#
# SPDX-License-Identifier: Apache-2.0
# advice: regex_in_loop
import re

REQUESTS = 58
ROUTES = ["/api/v%d/%s/<id>/items/<item>" % (i % 3, "thing%d" % i) for i in range(560)]


class Router:
    def __init__(self, routes):
        self.routes = routes
        self.hits = 0

    def dispatch(self, path):
        for route in self.routes:
            expression = "^" + re.sub(r"<(\w+)>", r"(?P<\1>[^/]+)", route) + "$"  # <- here
            match = re.search(expression, path)  # <- here
            if match:
                self.hits += 1
                return match.groupdict()
        return None


router = Router(ROUTES)
for number in range(REQUESTS):
    router.dispatch("/api/v%d/thing%d/17/items/%d" % (number % 3, 559 - number, number))
print(router.hits)
