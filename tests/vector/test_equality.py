"""Our vector environments return what Gymnasium's SyncVectorEnv does, to the bit."""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Callable, Iterator
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.vector import AutoresetMode

from helpers import NO_MUJOCO, Pair
from vector_envs import ENVIRONMENTS, SPACES, in_two_spawned_processes, sampling, sync

STEPS = 30
MODES = list(AutoresetMode)
MUJOCO = {task_id for task_id in ENVIRONMENTS if task_id.endswith("-v5")}


@contextlib.contextmanager
def paired(
    make_ours: Callable[..., Any], env_fns: list[Callable[[], Any]], **kwargs: Any
) -> Iterator[Pair]:
    ours = make_ours(env_fns, **kwargs)
    # Spaces are random generators, too.
    theirs = gymnasium.vector.SyncVectorEnv(copy.deepcopy(env_fns), **kwargs)
    try:
        yield Pair(ours, theirs)
    finally:
        ours.close()
        theirs.close()


def assert_plays_alike(make_ours: Any, factory: Any, mode: AutoresetMode) -> None:
    with paired(make_ours, [factory] * 3, autoreset_mode=mode) as pair:
        for name in ("observation_space", "action_space"):
            assert getattr(pair.ours, name) == getattr(pair.theirs, name)
            assert getattr(pair.ours, f"single_{name}") == getattr(pair.theirs, f"single_{name}")
        assert pair.ours.metadata == pair.theirs.metadata
        assert pair.ours.render_mode == pair.theirs.render_mode
        pair.call("reset", seed=5)
        pair.play(STEPS)
        pair.call("reset", seed=[7, None, 9], options={"low": -0.03, "high": 0.03})
        pair.play(STEPS // 3, partial_resets=False)
        pair.call("reset", options={"reset_mask": np.array([False, True, True])})
        pair.play(STEPS // 3)
        pair.assert_same_generators()
        assert pair.ours.np_random_seed == pair.theirs.np_random_seed


def parameters(names: list[str]) -> list[Any]:
    skip = pytest.mark.skip(NO_MUJOCO)
    return [
        pytest.param(name, marks=skip if NO_MUJOCO and name in MUJOCO else ()) for name in names
    ]


@pytest.mark.one_in(12)
@pytest.mark.parametrize("name", parameters(list(ENVIRONMENTS)))
@pytest.mark.parametrize("mode", MODES)
def test_in_this_process(name: str, mode: AutoresetMode) -> None:
    assert_plays_alike(sync, ENVIRONMENTS[name], mode)


@pytest.mark.one_in(102)
@pytest.mark.parametrize("name", parameters(list(ENVIRONMENTS)))
@pytest.mark.parametrize("mode", MODES)
def test_in_two_processes(name: str, mode: AutoresetMode) -> None:
    assert_plays_alike(in_two_spawned_processes, ENVIRONMENTS[name], mode)


def assert_same_for_space(make_ours: Any, space: spaces.Space, mode: AutoresetMode) -> None:
    factories = [sampling(copy.deepcopy(space), 2 + i) for i in range(3)]
    with paired(make_ours, factories, autoreset_mode=mode) as pair:
        pair.call("reset", seed=3)
        pair.play(8)
        pair.call("reset", seed=[None, 4, 5], options={"anything": [1, 2]})
        pair.call("reset", options={"reset_mask": np.array([True, False, True]), "more": 1})
        pair.play(4)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("space", SPACES, ids=str)
@pytest.mark.one_in(3)
def test_every_space_in_this_process(space: spaces.Space, mode: AutoresetMode) -> None:
    assert_same_for_space(sync, space, mode)


@pytest.mark.one_in(54)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("space", SPACES, ids=str)
def test_every_space_in_two_processes(space: spaces.Space, mode: AutoresetMode) -> None:
    assert_same_for_space(in_two_spawned_processes, space, mode)


@pytest.mark.parametrize("name", ["NormalizeObservation", "NormalizeReward", "DictInfoToList"])
def test_inside_of_gymnasiums_wrappers(name: str) -> None:
    wrap = getattr(gymnasium.wrappers.vector, name)
    with paired(sync, [ENVIRONMENTS["LunarLander-v3"]] * 2) as pair:
        pair.ours, pair.theirs = wrap(pair.ours), wrap(pair.theirs)
        pair.call("reset", seed=2)
        pair.play(STEPS)
