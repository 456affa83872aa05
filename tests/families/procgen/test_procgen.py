"""Procgen's games beside Procgen's own library, driven from Python with a handle for each."""

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import envpool
from envpool.errors import EnvironmentFailure
from envpool.families.procgen.registration import GAMES, MODES
from envpool.oracles.procgen import upstream
from helpers import (
    LACKS,
    OraclePair,
    assert_same_bytes,
    assert_same_results,
    begun,
    random_actions,
    run_python,
)

LACK = LACKS["envpool.families.procgen"]
pytestmark = pytest.mark.skipif(bool(LACK), reason=LACK)

NUM_ENVS = 3
NO_MOVE = 4


def make_pair(task_id, seeds=range(NUM_ENVS), **options):
    return OraclePair(task_id, seeds, **options)


# --- the same bytes -----------------------------------------------------------------------------


def test_resets_of_some():
    pair = make_pair("StarpilotEasy-v0", mode=AutoresetMode.DISABLED)
    assert pair.play(300) > 5


@pytest.mark.parametrize(
    "options",
    [
        {"num_levels": 2},
        {"num_levels": 1, "start_level": 77},
        {"use_sequential_levels": True, "num_levels": 0},
        {"center_agent": False},
        {"use_backgrounds": False, "use_monochrome_assets": True},
        {"restrict_themes": True, "paint_vel_info": True},
        {"use_generated_assets": True},
        {"channel_first": False},
    ],
    ids=lambda options: next(iter(options)),
)
def test_options(options):
    for task_id in ("CoinrunEasy-v0", "LeaperHard-v0"):
        make_pair(task_id, **options).play_as_oracle(150)


def test_completed_levels_go_on():
    """With use_sequential_levels they are no ends of episodes."""
    pair = make_pair("LeaperEasy-v0", list(range(8)), use_sequential_levels=True)
    completed = 0
    for action in (5,) * 400:  # up
        *_, terminated, truncated, info = pair.call("step", np.full(8, action))
        completed += int((info["prev_level_complete"] & ~(terminated | truncated)).sum())
    assert completed > 0


def test_exploration_is_one_level():
    pool = envpool.make("CoinrunExploration-v0", num_envs=2)
    _, info = pool.reset()
    assert info["level_seed"].tolist() == [1949448038] * 2


@pytest.mark.parametrize("game", GAMES)
def test_levels_of_resets_are_upstreams(game):
    """Chosen in the midst of an episode, with a seed or without, in all modes.

    Without a seed, upstream's Dodgeball still goes by when a ball was last thrown.
    """
    rng = np.random.default_rng(1)
    for mode in GAMES[game][0]:
        if mode == "Exploration":
            continue
        pool = envpool.make(f"{game.capitalize()}{mode}-v0", "gymnasium", num_levels=1, seed=1)
        pool.reset()
        for level, seed in ((0, None), (int(rng.integers(2**31 - 1)), 6), (2**31 - 2, None)):
            for _ in range(int(rng.integers(60))):
                pool.step(random_actions(pool, rng))
            obs, info = pool.reset(seed=seed, options={"level": level})
            theirs = upstream(game, mode, start_level=level, num_levels=1)
            expected, expected_info = theirs.reset(seed=3)
            assert info["level_seed"].tolist() == [expected_info["level_seed"]] == [level]
            assert_same_bytes(obs[0], expected)
            over = game == "dodgeball" and seed is None
            while not over and info["elapsed_step"][0] < 30:
                action = random_actions(pool, rng)
                obs, *rewards, info = pool.step(action)
                expected, *expected_rewards, _ = theirs.step(int(action[0]))
                assert_same_bytes(obs[0], expected)
                assert [each[0] for each in rewards] == expected_rewards[:3]
                over = rewards[1][0] or rewards[2][0]
            theirs.close()


def test_one_level_of_a_reset():
    """Later episodes have the pool's own; infos tell of the episode before, as always."""
    options = {"start_level": 40, "num_levels": 2, "max_episode_steps": 10}
    pool = envpool.make("MazeEasy-v0", "gymnasium", num_envs=2, **options)
    _, info = pool.reset(options={"level": 7})
    assert info["level_seed"].tolist() == [7, 7]
    assert info["prev_level_seed"].tolist() == [0, 0]
    for _ in range(10):
        pool.step(np.full(2, NO_MOVE))
    pool.next_episode([1], options={"level": 9})
    *_, info = pool.step(np.full(2, NO_MOVE))
    assert info["level_seed"][0] in (40, 41)
    assert info["level_seed"][1] == 9
    assert info["prev_level_seed"].tolist() == [7, 7]
    _, info = pool.reset()
    assert set(info["level_seed"]) <= {40, 41}


def test_after_an_end_infos_tell_of_the_episode_that_has_ended():
    """The engine has drawn another level by then, of which nothing is to be seen."""
    pool = envpool.make("LeaperEasy-v0", "gymnasium", autoreset_mode="Disabled")
    pool.reset(options={"level": 3})
    over = False
    while not over:
        *_, terminated, truncated, info = pool.step(np.array([5]))  # up
        over = (terminated | truncated)[0]
    told = {name: info[name].tolist() for name in ("prev_level_seed", "prev_level_complete")}
    _, info = pool.reset(options={"level": 4})
    assert told["prev_level_seed"] == [3]
    assert told == {name: info[name].tolist() for name in told}
    assert info["level_seed"].tolist() == [4]


def test_exploration_has_no_other_level():
    with envpool.make("CoinrunExploration-v0", "gymnasium") as pool:
        pool.reset()
        with pytest.raises(EnvironmentFailure, match="level is 1, expected -1: exploration has"):
            pool.reset(options={"level": 1})
        assert pool.reset()[1]["level_seed"].tolist() == [1949448038]
        for level in (-2, 2**31 - 1):
            with pytest.raises(envpool.ArgumentError, match=f"level is {level}, expected -1 <= le"):
                pool.reset(options={"level": level})


# --- ends of episodes ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("task_id", "steps"),
    [("MazeEasy-v0", 500), ("HeistMemory-v0", 1000), ("JumperMemory-v0", 2000)],
)
def test_the_engines_time_limit_truncates(task_id, steps):
    pool = begun(envpool.make(task_id, max_episode_steps=10_000))
    for _ in range(steps - 1):
        _, _, terminated, truncated, _ = pool.step(np.array([NO_MOVE]))
        assert not terminated[0]
        assert not truncated[0]
    _, _, terminated, truncated, _ = pool.step(np.array([NO_MOVE]))
    assert (terminated.tolist(), truncated.tolist()) == ([False], [True])


def test_last_observations():
    """They are the episode's, neither the one before nor the next episode's first."""
    pool = envpool.make("StarpilotEasy-v0", num_envs=8)
    before, _ = pool.reset()
    rng = np.random.default_rng(0)
    compared = 0
    while compared < 20:
        obs, _, terminated, truncated, info = pool.step(random_actions(pool, rng))
        ended = np.flatnonzero(terminated | truncated)
        if len(ended):
            assert info["level_seed"][ended].tolist() == info["prev_level_seed"][ended].tolist()
            first, *_ = pool.step(random_actions(pool, rng, len(ended)), ended)
            for i, row in enumerate(ended):
                shown = [image.astype(int) for image in (before[row], obs[row], first[i])]
                moved, new = abs(shown[1] - shown[0]).mean(), abs(shown[1] - shown[2]).mean()
                assert 0 < moved < new
                compared += 1
            obs = obs.copy()
            obs[ended] = first
        before = obs


# --- pools --------------------------------------------------------------------------------------


def test_modes_by_name():
    for name, number in MODES.items():
        spec = envpool.make_spec("CaveflyerEasy-v0", distribution_mode=0)
        if name != "Extreme":
            spec = envpool.make_spec("CaveflyerEasy-v0", distribution_mode=name.lower())
            assert spec.config.distribution_mode == number


# --- snapshots and pictures ---------------------------------------------------------------------


def drawn(task_id, **options):
    """A pool that was reset, and can be drawn."""
    return begun(envpool.make(task_id, render_mode="rgb_array", **options))


def until_an_end(pool):
    rng = np.random.default_rng(0)
    while True:
        obs, _, terminated, truncated, _ = pool.step(random_actions(pool, rng))
        if (terminated | truncated)[0]:
            return obs


def test_snapshots_of_an_end():
    pool = drawn("StarpilotEasy-v0")
    pool.render()
    until_an_end(pool)
    states = pool.get_state()
    picture = pool.render()
    other = drawn("StarpilotEasy-v0", seed=9)
    other.set_state(states)
    assert_same_bytes(other.render(), picture)
    action = np.zeros(1, np.int32)
    for _ in range(3):
        assert_same_results(pool.step(action), other.step(action))


def test_pictures():
    """Large ones are upstream's; small ones are what is observed."""
    theirs = upstream("coinrun", "Easy", render_mode="rgb_array", channel_first=False)
    pool = drawn("CoinrunEasy-v0", seed=5, channel_first=False)
    small = drawn("CoinrunEasy-v0", seed=5, render_width=64, render_height=64)
    obs, _ = theirs.reset(seed=5)
    obs = obs[None]
    for action in (7, 8, 8, 8):
        assert_same_bytes(pool.render()[0], theirs.render())
        assert_same_bytes(small.render()[0], obs[0])
        obs, *_ = pool.step(np.array([action]))
        theirs.step(action)
        small.step(np.array([action]))


def test_the_first_picture_of_an_end():
    """There is none of the large size, so each observed pixel becomes a square."""
    pool = drawn("StarpilotEasy-v0", channel_first=False)
    obs = until_an_end(pool)
    assert_same_bytes(pool.render()[0], obs[0].repeat(8, 0).repeat(8, 1))


def test_generated_assets_have_no_states():
    """The engine would end the process. So pictures are those that are observed."""
    pool = drawn("StarpilotEasy-v0", use_generated_assets=True, channel_first=False)
    with pytest.raises(RuntimeError, match="no snapshots with use_generated_assets"):
        pool.get_state()
    pool.render()
    obs = until_an_end(pool)
    assert_same_bytes(pool.render()[0], obs[0].repeat(8, 0).repeat(8, 1))


def test_pictures_change_nothing():
    watched, unseen = (drawn("FruitbotEasy-v0", num_envs=2, seed=4) for _ in range(2))
    rng = np.random.default_rng(0)
    for step in range(120):
        if step % 3 == 0:
            watched.render()
        action = random_actions(watched, rng)
        assert_same_results(watched.step(action), unseen.step(action))


# --- processes ----------------------------------------------------------------------------------


@pytest.mark.slow
def test_processes_end_in_good_order():
    """With a pool that is not closed, and in a forked child."""
    done = run_python("""
import os
import numpy as np
import envpool
pool = envpool.make("CoinrunEasy-v0", num_envs=4, num_threads=2)
pool.reset()
child = os.fork()
if child == 0:
    other = envpool.make("CoinrunEasy-v0", num_envs=2, num_threads=1)
    other.reset()
    other.step(np.zeros(2, int))
    raise SystemExit(7)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
pool.step(np.zeros(4, int))
print("played")
""")
    assert (done.returncode, done.stdout) == (0, "played\n"), done.stderr


@pytest.mark.long
def test_nothing_is_lost():
    """Memory stays as it is while environments come and go."""
    done = run_python("""
import resource
import numpy as np
import envpool
def use():
    pool = envpool.make("CoinrunEasy-v0", num_envs=20, num_threads=2)
    pool.reset()
    pool.render()
    for _ in range(3):
        pool.step(np.zeros(20, int))
    pool.close()
for _ in range(10):
    use()
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for _ in range(40):
    use()
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
""")
    assert int(done.stdout) < 20_000, done.stderr  # KiB; an environment has hundreds


# --- what is refused ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("task_id", "options", "match"),
    [
        ("CoinrunEasy-v0", {"distribution_mode": 10}, "coinrun has 0 .easy., 1 .hard., 20"),
        ("BigfishEasy-v0", {"distribution_mode": 20}, "20, but bigfish has 0 .easy., 1 .hard.$"),
        ("CoinrunEasy-v0", {"distribution_mode": 3}, "distribution_mode is 3"),
        ("CoinrunEasy-v0", {"env_name": "pong"}, "env_name is 'pong', expected 'bigfish'"),
        ("CoinrunEasy-v0", {"num_levels": -1}, "num_levels"),
        ("CoinrunEasy-v0", {"start_level": 2**31}, "start_level"),
        ("CoinrunEasy-v0", {"start_level": 2**31 - 1, "num_levels": 1}, "at most 2147483647"),
        ("CoinrunExploration-v0", {"num_levels": 3}, "exploration has one level of its own"),
    ],
)
def test_options_that_do_not_fit(task_id, options, match):
    for make in (envpool.make_spec, envpool.make):
        with pytest.raises(envpool.ArgumentError, match=match):
            make(task_id, **options)


def test_sizes_of_pictures():
    pool = drawn("CoinrunEasy-v0", render_width=100, render_height=100)
    with pytest.raises(ValueError, match=r"512 x 512 as upstream's, or 64 x 64 .* not 100 x 100"):
        pool.render()


def test_levels_that_are_set_are_those_of_the_next_episodes():
    options = {"num_envs": 2, "num_levels": 1, "max_episode_steps": 20, "seed": 1}
    pool = envpool.make("MazeEasy-v0", "gymnasium", start_level=[10, 11], **options)
    made = envpool.make("MazeEasy-v0", "gymnasium", start_level=[77, 78], **options)
    pool.reset(), made.reset()
    pool.set_attr("start_level", [77, 78])
    levels = []
    for step in range(80):
        results = [one.step(np.full(2, NO_MOVE)) for one in (pool, made)]
        levels.append(results[0][-1]["level_seed"].tolist())
        if step >= 42:  # the episode that was under way is over, and the one behind it
            assert_same_bytes(results[0][0], results[1][0])
    assert levels[0] == [10, 11]
    assert levels[42:] == [[77, 78]] * 38


@pytest.mark.parametrize(
    ("name", "value"),
    [("env_name", "coinrun"), ("distribution_mode", 1), ("use_backgrounds", False)],
)
def test_what_the_engine_makes_a_game_with_cannot_be_set(name, value):
    pool = begun(envpool.make("MazeEasy-v0", "gymnasium", num_envs=2))
    with pytest.raises(ValueError, match=f"{name} cannot be .* does not fit these options"):
        pool.set_attr(name, value)
    pool.step(np.full(2, NO_MOVE))


def test_meanings_of_actions():
    """Their order is that of upstream's ``get_combos``."""
    env = envpool.make("CoinrunEasy-v0", "gymnasium", num_envs=2)
    meanings = env.get_action_meanings()
    assert len(meanings) == env.action_space.n
    assert (meanings[0], meanings[4], meanings[7], meanings[9]) == (
        *("LEFT DOWN", "NOOP", "RIGHT", "D"),
    )
