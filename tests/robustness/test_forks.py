"""Forks of a process whose other threads are busy: a child can do all that a fresh process can.

Each child has a time limit of its own, so that one that hangs is known as such.
"""

import pytest

from helpers import assert_runs, needs_ale, needs_mujoco
from opengl import find_backend

# What the programs here begin with.
FORKS = """
def fork(body, seconds=30):
    "Runs the body in a child; it must end well, and in time."
    child = os.fork()
    if child == 0:
        code = 1
        try:
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.alarm(seconds)
            body()
            code = 0
        finally:
            if code:
                sys.excepthook(*sys.exc_info())
            os._exit(code)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert status == 0, "it hung" if status == -signal.SIGALRM else status

def in_background(body):
    threading.Thread(target=body, daemon=True).start()

def roll_out(task_id="CartPole-v1", **options):
    pool = envpool.make(task_id, "gymnasium", num_envs=2, num_threads=2, **options)
    pool.reset()
    pool.step(np.array([pool.action_space.sample()] * 2))
    if options.get("render_mode"):
        assert pool.render().any()
    pool.close()

def end():
    "Without waiting for the threads, which have no end."
    sys.stderr.flush()
    os._exit(0)
"""


def assert_forks(program):
    assert_runs(f"{FORKS}{program}\nend()\n")


# A large map is made in some hundredths of a second, during which the others are locked.
LAKE = 'desc=["S" + "F" * 399] * 400'

BUSY = """
def make_for_ever():
    while True:
        roll_out({theirs})
roll_out({ours})
in_background(make_for_ever)
rng = np.random.default_rng(0)
for _ in range({count}):
    time.sleep(rng.uniform(0, 0.1))
    fork(lambda: roll_out({ours}))
"""


@pytest.mark.slow
def test_a_fork_while_another_thread_makes_maps():
    lake = f'"FrozenLake-v1", {LAKE}'
    assert_forks(BUSY.format(theirs=lake, ours=lake, count=8))


@needs_mujoco
@pytest.mark.slow
def test_a_fork_does_not_prolong_a_compilation():
    """Children that live on have the pipe's end by which the compiler says that it has finished."""
    assert_forks("""
made = []
def make_for_ever():
    while True:
        envpool.make("InvertedPendulum-v5", "gymnasium", num_envs=1)
        made.append(True)
roll_out("InvertedPendulum-v5")
in_background(make_for_ever)
children = []
for _ in range(100):
    time.sleep(0.003)
    children.append(os.fork())
    if children[-1] == 0:
        time.sleep(60)
        os._exit(0)
before, deadline = len(made), time.monotonic() + 20
while len(made) < before + 3 and time.monotonic() < deadline:
    time.sleep(0.01)
for child in children:
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
assert len(made) >= before + 3, "it hung"
""")


@pytest.mark.long
@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        pytest.param('"Humanoid-v5"', '"Humanoid-v5"', marks=needs_mujoco),
        pytest.param('"Humanoid-v5"', '"Ant-v5"', marks=needs_mujoco),
        pytest.param('"Pong-v5"', '"Pong-v5"', marks=needs_ale),
        pytest.param('"Pong-v5"', '"CartPole-v1"', marks=needs_ale),
        ('"LunarLander-v3"', '"LunarLander-v3"'),
        (f'"FrozenLake-v1", {LAKE}', '"Taxi-v3"'),
        ('"Acrobot-v1", render_mode="rgb_array"', '"CartPole-v1", render_mode="rgb_array"'),
        ('"LunarLander-v3", render_mode="rgb_array"', '"Taxi-v3", render_mode="rgb_array"'),
    ],
)
def test_many_forks_while_another_thread_makes_pools(theirs, ours):
    assert_forks(BUSY.format(theirs=theirs, ours=ours, count=40))


@pytest.mark.slow
def test_all_other_calls_in_a_forked_child():
    """Whatever else is imported late or has a lock, with the arrays and pools of the parent."""
    assert_forks("""
import gymnasium, multiprocessing
pool = make("Counting", 4, num_threads=2)
kept = [pool.reset()]
def drop_results():
    while True:
        kept[:] = [pool.step(np.zeros(4, int))]
in_background(drop_results)
def everything():
    global pool
    kept.clear()
    del pool
    gc.collect()
    envpool.list_all_envs()
    envpool.make_spec("Pendulum-v1").action_space
    envpool.make_dm("Catch-v0", num_envs=2).reset()
    vector = gymnasium.make_vec("envpool/Blackjack-v1", num_envs=2)
    vector.reset(seed=1)
    vector.close()
    envpool.EnvPool, envpool.python, envpool.__version__
for _ in range(5):
    fork(everything)
with multiprocessing.get_context("fork").Pool(2) as workers:
    workers.map_async(roll_out, ["CartPole-v1", "Taxi-v3"] * 2).get(30)
""")


def test_a_child_does_not_draw_what_its_parent_has():
    assert_forks("""
pictures = make("Canvas", 4, num_threads=2, render_mode="rgb_array")
pictures.reset()
fork(lambda: refuses(pictures.render, "forked"))
assert pictures.render().any()
""")


@pytest.mark.slow
@pytest.mark.parametrize(
    "call",
    [
        "pool.recv()",
        "pool.reset()",
        "pool.close()",
        "envpool.make('testing/Sleeping-v0', 'gymnasium', num_envs=100, create_ms=10)",
        "pictures.render(pictures.all_env_ids)",
    ],
)
@pytest.mark.one_in(3)
def test_a_signal_handler_that_forks(call):
    """The call goes on in the parent; in the child it says that it cannot, and others can."""
    assert_forks(f"""
pool = make("Sleeping", 4, batch_size=2, num_threads=2, reset_ms=700)
if "recv" in {call!r} or "close" in {call!r}:
    pool.async_reset()
pictures = make("Canvas", 4, num_threads=2, render_ms=300, render_mode="rgb_array")
pictures.reset()
parent, children = os.getpid(), []
def handler(*_):
    children.append(os.fork())
    if os.getpid() != parent:
        signal.alarm(30)
signal.signal(signal.SIGUSR1, handler)
threading.Timer(0.2, lambda: os.kill(parent, signal.SIGUSR1)).start()
try:
    {call}
except RuntimeError as error:
    assert os.getpid() != parent
    assert "forked" in str(error), error
else:
    assert os.getpid() == parent
if os.getpid() != parent:
    roll_out()
    end()
status = os.waitstatus_to_exitcode(os.waitpid(children[0], 0)[1])
assert status == 0, status
""")


@pytest.mark.slow
@needs_mujoco
def test_a_fork_of_a_process_that_has_drawn_with_opengl():
    """Drivers have threads, which stay in the parent; a child would wait for them for ever."""
    backend, why_none = find_backend()
    if not backend:
        pytest.skip(why_none)
    assert_forks(f"""
os.environ["MUJOCO_GL"] = {backend!r}
def draw():
    roll_out("InvertedPendulum-v5", render_mode="rgb_array", render_width=8, render_height=8)
fork(draw)  # nobody has drawn yet
draw()
size = dict(render_width=8, render_height=8)
parents = envpool.make("InvertedPendulum-v5", "gymnasium", render_mode="rgb_array", **size)
parents.reset()
parents.render()
def draw_nothing():
    refuses(draw, "forked")
    refuses(parents.render, "forked")
    roll_out("InvertedPendulum-v5")
fork(draw_nothing)
parents.render()
""")
