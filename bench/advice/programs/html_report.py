# bench/advice/programs/html_report.py - writes a table of measurements as one HTML document.
#
# SPDX-License-Identifier: Apache-2.0
# advice: string_growth
# also: copies
ROWS = 14_000


class Report:
    def __init__(self, title):
        self.html = "<html><head><title>" + title + "</title></head><body><table>\n"

    def add_row(self, cells):
        row = "<tr>" + "".join("<td>%s</td>" % cell for cell in cells) + "</tr>\n"
        self.html += row  # <- here

    def finish(self):
        self.html += "</table></body></html>\n"
        return self.html


def main():
    report = Report("Measurements")
    for i in range(ROWS):
        report.add_row((i, "station %d" % (i % 17), i * 0.25, "ok" if i % 5 else "late"))
    print(len(report.finish()))


main()
