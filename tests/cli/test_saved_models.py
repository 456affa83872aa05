"""``--policy MODEL.zip``: what models of Stable-Baselines3 and sb3-contrib have saved plays."""

import numpy as np
import pytest

import envpool
import envpool.families.testing.registration
from envpool.cli.policies import load_policy
from envpool.films.policies import policy_of
from envpool.spec import masks
from test_cli import run

sb3 = pytest.importorskip("stable_baselines3")
contrib = pytest.importorskip("sb3_contrib")
VecEnv = pytest.importorskip("envpool.sb3").VecEnv

ON_POLICY = {"n_steps": 16, "batch_size": 16}
MODELS = {
    "PPO": (sb3.PPO, "MlpPolicy", "CartPole-v1", ON_POLICY),
    "PPO, gSDE": (
        sb3.PPO,
        "MlpPolicy",
        "Pendulum-v1",
        ON_POLICY | {"use_sde": True, "policy_kwargs": {"net_arch": [8]}},
    ),
    "DQN": (sb3.DQN, "MlpPolicy", "CartPole-v1", {}),
    "SAC": (sb3.SAC, "MlpPolicy", "Pendulum-v1", {"use_sde": True}),
    "RecurrentPPO": (contrib.RecurrentPPO, "MlpLstmPolicy", "CartPole-v1", ON_POLICY),
    "MaskablePPO": (contrib.MaskablePPO, "MultiInputPolicy", "testing/Masked-v0", ON_POLICY),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_acts_as_the_model(tmp_path, name):
    """With its memory, which each episode clears, and with masks."""
    algorithm, policy, task, options = MODELS[name]
    model = algorithm(policy, VecEnv(task, num_envs=2), seed=1, device="cpu", **options)
    model.save(tmp_path / "model")
    memory, over, ended = None, np.zeros(3, bool), 0
    with envpool.make_gymnasium(task, num_envs=3, seed=3) as pool:
        act = policy_of(load_policy(f"{tmp_path}/model.zip"), pool, 0)
        observation, info = pool.reset()
        for _ in range(40):
            more = {}
            if name == "MaskablePPO":
                more["action_masks"] = masks.find(observation, info)["action_mask"]
            action = act(observation, info, over)
            begins = info["elapsed_step"] == 0
            expected, memory = model.predict(observation, memory, begins, True, **more)
            np.testing.assert_array_equal(action, expected)
            observation, _, terminated, truncated, info = pool.step(action)
            over = terminated | truncated
            ended += over.sum()
    assert ended or task == "Pendulum-v1"


@pytest.mark.slow
def test_film_and_errors(tmp_path):
    model = sb3.PPO("MlpPolicy", VecEnv("CartPole-v1", num_envs=2), device="cpu", **ON_POLICY)
    model.save(tmp_path / "model.zip")
    (tmp_path / "text.zip").write_text("no model")
    film = ["film", "CartPole-v1", "--out", f"{tmp_path}/a.gif", "--steps", "2", "--policy"]
    assert run(*film, f"{tmp_path}/model.zip")[0] == 0
    for name, expected, message in (("none", 1, "none.zip"), ("text", 2, "wasn't a zip-file")):
        code, output = run(*film, f"{tmp_path}/{name}.zip")
        assert (code, message in output) == (expected, True), output
    code, output = run(
        "evaluate", "CartPole-v1", "--episodes", "3", *film[-1:], f"{tmp_path}/model.zip"
    )
    expected = envpool.evaluate(model, "CartPole-v1", 3)
    assert (code, output.strip()) == (0, str(expected))
    film[1] = "Acrobot-v1"
    code, output = run(*film, f"{tmp_path}/model.zip")
    assert code == 1 and "the policy failed at step 1: ValueError: Error: Unexpected" in output
