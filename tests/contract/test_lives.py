"""Episodes that end before the game does, seeds and discounts of an environment's own, and infos
that only one flavour has: testing/Lives shows them all."""

import copy
from typing import NamedTuple

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import SyncVectorEnv

import envpool
import envpool.families.testing.registration
import plain_envs
from envpool.spec.values import AutoresetMode
from helpers import Pair, make

NEXT_STEP, SAME_STEP, DISABLED = AutoresetMode
TASK = "testing/Lives-v0"
N = 4
# One entry per environment; the limit cuts the second one's games short, some where a life is lost
# anyway, and some lives of the third one.
LIVES, LIFE_LENGTH, LIMIT = [3, 9, 4, 1], [2, 4, 3, 1], 8
GAME, LIFE, STEP, LEFT, SEED, DRAWN = range(6)  # of an observation


class Row(NamedTuple):
    """What a pool returns of one environment."""

    obs: list[int]
    elapsed: int
    reward: float = 0.0
    discount: float = 1.0
    terminated: bool = False
    truncated: bool = False
    statistics: tuple[float, int] | None = None
    final: tuple[list[int], int] | None = None  # the last observation and elapsed_step


class Model:
    """One environment with what the executor does around it, in plain Python."""

    def __init__(self, env, limit, mode):
        self.game = plain_envs.Lives(LIVES[env], LIFE_LENGTH[env])
        self.limit, self.mode = limit, mode
        self.first_seed = env
        self.over = True
        self.elapsed, self.total = 0, 0.0

    def reset(self, seed=None, start=0):
        if self.first_seed is not None:
            seed, self.first_seed = self.first_seed if seed is None else seed, None
        obs, _ = self.game.reset(seed=seed, options={"start": start})
        if obs[LIFE] == 1:
            self.elapsed, self.total = 0, 0.0
        self.over = False
        return Row(obs.tolist(), self.elapsed)

    def step(self, action):
        if self.over:
            return self.reset()
        obs, reward, terminated, _, _ = self.game.step(action)
        self.elapsed += 1
        self.total += reward
        truncated = self.elapsed >= self.limit
        self.over = terminated or truncated
        self.game.can_continue &= not truncated
        discount = 0.0 if terminated else 0.5 if obs[STEP] == 1 else 1.0
        row = Row(obs.tolist(), self.elapsed, reward, discount, terminated, truncated)
        if self.over and not self.game.can_continue:
            row = row._replace(statistics=(self.total, self.elapsed))
        if self.over and self.mode is SAME_STEP:
            final = row.obs, row.elapsed
            row = row._replace(final=final)
            first = self.reset()
            row = row._replace(obs=first.obs, elapsed=first.elapsed)
        return row


def make_pool(mode=NEXT_STEP, env_type="gymnasium", **kwargs):
    options = {
        "num_envs": N,
        "seed": 0,
        "lives": LIVES,
        "life_length": LIFE_LENGTH,
        "max_episode_steps": LIMIT,
        "record_episode_statistics": True,
    }
    return make(TASK, env_type=env_type, autoreset_mode=mode, **(options | kwargs))


def assert_rows(results, ids, rows):
    """The results of ``reset`` or ``step`` for these environments, in any order."""
    obs, *rest, info = results
    row_of = dict(zip(ids, rows, strict=True))
    expected = [row_of[env] for env in info["env_id"].tolist()]
    column = lambda name: [getattr(row, name) for row in expected]  # noqa: E731
    assert obs.tolist() == column("obs")
    assert info["elapsed_step"].tolist() == column("elapsed")
    assert info["lives"].tolist() == [row.obs[LEFT] for row in expected]
    assert info["life"].tolist() == [row.obs[LIFE] for row in expected]
    assert "game" not in info
    if rest:
        for values, name in zip(rest, ("reward", "terminated", "truncated"), strict=True):
            assert values.tolist() == column(name)
    told = [row.statistics for row in expected]
    assert info["_episode"].tolist() == [one is not None for one in told]
    assert info["episode"]["r"].tolist() == [one[0] if one else 0.0 for one in told]
    assert info["episode"]["l"].tolist() == [one[1] if one else 0 for one in told]
    finals = column("final")
    assert ("final_obs" in info) == any(finals)
    if any(finals):
        infos = info["final_info"]
        assert [None if o is None else o.tolist() for o in info["final_obs"]] == [
            one and one[0] for one in finals
        ]
        assert infos["elapsed_step"].tolist() == [one[1] if one else 0 for one in finals]
        for name, place in (("life", LIFE), ("lives", LEFT)):
            assert infos[name].tolist() == [one[0][place] if one else 0 for one in finals]
        assert "game" not in infos


def play(pool, models, rounds, seed=0, env_ids=range(N)):
    """Steps and resets environments at random, and the models with them; compares everything.

    Returns:
        How many episodes ended, and how many games.
    """
    rng = np.random.default_rng(seed)
    episodes = games = 0
    for _ in range(rounds):
        calls = rng.choice(
            ["step", "reset", "seed", "start"], len(models), p=[0.9, 0.05, 0.03, 0.02]
        )
        if pool.metadata["autoreset_mode"] is DISABLED:
            over = np.array([model.over for model in models])
            calls[over & (calls == "step")] = "reset"
        for call in np.unique(calls):
            chosen = np.flatnonzero(calls == call)
            batches = [[i] for i in chosen] if pool.is_async else [chosen]
            for own in batches:
                ids = np.array([env_ids[i] for i in own])
                number = int(rng.integers(1000))
                if call == "step":
                    rows = [models[i].step(number) for i in own]
                    results = pool.step(np.full(len(own), number), ids)
                elif call == "seed":
                    rows = [models[i].reset(seed=number + int(i)) for i in own]
                    results = pool.reset(ids, seed=[number + int(i) for i in own])
                else:
                    start = int(call == "start")
                    rows = [models[i].reset(start=start) for i in own]
                    results = pool.reset(ids, options={"start": start})
                assert_rows(results, ids.tolist(), rows)
                episodes += sum(row.terminated or row.truncated for row in rows)
                games += sum(row.statistics is not None for row in rows)
    return episodes, games


@pytest.mark.parametrize("batch_size", [N, 1])
@pytest.mark.parametrize("mode", AutoresetMode)
@pytest.mark.one_in(2)
def test_everything_at_random(mode, batch_size):
    pool = make_pool(mode, batch_size=batch_size)
    models = [Model(env, LIMIT, mode) for env in range(N)]
    episodes, games = play(pool, models, 400)
    assert episodes > games > 100
    assert pool.stats().episodes == episodes, "every life counts as one there"


@pytest.mark.parametrize("mode", AutoresetMode)
def test_without_a_time_limit(mode):
    pool = make_pool(mode, max_episode_steps=2**31 - 1)
    play(pool, [Model(env, 2**31 - 1, mode) for env in range(N)], 200)


@pytest.mark.parametrize("mode", AutoresetMode)
def test_snapshots(mode):
    """At every moment of its games, a pool's environments go on in another pool."""
    pool = make_pool(mode)
    there = [3, 2, 1, 0]
    other = make_pool(
        mode,
        batch_size=1,
        num_threads=1,
        seed=5,
        lives=[LIVES[env] for env in there],
        life_length=[LIFE_LENGTH[env] for env in there],
    )
    models = [Model(env, LIMIT, mode) for env in range(N)]
    for moment in range(40):
        other.set_state(pool.get_state(), there)
        play(other, copy.deepcopy(models), 15, seed=moment, env_ids=there)
        play(pool, models, 1, seed=1000 + moment)


# --- one game after the other, by hand ----------------------------------------------------------


def make_one(mode=NEXT_STEP, **kwargs):
    """One environment with two lives of two steps."""
    return make_pool(mode, num_envs=1, lives=2, life_length=2, **kwargs)


def step(pool, action=1):
    return pool.step(np.array([action]))


def where(results):
    """The game, the life and the step in it that a result shows."""
    return results[0][0, : STEP + 1].tolist()


def lose_a_life(pool):
    pool.reset(seed=1)
    step(pool)
    assert step(pool)[2]


@pytest.mark.parametrize("mode", [NEXT_STEP, DISABLED])
def test_a_reset_after_the_loss_of_a_life_continues(mode):
    pool = make_one(mode)
    for options in (None, {"start": 1}):  # which are for what begins a game
        lose_a_life(pool)
        assert where(pool.reset(options=options)) == [1, 2, 0]
    assert where(pool.reset()) == [2, 1, 0], "the second of two resets is one within an episode"
    lose_a_life(pool)
    pool.reset()
    step(pool)
    assert where(pool.reset(options={"start": 1})) == [2, 1, 1]


def test_in_the_same_step_the_next_life_has_begun_before_a_reset():
    pool = make_one(SAME_STEP)
    lose_a_life(pool)
    assert where(pool.reset()) == [2, 1, 0]
    lose_a_life(pool)
    assert where(pool.reset(options={"start": 1})) == [2, 1, 1]


@pytest.mark.parametrize("mode", AutoresetMode)
def test_a_seed_begins_a_game(mode):
    pool = make_one(mode)
    lose_a_life(pool)
    obs, info = pool.reset(seed=7)
    assert obs.tolist() == [[1, 1, 0, 2, 7, np.random.default_rng(1007).integers(1000)]]
    assert info["elapsed_step"].tolist() == [0]


def test_seeds_reach_the_environment():
    def seeds_and_numbers(results):
        return results[0][:, [SEED, DRAWN]].tolist()

    def expected(*seeds):
        return [[seed, np.random.default_rng(seed + 1000).integers(1000)] for seed in seeds]

    pool = make_pool(seed=5)
    assert seeds_and_numbers(pool.reset()) == expected(5, 6, 7, 8)
    again = pool.reset()[0]
    assert again[:, SEED].tolist() == [5, 6, 7, 8]
    assert again[:, DRAWN].tolist() != [number for _, number in expected(5, 6, 7, 8)]
    assert seeds_and_numbers(pool.reset(np.array([2, 0]), seed=[50, 40])) == expected(50, 40)
    assert pool.reset()[0][:, SEED].tolist() == [40, 6, 50, 8]
    assert seeds_and_numbers(make_pool(seed=[9, 8, 7, 6]).reset()) == expected(9, 8, 7, 6)


# --- dm_env -----------------------------------------------------------------------------------


@pytest.mark.parametrize("batch_size", [2, 1])
def test_dm(batch_size):
    pool = make(
        TASK,
        2,
        "dm",
        batch_size=batch_size,
        lives=2,
        life_length=[2, 1],
        max_episode_steps=3,
        record_episode_statistics=True,
    )
    first, mid, last = 0, 1, 2
    # Of each environment: step_type, reward, discount, and the game, the life and the step in it.
    table = [
        [(first, 0, 1, [1, 1, 0]), (first, 0, 1, [1, 1, 0])],
        [(mid, 1, 0.5, [1, 1, 1]), (last, 1, 0, [1, 1, 1])],
        [(last, 2, 0, [1, 1, 2]), (first, 0, 1, [1, 2, 0])],
        [(first, 0, 1, [1, 2, 0]), (last, 3, 0, [1, 2, 1])],
        [(last, 4, 0.5, [1, 2, 1]), (first, 0, 1, [2, 1, 0])],  # the time limit
        [(first, 0, 1, [2, 1, 0]), (last, 5, 0, [2, 1, 1])],
    ]
    games = [[], []]
    pool.async_reset()
    for number, lines in enumerate(table):
        if number:
            pool.send(np.full(2, number), np.arange(2))
        for _ in range(2 // batch_size):
            time_step = pool.recv()
            observation = time_step.observation
            for row, env in enumerate(observation.env_id.tolist()):
                assert (*(array[row] for array in time_step[:3]),) == lines[env][:3]
                assert observation.obs[row, : STEP + 1].tolist() == lines[env][3]
                assert observation.lives[row] == observation.obs[row, LEFT]
                assert observation.life[row] == observation.obs[row, LIFE]
                statistics = observation.episode
                if statistics.done[row]:
                    games[env].append((statistics.r[row], statistics.l[row]))
            assert not hasattr(observation, "game")
    assert games == [[(1 + 2 + 4, 3)], [(1 + 3, 2)]]


# --- Gymnasium's own API ------------------------------------------------------------------------


def make_pair(mode):
    """Ours, and Gymnasium's vector of plain environments."""
    ours = gymnasium.make_vec(
        f"envpool/{TASK.replace('/', '-')}",
        N,
        autoreset_mode=mode,
        num_threads=2,
        lives=LIVES,
        life_length=LIFE_LENGTH,
    )
    envs = [
        lambda lives=lives, length=length: plain_envs.Lives(lives, length)
        for lives, length in zip(LIVES, LIFE_LENGTH, strict=True)
    ]
    return Pair(ours, SyncVectorEnv(envs, autoreset_mode=mode))


@pytest.mark.parametrize("mode", AutoresetMode)
def test_make_vec(mode):
    pair = make_pair(mode)
    _, info = pair.call("reset", seed=3)
    assert list(info) == ["lives", "_lives", "game", "_game"]
    assert pair.play(50) > 40
    rng = np.random.default_rng(0)
    for seeds in (None, None, None, [None, 5, None, 6]) * 5:
        mask = rng.random(N) < 0.5
        mask[rng.integers(N)] = True
        pair.call("reset", seed=seeds, options={"reset_mask": mask, "start": 1})
        if mode is DISABLED:
            pair.call("reset")
        pair.play(7)
    pair.assert_same_generators()


@pytest.mark.parametrize("mode", AutoresetMode)
def test_make_vec_has_the_statistics_of_games(mode):
    env = gymnasium.make_vec(
        "envpool/testing-Lives-v0", 1, autoreset_mode=mode, record_episode_statistics=True
    )
    env.reset(seed=1)
    games = []
    for _ in range(20):
        _, _, terminated, _, info = env.step(np.array([2]))
        assert "life" not in info
        if info["_episode"][0]:
            games.append((info["episode"]["r"][0], info["episode"]["l"][0]))
        if mode is DISABLED and terminated:
            env.reset()
    assert games == [(12.0, 6)] * len(games)
    assert len(games) >= 2


def test_an_option_changes_within_a_game():
    env = gymnasium.make_vec("envpool/testing-Lives-v0", 2)
    env.reset(seed=1)
    env.step(np.zeros(2, int))
    assert env.step(np.zeros(2, int))[2].all()
    env.set_attr("life_length", [1, 2])
    assert env.step(np.zeros(2, int))[0][:, LIFE].tolist() == [2, 2]
    assert env.step(np.zeros(2, int))[2].tolist() == [True, False]


def test_specs_tell_of_the_dialect():
    spec = envpool.make_spec(TASK)
    assert list(spec.spaces.info_keys) == [
        "env_id",
        "players.env_id",
        "lives",
        "life",
        "elapsed_step",
    ]
    infos = [name for name in spec.state_array_spec if name.startswith("info:")]
    assert infos == ["info:env_id", "info:players.env_id", "info:lives", "info:life"]
    assert list(make_one(env_type="dm").observation_spec()._fields) == [
        "env_id",
        "players",
        "obs",
        "lives",
        "life",
        "episode",
    ]
