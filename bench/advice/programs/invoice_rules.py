# bench/advice/programs/invoice_rules.py - applies rules to invoices and could tell why.
#
# SPDX-License-Identifier: Apache-2.0
# advice: logging_format
from logging import getLogger

INVOICES = 580_000
logger = getLogger(__name__)


def rules():
    yield "small", lambda invoice: invoice["total"] < 100
    yield "late", lambda invoice: invoice["days"] > 30
    yield "foreign", lambda invoice: invoice["country"] != "DE"


def check(invoice, active):
    names = []
    for name, rule in active:
        if rule(invoice):
            logger.debug("rule {} holds for {!r}, items {}".format(name, invoice, ", ".join(map(str, invoice["items"]))))  # <- here
            names.append(name)
    return names


active = list(rules())
counts = 0
for number in range(INVOICES):
    bill = {"total": number % 300, "days": number % 60, "country": "DE" if number % 4 else "FR", "items": list(range(number % 30))}
    counts += len(check(bill, active))
print(counts)
