# tests/run/cases_python.py - what a program can see of its interpreter and its surroundings.
#
# SPDX-License-Identifier: Apache-2.0
"""The program's view of Python."""

from case import Case, since

CASES = [
    Case(
        "arguments",
        """
        import sys
        print(sys.argv[1:], len(sys.argv[0]) > 0)
        print(getattr(sys, "orig_argv", None))
        """,
        args=("--foo", "-x", "--cpu-only", "-o", "a b", "", "h\u00e9llo", "---", "--help"),
    ),
    Case(
        "paths",
        """
        import sys
        print(sys.argv, sys.path, sys.executable, sys.prefix, sys.base_prefix, sys.flags)
        print(open("/proc/self/comm").read(), open("/proc/self/cmdline").read().split("\\0"))
        """,
    ),
    Case(
        "main_module",
        """
        import sys
        print(sorted(globals()), __name__, __file__, __spec__, __doc__, __package__)
        print(sys.modules["__main__"].__dict__ is globals(), __builtins__)
        print(__loader__.__class__, getattr(__loader__, "path", None))
        """,
    ),
    Case(
        "directory",
        """
        import os
        print(os.getcwd(), sorted(os.listdir(".")))
        os.chdir("/")
        print(os.getcwd())
        """,
    ),
    Case(
        "environment",
        """
        import ctypes, os
        print(sorted(os.environ.items()))
        libc = ctypes.CDLL(None)
        libc.getenv.restype = ctypes.c_char_p
        print(libc.getenv(b"LD_PRELOAD"), libc.getenv(b"HOME"))
        """,
        env={"SOME_VARIABLE": "some value", "DEBUGINFOD_URLS": "http://localhost:1/"},
    ),
    Case(
        "environment_with_a_preload_of_its_own",
        """
        import os, subprocess
        print(os.environ.get("LD_PRELOAD"), sorted(subprocess.check_output(["env"]).splitlines()))
        """,
        env={"LD_PRELOAD": "libm.so.6"},
    ),
    Case(
        "environment_of_a_child",
        """
        import subprocess, sys
        code = "import os; print(sorted(os.environ.items()))"
        print(subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE).stdout)
        """,
    ),
    Case(
        "standard_input",
        """
        import sys
        print(input("name? "), sys.stdin.read(), sys.stdin.isatty(), sys.stdout.isatty())
        print(sys.stdin.encoding, sys.stdout.encoding, sys.stderr.errors, sys.getfilesystemencoding())
        """,
        stdin="first line\nsecond\nlast",
    ),
    Case(
        "output_order",
        """
        import os, sys
        print("buffered")
        os.write(1, b"direct\\n")
        sys.stderr.write("error\\n")
        os.write(2, b"direct error\\n")
        """,
    ),
    Case(
        "closed_output",
        """
        import os, sys
        os.close(1)
        try:
            print("lost", flush=True)
        except OSError as error:
            sys.stderr.write("error %s\\n" % error)
        os._exit(4)
        """,
        status=4,
    ),
    Case(
        "modules",
        """
        import sys
        print(sorted(sys.modules))
        print([type(finder) for finder in sys.meta_path], len(sys.path_hooks))
        """,
    ),
    Case(
        "threads_and_locks",
        """
        import _thread, os, threading
        print([thread.name for thread in threading.enumerate()], threading.Lock, threading.RLock)
        print(len(os.listdir("/proc/self/task")), _thread.start_new_thread, threading.Thread.join)
        """,
    ),
    Case(
        "descriptors",
        """
        import os
        def show():
            numbers = sorted(map(int, os.listdir("/proc/self/fd")))
            names = {}
            for number in numbers:
                try:
                    target = os.readlink("/proc/self/fd/%d" % number)
                except OSError:
                    continue  # the directory itself, closed again
                names[number] = "pipe" if target.startswith("pipe:") else target
            print(names)
        show()
        for i in range(200000):
            i ^ 5
        show()
        first = os.open("/dev/null", os.O_RDONLY)
        print(first, os.dup(first))
        """,
    ),
    Case(
        "hooks",
        """
        import gc, sys, threading
        print(sys.gettrace(), sys.getprofile(), sys.excepthook is sys.__excepthook__)
        print(sys.displayhook is sys.__displayhook__, gc.get_threshold(), gc.callbacks)
        print(sys.getswitchinterval(), sys.getrecursionlimit(), sys.getdlopenflags())
        print(sys.is_finalizing(), sys.warnoptions, sys._xoptions, gc.isenabled())
        print(getattr(threading, "_trace_hook", None), getattr(threading, "_profile_hook", None))
        """,
    ),
    Case(
        "monitoring_tools",
        """
        import sys
        print([sys.monitoring.get_tool(tool) for tool in range(6)])
        events = []
        sys.monitoring.use_tool_id(0, "mine")
        sys.monitoring.register_callback(0, sys.monitoring.events.LINE,
                                         lambda code, line: events.append(line))
        sys.monitoring.set_events(0, sys.monitoring.events.LINE)
        for i in range(300000):
            x = i
        sys.monitoring.set_events(0, 0)
        print(len(events))
        """,
        unless=since(3, 12),
    ),
    Case(
        "audit_events",
        """
        import sys
        seen = []
        sys.addaudithook(lambda name, values: seen.append(name))
        open("/dev/null").close()
        for i in range(300000):
            i ^ 5
        exec("pass")
        print(seen)
        """,
    ),
    Case(
        "trace_function",
        """
        import sys
        count = {}
        def tracer(frame, event, argument):
            count[event] = count.get(event, 0) + 1
            return tracer
        def work(n):
            for i in range(n):
                helper(i)
        def helper(i):
            return i ^ 5
        sys.settrace(tracer)
        work(20000)
        sys.settrace(None)
        print(count)
        """,
    ),
    Case(
        "profile_function",
        """
        import cProfile, pstats, sys
        count = {}
        def profiler(frame, event, argument):
            count[event] = count.get(event, 0) + 1
        def work(n):
            for i in range(n):
                abs(helper(i))
        def helper(i):
            return i ^ 5
        sys.setprofile(profiler)
        work(50000)
        sys.setprofile(None)
        print(count)
        profile = cProfile.Profile()
        profile.runcall(work, 50000)
        print(pstats.Stats(profile).total_calls)
        """,
    ),
    Case(
        "limits",
        """
        import os, resource
        names = sorted(name for name in dir(resource) if name.startswith("RLIMIT_"))
        print([(name, resource.getrlimit(getattr(resource, name))) for name in names])
        print(os.umask(0), os.getpriority(os.PRIO_PROCESS, 0), os.sched_getscheduler(0))
        print(os.sched_getaffinity(0))
        """,
    ),
    Case(
        "object_lifetimes",
        """
        import sys, weakref
        class Thing:
            def __init__(self, name):
                self.name = name
            def __del__(self):
                print("gone", self.name)
        def use():
            thing = Thing("local")
            for i in range(300000):
                i ^ 5
            print("count", sys.getrefcount(thing) < 4)
        use()
        thing = Thing("deleted")
        ref = weakref.ref(thing)
        del thing
        print(ref())
        kept = Thing("at exit")
        """,
    ),
    Case(
        "exec_and_eval",
        """
        import traceback
        code = compile("def f(n):\\n    for i in range(n):\\n        i ^ 5\\n    1 / 0\\n", "<made>", "exec")
        space = {}
        exec(code, space)
        try:
            space["f"](300000)
        except ZeroDivisionError:
            print(traceback.format_exc())
        print(eval("sum(i * i for i in range(100000))"), eval("f.__name__", space))
        """,
    ),
    Case(
        "recursion_limit",
        """
        import sys
        def down(n):
            try:
                return down(n + 1)
            except RecursionError:
                return n
        print(down(0), down(0))
        def bottomless():
            bottomless()
        try:
            bottomless()
        except RecursionError as error:
            print(error)
        """,
    ),
    Case(
        "deep_recursion",
        """
        import sys
        sys.setrecursionlimit(20000)
        def down(n):
            if n == 0:
                for i in range(1000000):
                    i ^ 5
                return 0
            return 1 + down(n - 1)
        print(down(9000))
        """,
    ),
    Case(
        "stack_of_frames",
        """
        import inspect, sys, traceback
        def inner():
            for i in range(300000):
                i ^ 5
            print([frame.function for frame in inspect.stack()])
            traceback.print_stack()
        def outer():
            inner()
        outer()
        print([frame.f_code.co_name for frame in sys._current_frames().values()])
        """,
    ),
    Case(
        "tracemalloc",
        """
        import tracemalloc
        tracemalloc.start(5)
        before = tracemalloc.take_snapshot()
        kept = [bytes(1000) for _ in range(5000)]
        after = tracemalloc.take_snapshot()
        for row in after.compare_to(before, "lineno")[:1]:
            print(5000 <= row.count_diff < 5010, 5.1e6 < row.size_diff < 5.3e6)
        print(tracemalloc.get_object_traceback(kept[0]))
        tracemalloc.stop()
        """,
    ),
    Case(
        "interpreter_flags",
        """
        import sys
        print(sys.flags, sys._xoptions, sys.warnoptions, sys.dont_write_bytecode)
        assert False, "not reached with -O"
        """,
        what=("-O", "-B", "-W", "error", "-X", "faulthandler", "-u", "{program}"),
        args=("-O", "x"),
    ),
    Case(
        "isolated",
        """
        import sys
        print(sys.flags, sys.path)
        """,
        what=("-I", "-S", "{program}"),
    ),
    Case(
        "development_mode",
        """
        import sys
        print(sys.flags.dev_mode)
        values = [i ^ 5 for i in range(300000)]
        open("/dev/null")
        """,
        what=("-X", "dev", "{program}"),
    ),
    Case(
        "module",
        "",
        what=("-m", "package.tool"),
        args=("-c", "x"),
        files={
            "package/__init__.py": "print('package', __name__)\n",
            "package/other.py": "NAME = 'other'\n",
            "package/tool.py": "import sys\nfrom . import other\nprint(sys.argv, __name__, __package__, __spec__.name, other.NAME, sys.path[0])\n",
        },
    ),
    Case(
        "module_that_is_a_package", "", what=("-m", "package"), args=("y",),
        files={"package/__init__.py": "", "package/__main__.py": "import sys\nprint(sys.argv, __name__, __spec__.name)\n"},
    ),
    Case("module_of_the_library", "", what=("-m", "this")),
    Case("module_that_is_missing", "", what=("-m", "no_such_module_here"), status=1),
    Case(
        "code_on_the_command_line", "", what=("-c", "import sys; print(sys.argv, __name__, sorted(globals()), sys.path[0] == '')"), args=("a", "-b")
    ),
    Case(
        "directory_with_main", "", what=("{dir}/application",), args=("z",),
        files={"application/__main__.py": "import part, sys\nprint(sys.argv, sys.path[0], part.X)\n", "application/part.py": "X = 3\n"},
    ),
    Case("program_from_standard_input", "", what=("-",), args=("q",), stdin="import sys\nprint(sys.argv, __name__, sys.path[0])\n"),
    Case(
        "non_ascii_names",
        """
        import m\u00fcll, sys
        print(__file__, m\u00fcll.__file__, sys.argv)
        m\u00fcll.f\u00fcr(200000)
        raise ValueError("\u00e4\u20ac\U0001f40d")
        """,
        file="pr\u00f6g \u20ac.py",
        files={"m\u00fcll.py": "def f\u00fcr(n):\n    for i in range(n):\n        i ^ 5\n"},
        status=1,
    ),
    Case("latin_1_source", "", what=("{dir}/latin.py",), files={"latin.py": b"# -*- coding: latin-1 -*-\nprint(ascii('\xe4'))\n"}),
]
