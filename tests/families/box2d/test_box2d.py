"""Box2D's tasks compute what Gymnasium's do, from the same seeds, pixels included."""

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from helpers import Each, OraclePair, assert_identical, assert_same_bytes, make

pytest.importorskip("Box2D")
lunar_lander = pytest.importorskip("gymnasium.envs.box2d.lunar_lander")
bipedal_walker = pytest.importorskip("gymnasium.envs.box2d.bipedal_walker")

pytestmark = pytest.mark.filterwarnings("ignore:.*out of date:DeprecationWarning")

N = 3


def make_pair(task_id, seed=11, num_envs=N, mode=AutoresetMode.NEXT_STEP, **options):
    """Ours and Gymnasium's, reset from this seed on."""
    return OraclePair(task_id, range(seed, seed + num_envs), mode, **options)


def play(pair, policy, steps):
    """Steps both as the policy says; returns the rewards, and how many episodes terminated."""
    obs, rewards, terminations = pair.first, [], 0
    for _ in range(steps):
        obs, reward, terminated, _, _ = pair.call("step", policy(obs))
        rewards.append(reward)
        terminations += int(terminated.sum())
    return np.array(rewards), terminations


# --- rollouts ---------------------------------------------------------------------------------


def land(observations, rng=None):
    """Gymnasium's heuristic for LunarLander, which lands safely."""
    env = type("Env", (), {"continuous": False})()
    env.unwrapped = env
    return np.array([lunar_lander.heuristic(env, obs) for obs in observations])


class Heuristics:
    """Gymnasium's walker, which gets forward for a while.

    Args:
        num_envs: How many walk.
        factor: Of the torques; a negative one soon falls.
    """

    def __init__(self, num_envs, factor=1.0):
        self._walkers = [bipedal_walker.BipedalWalkerHeuristics() for _ in range(num_envs)]
        for walker in self._walkers:
            walker.a = walker.a.copy()
        self._factor = factor

    def __call__(self, observations, rng=None):
        pairs = zip(self._walkers, observations, strict=True)
        actions = np.stack([walker.step_heuristic(obs) for walker, obs in pairs])
        return np.clip(self._factor * actions, -1.0, 1.0).astype(np.float32)


def test_landings():
    rewards, terminations = play(make_pair("LunarLander-v3", num_envs=6), land, 900)
    assert terminations > 6
    assert (rewards == 100).any()


def test_wind():
    options = {
        "enable_wind": Each(True, True, False),
        "wind_power": Each(15.0, 3.0, 15.0),
        "turbulence_power": Each(1.5, 0.2, 1.5),
        "gravity": Each(-10.0, -4.0, -11.5),
    }
    _, terminations = play(make_pair("LunarLander-v3", **options), land, 400)
    assert terminations > 0
    assert make_pair("LunarLanderContinuous-v3", 2, enable_wind=True).play(300) > 0


@pytest.mark.parametrize("task_id", ["BipedalWalker-v3", "BipedalWalkerHardcore-v3"])
@pytest.mark.one_in(2)
def test_walking(task_id):
    rewards, _ = play(make_pair(task_id), Heuristics(N), 500)
    assert rewards.max() > 0.3


def drive(steer, gas, brake):
    return lambda obs: np.tile(np.float32([steer, gas, brake]), (len(obs), 1))


def test_off_the_playfield():
    """Over grass until the world ends, which is no lap. One in ten of their pictures is drawn."""
    pair = make_pair("CarRacing-v3", num_envs=1)
    car = pair.theirs.envs[0].unwrapped
    draw, nothing = car._render, np.zeros((96, 96, 3), np.uint8)
    obs, rewards, terminations = pair.first, [], 0
    for step in range(330):
        car._render = (lambda mode: nothing) if step % 10 else draw
        actions = drive(0.0, 1.0, 0.0)(obs)
        ours, theirs = (env.step(actions) for env in (pair.ours, pair.theirs))
        assert_identical(ours[1:], theirs[1:])
        if step % 10 == 0:
            assert_same_bytes(ours[0], theirs[0])
        rewards.append(ours[1][0])
        terminations += int(ours[2][0])
    assert terminations == 1
    assert min(rewards) == -100


@pytest.mark.parametrize("mode", AutoresetMode)
@pytest.mark.one_in(3)
def test_laps(mode):
    """Some environments have finished their lap at the start, others never do."""
    options = {"lap_complete_percent": Each(0.0, 0.95), "max_episode_steps": 6}
    assert make_pair("CarRacing-v3", 3, 2, mode, **options).play(20) > 6


@pytest.mark.parametrize("action", [(1.0, 0.7, 0.0), (-0.3, 1.0, 0.5), (0.0, 0.3, 0.95)])
@pytest.mark.one_in(3)
def test_slipping(action):
    play(make_pair("CarRacing-v3", num_envs=1), drive(*action), 120)


def test_five_actions():
    make_pair("CarRacing-v3", 3, num_envs=1, continuous=False).play(60)


def test_random_colours():
    pair = make_pair("CarRacing-v3", 3, num_envs=2, domain_randomize=True, max_episode_steps=10)
    assert not (pair.first == (102, 204, 102)).all(axis=-1).any()  # the usual background
    pair.play(25)
    pair.call("reset", options={"randomize": False})
    pair.play(12)
    pair.assert_same_generators()


# --- options ----------------------------------------------------------------------------------


@pytest.mark.parametrize("gravity", [0.0, -12.0, 3.0])
def test_impossible_gravity(gravity):
    with pytest.raises(ValueError, match=r"gravity is .*, expected -12 < gravity < 0"):
        make("LunarLander-v3", gravity=gravity)


def test_unusual_wind():
    pool = make("LunarLander-v3", wind_power=30.0)
    with pytest.warns(RuntimeWarning, match="wind_power is 30"):
        pool.reset()


@pytest.mark.parametrize(
    ("task_id", "name", "values"),
    [
        ("LunarLander-v3", "gravity", [-10.0, -1.5, -11.0]),
        ("LunarLander-v3", "wind_power", [0.0, 15.0, 20.0]),
        ("LunarLanderContinuous-v3", "turbulence_power", [1.5, 0.0, 2.0]),
        ("LunarLander-v3", "enable_wind", [True, False, False]),
        ("BipedalWalker-v3", "hardcore", [True, False, True]),
        ("CarRacing-v3", "domain_randomize", [True, False, True]),
        ("CarRacing-v3", "lap_complete_percent", [0.0, 0.95, 0.95]),
    ],
)
@pytest.mark.one_in(4)
def test_set_attr_in_mid_episode(task_id, name, values):
    """What has happened stays; some options count at once, others from the next reset on."""
    steps, limit = (12, 20) if "Car" in task_id else (30, 90)
    wind = {"enable_wind": True} if "Lunar" in task_id else {}
    pair = make_pair(task_id, 5, max_episode_steps=limit, **wind)
    pair.theirs.action_space.seed(0)
    for turn in range(3):
        changed = values[turn:] + values[:turn]
        for env in (pair.ours, pair.theirs):
            env.set_attr(name, values)  # which the next one makes void
            env.set_attr(name, changed)
        assert pair.ours.get_attr(name) == tuple(changed)
        for _ in range(steps):
            pair.call("step", pair.theirs.action_space.sample())
        # What has changed on the way is in the state.
        pair.ours.set_state(pair.ours.get_state())
        pair.call("step", pair.theirs.action_space.sample())


# --- snapshots --------------------------------------------------------------------------------


def test_an_episode_of_a_walker_depends_on_those_before_as_in_gymnasium():
    """As docs/seeding.md says: Box2D's world keeps something, there and here."""
    episodes = []
    for prefix in ("", "envpool/"):
        for episodes_before in (0, 5):
            env = gymnasium.make(f"{prefix}BipedalWalker-v3")
            random = np.random.default_rng(0)
            for seed in range(episodes_before):
                env.reset(seed=100 + seed)
                for _ in range(40 + 13 * seed):
                    if any(env.step(random.uniform(-1, 1, 4).astype(np.float32))[2:4]):
                        break
            random, observations = np.random.default_rng(5), [env.reset(seed=7)[0]]
            for _ in range(200):
                action = random.uniform(-1, 1, 4).astype(np.float32)
                observations.append(env.step(action)[0])
            episodes.append(np.stack(observations))
    theirs, theirs_later, ours, ours_later = episodes
    assert_same_bytes(ours, theirs, "in a new environment")
    assert_same_bytes(ours_later, theirs_later, "after other episodes")
    assert (ours[:100] == ours_later[:100]).all() and (ours != ours_later).any()


@pytest.mark.parametrize("task_id", ["LunarLander-v3", "BipedalWalker-v3"])
def test_bounds_have_gymnasiums_signs_of_zero(task_id):
    ours, theirs = (gymnasium.make(prefix + task_id) for prefix in ("envpool/", ""))
    assert repr(ours.observation_space) == repr(theirs.observation_space)
    assert "-0." in repr(ours.observation_space.low)
