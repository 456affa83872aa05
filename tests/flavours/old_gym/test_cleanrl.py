"""CleanRL's four scripts for EnvPool, as they are, for a few updates; two step inside of jit.

They come with its package: pip install --no-deps --ignore-requires-python cleanrl==1.2.0
"""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

for package in ("cleanrl", "flax", "optax", "torch", "tensorboard", "ale_py"):
    pytest.importorskip(package, reason=f"needs {package}")

RUNNER = Path(__file__).with_name("run_cleanrl.py")
SCRIPTS = Path(next(iter(importlib.util.find_spec("cleanrl").submodule_search_locations)))
UPDATES, ENVS, STEPS = 3, 4, 16
OPTIONS = {
    "ppo_atari_envpool": {},
    "ppo_rnd_envpool": {"num-iterations-obs-norm-init": 1},
    "ppo_atari_envpool_xla_jax": {},
    "ppo_atari_envpool_xla_jax_scan": {},
}


@pytest.fixture(scope="module")
def outputs(tmp_path_factory):
    """What each of them says. A fixture, because compiling takes longer than a test may."""
    done = {}
    for name, own in OPTIONS.items():
        options = own | {
            "env-id": "Pong-v5",
            "num-envs": ENVS,
            "num-steps": STEPS,
            "num-minibatches": 2,
            "update-epochs": 1,
            "total-timesteps": UPDATES * ENVS * STEPS,
        }
        arguments = [text for key, value in options.items() for text in (f"--{key}", str(value))]
        done[name] = subprocess.run(
            [sys.executable, RUNNER, SCRIPTS / f"{name}.py", *arguments],
            cwd=tmp_path_factory.mktemp(name),
            env=os.environ | {"ENVPOOL_OLD_GYM": "1", "JAX_PLATFORMS": "cpu"},
            capture_output=True,
            text=True,
            check=False,
        )
    return done


@pytest.mark.parametrize("name", OPTIONS)
def test_it_trains(outputs, name):
    done = outputs[name]
    assert done.returncode == 0, done.stderr
    assert len(re.findall(r"SPS: \d+", done.stdout)) == UPDATES
    if "xla" in name:  # the others tell only of episodes that end
        steps = [int(text) for text in re.findall(r"global_step=(\d+)", done.stdout)]
        assert steps == [ENVS * STEPS * update for update in range(1, UPDATES + 1)]
