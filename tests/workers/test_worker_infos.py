"""Merged infos against those of Gymnasium's VectorEnv."""

import numpy as np
import pytest
from gymnasium.vector import VectorEnv

from envpool.workers.infos import merge_infos
from helpers import assert_identical

INFOS = {
    "nothing": [{}, {}, {}],
    "numbers": [{"i": 1, "f": 0.5, "b": True}, {"i": 2, "f": 1.5, "b": False}, {}],
    "numbers of NumPy": [{"x": np.float32(1)}, {}, {"x": np.float32(2), "y": np.int8(3)}],
    "arrays": [{}, {"a": np.arange(3)}, {"a": np.arange(3) + 1}],
    "no arrays": [{"s": "text", "l": [1, 2]}, {"n": None}, {"s": np.bool_(True)}],
    "dicts": [{"d": {"x": 1, "e": {"y": "z"}}}, {"d": {"x": 2}}, {"d": {}}],
    "other keys first": [{"a": 1}, {"b": 2, "a": 3}, {"b": 4}],
    "other types": [{"x": 1}, {"x": 2.5}, {"x": True}],
    "masks of its own": [{"x": 1, "_x": 7}, {"_x": 8}, {"x": 3}],
    "final": [
        {"final_obs": np.ones(2), "final_info": {"a": 1}},
        {"a": 2},
        {"final_obs": {"p": 1}, "final_info": {}},
    ],
}


@pytest.mark.parametrize("infos", INFOS.values(), ids=INFOS)
def test_infos_are_gymnasiums(infos):
    env = VectorEnv()
    env.num_envs = len(infos)
    theirs = {}
    for i, info in enumerate(infos):
        theirs = env._add_info(theirs, info, i)
    assert_identical(merge_infos(len(infos), enumerate(infos)), theirs)
