"""Ctrl-C ends every call that may be slow, in every family."""

import importlib.util

import pytest

from waits import CASES, latency_of

NEEDS = {"MuJoCo": "mujoco", "Atari": "ale_py", "Box2D": "pygame", "toy text": "pygame"}


@pytest.mark.long
@pytest.mark.parametrize("case", CASES, ids=": ".join)
def test_ctrl_c(case):
    """Far within the deadline; how long it really takes, `waits.py` measures."""
    module = NEEDS.get(case[0])
    if module and importlib.util.find_spec(module) is None:
        pytest.skip(f"needs {module}")
    assert min(latency_of(case) for _ in range(2)) < 1.0
