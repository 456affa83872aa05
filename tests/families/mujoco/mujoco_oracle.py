"""Gymnasium's MuJoCo environments as the oracle of ours; skips whoever imports it without them."""

from __future__ import annotations

import functools
import inspect
import re
import runpy
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from envpool.oracles.upstreams import UPSTREAMS
from envpool.tasks.registry import registry
from helpers import Pair, leaves, skip_without_upstream

skip_without_upstream("mujoco.gym")
pytest.importorskip("imageio", reason="needs gymnasium[mujoco]")

import gymnasium.envs.mujoco as gym_mujoco  # noqa: E402

import mujoco  # noqa: E402, F401 - tests have it from here
from envpool.oracles.mujoco import make_theirs as make_one_of_theirs  # noqa: E402
from envpool.oracles.mujoco import upstream  # noqa: E402

FAMILY = "envpool.families.mujoco.gym"
MUJOCO = UPSTREAMS[FAMILY].packages["mujoco"]  # other versions compute other numbers
ASSETS = Path(gym_mujoco.__file__).parent / "assets"
NEXT_STEP, SAME_STEP, DISABLED = AutoresetMode
N = 3

# For every module that compares with Gymnasium's: its environments write MUJOCO_LOG.TXT wherever
# they are, and it says that version 4 is old.
MARKS = [
    pytest.mark.usefixtures("scratch_directory"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]


# --- which tasks there are, and EnvPool's infos of them -----------------------------------------

TASKS = [name for name, task in registry.tasks.items() if task.import_path == FAMILY]
NEW = [task_id for task_id in TASKS if task_id[-1] == "5"]
# One id for everything that Gymnasium has a class for.
UPSTREAM = [task_id for task_id in TASKS if task_id[-1] in "45"]
# Where an episode ends early, unless this option says no.
CAN_FALL = ("Ant", "Hopper", "Humanoid-", "Walker2d")


def name_of(task_id: str) -> str:
    return task_id.partition("-")[0]


_INFOS = runpy.run_path(str(Path(__file__).with_name("infos.py")))["ENVPOOL"]


def infos_of(task_id: str) -> dict[str, str]:
    """EnvPool's infos of a task, all of which are float64."""
    return _INFOS.get(f"Gym{name_of(task_id)}", {})


# --- makers -------------------------------------------------------------------------------------


def make_theirs(
    task_id: str,
    mode: AutoresetMode = NEXT_STEP,
    limit: int | None = None,
    num_envs: int = N,
    **options: Any,
) -> SyncVectorEnv:
    """What ``make_vec(..., vectorization_mode="sync")`` makes; a list has a value for each."""
    each = [
        {name: value[i] if isinstance(value, list) else value for name, value in options.items()}
        for i in range(num_envs)
    ]
    makers = [partial(make_one_of_theirs, task_id, limit, **own) for own in each]
    return SyncVectorEnv(makers, autoreset_mode=mode)


def make_ours(
    task_id: str,
    mode: AutoresetMode = NEXT_STEP,
    limit: int | None = None,
    num_envs: int = N,
    **options: Any,
) -> Any:
    """Ours in Gymnasium's dialect; two threads, so that they have to agree."""
    if limit is not None:
        options["max_episode_steps"] = limit
    options = {"num_threads": 2} | options
    return gymnasium.make_vec(f"envpool/{task_id}", num_envs, autoreset_mode=mode, **options)


def modified(path: Path, source: str, *changes: tuple[str, str]) -> str:
    """Writes a copy of a model of Gymnasium's with some of its text replaced; returns the path."""
    text = (ASSETS / source).read_text()
    for old, new in changes:
        assert text.count(old) == 1, f"{source} has {old!r} {text.count(old)} times"
        text = text.replace(old, new)
    path.write_text(text)
    return str(path)


_SCRATCH = tempfile.TemporaryDirectory()  # until the end of the process


@functools.cache
def without_textures(task_id: str) -> dict[str, str]:
    """The option for a model without textures; of older versions, none.

    With a texture, the first picture of a renderer takes software half a second.
    """
    if task_id not in NEW:
        return {}
    make = gymnasium.envs.registration.load_env_creator(gymnasium.spec(task_id).entry_point)
    source = inspect.signature(make).parameters["xml_file"].default
    text = re.sub(r"<texture [^>]*/>", "", (ASSETS / source).read_text())
    path = Path(_SCRATCH.name) / source
    path.write_text(re.sub(r' texture="\w+"', "", text))
    return {"xml_file": str(path)}


# --- actions ------------------------------------------------------------------------------------

Policy = Callable[[Any, np.ndarray, np.random.Generator], np.ndarray]


def within(space: Any, obs: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The usual: float32 within the bounds."""
    return rng.uniform(space.low, space.high).astype(np.float32)


def double(space: Any, obs: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """With more digits: Gymnasium then computes in float64 what else is float32."""
    return rng.uniform(space.low, space.high)


def beyond(space: Any, obs: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Out of bounds, which MuJoCo clips for its motors, but the costs of control don't."""
    return (3.0 * rng.uniform(space.low, space.high)).astype(np.float32)


def alternating(space: Any, obs: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Now float32, now float64."""
    return within(space, obs, rng) if rng.random() < 0.5 else double(space, obs, rng)


def still(space: Any, obs: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Nothing, and negative nothing: costs have a sign, too."""
    return np.full(space.shape, rng.choice([0.0, -0.0]), np.float32)


def balance(space: Any, obs: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Keeps an inverted pendulum or double pendulum up, with some unrest."""
    if space.high.flat[0] == 3.0:  # InvertedPendulum's
        force = obs[:, :4] @ [0.595, 7.214, 1.032, 1.34]
    else:
        force = -obs[:, [0, 1, 2, 5, 6, 7]] @ [0.088, 0.957, 4.4, 0.178, 0.603, 0.661]
    unrest = 0.05 * rng.standard_normal(space.shape)
    return np.clip(force[:, None] + unrest, space.low, space.high).astype(np.float32)


# --- comparing ----------------------------------------------------------------------------------


class Ended(NamedTuple):
    terminated: int
    truncated: int


class MujocoPair(Pair):
    """A vector environment of ours and Gymnasium's of the same, with equal options; reset."""

    def __init__(
        self,
        task_id: str,
        mode: AutoresetMode = NEXT_STEP,
        limit: int | None = None,
        num_envs: int = N,
        seed: int = 1,
        **options: Any,
    ) -> None:
        super().__init__(
            make_ours(task_id, mode, limit, num_envs, **options),
            make_theirs(task_id, mode, limit, num_envs, **options),
        )
        self.rng = np.random.default_rng(0)
        self.reset(seed=seed)

    def reset(self, **kwargs: Any) -> Any:
        """Resets both and compares."""
        self.obs, info = self.call("reset", **kwargs)
        return self.obs, info

    def step(self, policy: Policy = within) -> Any:
        """Steps both and compares; without auto-reset, resets what is over."""
        results = self.call("step", policy(self.theirs.action_space, self.obs, self.rng))
        self.obs = results[0]
        ended = results[2] | results[3]
        if self.theirs.metadata["autoreset_mode"] is DISABLED and ended.any():
            self.reset(options={"reset_mask": ended})
        return results

    def play(self, steps: int, policy: Policy = within) -> Ended:  # type: ignore[override]
        """Steps both so many times; returns how many episodes ended."""
        ended = np.zeros(2, int)
        for _ in range(steps):
            _, _, terminated, truncated, _ = self.step(policy)
            ended += terminated.sum(), truncated.sum()
        return Ended(*ended.tolist())

    def assert_same_spaces(self) -> None:
        for name in ("observation_space", "action_space"):
            for each in (name, f"single_{name}"):
                ours, theirs = getattr(self.ours, each), getattr(self.theirs, each)
                assert ours == theirs
                assert ours.dtype == theirs.dtype


def nearness_of(task_id: str, theirs: SyncVectorEnv) -> np.ndarray | None:
    """What Pusher-v4 doesn't tell: how near the arm is to the object before a step."""
    if upstream(task_id) != "Pusher-v4":
        return None
    envs = [env.unwrapped for env in theirs.envs]
    places = [(env.get_body_com("object"), env.get_body_com("tips_arm")) for env in envs]
    return np.array([-np.linalg.norm(thing - tips) for thing, tips in places])


# EnvPool's names of what Gymnasium has under another one, in some version of the task.
_OTHER_NAMES = {
    "reward_run": "reward_forward",
    "reward_fwd": "reward_forward",
    "reward_linvel": "reward_forward",
    "reward_quadctrl": "reward_ctrl",
    "reward_alive": "reward_survive",
    "reward_impact": "reward_contact",
}
# What Gymnasium doesn't report, since it is always the same; costs are negative.
_CONSTANTS = {
    ("Ant-v4", "reward_contact"): -0.0,
    ("Humanoid-v4", "reward_impact"): -0.0,
    **{(f"HumanoidStandup-v{version}", "reward_alive"): 1.0 for version in (2, 4, 5)},
}


def envpool_infos(
    task_id: str, info: dict[str, Any], stepped: np.ndarray, before: dict[str, Any]
) -> dict[str, np.ndarray]:
    """All infos of EnvPool's dialect, from those of Gymnasium's environments.

    Args:
        task_id: The task.
        info: Gymnasium's, with masks.
        stepped: Where it was a step, not a reset.
        before: Those that have to be known before the step.

    Returns:
        EnvPool's names, which are float64, and Gymnasium's; 0 where Gymnasium has none.
    """
    expected = {}
    theirs = [key for key in info if not key.startswith("_")]
    for key in {*infos_of(task_id), *theirs}:
        source = key if key in info else _OTHER_NAMES.get(key)
        if task_id == "Ant-v3" and key == "reward_contact":
            source = "reward_ctrl"  # sic: Gymnasium has put it there
        if (task_id, key) in _CONSTANTS:
            value, known = _CONSTANTS[task_id, key], stepped
        elif before.get(key) is not None:
            value, known = before[key], stepped
        elif source in info:
            value, known = info[source], info[f"_{source}"]
        else:
            assert not stepped.any(), f"{key} of {task_id} is not in {theirs}"
            value, known = 0.0, stepped
        value = np.asarray(value)
        if key in infos_of(task_id):
            value = value.astype(np.float64)
        known = known.reshape(-1, *(1,) * (value.ndim - 1))
        expected[key] = np.where(known, value, value.dtype.type(0))
    return expected


def digest(env: Any, steps: int = 25) -> Iterator[bytes]:
    """A short rollout of ours, as bytes: two are equal if and only if nothing differs."""
    rng = np.random.default_rng(0)
    obs, info = env.reset(seed=0)
    yield _to_bytes((obs, info))
    for _ in range(steps):
        obs, *rest = env.step(within(env.action_space, obs, rng))
        yield _to_bytes((obs, *rest))


def _to_bytes(results: Any) -> bytes:
    """All arrays of a result with their paths; those of objects, entry by entry."""
    parts = []
    for path, array in leaves(results):
        if array.dtype == object:
            entries = [np.asarray(entry) for entry in array.tolist() if entry is not None]
            parts.append(_to_bytes(tuple(entries)))
        else:
            parts.append(array.tobytes())
        parts.append(f"|{path}|".encode())
    return b"".join(parts)
