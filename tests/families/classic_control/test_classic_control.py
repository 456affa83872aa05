"""Classic control computes the same bytes as Gymnasium, from the same seeds."""

import gymnasium
import numpy as np
import pytest

from envpool.oracles import classic_control
from helpers import OneByOne, assert_follows, make, random_actions

TASKS = classic_control.Environments.tasks
NUM_ENVS = 8


def upstream(task_id: str, num_envs: int = NUM_ENVS, attributes: dict | None = None) -> OneByOne:
    """Gymnasium's environments, with attributes set; a list has a value for each environment."""
    envs = []
    for i in range(num_envs):
        env = gymnasium.make(TASKS[task_id], disable_env_checker=True)
        base = env.unwrapped
        for name, value in (attributes or {}).items():
            attribute = {"sutton_barto_reward": "_sutton_barto_reward"}.get(name, name)
            assert hasattr(base, attribute)
            setattr(base, attribute, value[i] if isinstance(value, list) else value)
        if "CartPole" in task_id:
            base.total_mass = base.masspole + base.masscart
            base.polemass_length = base.masspole * base.length
        envs.append(env)
    return OneByOne(envs)


def seeds_from(seed: int) -> list[int]:
    return [seed + i for i in range(NUM_ENVS)]


def balance(obs, rng):
    """Keeps the pole of CartPole up."""
    return (obs @ [0.1, 0.2, 1.0, 0.5] > 0).astype(np.int32)


def pump_car(obs, rng):
    """Pushes MountainCar where it moves."""
    return np.where(obs[:, 1] < 0, 0, 2)


def pump_car_continuous(obs, rng):
    """The same for MountainCarContinuous, with pushes in and out of [-1, 1]."""
    push = np.where(obs[:, 1:] < 0, -1.0, 1.0) * rng.choice([0.9, 1.0, 3.0], obs[:, 1:].shape)
    return push.astype(np.float32)


def pump_acrobot(obs, rng):
    """Pushes Acrobot's second link where it moves."""
    return np.where(obs[:, 5] < 0, 0, 2)


def strong(obs, rng):
    """Actions far beyond Pendulum's and MountainCarContinuous' bounds, and on them."""
    values = [-np.inf, -1e30, -5, -2, -1, -0.0, 0.0, 1e-30, 1, 2, 7, 1e30, np.inf]
    return rng.choice(values, (len(obs), 1)).astype(np.float32)


def swing_up(obs, rng):
    """Brings Pendulum to its highest speeds."""
    return np.where(obs[:, 2:] < 0, -2.5, 2.5).astype(np.float32)


@pytest.mark.parametrize("seed", [1, 1000])
@pytest.mark.parametrize(
    ("task_id", "policy", "ending", "steps"),
    [
        ("CartPole-v0", balance, "truncated", 450),
        ("CartPole-v1", balance, "truncated", 1050),
        ("MountainCar-v0", pump_car, "terminated", 600),
        ("MountainCarContinuous-v0", pump_car_continuous, "terminated", 600),
        ("MountainCarContinuous-v0", strong, "truncated", 1050),
        ("Acrobot-v1", pump_acrobot, "terminated", 500),
        ("Pendulum-v1", strong, "truncated", 600),
        ("Pendulum-v1", swing_up, "truncated", 600),
    ],
)
@pytest.mark.one_in(2)
def test_episodes_with_an_interesting_end(task_id, policy, ending, steps, seed):
    pool = make(task_id, NUM_ENVS)
    terminated, truncated = assert_follows(pool, upstream(task_id), policy, steps, seeds_from(seed))
    assert {"terminated": terminated, "truncated": truncated}[ending] >= NUM_ENVS // 2


def test_pendulum_reaches_its_speed_limit():
    pool = make("Pendulum-v1", NUM_ENVS)
    obs, _ = pool.reset(seed=1)
    fastest = 0.0
    for _ in range(200):
        obs, *_ = pool.step(swing_up(obs, None))
        fastest = max(fastest, np.abs(obs[:, 2]).max())
    assert fastest == 8.0


OPTIONS = [
    ("CartPole-v1", {"kinematics_integrator": "semi-implicit euler"}),
    ("CartPole-v1", {"gravity": 1.62, "force_mag": 3.0}),
    ("CartPole-v1", {"masscart": 0.7, "masspole": 0.33, "length": 0.81}),
    ("CartPole-v1", {"tau": 0.013}),
    ("CartPole-v1", {"gravity": [9.8 - i for i in range(NUM_ENVS)]}),
    (
        "CartPole-v1",
        {
            "kinematics_integrator": ["euler", "semi-implicit euler"] * (NUM_ENVS // 2),
            "length": [0.3 + 0.1 * i for i in range(NUM_ENVS)],
        },
    ),
    ("CartPole-v0", {"sutton_barto_reward": True}),
    ("CartPole-v1", {"sutton_barto_reward": [i % 3 == 0 for i in range(NUM_ENVS)]}),
    ("Pendulum-v1", {"g": 9.81}),
    ("Pendulum-v1", {"m": 0.7, "l": 1.3}),
    ("Pendulum-v1", {"g": [float(i) for i in range(NUM_ENVS)], "l": 0.9}),
    ("Pendulum-v1", {"m": [0.5 + 0.3 * i for i in range(NUM_ENVS)]}),
    ("MountainCar-v0", {"goal_velocity": 0.03}),
    ("MountainCar-v0", {"force": 0.0013, "gravity": 0.0027}),
    ("MountainCar-v0", {"goal_velocity": [0.01 * i for i in range(NUM_ENVS)]}),
    ("MountainCarContinuous-v0", {"goal_velocity": 0.03}),
    ("MountainCarContinuous-v0", {"goal_velocity": [0.01 * i for i in range(NUM_ENVS)]}),
    ("Acrobot-v1", {"book_or_nips": "nips"}),
    ("Acrobot-v1", {"torque_noise_max": 0.4}),
    ("Acrobot-v1", {"book_or_nips": ["nips", "book"] * (NUM_ENVS // 2), "torque_noise_max": 0.1}),
]


@pytest.mark.parametrize(("task_id", "options"), OPTIONS, ids=str)
@pytest.mark.one_in(2)
def test_options(task_id, options):
    pool = make(task_id, NUM_ENVS, **options)
    policies = {
        "MountainCar-v0": pump_car,
        "MountainCarContinuous-v0": pump_car_continuous,
        "Acrobot-v1": pump_acrobot,
    }
    policy = policies.get(task_id, lambda obs, rng: random_actions(pool, rng))
    oracle = upstream(task_id, attributes=options)
    assert_follows(pool, oracle, policy, 400, seeds_from(3))


@pytest.mark.parametrize(
    ("task_id", "options"),
    [
        ("CartPole-v1", {"low": -0.1, "high": 0.2}),
        ("CartPole-v1", {"high": 0.3}),
        ("Pendulum-v1", {"x_init": 0.5, "y_init": 2}),
        ("Pendulum-v0", {"y_init": 0.25}),
        ("MountainCar-v0", {"low": -1.1, "high": 0.4}),
        ("MountainCarContinuous-v0", {"low": -0.5}),
        ("Acrobot-v1", {"low": -3.0, "high": 3.0}),
    ],
)
@pytest.mark.one_in(2)
def test_reset_options(task_id, options):
    """They hold for this reset only: the auto-resets that follow have the defaults again."""
    pool = make(task_id, NUM_ENVS)
    _, truncated = assert_follows(
        pool,
        upstream(task_id),
        lambda obs, rng: random_actions(pool, rng),
        1010 if "Continuous" in task_id else 600,
        seeds_from(11),
        options,
    )
    assert truncated > 0 or "CartPole" in task_id
