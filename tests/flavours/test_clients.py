"""Small stand-ins for the programs that use EnvPool, each with the habits of its original.

What single calls do is in test_api.py, and what they refuse in test_misuse.py. Tianshou and torchrl
themselves are in test_tianshou.py and old_gym/.
"""

import collections
import threading
import warnings

import dm_env
import gymnasium
import numpy as np
import pytest

import envpool
import envpool.families.testing.registration
from helpers import (
    GYMNASIUM,
    HANG_S,
    actions_by_env,
    assert_same_results,
    in_threads,
    leaves,
    make,
    random_actions,
)

N = 4
TASKS = ["CartPole-v1", "Pendulum-v1"]


def finished_episodes(task_id, actions, **kwargs):
    """The (environment, return, length) of all episodes, as the pool itself counts them."""
    pool = make(task_id, actions.shape[1], record_episode_statistics=True, **kwargs)
    pool.reset()
    episodes = []
    for action in actions:
        info = pool.step(action)[-1]
        for i in np.flatnonzero(info["_episode"]):
            episodes.append((i, info["episode"]["r"][i], info["episode"]["l"][i]))
    return episodes


# --- trainers that auto-reset with the next step ------------------------------------------------


class RlGames:
    """As rl_games: int64 ids, one flat observation, infos that it changes."""

    def __init__(self, task_id, num_envs, **kwargs):
        self.env = envpool.make_gymnasium(task_id, num_envs=num_envs, batch_size=num_envs, **kwargs)
        self.ids = np.arange(num_envs)
        self.observation_space = gymnasium.spaces.flatten_space(self.env.observation_space)

    def flat(self, observation):
        if not isinstance(observation, dict):
            return observation
        columns = []
        for value in observation.values():
            columns.append(self.flat(value) if isinstance(value, dict) else value)
        return np.concatenate([column.reshape(len(self.ids), -1) for column in columns], axis=1)

    def reset(self):
        observation, infos = self.env.reset(self.ids)
        infos.pop("lives", None)
        return self.flat(observation)

    def step(self, action):
        observation, reward, terminated, truncated, infos = self.env.step(action, self.ids)
        infos["time_outs"] = truncated
        del infos["elapsed_step"]
        return self.flat(observation), reward, terminated | truncated, infos


@pytest.mark.parametrize("task_id", TASKS)
def test_rl_games(task_id):
    env, pool = RlGames(task_id, N, seed=5), make(task_id, N, seed=5)
    assert env.observation_space.shape == env.env.observation_space.shape
    assert_same_results(env.reset(), pool.reset()[0])
    for action in actions_by_env(task_id, N, 250):
        # torch's discrete actions are int64
        given = action.astype(np.int64) if action.dtype == np.int32 else action
        observation, reward, done, infos = env.step(given)
        *expected, terminated, truncated, _ = pool.step(action)
        assert_same_results((observation, reward), tuple(expected))
        assert_same_results((done, infos["time_outs"]), (terminated | truncated, truncated))


def test_rl_games_flattens_dicts_in_order():
    env = RlGames("testing/Structured-v0", N)
    assert env.reset().shape == (N, 4 + 3 + 2 + 1)
    action = {
        "body": {"force": np.full((N, 2, 2), 0.5), "gear": np.full(N, 3)},
        "lamps": np.ones((N, 3), bool),
        "dials": np.full((N, 2), 1),
    }
    observation = env.step(action)[0]  # which repeats the action
    assert observation.tolist() == [[0.5] * 4 + [3] + [1] * 3 + [1] * 2] * N


class VecAdapter:
    """As the adapters for Stable-Baselines3: resets the done ones at once, and patches rows."""

    def __init__(self, pool):
        self.pool = pool
        pool.num_envs = pool.spec.config.num_envs  # old copies of it do
        pool.spec.id = "CartPole-v1"
        assert isinstance(pool, envpool.python.protocol.EnvPool)

    def __getattr__(self, name):
        return getattr(self.pool, name)

    def reset(self):
        return self.pool.reset()[0]

    def step_async(self, action):
        self.action = action

    def step_wait(self):
        observation, reward, terminated, truncated, info = self.pool.step(self.action)
        done = terminated | truncated
        infos = []
        for i in range(self.num_envs):
            row = {key: info[key][i] for key in info if isinstance(info[key], np.ndarray)}
            row["TimeLimit.truncated"] = truncated[i] and not terminated[i]
            if done[i]:
                row["terminal_observation"] = observation[i].copy()
                observation[i] = self.pool.reset(np.array([i]))[0]
            infos.append(row)
        return observation, reward, done, infos


def test_stable_baselines():
    env = VecAdapter(envpool.make("CartPole-v1", env_type="gym", num_envs=N, seed=3))
    plain = make("CartPole-v1", N, seed=3)
    assert env.spec.id == "CartPole-v1"
    assert env.all_env_ids.tolist() == list(range(N))
    assert_same_results(env.reset(), plain.reset()[0])
    for action in actions_by_env("CartPole-v1", N, 100):
        env.step_async(action)
        observation, _, done, infos = env.step_wait()
        theirs, _, terminated, truncated, info = plain.step(action)
        np.testing.assert_array_equal(done, terminated | truncated)
        assert [row["elapsed_step"] for row in infos] == info["elapsed_step"].tolist()
        for i in np.flatnonzero(done):
            np.testing.assert_array_equal(infos[i]["terminal_observation"], theirs[i])
            np.testing.assert_array_equal(observation[i], plain.reset(np.array([i]))[0][0])
    with pytest.raises(RuntimeError, match="render_mode"):
        env.render(env_ids=np.array([0]))


def test_stoix():
    """It uses a pool that it closed, and resets by stepping the done ones with all actions."""
    env = envpool.make(
        task_id="CartPole-v1", env_type="gymnasium", num_envs=N, seed=3, gym_reset_return_info=True
    )
    env.close()
    actions = actions_by_env("CartPole-v1", N, 100)
    lengths = collections.defaultdict(list)
    env.reset()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that only the first rows are used
        for action in actions:
            observation, _, terminated, truncated, info = env.step(action)
            ids = np.where(terminated | truncated)[0]
            for i in ids:
                lengths[i].append(info["elapsed_step"][i])
            if len(ids):
                fresh, reward, *_, reset_info = env.step(np.zeros_like(action), ids)
                assert reward.tolist() == [0.0] * len(ids)
                assert reset_info["elapsed_step"].tolist() == [0] * len(ids)
                observation[ids] = fresh
                assert (np.abs(observation[ids]) <= 0.05).all()
            assert (info["elapsed_step"] <= env.spec.config.max_episode_steps).all()
    first = {}
    for i, _, length in finished_episodes("CartPole-v1", actions, seed=3):
        first.setdefault(i, length)
    assert {i: of_env[0] for i, of_env in lengths.items()} == first


class RecordInfo(gymnasium.Wrapper):
    """As the wrappers of RL-X and sample-factory: Gymnasium's plain one around a whole pool."""

    def reset(self, **kwargs):
        self.returns = np.zeros(self.env.num_envs)
        self.lengths = np.zeros(self.env.num_envs, int)
        self.episodes = []
        return self.env.reset(**kwargs)

    def step(self, action):
        observation, reward, terminated, truncated, info = self.env.step(action)
        self.returns += reward
        self.lengths += 1
        done = np.nonzero(terminated | truncated)[0]
        for i in done:
            self.episodes.append((i, self.returns[i], self.lengths[i]))
        self.returns[done] = 0
        self.lengths[done] = 0
        info["players"]["done"] = done  # a new key of the nested dict
        return observation, reward, terminated, truncated, info


def test_sample_factory():
    """After each step it resets those that are done, which mostly are none."""
    env = RecordInfo(
        envpool.make(
            "CartPole-v1",
            env_type="gymnasium",
            num_envs=N,
            num_threads=2,
            thread_affinity_offset=0,
            seed=3,
        )
    )
    assert env.unwrapped is env.env
    assert isinstance(env, gymnasium.Env)
    env.reset()
    done_before = np.zeros(N, bool)
    for action in actions_by_env("CartPole-v1", N, 200):
        _, _, terminated, truncated, info = env.step(action)
        assert not (done_before & (info["elapsed_step"] != 1)).any()
        done_before = terminated | truncated
        observation, info = env.env.reset(np.nonzero(done_before)[0])
        assert len(observation) == done_before.sum()
        assert info["env_id"].tolist() == np.nonzero(done_before)[0].tolist()
    assert len(env.episodes) > N
    for _, total, length in env.episodes:
        assert total == length


def test_rl_x():
    """It resets one by one, and writes into the infos."""
    env = RecordInfo(envpool.make("CartPole-v1", env_type="gymnasium", seed=3, num_envs=N))
    pool = env.unwrapped
    assert len(pool.all_env_ids) == N
    env.reset(seed=3)
    for i in range(N):
        observation, infos = pool.reset(np.array([i]))
        assert observation.shape == (1, 4)
        infos["players"]["env_id"][0] = 77
        assert infos["env_id"].tolist() == [i]
    assert env.step(np.zeros(N, np.int64))[-1]["players"]["env_id"].tolist() == list(range(N))


def test_rl_x_with_dm():
    env = envpool.make("CartPole-v1", env_type="dm", seed=3, num_envs=N)
    assert isinstance(env, dm_env.Environment)
    env.action_space = gymnasium.spaces.Discrete(env.action_spec().num_values)
    env.observation_space = gymnasium.spaces.Box(-1, 1, env.observation_spec().obs.shape)
    env.reset()
    ended = 0
    for action in actions_by_env("CartPole-v1", N, 100):
        time_step = env.step(action)
        assert time_step.observation.obs.shape == (N, *env.observation_space.shape)
        last = time_step.step_type == 2
        assert (time_step.discount[last] == 0).all()
        ended += last.sum()
    assert ended > N


# --- asynchronous actors -------------------------------------------------------------------------


def test_rllte():
    """Its loop sends float64 zeros for discrete actions."""
    env = envpool.make("CartPole-v1", env_type="gymnasium", num_envs=6, batch_size=3)
    env.async_reset()
    steps = collections.Counter()
    for _ in range(100):
        _, _, _, _, info = env.recv()
        steps.update(info["env_id"].tolist())
        env.send(np.zeros(3), info["env_id"])
    assert len(steps) == 6


def test_cleanba():
    """Actor threads, a pool each, that keep what they get without copying it."""
    length = 20

    def act(seed, storage):
        env = envpool.make(
            "CartPole-v1",
            env_type="gymnasium",
            num_envs=8,
            batch_size=4,
            max_episode_steps=length,
            seed=seed,
        )
        rng = np.random.default_rng(seed)
        env.async_reset()
        for _ in range(300):
            results = env.recv()
            action = rng.integers(2, size=4)
            storage.append((results, [array.copy() for _, array in leaves(results)]))
            env.send(action, results[-1]["env_id"])

    storages = [[], []]
    in_threads(*(lambda pair=pair: act(*pair) for pair in enumerate(storages)))
    for storage in storages:
        assert len(storage) == 300
        elapsed = dict.fromkeys(range(8), -1)
        over = dict.fromkeys(range(8), True)
        for results, copies in storage:
            for (path, kept), copied in zip(leaves(results), copies, strict=True):
                np.testing.assert_array_equal(kept, copied, path)
            _, reward, terminated, truncated, info = results
            np.testing.assert_array_equal(
                truncated, (info["elapsed_step"] >= length), "the time limit"
            )
            for row, i in enumerate(info["env_id"].tolist()):
                elapsed[i] = 0 if over[i] else elapsed[i] + 1
                assert info["elapsed_step"][row] == elapsed[i]
                assert reward[row] == (elapsed[i] > 0)
                over[i] = terminated[row] or truncated[row]


def test_purejaxql():
    """Its host callback sends int64 ids; it names the pool."""
    env = envpool.make("CartPole-v1", env_type="gymnasium", num_envs=N, batch_size=2, seed=3)
    env.name = "CartPole-v1"
    env.async_reset()
    ids = env.recv(reset=True)[1]["env_id"]
    for _ in range(50):
        env.send(np.ones(2, np.int64), ids.astype(np.int64))
        ids = env.recv()[-1]["env_id"]
    assert env.name == "CartPole-v1"


# --- programs that look before they make ----------------------------------------------------------


def test_probing_specs():
    """jax-baseline asks for a spec, and makes with what options there are."""

    def wanted(task_id, **options):
        try:
            spec = envpool.make_spec(task_id)
        except KeyError:
            return None
        assert "Atari" not in str(type(spec))
        assert np.transpose(spec.observation_space.low).shape == spec.observation_space.shape
        known = {key: value for key, value in options.items() if key in spec._config_keys}
        return envpool.make(task_id, env_type="gymnasium", **known)

    assert wanted("NoSuchTask-v0") is None
    pool = wanted("CartPole-v1", num_envs=2, episodic_life=True, seed=1, gravity=9.0)
    assert pool.spec.config.gravity == 9.0
    assert pool.spec.config.seed == 1
    # The config has all that is needed to make the same again.
    again = envpool.make("CartPole-v1", "gymnasium", **pool.spec.config._asdict())
    assert_same_results(pool.reset(), again.reset())


def test_names_that_the_modules_share():
    for name in ("make", "make_gym", "make_dm", "make_spec", "make_gymnasium", "list_all_envs"):
        assert getattr(envpool.tasks.registration, name) is getattr(envpool, name)
    assert envpool.tasks.registration.register is envpool.register
    assert envpool.python.protocol.GymnasiumEnvPool is envpool.GymnasiumEnvPool


# --- what the checklist has and test_api.py has not -----------------------------------------------


def test_numpy_integers_as_options():
    pool = envpool.make_gymnasium(
        "CartPole-v1",
        num_envs=np.int64(N),
        batch_size=np.int32(N),
        seed=np.uint8(3),
        max_episode_steps=np.int16(30),
    )
    assert_same_results(pool.reset(), make("CartPole-v1", N, seed=3).reset())


def test_all_fields_of_the_config():
    config = envpool.make_spec("CartPole-v1").config
    names = "num_envs batch_size num_threads max_num_players thread_affinity_offset base_path seed "
    names += "env_seed gym_reset_return_info max_episode_steps"
    assert config._fields[:10] == tuple(names.split())


@pytest.mark.parametrize("call", ["step", "recv"])
def test_other_threads_run_meanwhile(call):
    """While the environments work, Python is free."""
    pool = envpool.make("testing/Sleeping-v0", "gymnasium", num_envs=1, step_ms=300.0)
    pool.reset()
    if call == "recv":
        pool.send(np.zeros(1, int))
    turns = 0
    done = threading.Event()

    def count():
        nonlocal turns
        while not done.wait(0.005):
            turns += 1

    counter = threading.Thread(target=count)
    counter.start()
    if call == "step":
        pool.step(np.zeros(1, int))
    else:
        pool.recv()
    done.set()
    counter.join(HANG_S)
    assert turns > 10


def test_plain_wrapper_has_no_spec():
    """Gymnasium 1.x cannot add a wrapper to an EnvSpec that is not its own, and says so."""
    pool = make("CartPole-v1", N)
    wrapped = gymnasium.Wrapper(pool)
    if GYMNASIUM < (1, 0):
        assert wrapped.spec is pool.spec
    else:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert wrapped.spec is None
    assert wrapped.unwrapped is pool
    assert wrapped.metadata is pool.metadata


@pytest.mark.skipif(GYMNASIUM < (1, 0), reason="Gymnasium 0.29 has no vector wrappers")
def test_numpy_to_torch():
    torch = pytest.importorskip("torch")
    pytest.importorskip("array_api_compat")  # which the wrapper imports
    from gymnasium.wrappers.vector import NumpyToTorch

    env = NumpyToTorch(make("CartPole-v1", N))
    observation, _ = env.reset()
    assert isinstance(observation, torch.Tensor)
    observation, reward, *_ = env.step(torch.zeros(N, dtype=torch.int64))
    assert observation.shape == (N, 4)
    assert reward.tolist() == [1.0] * N


@pytest.mark.skipif(GYMNASIUM < (1, 0), reason="Gymnasium 0.29 has no vector wrappers")
def test_stacked_vector_wrappers():
    """What a continuous-control script puts around a pool, all at once."""
    from gymnasium.wrappers import vector

    env = make("Pendulum-v1", N, seed=3, max_episode_steps=20)
    for wrap in (
        vector.RecordEpisodeStatistics,
        vector.ClipAction,
        vector.NormalizeObservation,
        vector.NormalizeReward,
    ):
        env = wrap(env)
    rng = np.random.default_rng(0)
    env.reset()
    episodes = 0
    for _ in range(60):
        observation, reward, _, _, info = env.step(3 * random_actions(env.unwrapped, rng))
        assert observation.shape == (N, 3)
        assert np.isfinite(reward).all()
        episodes += info.get("_episode", np.zeros(N)).sum()
    assert episodes == 2 * N
