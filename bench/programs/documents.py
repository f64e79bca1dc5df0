# bench/programs/documents.py - docutils: a long reStructuredText document to HTML.
#
# SPDX-License-Identifier: Apache-2.0
import sys

from docutils.core import publish_string

SCALE = 400
NEEDS = ("docutils",)

PART = """
Part {n}
========

Some *emphasis*, **strong words**, ``literals`` and a link_ to `part {n}`_, with a footnote [#]_.

.. _link: https://example.org/{n}

.. [#] A footnote of part {n}.

* one
* two

  1. nested
  2. list

========  ======
a column  other
========  ======
{n}       text
more      text
========  ======

.. note:: Mind the gap.

::

    literal block {n}

"""


def main(count):
    text = "".join(PART.format(n=n) for n in range(count))
    page = publish_string(text, writer_name="html", settings_overrides={"report_level": 5})
    print(page.count(b"<li>"), page.count(b"<h1>"))


main(int(sys.argv[1]) if len(sys.argv) > 1 else SCALE)
