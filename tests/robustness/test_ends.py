"""Environments that never end what they do: neither callers, nor collection, nor the exit wait."""

import re

import pytest

from helpers import PREAMBLE, assert_runs, run_python

# Far longer than a test may take.
FOREVER = """
FOREVER = 10**9  # ms
def endless(**options):
    return make("Sleeping", num_threads=2, **({"step_ms": FOREVER} | options))
zeros = np.zeros(4, int)
def begin(call, *args):
    thread = threading.Thread(target=call, args=args, daemon=True)
    thread.start()
    time.sleep(0.2)
"""

# A pool whose recording, in `folder`, is on a disk that takes nothing: a full pipe in its place.
STUCK = """
pool = make("Counting", record=folder)
pool.reset()
kept, end = os.pipe()
os.set_blocking(end, False)
try:
    while True:
        os.write(end, bytes(1000))
except BlockingIOError:
    os.set_blocking(end, True)
for name in os.listdir("/proc/self/fd"):
    if os.path.realpath(f"/proc/self/fd/{name}") == os.path.realpath(folder + "/chunks"):
        os.dup2(end, int(name))
pool.step(zeros)
"""

# What is under way when the interpreter exits.
EXITS = {
    "steps in flight": "pool = endless(); pool.reset(); pool.send(zeros)",
    "asynchronous steps": """
pool = endless(batch_size=1)
pool.async_reset()
for _ in range(4):
    pool.recv()
pool.send(zeros)
""",
    "a reset": "pool = endless(reset_ms=FOREVER); pool.async_reset()",
    "results that refer to their pool": """
pool = make("Counting", batch_size=2)
pool.async_reset()
pool.keep = pool.recv()
sys.modules["keep"] = pool
""",
    "daemon threads that wait": """
pool = make("Counting", batch_size=2)
for _ in range(3):
    begin(lambda: pool.recv(timeout=100))
""",
    "a step that Ctrl-C has ended": """
pool = endless()
pool.reset()
latency_of_ctrl_c(lambda: pool.step(zeros))
""",
    "a close that Ctrl-C has ended": """
pool = endless()
pool.reset()
send_and_see_begun(pool, zeros)
latency_of_ctrl_c(pool.close)
""",
    "a constructor that Ctrl-C has ended": """
latency_of_ctrl_c(lambda: endless(create_ms=FOREVER))
""",
    "an option that Ctrl-C has kept": """
from envpool.tasks.gymnasium_makers import make_vector_env
env = make_vector_env("testing/Sleeping-v0", 2)
env.reset()
latency_of_ctrl_c(lambda: env.set_attr("create_ms", FOREVER))
""",
    "a picture that Ctrl-C has ended": """
pool = make("Canvas", render_ms=FOREVER, render_mode="rgb_array")
pool.reset()
latency_of_ctrl_c(pool.render)
""",
    "a pool that was deleted": """
pool = endless()
pool.reset()
pool.send(zeros)
del pool
""",
    "a daemon thread that steps": """
pool = endless()
pool.reset()
begin(pool.step, zeros)
""",
    "a daemon thread that closes": """
pool = endless()
pool.reset()
pool.send(zeros)
begin(pool.close)
""",
    "a daemon thread that makes a pool": "begin(lambda: endless(create_ms=FOREVER))",
    "a daemon thread that draws": """
pool = make("Canvas", render_ms=FOREVER, render_mode="rgb_array")
pool.reset()
begin(pool.render)
""",
    "many pools": """
pools = [endless() for _ in range(20)]
for pool in pools:
    pool.reset()
    pool.send(zeros)
""",
}


@pytest.mark.slow
@pytest.mark.parametrize("case", EXITS)
@pytest.mark.one_in(12)
def test_the_exit_waits_for_nothing(case):
    """The process ends with its own status and has written what it printed."""
    program = PREAMBLE + FOREVER + EXITS[case] + "\nprint('done')\nsys.exit(3)\n"
    done = run_python(program, timeout=20)
    assert (done.returncode, done.stdout) == (3, "done\n"), done.stderr
    if "daemon thread" in case:
        # What it raises then, as far as it came with printing it.
        assert not done.stderr or done.stderr.startswith("Exception in thread")
    else:
        assert done.stderr == ""


def test_ctrl_c_ends_the_exit():
    """Of pools that take long to end; what they would still have done is left out."""
    program = f"""{PREAMBLE}{FOREVER}
import atexit
pool = endless()
pool.reset()
pool.send(zeros)
envpool.flavours.native._PATIENCE_S = 60
has_begun = threading.Event()
def interrupt():
    has_begun.wait()
    time.sleep(0.3)
    os.kill(os.getpid(), signal.SIGINT)
begin(interrupt)  # from Python 3.12 on, no thread starts while the process ends
atexit.register(has_begun.set)  # registered last, so called before the pools are ended
"""
    done = run_python(program, timeout=20)
    assert (done.returncode, done.stderr) == (0, "")


def run_stuck(folder, program):
    """Runs a program with a pool that is recorded in this folder, on a disk that takes nothing."""
    whole = f"{PREAMBLE}{FOREVER}folder = {str(folder)!r}\n{STUCK}{program}"
    return run_python(whole, timeout=20)


def test_the_exit_waits_for_no_disk(tmp_path):
    """What is not written by then is lost, and a warning says so."""
    done = run_stuck(tmp_path / "a", "print('done'); sys.exit(3)")
    assert (done.returncode, done.stdout) == (3, "done\n"), done.stderr
    warning = f"RuntimeWarning: the recording may lack its end, .*: {tmp_path}/a/chunks\n"
    assert len(re.findall(warning, done.stderr)) == 1, done.stderr


def test_ctrl_c_ends_a_wait_for_the_disk(tmp_path):
    """The pool goes on, and another close waits until all is written."""
    program = """
assert_notices_ctrl_c(pool.close)
assert pool.step(zeros)[0].tolist() == [[2]] * 4
def take():
    while os.read(kept, 1 << 16):
        pass
threading.Thread(target=take, daemon=True).start()
pool.close()
assert count_threads() == THREADS + 1, "the one above"
"""
    for attempt in "abc":  # others on the machine may be in the way
        done = run_stuck(tmp_path / attempt, program)
        if "AssertionError: late" not in done.stderr:
            break
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.slow
@pytest.mark.parametrize("how", ["del pool", "pool.cycle = pool; del pool; gc.collect()"])
def test_a_collected_pool_waits_for_nothing(how):
    """Its threads end when what they run does."""
    assert_runs(
        f"""{FOREVER}
pool = endless(step_ms=1000)
pool.reset()
pool.send(zeros)
time.sleep(0.1)
start = time.monotonic()
{how}
assert time.monotonic() - start < 0.6, "late"
while count_threads() > THREADS:
    time.sleep(0.01)
pool = endless(step_ms=0)
pool.reset()
pool.step(zeros)
""",
        attempts=3,
    )


# Calls that may wait for an environment, with what prepares it: none may keep Ctrl-C waiting. What
# reset, step, recv and close do then, test_lifecycle.py sees, and of many pictures, test_render.py.
WAITS = {
    "make": ("", "endless(create_ms=FOREVER)"),
    "set_attr": (
        "from envpool.tasks.gymnasium_makers import make_vector_env\n"
        'env = make_vector_env("testing/Sleeping-v0", 2); env.reset()',
        'env.set_attr("create_ms", FOREVER)',
    ),
    "render": (
        'pool = make("Canvas", render_ms=FOREVER, render_mode="rgb_array"); pool.reset()',
        "pool.render()",
    ),
    "an environment of its own": (
        "import gymnasium",
        'gymnasium.make("envpool/testing-Sleeping-v0", create_ms=FOREVER)',
    ),
    "get_state": ('pool = make("Sleeping", state_ms=FOREVER); pool.reset()', "pool.get_state()"),
    "set_state": (
        'pool = make("Sleeping", state_ms=300); pool.reset(); states = pool.get_state()',
        "[pool.set_state(states) for _ in range(100)]",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("call", WAITS)
@pytest.mark.one_in(9)
def test_ctrl_c_is_noticed(call):
    prepare, wait = WAITS[call]
    assert_runs(
        f"""{FOREVER}
{prepare}
assert_notices_ctrl_c(lambda: {wait})
""",
        attempts=3,
    )
