/*
 * tests/unit/entry_point_test.c - which texts are console scripts, and of which package.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "source/entry_point.h"

#include "base/mem.h"
#include "sc_test.h"

#define MAIN "if __name__ == '__main__':\n"

struct row {
    const char *name;
    const char *text;
    const char *package; /* NULL: no console script */
};

static const struct row rows[] = {
    ROW("pip",
        "#!/p/.venv/bin/python3.12\n# -*- coding: utf-8 -*-\nimport re\nimport sys\n"
        "from black import patched_main\n" MAIN
        "    sys.argv[0] = re.sub(r'(-script\\.pyw|\\.exe)?$', '', sys.argv[0])\n"
        "    sys.exit(patched_main())\n",
        "black"),
    ROW("an inner package",
        "import sys\nfrom _pytest.config import _console_main\n" MAIN
        "    sys.exit(_console_main())\n",
        "pytest"),
    ROW("uv",
        "#!/p/.venv/bin/python\n# -*- coding: utf-8 -*-\nimport sys\nfrom a.b import c\n" MAIN
        "    if sys.argv[0].endswith(\"-script.pyw\"):\n        sys.argv[0] = sys.argv[0][:-11]\n"
        "    elif sys.argv[0].endswith(\".exe\"):\n        sys.argv[0] = sys.argv[0][:-4]\n"
        "    sys.exit(c())\n",
        "a"),
    {"a method, lines of Windows",
     "import sys\r\nfrom a_1 import Class\r\nif 1:\r\n    sys.exit(Class.run.it())\r\n", "a_1"},
    ROW("setuptools, linked",
        "#!/usr/bin/python3\n# EASY-INSTALL-ENTRY-SCRIPT: 'mypkg==1.0','console_scripts','tool'\n"
        "import re\n\ndef importlib_load_entry_point(spec, group, name):\n    return 1\n",
        "mypkg"),
    {"nothing", "", NULL},
    {"no call", "import sys\nfrom a import b\n", NULL},
    {"a call of something else", "import sys\nfrom a import b\nsys.exit(bb())\n", NULL},
    {"a call with arguments", "import sys\nfrom a import b\nsys.exit(b(sys.argv))\n", NULL},
    {"a call that goes on", "import sys\nfrom a import b\nsys.exit(b() + 1)\n", NULL},
    {"a function of its own", "import sys\nfrom a import b\ndef f():\n    pass\nsys.exit(b())\n",
     NULL},
    {"a loop", "import sys\nfrom a import b\nfor i in range(9):\n    b()\nsys.exit(b())\n", NULL},
    {"a statement", "import sys\nfrom a import b\nx = [i for i in b()]\nsys.exit(b())\n", NULL},
    {"of the folder it lies in", "import sys\nfrom . import b\nsys.exit(b())\n", NULL},
    {"called before it is imported", "import sys\nsys.exit(b())\nfrom a import b\n", NULL},
};

TEST(a_console_script_imports_and_calls)
{
    FOR_EACH_ROW(row, rows) {
        SC_AUTO_FREE char *package = sc_entry_point_package(row->text, strlen(row->text));
        if (row->package == NULL)
            assert_null(package);
        else
            assert_string_equal(package, row->package);
    }
}

TEST(a_long_text_is_none)
{
    static const char script[] = "import sys\nfrom a import b\nsys.exit(b())\n";
    char text[SC_CONSOLE_SCRIPT_BYTES_MAX + 1];
    memset(text, '\n', sizeof(text));
    memcpy(text, script, strlen(script));
    SC_AUTO_FREE char *package = sc_entry_point_package(text, sizeof(text) - 1);
    assert_string_equal(package, "a");
    assert_null(sc_entry_point_package(text, sizeof(text)));
}
