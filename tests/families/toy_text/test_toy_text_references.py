"""NChain and Catch follow their originals' rules, written down here once more."""

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.vector import AutoresetMode

import envpool
from helpers import pair_with

N = 6


class NChain(gymnasium.Env):
    """OpenAI gym's NChain-v0; it slips where ``np_random.random()`` is below 0.2."""

    action_space = spaces.Discrete(2)
    observation_space = spaces.Discrete(5)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.link = 0
        return self.link, {}

    def step(self, action):
        slips = self.np_random.random() < 0.2
        forward = (action == 0) ^ slips
        reward = (10.0 if self.link == 4 else 0.0) if forward else 2.0
        self.link = min(self.link + 1, 4) if forward else 0
        return self.link, reward, False, False, {}


class Catch(gymnasium.Env):
    """bsuite's Catch; the ball's column is ``np_random.integers(width)``."""

    action_space = spaces.Discrete(3)

    def __init__(self, height=10, width=5):
        self.height, self.width = height, width
        self.observation_space = spaces.Box(0, 1, (height, width), np.float32)

    def board(self):
        board = np.zeros((self.height, self.width), np.float32)
        board[self.ball] = 1
        board[-1, self.paddle] = 1
        return board

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.ball = (0, int(self.np_random.integers(self.width)))
        self.paddle = self.width // 2
        return self.board(), {}

    def step(self, action):
        self.paddle = int(np.clip(self.paddle + [-1, 0, 1][action], 0, self.width - 1))
        row, column = self.ball
        self.ball = (row + 1, column)
        ends = self.ball[0] == self.height - 1
        reward = (1.0 if column == self.paddle else -1.0) if ends else 0.0
        return self.board(), reward, ends, False, {}


def make_pair(task_id, make_theirs, mode, limit=None, **options):
    limits = {"max_episode_steps": limit} if limit else {}
    makers = [lambda: gymnasium.wrappers.TimeLimit(make_theirs(**options), limit or 1000)] * N
    return pair_with(task_id, makers, mode, **options, **limits)


@pytest.mark.parametrize("mode", AutoresetMode)
@pytest.mark.parametrize("seed", [0, 99, 2**40])
def test_nchain(mode, seed):
    pair = make_pair("NChain-v0", NChain, mode, limit=150)
    pair.call("reset", seed=seed)
    assert pair.play(400) == 2 * N
    pair.assert_same_generators()


def test_nchain_forward_reaches_the_large_reward():
    pair = make_pair("NChain-v0", NChain, AutoresetMode.NEXT_STEP)
    pair.call("reset", seed=1)
    rewards = np.stack([pair.call("step", np.zeros(N, np.int64))[1] for _ in range(1001)])
    assert set(np.unique(rewards)) == {0, 2, 10}
    assert pair.ours.get_attr("elapsed_step") == (0,) * N  # 1000 steps and a reset
    slips = (rewards == 2).mean()
    assert 0.17 < slips < 0.23


@pytest.mark.parametrize("mode", AutoresetMode)
@pytest.mark.parametrize(
    "options", [{}, {"height": 2}, {"width": 1}, {"height": 3, "width": 8}], ids=str
)
@pytest.mark.one_in(3)
def test_catch(mode, options):
    pair = make_pair("Catch-v0", Catch, mode, **options)
    pair.call("reset", seed=4)
    assert pair.play(300) >= 25 * N
    pair.assert_same_generators()


def test_catch_in_the_dialect():
    pool = envpool.make("Catch-v0", "gymnasium", num_envs=N, seed=2)
    obs, info = pool.reset()
    assert list(info) == ["env_id", "players", "elapsed_step"]
    total = np.zeros(N)
    for _ in range(9):
        ball = np.array([np.argwhere(board)[0] for board in obs])[:, 1]
        paddle = np.array([np.argwhere(board)[-1] for board in obs])[:, 1]
        obs, reward, terminated, _, _ = pool.step(1 + np.sign(ball - paddle))
        total += reward
    assert terminated.all()
    assert (total == 1).all()


@pytest.mark.parametrize(("task_id", "make_theirs"), [("NChain-v0", NChain), ("Catch-v0", Catch)])
def test_spaces(task_id, make_theirs):
    spec, theirs = envpool.make_spec(task_id), make_theirs()
    assert spec.observation_space == theirs.observation_space
    assert spec.action_space == theirs.action_space
    assert spec.reward_threshold is None
    assert spec.config.max_episode_steps == {"NChain-v0": 1000, "Catch-v0": 2**31 - 1}[task_id]
