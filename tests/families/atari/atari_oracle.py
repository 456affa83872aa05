"""Oracles of our Atari tasks: Gymnasium's wrappers around ``ale_py``, and what they lack."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest
from gymnasium import spaces

import envpool
from envpool.families.atari.registration import MAX_EPISODE_STEPS
from helpers import assert_same_bytes, random_actions, skip_without_upstream

skip_without_upstream("atari")
cv2 = pytest.importorskip("cv2", reason="needs OpenCV")

import ale_py  # noqa: E402
from ale_py import roms  # noqa: E402
from ale_py.vector_env import AtariVectorEnv  # noqa: E402

from envpool.oracles.atari import TASKS, as_planes, defaults, upstream  # noqa: E402

# The options of EnvPool 1.2.5 in its order, but for the name of the game, which is in the task's.
OPTIONS: dict[str, Any] = {
    "stack_num": 4,
    "frame_skip": 4,
    "noop_max": 30,
    "zero_discount_on_life_loss": False,
    "episodic_life": False,
    "reward_clip": False,
    "use_fire_reset": True,
    "img_height": 84,
    "img_width": 84,
    "mode": -1,
    "difficulty": -1,
    "full_action_space": False,
    "repeat_action_probability": 0.0,
    "use_inter_area_resize": True,
    "gray_scale": True,
}


class Transition(NamedTuple):
    """What one environment returned; after a reset, only observation and infos count."""

    reward: float
    terminated: bool
    truncated: bool
    elapsed_step: int
    lives: int
    score: float  # the reward, unclipped
    game_over: bool
    obs: np.ndarray
    ram: np.ndarray


class Upstream:
    """One environment of Gymnasium's, which resets itself in the step after an episode."""

    def __init__(self, task_id: str, seed: int, **options: Any) -> None:
        self.env = upstream(task_id, seed, **options)
        self.ale = self.env.unwrapped.ale
        self.action_space = self.env.action_space
        self.seed, self.over, self.elapsed = seed, True, 0

    def reset(self) -> Transition:
        obs, _ = self.env.reset(seed=self.seed)
        self.over, self.seed, self.elapsed = False, None, 0
        return self._row(obs, 0.0, False, False)

    def step(self, action: int | np.ndarray) -> Transition:
        if self.over:
            return self.reset()
        obs, reward, terminated, truncated, _ = self.env.step(action)
        self.over, self.elapsed = terminated or truncated, self.elapsed + 1
        return self._row(obs, float(reward), terminated, truncated)

    def _row(self, obs: np.ndarray, reward: float, *ended: bool) -> Transition:
        lives, game_over = self.ale.lives(), self.ale.game_over(with_truncation=False)
        ram = self.ale.getRAM()
        return Transition(reward, *ended, self.elapsed, lives, reward, game_over, obs, ram)


class Reference:
    """The same directly on ALE, for what Gymnasium's stack has no option for.

    Attributes:
        discount: dm_env's, of the last step.
    """

    def __init__(self, task_id: str, seed: int, **options: Any) -> None:
        known = OPTIONS | {"max_episode_steps": MAX_EPISODE_STEPS}
        assert set(options) <= set(known)
        self.options = SimpleNamespace(**(known | options))
        np_seed, ale_seed = np.random.SeedSequence(seed).generate_state(2)
        self.rng = np.random.default_rng(int(np_seed))
        self.ale = ale = ale_py.ALEInterface()
        ale.setLoggerMode(ale_py.LoggerMode.Error)
        ale.setInt("random_seed", np.int32(ale_seed))
        ale.setFloat("repeat_action_probability", self.options.repeat_action_probability)
        ale.loadROM(roms.get_rom_path(TASKS[task_id]))
        assert (self.options.mode, self.options.difficulty) == (-1, -1), "Gymnasium has these"
        all_actions = self.options.full_action_space
        self.actions = ale.getLegalActionSet() if all_actions else ale.getMinimalActionSet()
        self.action_space = spaces.Discrete(len(self.actions))
        self.presses_fire = self.options.use_fire_reset and ale_py.Action.FIRE in self.actions
        self.discount, self.over, self.continues = 1.0, True, False

    def reset(self) -> Transition:
        """Starts a game, or goes on with that in which a life was lost."""
        if not self.continues:
            self.ale.reset_game()
            self.elapsed = 0
        noops = self.rng.integers(1, self.options.noop_max + 1) if self.options.noop_max else 0
        if self.presses_fire:
            self.ale.act(ale_py.Action.FIRE)
            noops -= 1
        for _ in range(noops):
            self.ale.act(ale_py.Action.NOOP)
            if self._is_game_over():
                self.ale.reset_game()
        self.lives = self.ale.lives()
        # The last picture of a step, pooled with that before it.
        self.pictures = [self._screen(), np.zeros_like(self._screen())]
        frame = self._frame()
        kept = self.frames[1:] if self.continues else [frame] * (self.options.stack_num - 1)
        self.frames = [*kept, frame]
        self.discount, self.over = 1.0, False
        return self._row(0.0, 0, False, False)

    def step(self, action: int) -> Transition:
        if self.over:
            return self.reset()
        score, before, lost_life, game_over = 0, self.lives, False, False
        for left in reversed(range(self.options.frame_skip)):
            score += self.ale.act(self.actions[action])
            game_over, lives = self._is_game_over(), self.ale.lives()
            lost_life = self.options.episodic_life and 0 < lives < self.lives
            self.lives = lives
            if game_over or lost_life:
                break
            if left < 2:
                self.pictures[left] = self._screen()
        self.frames = [*self.frames[1:], self._frame()]
        self.elapsed += 1
        terminated = game_over or lost_life
        truncated = self.elapsed >= self.options.max_episode_steps
        self.over = terminated or truncated
        self.continues = lost_life and not game_over and not truncated
        zero = self.options.zero_discount_on_life_loss and self.lives < before
        self.discount = 0.0 if terminated or zero else 1.0
        reward = float(np.clip(score, -1, 1) if self.options.reward_clip else score)
        return self._row(reward, score, terminated, truncated)

    def _is_game_over(self) -> bool:
        return bool(self.ale.game_over(with_truncation=False))

    def _screen(self) -> np.ndarray:
        grey = self.options.gray_scale
        return self.ale.getScreenGrayscale() if grey else self.ale.getScreenRGB()

    def _frame(self) -> np.ndarray:
        if self.options.frame_skip > 1:
            self.pictures[0] = np.maximum(*self.pictures)
        size = (self.options.img_width, self.options.img_height)
        how = cv2.INTER_AREA if self.options.use_inter_area_resize else cv2.INTER_LINEAR
        return cv2.resize(self.pictures[0], size, interpolation=how)

    def _row(self, reward: float, score: float, *ended: bool) -> Transition:
        obs, ram = as_planes(np.stack(self.frames)), self.ale.getRAM()
        game_over = self._is_game_over()
        return Transition(reward, *ended, self.elapsed, self.lives, score, game_over, obs, ram)


def rows(result: tuple[Any, ...]) -> Iterator[Transition]:
    """The environments' parts of a result of our pool in EnvPool's dialect."""
    obs, *rest, info = result
    steps = rest or np.zeros((3, len(obs)), int)
    for i in range(len(obs)):
        reward, *ended = (array[i] for array in steps)
        infos = (info[name][i] for name in ("elapsed_step", "lives", "reward", "terminated"))
        yield Transition(reward, *ended, *infos, obs[i], info["ram"][i])


def assert_same(ours: Transition, theirs: Transition, what: str) -> None:
    """Bit for bit."""
    assert ours[:-2] == theirs[:-2], what
    assert_same_bytes(ours.obs, theirs.obs, what)
    assert_same_bytes(ours.ram, theirs.ram, what)


class Ended(NamedTuple):
    """How many episodes did."""

    terminated: int
    truncated: int
    games: int


def compare_with(
    oracle: Callable[..., Upstream | Reference],
    task_id: str,
    steps: int,
    seed: int = 0,
    num_envs: int = 1,
    **options: Any,
) -> Ended:
    """Plays random actions in ours and in an oracle's environments; options are by our names."""
    theirs = [oracle(task_id, seed + i, **options) for i in range(num_envs)]
    options = options | {"num_envs": num_envs, "seed": seed, "render_mode": "rgb_array"}
    with envpool.make(task_id, "gymnasium", **options) as pool:
        assert pool.action_space == theirs[0].action_space
        policy = np.random.default_rng(seed)
        result = pool.reset()
        expected = [env.reset() for env in theirs]
        ended = np.zeros(3, int)
        for step in range(steps + 1):
            for env, (row, other) in enumerate(zip(rows(result), expected, strict=True)):
                what = f"{task_id}, seed {seed + env}, step {step}"
                assert_same(row, other, what)
                ended += row.terminated, row.truncated, row.game_over
                # The last step of an episode may end with a frame that is in no observation.
                if row.terminated or step == steps:
                    (picture,) = pool.render([env])
                    assert_same_bytes(picture, theirs[env].ale.getScreenRGB(), f"{what}, picture")
            if step == steps:
                break
            # Random actions end no game soon where they cancel each other out.
            if step % 8 == 0:
                actions = random_actions(pool, policy)
            result = pool.step(actions)
            expected = [
                env.step(action if action.ndim else int(action))
                for env, action in zip(theirs, actions, strict=True)
            ]
    return Ended(*ended.tolist())


def compare(task_id: str, steps: int, seed: int = 0, num_envs: int = 1, **options: Any) -> Ended:
    """The same with Gymnasium's environments."""
    options = defaults(task_id, **options)
    return compare_with(Upstream, task_id, steps, seed, num_envs, **options)


def screens(task_id: str) -> dict[str, Any]:
    """Options with which one observes a step's last two frames in the screen's size and colours."""
    width, height = envpool.make_spec(task_id).pictures.size
    size = {"img_width": width, "img_height": height}
    return {"noop_max": 0, "stack_num": 1, "gray_scale": False} | size


def run_in_lockstep(task_id: str, frames: int, seed: int = 0, **options: Any) -> Ended:
    """Compares memory and screen after every frame with Gymnasium's environment."""
    return compare(task_id, frames, seed, frame_skip=1, **screens(task_id), **options)


# Two from which an environment of Gymnasium's seeds ALE with what AtariVectorEnv takes as a seed.
_ALE_SEEDS = {seed: np.random.SeedSequence(seed).generate_state(2)[1] for seed in range(20)}
VECTOR_SEEDS = [seed for seed, word in _ALE_SEEDS.items() if word < 2**31][:2]


def compare_with_vector_env(
    task_id: str, steps: int, ours: dict[str, Any], theirs: dict[str, Any], **both: Any
) -> Ended:
    """The same with ALE's own vector environment, whose no-ops come from another generator."""
    both = {"noop_max": 0, "stack_num": 3} | both
    pool = envpool.make(task_id, "gymnasium", num_envs=2, seed=VECTOR_SEEDS, **ours, **both)
    vector = AtariVectorEnv(TASKS[task_id], 2, **({"reward_clipping": False} | theirs), **both)
    policy = np.random.default_rng(0)
    with pool:
        obs, info = pool.reset()
        seeds = [int(_ALE_SEEDS[seed]) for seed in VECTOR_SEEDS]
        expected, expected_info = vector.reset(seed=np.array(seeds))
        ended = np.zeros(3, int)
        for step in range(steps):
            np.testing.assert_array_equal(info["lives"], expected_info["lives"])
            for env in range(2):
                what = f"{task_id}, environment {env}, step {step}"
                their_obs = as_planes(expected[env])
                # After a reset, their frames before the first are black.
                frames = min(1 + info["elapsed_step"][env], both["stack_num"])
                planes = frames * len(their_obs) // both["stack_num"]
                assert_same_bytes(obs[env][-planes:], their_obs[-planes:], what)
            if step % 8 == 0:
                actions = random_actions(pool, policy)
            obs, *rest, info = pool.step(actions)
            expected, *expected_rest, expected_info = vector.step(actions)
            for our, their in zip(rest, expected_rest, strict=True):
                np.testing.assert_array_equal(our, their, f"{task_id}, step {step}")
            ended += rest[1].sum(), rest[2].sum(), info["terminated"].sum()
    return Ended(*ended.tolist())


# Sets of options with which all games are compared.
VARIANTS: dict[str, dict[str, Any]] = {
    "grey": {},
    "RGB": {"gray_scale": False},
    "sticky": {"repeat_action_probability": 0.25, "full_action_space": True},
    "life": {"terminal_on_life_loss": True},
}
