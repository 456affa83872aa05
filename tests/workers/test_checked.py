"""check_spaces=True: an observation that is not in its space is a failure that says why."""

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

import envpool
from parallel_envs import NAMES, Herd

LOCAL = {"num_envs": 2, "num_workers": 0}
SPACE = spaces.Dict(
    box=spaces.Box(-1.0, 1.0, (2,), np.float32),
    pair=spaces.Tuple([spaces.Discrete(3), spaces.Text(4)]),
)
RIGHT = {"box": np.array([0.5, 1.0], np.float32), "pair": (2, "abc")}


class Showing(gymnasium.Env):
    """Its steps' observation is right, but for some of its parts."""

    observation_space = SPACE
    action_space = spaces.Discrete(2)

    def __init__(self, first=RIGHT, **parts):
        self.first, self.later = first, RIGHT | parts

    def reset(self, *, seed=None, options=None):
        return self.first, {}

    def step(self, action):
        return self.later, 0.0, False, False, {}


def step(env_kwargs, **options):
    with envpool.make_python(Showing, env_kwargs=[{}, env_kwargs], **LOCAL, **options) as pool:
        pool.reset()
        return pool.step(np.zeros(2, int))


@pytest.mark.parametrize(
    ("part", "value", "message"),
    [
        ("box", np.zeros(2), r"observation\['box'\] has dtype float64, expected float32"),
        (
            "box",
            np.array([0, 5], np.float32),
            r"observation\['box'\]\[1\] is 5.0, expected -1.0 to",
        ),
        ("box", np.array([0, np.nan], np.float32), r"observation\['box'\]\[1\] is nan, expected"),
        ("pair", (3, "abc"), r"observation\['pair'\]\[0\] is 3, expected Discrete\(3\)"),
        ("pair", (2, "abcde"), r"observation\['pair'\]\[1\] is 'abcde', expected Text"),
    ],
)
def test_wrong_observations(part, value, message):
    with pytest.raises(
        envpool.EnvironmentFailure, match=f"step.. returned what .*: {message}"
    ) as e:
        step({part: value}, check_spaces=True)
    assert e.value.env_ids == [1] and isinstance(e.value.__cause__, ValueError)
    assert len(e.value.results[1]) == 1  # the other's row


def test_without_it_nothing_is_looked_at():
    obs, *_ = step({"box": np.array([0.0, 5.0])})
    assert obs["box"].dtype == np.float32 and obs["box"][1, 1] == 5.0


def test_right_observations_and_those_of_workers():
    assert step({"box": [0.0, 1.0]}, check_spaces=True)[0]["pair"][0].tolist() == [2, 2]
    kwargs = [{}, {"first": RIGHT | {"box": np.full(2, 2, np.float32)}}]
    with envpool.make_python(
        Showing,
        num_envs=2,
        num_workers=2,
        start_method="fork",
        env_kwargs=kwargs,
        check_spaces=True,
    ) as pool:
        with pytest.raises(envpool.EnvironmentFailure, match=r"reset\(\) returned what") as caught:
            pool.reset()
        assert caught.value.env_ids == [1]


def test_agents():
    def shown_too_far(_, observations, *rest):
        return observations | {"bee": np.float32([2000, 0])}, *rest

    kwargs = {"first": len(NAMES), "reset": shown_too_far}
    pool = envpool.make_python(Herd, env_kwargs=kwargs, num_workers=0, check_spaces=True)
    with pool, pytest.raises(envpool.EnvironmentFailure, match=r"'bee' what.*\[0\] is 2000.0"):
        pool.reset()
    with envpool.make_python(Herd, num_workers=0, check_spaces=True) as pool:
        pool.reset()


def test_it_is_a_bool():
    with pytest.raises(TypeError, match="check_spaces is 1, expected a bool"):
        envpool.make_python(Showing, check_spaces=1, **LOCAL)
