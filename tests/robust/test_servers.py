# tests/robust/test_servers.py - real programs that are trees of processes: one profile, the same results, nothing left.
#
# What their processes have used they say themselves, at their ends or with their last answer; the table of
# processes has to agree. The packages come from the package index; where they cannot be installed the test is
# skipped with the reason. Celery needs redis-server for a broker.
#
# SPDX-License-Identifier: Apache-2.0
"""gunicorn, celery, pytest-xdist, joblib, process pools, and children of uvloop, gevent and trio."""

import http.client
import json
import os
import shutil
import signal
import socket
import subprocess

import packages as index
import pytest
from conftest import Ended, Profile, clean_environment, kill_group, until, write_program

LIMIT_S = 60

BURN = """
import json, os, sys, time

def burn(seconds):  # of its own thread: what others of the process do meanwhile is not on its lines
    end = time.thread_time() + seconds
    total = 0
    while time.thread_time() < end:
        for i in range(2000):
            total += i ^ 5  #: burn
    return total

"""


@pytest.fixture
def needs(python):
    """needs(names): the environment with packages for the interpreter; otherwise the test is skipped."""

    def get(names):
        folder, why = index.install(python, names)
        if folder is None:
            pytest.skip("%s cannot be installed for %s: %s" % (names, python.id, " ".join(why.split())))
        return {"PYTHONPATH": folder}

    return get


def session_of(pid):
    try:
        with open("/proc/%s/stat" % pid) as stat:
            return int(stat.read().rpartition(")")[2].split()[3])
    except (OSError, ValueError, IndexError):
        return 0


def processes_of(session, folder):
    """Command lines of what still runs in the session, or in the folder."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            is_in_folder = os.readlink("/proc/%s/cwd" % name).startswith(folder)
            if session_of(name) == session or is_in_folder:
                with open("/proc/%s/cmdline" % name) as words:
                    found.append(words.read().replace("\0", " ").strip())
        except OSError:
            pass
    return [command for command in found if command]


def sockets_of(pid):
    """Names of the abstract sockets that the process listens at."""
    inodes = set()
    for fd in os.listdir("/proc/%d/fd" % pid):
        try:
            inodes.add(os.readlink("/proc/%d/fd/%s" % (pid, fd)).strip("socket:[]"))
        except OSError:
            pass
    with open("/proc/net/unix") as table:
        rows = [line.split() for line in table]
    return {row[7] for row in rows if len(row) == 8 and row[6] in inodes and row[7].startswith("@scalene")}


def names_of_sockets():
    with open("/proc/net/unix") as table:
        return {line.split()[-1] for line in table}


def shared_memory():
    return {name for name in os.listdir("/dev/shm") if "scalene" in name}


class Tree:
    """Runs a command plainly or under `scalene run`, in a folder of its own."""

    def __init__(self, scalene, folder, out):
        self.scalene = scalene
        self.folder = str(folder)
        self.out = out

    def run(self, words, env, act=None, *, python=None, is_profiled=True):
        """The command's end as Ended. act gets the Popen object, while the command runs."""
        command = list(words)
        if is_profiled:
            head = [self.scalene, "run", "--cpu-only", "-o", self.out]
            command = head + (["--python", python.path, "---", *words] if python else ["--", *words])
        elif python:
            command = [python.path, *words]
        before = shared_memory()
        with open(self.folder + ".stdout", "w+") as stdout, open(self.folder + ".stderr", "w+") as stderr:
            process = subprocess.Popen(
                command, cwd=self.folder, env=clean_environment(env), stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr, start_new_session=True
            )
            try:
                sockets = until(lambda: sockets_of(process.pid), "our sockets") if command[0] == self.scalene else set()
                if act is not None:
                    act(process)
                status = process.wait(LIMIT_S)
                until(lambda: not processes_of(process.pid, self.folder), "the end of all processes")
                assert not sockets & names_of_sockets()
                assert not shared_memory() - before
            finally:
                left = processes_of(process.pid, self.folder)
                kill_group(process)
                for file in (stdout, stderr):
                    file.seek(0)
                ended = Ended(process.returncode, stdout.read(), stderr.read())
                print("left:", left, ended, sep="\n")  # seen when the test fails
        assert status == ended.status
        if is_profiled:
            ended.profile = Profile.read(self.out)
        return ended


@pytest.fixture
def tree(scalene, tmp_path_factory):
    folder = tmp_path_factory.mktemp("tree")
    out = str(tmp_path_factory.mktemp("out") / "profile.json")
    return Tree(scalene, folder, out)


def rows(profile):
    """The table by number of process, without what a fork child was before it executed something."""
    return {row["pid"]: row for row in profile.own["processes"] if row["exit_kind"] != "exec"}


def expect_truth(profile, truth, most_more_s=0.6):
    """truth: pid -> CPU seconds that the process has last said of itself; it may have used a bit more since."""
    table = rows(profile)
    assert set(truth) <= set(table), (sorted(truth), sorted(table))
    for pid, cpu_s in truth.items():
        # a killed process is seen last at a tick before its end
        assert -0.03 - 0.02 * cpu_s <= table[pid]["cpu_s"] - cpu_s <= most_more_s, (cpu_s, table[pid])


def expect_burnt(ended, path, text, seconds):
    """What burn() has taken in all processes, by lines."""
    found = ended.profile.with_source(path, text)
    assert abs(found.cpu_inside("burn") - seconds) <= 0.05 + 0.04 * seconds, (seconds, found.hottest(), found.own["processes"])


# --- gunicorn

APPLICATION = BURN + """
def application(environ, start_response):
    burn(0.03)
    body = json.dumps([os.getpid(), time.process_time()]).encode()
    start_response("200 OK", [("Content-Length", str(len(body)))])
    return [body]
"""

GUNICORN_CONFIG = """
import os, time
bind = "unix:server.sock"
workers = 3
graceful_timeout = 20

def worker_exit(server, worker):
    with open("truth", "a") as out:
        out.write("%d %.6f\\n" % (os.getpid(), time.process_time()))
"""


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=LIMIT_S)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(LIMIT_S)
        self.sock.connect(self.path)


def ask(path):
    """[pid, its CPU seconds] of the worker that answers."""
    connection = UnixConnection(path)
    try:
        connection.request("GET", "/")
        answer = connection.getresponse()
        assert answer.status == 200
        return json.loads(answer.read())
    finally:
        connection.close()


def try_to_ask(path):
    try:
        return ask(path)
    except (OSError, http.client.HTTPException):
        return None


@pytest.mark.few_pythons
@pytest.mark.statistical
def test_gunicorn(tree, python, needs):
    """Sync workers; one is killed and replaced; SIGTERM stops all gracefully."""
    env = needs("gunicorn")
    path, text = write_program(tree.folder, APPLICATION, "app.py")
    write_program(tree.folder, GUNICORN_CONFIG, "gunicorn.conf.py")
    # the names of sockets are short: from within the folder
    sock = os.path.relpath(os.path.join(tree.folder, "server.sock"))
    truth, killed, answers = {}, [], []

    def act(process):
        def answer(asking=ask):
            pid, cpu_s = until(lambda: asking(sock), "an answer")
            truth[pid] = cpu_s
            answers.append(pid)

        answer(try_to_ask)
        for _ in range(39):
            answer()
        killed.append(answers[-1])
        os.kill(killed[0], signal.SIGKILL)
        for _ in range(20):
            answer(try_to_ask)  # what the killed one would have answered is lost
        process.send_signal(signal.SIGTERM)

    ended = tree.run(["-m", "gunicorn", "app:application"], env, act, python=python).expect(0)
    assert len(answers) == 60 and killed[0] not in answers[40:]
    assert "Handling signal: term" in ended.stderr and "Shutting down: Master" in ended.stderr
    with open(os.path.join(tree.folder, "truth")) as lines:
        truth.update((int(pid), float(cpu_s)) for pid, cpu_s in map(str.split, lines))
    table = rows(ended.profile)
    assert len(table) == 5, table  # the master, three workers, the one instead of the killed one
    expect_truth(ended.profile, truth)
    assert (table[killed[0]]["exit_kind"], table[killed[0]]["exit_value"]) == ("signal", signal.SIGKILL), table
    assert all(row["exit_kind"] == "exit" for pid, row in table.items() if pid != killed[0]), table
    found = ended.profile.with_source(path, text)
    asked = found.cpu_inside("burn") / 0.03
    assert 57 <= asked <= 64, (asked, found.hottest())


# --- celery

TASKS = BURN + """
from celery import Celery
url = "redis+socket://" + os.path.abspath("redis.sock")
app = Celery("tasks", broker=url, backend=url)
app.conf.update(worker_prefetch_multiplier=1, task_acks_late=True, broker_connection_retry_on_startup=True)

@app.task
def work(k):
    burn(0.1)
    return [k, os.getpid(), time.process_time()]
"""

CLIENT = """
import json
from celery import group
import tasks
answers = group(tasks.work.s(k) for k in range(30))().get(timeout=50)
print(json.dumps(answers))
"""


@pytest.fixture
def redis():
    """Gives redis(folder): starts a broker that listens on a socket there."""
    program = shutil.which("redis-server")
    if program is None:
        pytest.skip("no redis-server here: the Debian package of that name has it")
    started = []

    def start(folder):
        words = [program, "--port", "0", "--unixsocket", "redis.sock", "--save", "", "--appendonly", "no", "--daemonize", "no"]
        started.append(subprocess.Popen(words, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        until(lambda: os.path.exists(os.path.join(folder, "redis.sock")), "redis-server")

    yield start
    for process in started:
        process.kill()
        process.wait()


@pytest.mark.one_python
@pytest.mark.statistical
def test_celery(tree, python, needs, redis, tmp_path_factory):
    """A prefork worker with redis for a broker, tasks of another process, SIGTERM."""
    env = needs("celery[redis]")
    path, text = write_program(tree.folder, TASKS, "tasks.py")
    write_program(tree.folder, CLIENT, "client.py")
    broker = tmp_path_factory.mktemp("redis")
    redis(str(broker))
    os.symlink(str(broker / "redis.sock"), os.path.join(tree.folder, "redis.sock"))
    answers = []

    def act(process):
        client = [python.path, "client.py"]
        done = subprocess.run(client, cwd=tree.folder, env=clean_environment(env), capture_output=True, text=True, timeout=LIMIT_S, check=False)
        assert done.returncode == 0, done.stderr
        answers.extend(json.loads(done.stdout))
        process.send_signal(signal.SIGTERM)

    words = ["-m", "celery", "-A", "tasks", "worker", "-P", "prefork", "-c", "2", "--without-gossip", "--without-mingle"]
    ended = tree.run([*words, "--without-heartbeat", "--loglevel", "INFO"], env, act, python=python).expect(0)
    assert sorted(answer[0] for answer in answers) == list(range(30))
    assert "Warm shutdown" in ended.stdout + ended.stderr
    truth = {}
    for _, pid, cpu_s in answers:
        truth[pid] = max(cpu_s, truth.get(pid, 0))
    assert len(truth) == 2
    expect_truth(ended.profile, truth)
    expect_burnt(ended, path, text, 3.0)
    assert len(rows(ended.profile)) == 3, rows(ended.profile)


# --- pytest-xdist

TESTS = BURN + """
import pytest

@pytest.mark.parametrize("k", range(12))
def test_burn(k):
    burn(0.15)
    assert k != 7

def teardown_module():
    with open("truth", "a") as out:
        out.write("%d %.6f\\n" % (os.getpid(), time.process_time()))
"""


@pytest.mark.one_python
@pytest.mark.statistical
@pytest.mark.parametrize("how", ["module", "command"])
def test_pytest_xdist(tree, python, needs, how):
    env = needs("pytest pytest-xdist")
    path, text = write_program(tree.folder, TESTS, "test_of_them.py")
    options = ["-n", "2", "-q", "-p", "no:cacheprovider"]
    if how == "module":
        ended = tree.run(["-m", "pytest", *options], env, python=python).expect(1)
    else:
        ended = tree.run([os.path.join(env["PYTHONPATH"], "bin", "pytest"), *options], env).expect(1)
    assert "1 failed, 11 passed" in ended.stdout
    with open(os.path.join(tree.folder, "truth")) as lines:
        truth = {int(pid): float(cpu_s) for pid, cpu_s in map(str.split, lines)}
    assert len(truth) == 2
    assert len(rows(ended.profile)) == 3, rows(ended.profile)
    expect_truth(ended.profile, truth)
    expect_burnt(ended, path, text, 1.8)


# --- pools

JOBLIB = BURN + """
from joblib import Parallel, delayed

def work(k):
    burn(0.1)
    return k, os.getpid(), time.process_time()

if __name__ == "__main__":
    found = Parallel(n_jobs=2, backend="loky")(delayed(work)(k) for k in range(20))
    print(json.dumps(found))
"""

POOL = BURN + """
import concurrent.futures, multiprocessing

def work(k):
    burn(0.1)
    return k, os.getpid(), time.process_time()

if __name__ == "__main__":
    context = multiprocessing.get_context(sys.argv[1])
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
        found = list(pool.map(work, range(20)))
    print(json.dumps(found))
"""


def check_pool(tree, python, text, env, *args):
    path, text = write_program(tree.folder, text, "prog.py")
    ended = tree.run([path, *args], env, python=python).expect(0)
    assert [answer[0] for answer in ended.facts] == list(range(20))
    truth = {}
    for _, pid, cpu_s in ended.facts:
        truth[pid] = max(cpu_s, truth.get(pid, 0))
    expect_truth(ended.profile, truth)
    expect_burnt(ended, path, text, 2.0)


# The newest sends functions of the script without the name of their file.
@pytest.mark.few_pythons
@pytest.mark.statistical
@pytest.mark.parametrize("release", ["joblib<1.6", "joblib"])
def test_joblib(tree, python, needs, release):
    check_pool(tree, python, JOBLIB, needs(release))


@pytest.mark.statistical
@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_process_pool(tree, python, method):
    check_pool(tree, python, POOL, {}, method)


# --- children of event loops

CHILD = "\nif sys.argv[1:] == ['child']:\n    burn(0.3)\n    sys.exit(int(time.process_time() > 10))\n"

UVLOOP = """
import asyncio
import uvloop

async def main():
    first, second = [await asyncio.create_subprocess_exec(sys.executable, __file__, "child") for _ in range(2)]
    third = await asyncio.create_subprocess_shell(sys.executable + " " + __file__ + " child", stdout=asyncio.subprocess.PIPE)
    print(await first.wait(), await second.wait(), (await third.communicate())[0], third.returncode)
    killed = await asyncio.create_subprocess_exec("sleep", "60")
    killed.terminate()
    print(await killed.wait())

uvloop.install()
asyncio.run(main())
"""

GEVENT = """
from gevent import monkey
monkey.patch_all()
import gevent, signal, subprocess

def start(_):
    return subprocess.call([sys.executable, __file__, "child"])

print([job.get() for job in [gevent.spawn(start, k) for k in range(3)]])
killed = subprocess.Popen(["sleep", "60"])
killed.terminate()
print(killed.wait())
"""

TRIO = """
import trio

async def start():
    done = await trio.run_process([sys.executable, __file__, "child"])
    codes.append(done.returncode)

async def main():
    async with trio.open_nursery() as nursery:
        for _ in range(3):
            nursery.start_soon(start)
    done = await trio.run_process(["sh", "-c", "kill -TERM $$"], check=False)
    codes.append(done.returncode)

codes = []
trio.run(main)
print(codes)
"""


@pytest.mark.few_pythons
@pytest.mark.statistical
@pytest.mark.parametrize("name, text", [("uvloop", UVLOOP), ("gevent", GEVENT), ("trio", TRIO)], ids=["uvloop", "gevent", "trio"])
def test_children_of(tree, python, needs, name, text):
    env = needs(name)
    path, text = write_program(tree.folder, BURN + CHILD + text, "prog.py")
    plain = tree.run([path], env, python=python, is_profiled=False).expect(0)
    ended = tree.run([path], env, python=python).expect(0)
    assert ended.stdout == plain.stdout
    expect_burnt(ended, path, text, 0.9)
    assert len(rows(ended.profile)) == 4, rows(ended.profile)
    assert all(row["exit_kind"] == "exit" for row in rows(ended.profile).values())
