"""The tasks of dm_control's suite compute the same bits as dm_control does."""

from __future__ import annotations

import os

import numpy as np
import pytest
from numpy.lib import introspect

import envpool
import mujoco
from envpool.families.dm_control.registration import alias
from envpool.tasks.registry import registry
from helpers import OraclePair, assert_all_compared, begun, output_of
from suite_oracle import TASKS, hash_of, make_theirs, play, suite

# One of each kind of arithmetic, for what takes a process of its own.
ARITHMETIC = ["HumanoidRun-v1", "ManipulatorBringPeg-v1", "QuadrupedFetch-v1", "WalkerWalk-v1"]


def compare_beginnings(name: str, episodes: int, steps: int) -> None:
    pair = OraclePair(name, [0])
    for _ in range(episodes):
        play(pair, steps)
        pair.call("reset")


def test_all_tasks_are_compared():
    family = "envpool.families.dm_control"
    ours = [name for name, task in registry.tasks.items() if task.import_path == family]
    aliases = {alias(*names): name for name, names in TASKS.items()}
    assert all(registry.tasks[other] == registry.tasks[name] for other, name in aliases.items())
    assert_all_compared(ours, [*TASKS, *aliases], "SUITE")
    assert set(TASKS.values()) == set(suite.ALL_TASKS)


@pytest.mark.one_in(60)
@pytest.mark.parametrize("name", [name for name in TASKS if not name.startswith("Dog")])
def test_models_have_dm_controls_bytes(name):
    compare_models(name)


@pytest.mark.long
@pytest.mark.parametrize("name", [name for name in TASKS if name.startswith("Dog")])
def test_dogs_have_dm_controls_bytes(name):
    compare_models(name)


def compare_models(name: str) -> None:
    model = make_theirs(name, 0).physics.model.ptr
    if name.startswith("Lqr"):  # drawn for each environment, whose own it is here
        model.jnt_stiffness[:] = 20.0
    data = np.empty(mujoco.mj_sizeModel(model), np.uint8)
    mujoco.mj_saveModel(model, None, data)
    pool = begun(envpool.make_gymnasium(name))
    expected = f"content of the model={hash_of(data.tobytes()):x}"
    assert expected.encode() in pool.get_state()[0]


NO_AVX512 = {"NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL"}
HASWELL = {"OPENBLAS_CORETYPE": "Haswell"}


@pytest.mark.slow
def test_arithmetic_is_that_of_numpy_on_an_older_processor():
    run_with(NO_AVX512 | HASWELL, ARITHMETIC[2:], steps=5)


@pytest.mark.long
@pytest.mark.parametrize(
    "variables",
    [
        NO_AVX512,
        {"NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL X86_V3"},
        HASWELL,
        {"OPENBLAS_CORETYPE": "Sandybridge"},
    ],
    ids=str,
)
@pytest.mark.parametrize("name", ARITHMETIC)
def test_arithmetic_is_that_of_the_numpy_that_runs(name, variables):
    run_with(variables, [name], steps=300)


def run_with(variables: dict[str, str], names: list[str], steps: int) -> None:
    """Compares tasks in a process of its own, whose NumPy reads these variables."""
    program = f"import test_dm_control as t; t.compare_on_this_processor({names!r}, {steps})"
    # NumPy warns of what it is to do without if the processor does not have it.
    output_of(program, PYTHONWARNINGS="ignore", **variables)


def compare_on_this_processor(names: list[str], steps: int) -> None:
    loops = introspect.opt_func_info("^exp$", "float64")["exp"]["dd"]["current"].split()
    disabled = os.environ.get("NPY_DISABLE_CPU_FEATURES", "").split()
    assert not set(loops) & set(disabled)
    for name in names:
        compare_beginnings(name, episodes=2, steps=steps)
