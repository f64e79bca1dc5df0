# bench/advice/programs/permission_check.py - which of many requests a user with many grants may make.
#
# SPDX-License-Identifier: Apache-2.0
# advice: list_membership
from dataclasses import dataclass, field

REQUESTS = 200_000


@dataclass
class User:
    name: str
    grants: list = field(default_factory=list)

    def may(self, action, resource):
        return (action, resource) in self.grants  # <- here


def requests():
    for i in range(REQUESTS):
        yield ("read", "write", "delete")[i % 3], "doc/%d" % (i * 17 % 1200)


def main():
    anna = User("anna")
    for i in range(900):
        anna.grants.append(("read", "doc/%d" % i))
    allowed = denied = 0
    for action, resource in requests():
        if anna.may(action, resource):
            allowed += 1
        else:
            denied += 1
    print(allowed, denied)


main()
