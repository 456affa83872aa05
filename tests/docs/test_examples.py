"""The examples run and do what they say; PPO's bookkeeping is right in any order of arrival."""

from __future__ import annotations

import importlib.util
import os
import re
import signal
import subprocess
import sys
from collections import defaultdict
from itertools import pairwise
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
import typer
from gymnasium import spaces
from typer.testing import CliRunner, Result

import envpool
from helpers import run_command

EXAMPLES = Path(__file__).parents[2] / "examples"


def run(
    *options: str, cwd: Path, script: str = "ppo", exit_code: int = 0, **environment: str
) -> subprocess.CompletedProcess[str]:
    """What a script does that ends so, in a process of its own."""
    command = (sys.executable, EXAMPLES / f"{script}.py", *options)
    result = run_command(*command, cwd=cwd, **environment)
    assert result.returncode == exit_code, result.stderr
    assert "Traceback" not in result.stderr
    return result


def call(script: Any, *options: str, exit_code: int = 0) -> Result:
    """The same in this process, which has loaded its libraries once for all tests."""
    app = typer.Typer()
    app.command()(script.main)
    result = CliRunner().invoke(app, options, catch_exceptions=False)
    assert result.exit_code == exit_code, result.stderr
    assert "Traceback" not in result.stderr
    return result


@pytest.fixture(scope="module")
def examples_extra() -> None:
    for package in ("torch", "matplotlib"):
        pytest.importorskip(package, reason='needs pip install ".[examples]"')


@pytest.fixture(scope="module")
def matplotlib() -> None:
    pytest.importorskip("matplotlib", reason='needs pip install ".[examples]"')


@pytest.fixture(scope="module")
def atari() -> None:
    pytest.importorskip("ale_py", reason='needs pip install ".[atari]"')


def load(script: str) -> Any:
    spec = importlib.util.spec_from_file_location(script, EXAMPLES / f"{script}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[script] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def ppo(examples_extra: None) -> Any:
    return load("ppo")


@pytest.mark.usefixtures("scratch_directory")
@pytest.mark.parametrize(
    "options",
    [
        (),
        ("--task", "Acrobot-v1"),
        ("--task", "MountainCarContinuous-v0", "--num-envs", "7", "--batch-size", "3"),
        ("--task", "Pendulum-v1", "--num-envs", "8", "--batch-size", "8"),  # synchronous
        ("--num-envs", "1", "--rollout-steps", "100"),
    ],
    ids=" ".join,
)
def test_ppo_runs(ppo: Any, options: tuple[str, ...]) -> None:
    result = call(ppo, "--total-steps", "1500", *options, "--output", "plots/curve.png")
    assert Path("plots/curve.png").read_bytes().startswith(b"\x89PNG")
    last_line = result.stdout.splitlines()[-1]
    assert "mean return" in last_line and "steps/s" in last_line


@pytest.mark.usefixtures("scratch_directory")
@pytest.mark.parametrize("in_info", [False, True])
def test_ppo_acts_what_masks_allow(ppo: Any, in_info: bool) -> None:
    import envpool.families.testing.registration  # whose environment refuses the rest

    options = ("--task", "testing/Masked-v0", "--option", f"in_info={in_info}")
    size = ("--num-envs", "8", "--rollout-steps", "200", "--total-steps", "600")
    call(ppo, *options, *size)
    act = ppo.load("runs/ppo_testing_Masked-v0.pt")
    with envpool.make("testing/Masked-v0", "gymnasium", num_envs=4, in_info=in_info) as pool:
        results: Any = pool.reset()
        for _ in range(6):
            results = pool.step(act(results[0], results[-1]))


class Parts(gymnasium.Env):
    """A mask and three arrays; what is masked raises."""

    observation_space = spaces.Dict(
        action_mask=spaces.MultiBinary(3),
        b=spaces.Box(-1, 1, (2, 2)),
        a=spaces.Box(0, 9, (), np.int64),
        c=spaces.MultiBinary(2),
    )
    action_space = spaces.Discrete(3)

    def _observe(self) -> dict[str, Any]:
        self.mask = np.array([1, self.steps % 2, 0], np.int8)
        a, b = np.array(self.steps), np.full((2, 2), 0.5, np.float32)
        return {"a": a, "action_mask": self.mask, "b": b, "c": np.ones(2, np.int8)}

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        self.steps = 0
        return self._observe(), {}

    def step(self, action: Any) -> Any:
        assert self.mask[action]
        self.steps += 1
        return self._observe(), float(action), self.steps == 9, False, {}


@pytest.mark.usefixtures("scratch_directory")
def test_ppo_joins_dicts_and_goes_on(ppo: Any) -> None:
    import torch

    envpool.register_python("tests/Parts-v0", Parts, num_workers=0)
    size = ("--num-envs", "4", "--rollout-steps", "100")
    result = call(ppo, "--task", "tests/Parts-v0", *size, "--total-steps", "300")
    first = torch.load("runs/ppo_tests_Parts-v0.pt", weights_only=True)
    assert first["weights"]["actor.1.weight"].shape[1] == 7
    assert first["scale"][0] == pytest.approx([4] + [0.5] * 4 + [1] * 2, abs=1)
    resumed = ("--resume", "runs/ppo_tests_Parts-v0.pt")
    call(ppo, *resumed, *size, "--total-steps", "300")  # nothing to do
    same = torch.load("runs/ppo_tests_Parts-v0_2.pt", weights_only=True)
    assert same["scale"] == first["scale"] and same["training"]["steps"] == 300
    torch.testing.assert_close(same["weights"], first["weights"], rtol=0, atol=0)
    call(ppo, *resumed, *size, "--total-steps", "700", "--learning-rate", "0.01")
    later = torch.load("runs/ppo_tests_Parts-v0_3.pt", weights_only=True)
    assert later["training"]["steps"] >= 700 > first["training"]["steps"] >= 300
    assert later["scale"][2] > first["scale"][2] + 300
    moments = [run["training"]["optimizer"]["state"][1]["step"] for run in (first, later)]
    assert moments[1] > moments[0] > 0
    assert later["training"]["optimizer"]["param_groups"][0]["lr"] == 0.01
    result = call(ppo, *resumed, "--task", "CartPole-v1", exit_code=2)
    assert "has learned tests/Parts-v0" in result.stderr


SMALL_IMAGES = ("--option", "img_height=36", "--option", "img_width=40")


@pytest.mark.usefixtures("atari", "scratch_directory")
def test_ppo_runs_on_images(ppo: Any) -> None:
    size = ("--num-envs", "8", "--rollout-steps", "100", "--total-steps", "300")
    options = (*SMALL_IMAGES, "--option", "max_episode_steps=30")
    result = call(ppo, "--task", "Pong-v5", *options, *size)
    assert Path("runs/ppo_Pong-v5.png").read_bytes().startswith(b"\x89PNG")
    assert "Pong-v5 has no threshold: mean return" in result.stdout


def test_ppo_names_its_plot_after_the_task(ppo: Any, scratch_directory: Path) -> None:
    for name in ("runs/ppo_CartPole-v1", "runs/ppo_CartPole-v1_2"):  # it leaves the first's
        before = {path: path.read_bytes() for path in scratch_directory.glob("runs/*")}
        call(ppo, "--total-steps", "2500", "--seed", str(len(name)))
        assert {path: path.read_bytes() for path in before} == before
        assert Path(f"{name}.png").exists()
        header, *rows = Path(f"{name}.csv").read_text().splitlines()
        assert header == "steps,return" and len(rows) > 1


@pytest.mark.usefixtures("examples_extra")
def test_ppo_keeps_what_it_learned_when_it_is_interrupted(tmp_path: Path) -> None:
    command = [sys.executable, "-u", str(EXAMPLES / "ppo.py"), "--task", "Pendulum-v1"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert "steps/s" in process.stdout.readline()  # progress, though there is no terminal
        process.send_signal(signal.SIGINT)
        output = process.communicate()[0]
    assert "what was learned so far is saved" in output
    assert (process.returncode, "not solved" in output) == (0, False)  # Pendulum has no threshold
    for suffix in (".png", ".csv", ".pt"):
        assert (tmp_path / f"runs/ppo_Pendulum-v1{suffix}").stat().st_size


def test_ppo_plays_what_it_saved(ppo: Any, tmp_path: Path) -> None:
    import torch

    options = {"max_episode_steps": 50}
    pool = envpool.make("Pendulum-v1", "gymnasium", num_envs=4, **options)
    agent, scale = ppo.make_agent(pool), ppo.RunningScale()
    observation, info = pool.reset()
    scale.add(observation)
    ppo.save(agent, scale, "Pendulum-v1", options, tmp_path / "agents" / "a.pt")
    act = ppo.load(str(tmp_path / "agents" / "a.pt"))
    with torch.no_grad():
        best = agent(torch.from_numpy(scale.apply(observation)))[0].mode.numpy()
    action = act(observation, info)
    np.testing.assert_array_equal(action, agent.for_pool(best))
    pool.step(action)


@pytest.mark.slow  # ends with the page's snippet
def test_policies_are_exported_as_the_page_has_it(ppo: Any, tmp_path: Path) -> None:
    import torch

    page: dict[str, Any] = {}
    text = (EXAMPLES.parent / "docs/exporting.md").read_text()
    exec(re.findall(r"```python\n(.*?)```", text, re.S)[0], page)
    observation = np.random.default_rng(1).normal(1.0, 2.0, (64, 4)).astype(np.float32)

    agent, scale = ppo.make_agent(envpool.make_spec("CartPole-v1")), ppo.RunningScale()
    scale.add(observation)
    ppo.save(agent, scale, "CartPole-v1", {}, tmp_path / "a.pt")
    saved = torch.load(tmp_path / "a.pt", weights_only=True)
    policy = page["Policy"](torch.nn.Sequential(agent.torso, agent.actor), *saved["scale"][:2])
    expected = ppo.load(str(tmp_path / "a.pt"))(observation, {})
    np.testing.assert_array_equal(policy(torch.from_numpy(observation)).numpy(), expected)
    assert 0 < expected.sum() < 64

    pytest.importorskip("stable_baselines3")
    from stable_baselines3 import PPO
    from stable_baselines3.common.vec_env import VecNormalize

    env = VecNormalize(envpool.sb3.VecEnv("CartPole-v1", num_envs=4))
    own = PPO("MlpPolicy", env, n_steps=16, seed=1).learn(64).policy
    network = torch.nn.Sequential(
        own.features_extractor, own.mlp_extractor.policy_net, own.action_net
    )
    policy = page["Policy"](network, env.obs_rms.mean, env.obs_rms.var)
    expected, _ = own.predict(env.normalize_obs(observation), deterministic=True)
    np.testing.assert_array_equal(policy(torch.from_numpy(observation)).numpy(), expected)


def test_ppo_refuses_tasks_that_it_has_not_learned(ppo: Any, tmp_path: Path) -> None:
    agent = ppo.make_agent(envpool.make_spec("CartPole-v1"))
    ppo.save(agent, None, "CartPole-v1", {}, tmp_path / "a.pt")
    with pytest.raises(ValueError, match=r"learned CartPole-v1, .* shape \(4,\), not \(6,\)"):
        ppo.load(str(tmp_path / "a.pt"))(np.zeros((2, 6), np.float32), {})


def test_ppo_draws_a_curve_without_episodes(
    ppo: Any, tmp_path: Path, recwarn: pytest.WarningsRecorder
) -> None:
    ppo.plot([], "CartPole-v1", 475.0, tmp_path / "curve.png")
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "curve.csv").read_text().split() == ["steps,return"]
    assert not list(recwarn)


@pytest.mark.slow  # test_ppo_runs is shorter
@pytest.mark.usefixtures("examples_extra")
def test_ppo_solves_cartpole(tmp_path: Path) -> None:
    # It takes about 75,000 steps.
    result = run("--total-steps", "300000", cwd=tmp_path)
    assert result.stdout.splitlines()[-1].startswith("CartPole-v1 solved"), result.stdout


@pytest.mark.parametrize(
    ("options", "hint"),
    [
        (("--task", "CartPole-v11"), "CartPole-v1"),
        (("--option", "gravitas=1"), "gravity"),
        (("--option", "num_envs=2"), "num_envs"),
        (("--option", "gravity"), "NAME=VALUE"),
    ],
)
def test_ppo_explains_wrong_options(ppo: Any, options: tuple[str, ...], hint: str) -> None:
    assert hint in call(ppo, *options, exit_code=2).stderr


@pytest.mark.usefixtures("atari")
def test_ppo_explains_that_images_are_too_small(ppo: Any) -> None:
    result = call(ppo, "--task", "Pong-v5", "--option", "img_width=35", exit_code=2)
    assert "36" in result.stderr


@pytest.mark.usefixtures("examples_extra")
def test_ppo_runs_on_a_game_written_in_python(tmp_path: Path) -> None:
    task = ("--task", "python_env:Hummingbird-v0", "--num-envs", "8")
    result = run(*task, "--total-steps", "1000", "--rollout-steps", "500", cwd=tmp_path)
    assert (tmp_path / "runs/ppo_python_env_Hummingbird-v0.png").exists()
    assert "python_env:Hummingbird-v0 not solved: mean return" in result.stdout


@pytest.mark.long
@pytest.mark.usefixtures("examples_extra")
def test_ppo_solves_the_game(tmp_path: Path) -> None:
    # It takes about 42,000 steps.
    task = ("--task", "python_env:Hummingbird-v0")
    result = run(*task, "--total-steps", "200000", cwd=tmp_path)
    assert result.stdout.splitlines()[-1].startswith(f"{task[1]} solved"), result.stdout


def test_hummingbirds_fly_as_their_pilot_wants() -> None:
    game = load("python_env")
    env = gymnasium.make_vec(
        "Hummingbird-v0", num_envs=16, vectorization_mode="sync", render_mode="rgb_array"
    )
    observation, _ = env.reset(seed=0)
    blossoms = np.zeros(16)
    for _ in range(199):
        observation, reward, terminated, _, _ = env.step(game.pilot(observation))
        blossoms += reward > 0.5
        assert not terminated.any()
    assert blossoms.min() >= 7
    for picture in env.render():
        colours = {tuple(pixel) for pixel in picture.reshape(-1, 3)}
        assert colours == {game.SKY, game.BIRD, game.BLOSSOM}


@pytest.mark.parametrize(
    ("script", "package"),
    [
        ("ppo", "torch"),
        ("ppo", "matplotlib"),
        ("ppo_jax", "jax"),
        ("planning", "matplotlib"),
        ("plr", "torch"),
    ],
)
def test_examples_say_what_to_install(script: str, package: str, tmp_path: Path) -> None:
    message = f"No module named {package!r}"
    (tmp_path / f"{package}.py").write_text(f'raise ModuleNotFoundError("{message}")')
    path = os.pathsep.join(filter(None, [str(tmp_path), os.environ.get("PYTHONPATH")]))
    result = run(cwd=tmp_path, script=script, exit_code=1, PYTHONPATH=path)
    assert 'pip install "envpool-next[examples]"' in result.stderr


class Recorder:
    """A pool that keeps the rows of each environment, in the order of their steps."""

    def __init__(self, pool: Any) -> None:
        self.pool = pool
        self.num_envs, self.observation_space = pool.num_envs, pool.observation_space
        self.async_reset = pool.async_reset
        self.rows: dict[int, list[dict[str, Any]]] = defaultdict(list)

    def recv(self) -> Any:
        results = self.pool.recv()
        observation, reward, terminated, truncated, info = results
        for i, env_id in enumerate(info["env_id"]):
            self.rows[env_id].append(
                {
                    "observation": observation[i].copy(),
                    "reward": reward[i].item(),
                    "terminated": terminated[i].item(),
                    "truncated": truncated[i].item(),
                }
            )
        return results

    def send(self, action: Any, env_id: Any) -> None:
        for one_action, one_id in zip(action, env_id, strict=True):
            self.rows[one_id][-1]["action"] = one_action
        self.pool.send(action, env_id)


@pytest.mark.parametrize("batch_size", [1, 3, 8])
def test_ppo_estimates_advantages(
    ppo: Any, batch_size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    # Without scaling, the script's numbers are those of the pool.
    monkeypatch.setattr(ppo.RunningScale, "add", lambda self, rows: None)
    gamma = 0.9
    # Time for some poles to fall, while others are stopped by the clock.
    pool = envpool.make(
        "CartPole-v1",
        env_type="gymnasium",
        num_envs=8,
        batch_size=batch_size,
        num_threads=2,
        max_episode_steps=15,
        record_episode_statistics=True,
    )
    agent = ppo.Agent(pool.observation_space, pool.action_space)
    recorder = Recorder(pool)
    collector = ppo.Collector(recorder, agent, gamma)
    batches, returns = [], []
    for _ in range(1000 // batch_size):
        transitions, ended = collector.step()
        batches.append(transitions)
        returns += ended
    pool.close()
    advantage = ppo.advantages(batches, pool.num_envs, gamma).numpy()

    def value(row: dict[str, Any]) -> float:
        with torch.no_grad():
            return agent(torch.from_numpy(row["observation"])[None])[1].item()

    env_ids = np.concatenate([batch.env_id for batch in batches])
    observations = np.concatenate([batch.decision.observation for batch in batches])
    actions = np.concatenate([batch.decision.action for batch in batches])
    ends = {"terminated": 0, "truncated": 0}
    for env_id, rows in recorder.rows.items():
        expected: list[tuple[dict[str, Any], float]] = []
        later = 0.0
        for row, next_row in reversed(list(pairwise(rows))):
            if row["terminated"] or row["truncated"]:
                later = 0.0  # next_row begins an episode: no transition
                ends["terminated" if row["terminated"] else "truncated"] += 1
                continue
            future = 0.0 if next_row["terminated"] else gamma * value(next_row)
            later = next_row["reward"] + future - value(row) + gamma * ppo.GAE_LAMBDA * later
            expected.append((row, later))
        expected.reverse()
        mine = env_ids == env_id
        np.testing.assert_allclose(
            advantage[mine], [estimate for _, estimate in expected], rtol=1e-4, atol=1e-5
        )
        np.testing.assert_allclose(
            observations[mine], [row["observation"] for row, _ in expected], rtol=1e-6
        )
        np.testing.assert_array_equal(actions[mine], [row["action"] for row, _ in expected])
    assert min(ends.values()) > 5
    assert len(returns) >= sum(ends.values()) > 0
    assert max(returns) == 15.0


@pytest.mark.parametrize("size", [(84, 84), (36, 36), (50, 41)], ids=str)
@pytest.mark.parametrize("action_space", [spaces.Discrete(6), spaces.Box(-1, 1, (2,))], ids=str)
def test_ppo_sees_images_of_any_size(ppo: Any, size: tuple[int, int], action_space: Any) -> None:
    import torch

    agent = ppo.Agent(spaces.Box(0, 255, (3, *size), np.uint8), action_space)
    images = torch.randint(256, (5, 3, *size), dtype=torch.uint8)
    policy, value = agent(images)
    action = policy.sample()
    assert value.shape == policy.log_prob(action).shape == (5,)
    assert all(action_space.contains(row) for row in agent.for_pool(action.numpy()))
    # What it sees are numbers from 0 to 1.
    torch.testing.assert_close(agent(images.float() / 255)[1], value)


@pytest.mark.usefixtures("atari")
def test_ppo_collects_images_as_they_are(ppo: Any) -> None:
    num_envs, num_batches = 4, 150
    pool = envpool.make(
        "Breakout-v5",
        env_type="gymnasium",
        num_envs=num_envs,
        batch_size=2,
        img_height=36,
        img_width=36,
        frame_skip=10,  # to lose a life soon
        episodic_life=True,  # an episode may begin with another elapsed_step than 0
        record_episode_statistics=True,
    )
    recorder = Recorder(pool)
    collector = ppo.Collector(recorder, ppo.Agent(pool.observation_space, pool.action_space), 0.99)
    batches = [collector.step()[0] for _ in range(num_batches)]
    pool.close()
    env_ids = np.concatenate([batch.env_id for batch in batches])
    observations = np.concatenate([batch.decision.observation for batch in batches])
    assert observations.dtype == np.uint8
    for env_id, rows in recorder.rows.items():
        # The last row has no successor yet, and those that end an episode never have one.
        decided = [row for row in rows[:-1] if not row["terminated"]]
        assert len(decided) < len(rows) - 1
        np.testing.assert_array_equal(
            observations[env_ids == env_id], [row["observation"] for row in decided]
        )


@pytest.fixture(scope="module")
def jax(matplotlib: None) -> Any:
    return pytest.importorskip("jax", reason="needs pip install jax")


@pytest.mark.usefixtures("jax")
@pytest.mark.parametrize(
    ("steps", "end"),
    [
        ("2000", "CartPole-v1 not solved"),
        pytest.param("300000", "CartPole-v1 solved", marks=pytest.mark.slow),  # after some 75,000
    ],
)
def test_ppo_jax_runs(steps: str, end: str, tmp_path: Path) -> None:
    result = run("--total-steps", steps, cwd=tmp_path, script="ppo_jax")
    assert (tmp_path / "runs/ppo_jax_CartPole-v1.png").read_bytes().startswith(b"\x89PNG")
    assert result.stdout.splitlines()[-1].startswith(end), result.stdout


@pytest.mark.slow
@pytest.mark.usefixtures("examples_extra")
def test_self_play_learns(tmp_path: Path) -> None:
    pytest.importorskip("pgx", reason='needs pip install "envpool-next[pgx]"')
    size = ("--num-envs", "64", "--rollout-moves", "2048", "--total-moves", "20000")
    result = run("--game", "tic_tac_toe", *size, "--rows", "1", cwd=tmp_path, script="self_play")
    table, *_, boards = result.stdout.split("\n\n")
    won = [float(line.split()[2].rstrip("%")) for line in table.splitlines()[1:]]
    assert won[0] < 55 and won[-1] > 65, result.stdout
    assert set(boards.split()[0]) <= {".", "X", "O"}, result.stdout


@pytest.mark.long  # what sees images takes its time to compile
@pytest.mark.usefixtures("jax", "atari")
def test_ppo_jax_runs_on_images(tmp_path: Path) -> None:
    options = (*SMALL_IMAGES, "--option", "max_episode_steps=10", "--num-envs", "4")
    size = ("--rollout-steps", "64", "--total-steps", "100")
    result = run("--task", "Pong-v5", *options, *size, cwd=tmp_path, script="ppo_jax")
    assert "Pong-v5 has no threshold: mean return" in result.stdout


@pytest.mark.usefixtures("jax")
@pytest.mark.parametrize(
    ("options", "hint"),
    [
        (("--task", "CartPole-v11"), "CartPole-v1"),
        (("--task", "Pendulum-v1"), "no policy here"),
        (("--task", "testing/Masked-v0", "--option", "in_info=True"), "has action masks"),
    ],
)
def test_ppo_jax_explains_wrong_options(options: tuple[str, ...], hint: str) -> None:
    importlib.import_module("envpool.families.testing.registration")
    assert hint in call(load("ppo_jax"), *options, exit_code=2).stderr


def test_ppo_jax_convolves(jax: Any) -> None:
    """As XLA's own convolution does, also where the stride leaves some pixels over."""
    ppo_jax = load("ppo_jax")
    rng = np.random.default_rng(1)
    images = rng.normal(size=(2, 3, 39, 41)).astype(np.float32)
    for size, stride in ((8, 4), (4, 2), (3, 1)):
        wide = size // stride
        kernel = rng.normal(size=(5, 3, wide * wide, stride, stride)).astype(np.float32)
        seen = ppo_jax.patches(images, size, stride)
        ours = jax.numpy.einsum("npkrxcy,opkxy->norc", seen, kernel)
        square = kernel.reshape(5, 3, wide, wide, stride, stride).swapaxes(3, 4)
        square = square.reshape(5, 3, size, size)
        theirs = jax.lax.conv(images, square, (stride, stride), "VALID")
        np.testing.assert_allclose(ours, theirs, rtol=1e-3, atol=1e-4)


def test_ppo_jax_estimates_advantages(jax: Any) -> None:
    ppo_jax = load("ppo_jax")
    rng, gamma, steps, envs = np.random.default_rng(1), 0.9, 40, 3
    value = rng.normal(size=(steps + 1, envs)).astype(np.float32)
    reward = rng.normal(size=(steps, envs)).astype(np.float32)
    terminated = rng.random((steps, envs)) < 0.1
    done = terminated | (rng.random((steps, envs)) < 0.1)
    none = np.zeros((steps, envs))
    rollout = ppo_jax.Transitions(
        none, none, none, value[:-1], reward, value[1:], terminated, done, none, none, none
    )
    ours = ppo_jax.advantages(rollout, gamma)
    for env in range(envs):
        for first in range(steps):
            expected, weight = 0.0, 1.0
            for step in range(first, steps):  # until its episode ends
                future = 0.0 if terminated[step, env] else gamma * value[step + 1, env]
                expected += weight * (reward[step, env] + future - value[step, env])
                weight *= gamma * ppo_jax.GAE_LAMBDA
                if done[step, env]:
                    break
            np.testing.assert_allclose(ours[first, env], expected, rtol=1e-4, atol=1e-5)


@pytest.mark.usefixtures("matplotlib", "scratch_directory")
@pytest.mark.parametrize("options", [(), ("--seed", "2", "--num-envs", "16")], ids=" ".join)
def test_planning_solves_mountain_car(options: tuple[str, ...]) -> None:
    # It takes about 15 rounds of 64 environments; the others make the way shorter.
    output = ("--rounds", "100", "--output", "plots/search.png")
    result = call(load("planning"), *options, *output)
    assert Path("plots/search.png").read_bytes().startswith(b"\x89PNG")
    assert result.stdout.splitlines()[-1].startswith("MountainCar-v0 solved"), result.stdout


@pytest.mark.usefixtures("matplotlib")
def test_planning_tells_when_it_finds_no_way(tmp_path: Path) -> None:
    result = run("--rounds", "1", cwd=tmp_path, script="planning", exit_code=1)
    assert result.stderr.splitlines()[-1].startswith("MountainCar-v0 not solved")


@pytest.mark.usefixtures("matplotlib")
def test_planning_remembers_true_ways() -> None:
    """Gymnasium's own environment gets to every cell by the actions that the search remembers."""
    planning = load("planning")
    search = planning.Search(num_envs=8, seed=5)
    for _ in range(100):
        search.explore()
    cells = list(search.ways)
    for cell in cells[:: len(cells) // 50]:
        observations, reached = planning.replay(search.ways[cell].actions, seed=5)
        assert search._cells(observations[-1:]) == [cell]
        assert not reached


@pytest.mark.usefixtures("examples_extra", "scratch_directory")
@pytest.mark.parametrize("schedule", ["uniform", "prioritized"])
def test_plr_measures_other_levels(schedule: str) -> None:
    size = ("--steps", "1000", "--num-envs", "4", "--levels", "5", "--measure-episodes", "2")
    call(load("plr"), "--schedule", schedule, *size, "--seed", "3")
    curve = Path(f"runs/plr_MiniGrid-DoorKey-5x5-v0_{schedule}_3.png")
    assert curve.read_bytes().startswith(b"\x89PNG")
    first, *numbers = curve.with_suffix(".csv").read_text().splitlines()
    assert first == "steps,return" and [line.split(",")[0] for line in numbers] == ["0", "1024"]


@pytest.mark.usefixtures("examples_extra")
def test_plr_scores_the_levels_of_whole_episodes() -> None:
    """Also of those that go on in the next rollout; the steps between episodes do not count."""
    levels = envpool.curriculum.PrioritizedLevels(range(50), seed=1)
    mine = [levels.next(0, index) and levels.level_of(0, index) for index in range(2)]
    scores = load("plr").Scores(levels, num_envs=1)
    played, done = np.array([[1], [1], [0], [1]], bool), np.array([[0], [1], [0], [0]], bool)
    given: list[tuple[int, float]] = []
    levels.update = lambda level, score: given.append((level, score))  # type: ignore[method-assign]
    scores.add(np.array([[1.0], [-3.0], [100.0], [4.0]]), played, done)
    scores.add(np.array([[-5.0], [6.0]]), np.ones((2, 1), bool), np.array([[0], [1]], bool))
    assert given == [(mine[0], 2.0), (mine[1], 5.0)]


@pytest.mark.long
@pytest.mark.usefixtures("examples_extra")
def test_clone_learns_from_a_recording(tmp_path: Path) -> None:
    folder = tmp_path / "a"
    with envpool.make_gymnasium("CartPole-v1", num_envs=4, record=folder) as pool:
        observation, _ = pool.reset()
        for _ in range(600):  # it keeps the pole up until the time limit, or nearly so
            observation = pool.step((observation[:, 2] + observation[:, 3] > 0).astype(int))[0]
    result = run(str(folder), "--epochs", "60", cwd=tmp_path, script="clone")
    imitated, played = (float(line.split()[-1]) for line in result.stdout.splitlines()[-2:])
    assert played > imitated / 2 > 20


@pytest.mark.usefixtures("scratch_directory")
def test_a_robot_of_ones_own_is_trained(ppo: Any) -> None:
    pytest.importorskip("mujoco", reason='needs pip install "envpool-next[mujoco]"')
    result = call(load("own_robot"), "--total-steps", "6000", "--output", "runs/arm.png")
    assert Path("runs/arm.png").read_bytes().startswith(b"\x89PNG")
    assert "own/Reach-v0 not solved: mean return" in result.stdout.splitlines()[-1]


@pytest.mark.long
@pytest.mark.usefixtures("examples_extra")
def test_a_robot_of_ones_own_learns_to_reach(tmp_path: Path) -> None:
    pytest.importorskip("mujoco", reason='needs pip install "envpool-next[mujoco]"')
    result = run(cwd=tmp_path, script="own_robot")
    assert "own/Reach-v0 solved" in result.stdout.splitlines()[-1]
