# bench/advice/programs/template_mailer.py - bodies of letters to customers, by recipient.
#
# SPDX-License-Identifier: Apache-2.0
# advice: string_growth
# also: copies
LETTERS = 4
LINES = 8500


def line_of(customer, i):
    return "Item %d for customer %d, delivered on day %d, price %d.%02d EUR\n" % (i, customer, i % 365, i % 90, i % 100)


def collect():
    bodies = {}
    for customer in range(LETTERS):
        bodies[customer] = "Dear customer,\n\n"
        for i in range(LINES):
            bodies[customer] += line_of(customer, i)  # <- here
    return bodies


print(sum(len(body) for body in collect().values()))
