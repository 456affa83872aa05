"""Loops whose end depends on numbers that options and callers decide."""

import pytest

from helpers import assert_runs

# Each would go on for ever if an environment did just what its original does.
CASES = {
    "an angle too large for a turn to change it": """
import gymnasium
env = gymnasium.make("envpool/Acrobot-v1")
env.reset()
env.unwrapped.state = np.array([1e300, -1e300, 0.0, 0.0])
assert np.isfinite(env.step(0)[0]).all()
""",
    "a target nowhere": """
for scale in (0.0, 1e308, np.inf):
    try:
        envpool.make("Reacher-v5", "gymnasium", num_envs=1, reset_goal_scale=scale).reset()
    except (envpool.EnvironmentFailure, ValueError) as error:
        assert "reset_goal_scale" in str(error)
    else:
        raise AssertionError(scale)
""",
    "a cylinder in a corner": """
corner = np.hypot(0.3, 0.2)
pool = envpool.make("Pusher-v5", "gymnasium", num_envs=1, cylinder_dist_min=corner - 1e-9)
try:
    pool.reset()
except envpool.EnvironmentFailure as error:
    assert "cylinder_dist_min" in str(error)
else:
    raise AssertionError
""",
}


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_ends(case):
    if 'envpool.make("Reacher' in CASES[case] or "Pusher" in CASES[case]:
        pytest.importorskip("mujoco")
    assert_runs(CASES[case])
