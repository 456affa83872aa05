"""What is too large, too long or infinite is refused at once, and clearly."""

import copy
import fractions
import math
import re
import sys

import gymnasium
import numpy as np
import pytest
from typer.testing import CliRunner

import envpool
from envpool.cli import app
from envpool.errors import shortened, shown
from envpool.spec.memory import available_memory
from helpers import assert_runs, make, needs_ale, needs_mujoco, run_command

HUGE = 10**5000  # more digits than Python writes out
LONG = "a" * 10**6


# --- memory -----------------------------------------------------------------------------------

# In 4 GB of address space, where Python's own lists would not fit either.
IN_4_GB = """
import resource
resource.setrlimit(resource.RLIMIT_AS, (2**32, resource.RLIM_INFINITY))
import gymnasium

def needs_more(call, *texts):
    refuses(call, "GB", *texts, error=MemoryError)
"""


def test_memory_for_too_many_environments():
    assert_runs(f"""{IN_4_GB}
for options in ({{"num_envs": 10**8}}, {{"num_envs": 2**30 - 1}}):
    for name in ("CartPole-v1", "FrozenLake-v1", "LunarLander-v3"):
        envpool.make_spec(name, **options)
        for env_type in ("gymnasium", "dm"):
            needs_more(lambda: envpool.make(name, env_type, **options), "lower num_envs")
        needs_more(lambda: envpool.make(name, "dm", batch_size=1, **options), "lower num_envs")
        needs_more(lambda: gymnasium.make_vec("envpool/" + name, **options), "lower num_envs")
    needs_more(lambda: envpool.make_python("CartPole-v1", **options), "lower num_envs")
assert make("Counting").reset()[0].shape == (4, 1)
""")


@needs_ale
def test_memory_for_large_frames():
    assert_runs(f"""{IN_4_GB}
for options in ({{"stack_num": 2**20}}, {{"img_height": 2**20, "img_width": 2**20}}):
    needs_more(lambda: envpool.make("Pong-v5", "gymnasium", **options), *options)
needs_more(lambda: envpool.make("Pong-v5", "gymnasium", num_envs=10**6), "num_envs")
""")


@needs_mujoco
def test_memory_for_many_pictures():
    assert_runs(f"""{IN_4_GB}
pictures = dict(from_pixels=True, frame_stack=10**6)
needs_more(lambda: envpool.make_spec("Ant-v5", **pictures), "lower frame_stack")
pictures = dict(frame_stack=100, num_envs=10**5)
needs_more(lambda: envpool.make("Ant-v5", "dm", **pictures), "num_envs or frame")
""")


@pytest.mark.slow
def test_memory_for_a_picture():
    assert_runs(f"""{IN_4_GB}
pool = make("Canvas", num_envs=8, render_mode="rgb_array", render_width=16384, render_height=16384)
pool.reset()
needs_more(lambda: pool.render(pool.all_env_ids), "8 pictures of 16384 x 16384", "render_width")
""")


def test_memory_is_counted_by_all_limits(tmp_path):
    """The least of what is left counts: of the machine, and of each control group around."""

    def write(path, **files):
        (tmp_path / path).mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            (tmp_path / path / name.replace("__", ".")).write_text(str(text))

    def left():
        return available_memory(tmp_path / "proc", tmp_path / "groups")

    assert left() == math.inf
    write("proc", meminfo="MemTotal: 99 kB\nMemAvailable: 60 kB\nSwapFree: 4 kB\n")
    assert left() == 64 * 1024
    write("proc/self", cgroup="0::/outer/inner\n")
    write("groups/outer/inner", memory__max="max\n", memory__current="1000\n")
    assert left() == 64 * 1024
    write("groups/outer", memory__max=9000, memory__current=5000, memory__stat="anon 1\nfile 500\n")
    assert left() == 4500
    write("proc/self", cgroup="5:cpu:/\n4:memory,x:/elsewhere\n0::/outer\n")
    write("groups/memory", memory__limit_in_bytes=3000, memory__usage_in_bytes=2000)
    assert left() == 1000
    write("groups/memory", memory__usage_in_bytes=5000)
    assert left() == 0


# --- numbers ----------------------------------------------------------------------------------

INF = math.inf


OF_MUJOCO = [
    ("Ant-v5", {"ctrl_cost_weight": INF}, "ctrl_cost_weight is inf, expected a finite"),
    ("Ant-v5", {"reset_noise_scale": -1.0}, "expected 0 <= reset_noise_scale"),
    ("Reacher-v5", {"reset_goal_scale": 0.0}, "expected 0 < reset_goal_scale"),
    ("Pusher-v5", {"cylinder_x_max": INF}, "cylinder_x_max is inf"),
]


@pytest.mark.parametrize(
    ("task_id", "options", "match"),
    [
        *(pytest.param(*row, marks=needs_mujoco) for row in OF_MUJOCO),
        ("Acrobot-v1", {"book_or_nips": "Book"}, "book_or_nips is 'Book', expected"),
        ("CartPole-v1", {"batch_size": 2}, "batch_size is 2, expected 0 <= batch_size <= 1"),
        ("Pendulum-v1", {"version": 7}, "version is 7, expected 0 <= version <= 1"),
        ("Pendulum-v1", {"g": INF}, "g is inf, expected a finite number"),
        ("Pendulum-v1", {"g": 10**400}, "g is 1000.*expected a finite number"),
        ("Pendulum-v1", {"m": 0.0}, "m is 0.0, expected 0 < m"),
        ("CartPole-v1", {"length": 0}, "length is 0, expected 0 < length"),
        ("CartPole-v1", {"tau": -INF}, "tau is -inf, expected a finite number"),
        ("Acrobot-v1", {"torque_noise_max": 1e30}, "torque_noise_max is 1e[+]30, expected"),
        ("LunarLander-v3", {"wind_power": INF}, "wind_power is inf, expected -1e[+]06 <= wind"),
        ("LunarLander-v3", {"turbulence_power": 1e300}, "turbulence_power is 1e[+]300, expected"),
        ("FrozenLake-v1", {"success_rate": 1.5}, "expected 0 <= success_rate <= 1"),
        ("FrozenLake-v1", {"reward_schedule": [INF, 0, 0]}, "expected finite numbers"),
        ("FrozenLake-v1", {"desc": ["F" * 50_000] * 50_000}, "desc has 2500000000 tiles"),
        ("Catch-v0", {"height": 10**9}, "expected 2 <= height <= 1000"),
    ],
)
def test_options_beyond_their_limits(task_id, options, match):
    with pytest.raises(ValueError, match=match):
        envpool.make(task_id, "gymnasium", **options)


@needs_mujoco
@pytest.mark.parametrize(
    ("task_id", "name", "value"),
    [
        ("Ant-v5", "healthy_z_range", [-INF, INF]),
        ("Ant-v5", "contact_force_range", [-INF, INF]),
        ("Hopper-v5", "healthy_state_range", [-INF, INF]),
        ("Hopper-v5", "velocity_max", INF),
        ("Humanoid-v5", "contact_cost_range", [-INF, INF]),
        ("InvertedPendulum-v5", "healthy_z_max", INF),
    ],
)
def test_infinite_thresholds_are_none(task_id, name, value):
    pool = make(task_id, 1, **{name: value})
    pool.reset()
    assert np.isfinite(pool.step(np.zeros((1, *pool.action_space.shape)))[0]).all()


def test_the_strongest_wind_that_is_allowed():
    pool = make("LunarLander-v3", 8, enable_wind=True, wind_power=1e6, turbulence_power=1e6, seed=1)
    pool.reset()
    for _ in range(200):
        obs, *_ = pool.step(np.zeros(8, int))
        assert np.isfinite(obs).all()


def test_set_attr_has_the_same_limits():
    env = gymnasium.make("envpool/Pendulum-v1").unwrapped
    with pytest.raises(ValueError, match="expected 0 < m"):
        env.m = 0.0
    assert env.m == 1.0


@pytest.mark.parametrize("task_id", ["CartPole-v1", "MountainCar-v0", "Acrobot-v1"])
@pytest.mark.parametrize("options", [{"low": -1e308, "high": 1e308}, {"high": INF}])
def test_initial_states_that_would_be_infinite(task_id, options):
    pool = make(task_id)
    with pytest.raises(ValueError, match=r"option (low|high) is .*, expected -3e[+]38 <="):
        pool.reset(options=options)
    assert np.isfinite(pool.reset(options={"low": -1e6, "high": 1e6})[0]).all()


@pytest.mark.parametrize(
    "timeout",
    [10**400, HUGE, fractions.Fraction(10**400), np.float32(30), np.int8(30), INF],
    ids=lambda timeout: type(timeout).__name__,
)
def test_any_number_is_a_timeout(timeout):
    pool = make("CartPole-v1")
    pool.async_reset()
    assert pool.recv(timeout=timeout)[0].shape == (4, 4)


# --- messages ---------------------------------------------------------------------------------

LONG_ARGUMENTS = [
    lambda: envpool.make_spec(LONG),
    lambda: envpool.make("CartPole-v1", LONG),
    lambda: envpool.make_spec("CartPole-v1", **{LONG: 1}),
    lambda: envpool.make_spec("CartPole-v1", gravity=LONG),
    lambda: envpool.make_spec("CartPole-v1", num_envs=LONG),
    lambda: envpool.make_spec("CartPole-v1", kinematics_integrator=LONG),
    lambda: envpool.make_spec("CartPole-v1", autoreset_mode=LONG),
    lambda: envpool.make_spec("CartPole-v1", render_mode=LONG),
    lambda: envpool.make_spec("CartPole-v1", seed=LONG),
    lambda: envpool.make_spec("FrozenLake-v1", map_name=LONG),
    lambda: envpool.make_spec("FrozenLake-v1", reward_schedule=[0.0] * 10**6 + [INF]),
    lambda: make("CartPole-v1").reset(options={LONG: 1}),
    lambda: make("CartPole-v1").reset(options={"low": LONG}),
    lambda: make("CartPole-v1").reset(options=LONG),
    lambda: make("CartPole-v1").recv(timeout=LONG),
    lambda: make("CartPole-v1").set_state([LONG]),
    lambda: make("CartPole-v1", render_mode="rgb_array").render(camera_id=LONG),
    lambda: gymnasium.make("envpool/CartPole-v1").unwrapped.get_wrapper_attr(LONG),
]


@pytest.mark.parametrize("call", LONG_ARGUMENTS)
def test_messages_are_short(call):
    with pytest.raises((TypeError, ValueError, KeyError, AttributeError)) as caught:
        call()
    assert 10 < len(str(caught.value)) < 2000


@needs_mujoco
def test_messages_about_files_are_short():
    with pytest.raises(ValueError, match="more characters") as caught:
        envpool.make_spec("Ant-v5", xml_file=LONG)
    assert len(str(caught.value)) < 2000


def test_failures_of_environments_are_short():
    failure = envpool.EnvironmentFailure([(i, LONG) for i in range(10)], None)
    assert len(str(failure)) < 5000
    assert len(failure.messages) == 10
    assert all(len(message) < 2000 for message in failure.messages)
    again = copy.copy(failure)
    assert (again.messages, str(again)) == (failure.messages, str(failure))


@pytest.mark.parametrize(
    "value",
    [
        LONG,
        LONG.encode(),
        [LONG] * 1000,
        {LONG: {LONG: LONG}},
        np.zeros(10**6),
        [[[[[[1]]]]]],
    ],
    ids=lambda value: type(value).__name__,
)
def test_shown(value):
    assert len(shown(value)) < 300


def test_what_is_short_is_shown_as_it_is():
    for value in (7, -1.5, "text", [1, 2], {"a": None}, math.nan, True):
        assert shown(value) == repr(value)
    assert shortened("text") == "text"


@pytest.mark.parametrize("kind", ["single", "vector"])
def test_calls_after_close_name_nothing_internal(kind):
    env = gymnasium.make("envpool/Pendulum-v1", render_mode="rgb_array").unwrapped
    if kind == "vector":
        env = gymnasium.make_vec("envpool/Pendulum-v1", 2, render_mode="rgb_array")
    env.reset()
    env.close()
    action = np.zeros(env.action_space.shape, np.float32)
    calls = [env.reset, lambda: env.step(action), env.get_state, env.render, lambda: env.np_random]
    if kind == "vector":
        calls += [
            lambda: env.get_attr("g"),
            lambda: env.get_attr("state"),
            lambda: env.get_attr("elapsed_step"),
            lambda: env.set_attr("g", 1.0),
            lambda: env.set_attr("state", [0.0, 0.0]),
        ]
    for call in calls:
        with pytest.raises(gymnasium.error.ClosedEnvironmentError) as caught:
            call()
        named = re.match(r"(reset|step|get_state|render|get_attr)\(\)|this", str(caught.value))
        assert named and " is called after close()" in str(caught.value)


# --- the command line -------------------------------------------------------------------------


def run_cli(shell, *arguments):
    """Runs a command of the shell in which "$@" is our command line."""
    command = [sys.executable, "-m", "envpool", *arguments]
    return run_command("sh", "-c", shell, "sh", *command)


def test_output_that_cannot_be_written():
    done = run_cli('"$@" >/dev/full', "show", "CartPole-v1")
    assert done.returncode != 0
    assert done.stderr.startswith("error: [Errno 28] No space left on device\n")


def test_a_pipe_that_nobody_reads():
    done = run_cli('"$@" | true', "show", "CartPole-v1")
    assert (done.stdout, done.stderr) == ("", "")


@pytest.mark.parametrize("streams", ["2>&-", "2>/dev/full", ">&- 2>&-"])
@pytest.mark.one_in(3)
def test_errors_that_nobody_can_read(streams):
    done = run_cli(f'"$@" {streams}', "show", "nothing")
    assert done.returncode in (1, 2)
    assert (done.stdout, done.stderr) == ("", "")


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("bench --seconds", "Invalid value for '--seconds'"),
        ("film --out x.gif --fps", "fps is inf, expected"),
    ],
)
def test_arguments_that_are_not_finite(command, message):
    name, *options = command.split()
    done = CliRunner().invoke(app, [name, "CartPole-v1", *options, "inf"])
    assert done.exit_code == 2
    assert message in done.output
