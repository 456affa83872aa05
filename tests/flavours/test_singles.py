"""Who makes many single environments is told of vector environments, once."""

import copy
import warnings

import gymnasium
import pytest

import envpool  # noqa: F401 - Gymnasium finds the tasks by it
from envpool.tasks import gymnasium_makers
from envpool.tasks.gymnasium_makers import MOST_SINGLES, make_vector_env
from helpers import run_python


@pytest.fixture(autouse=True)
def _as_in_a_new_process(monkeypatch):
    monkeypatch.setattr(gymnasium_makers, "_open", {})
    monkeypatch.setattr(gymnasium_makers, "_has_warned", False)


def make(count, task="CartPole-v1"):
    return [gymnasium.make(f"envpool/{task}") for _ in range(count)]


def test_many_of_a_task():
    few = make(MOST_SINGLES)
    with pytest.warns(UserWarning, match=r"5 environments of CartPole-v1 one by one") as caught:
        few += make(1)
    message = str(caught[0].message)
    assert caught[0].filename == __file__
    call = message[message.index("gymnasium.make_vec(") : message.index(") makes") + 1]
    vector = eval(call)  # what it says works
    assert vector.num_envs == 5
    for word in ("RLlib", "gym_env_vectorize_mode", "envpool.sb3.VecEnv"):
        assert word in message
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        few += make(10) + make(10, "Pendulum-v1")  # it was told


@pytest.mark.filterwarnings("error")
def test_what_is_no_crowd():
    for _ in range(20):
        make(1)  # and gone
    closed = make(MOST_SINGLES)
    for env in closed:
        env.close()
    others = make(MOST_SINGLES) + make(MOST_SINGLES, "Pendulum-v1")
    copies = [copy.deepcopy(others[0]) for _ in range(10)]  # as planners have them
    vectors = [make_vector_env("CartPole-v1", num_envs=2) for _ in range(10)]
    assert len(copies) == len(vectors)


def test_of_a_task_whose_id_is_another_in_gymnasium():
    with pytest.warns(UserWarning, match=r'make_vec\("envpool/tabular-Blackjack-v0"'):
        envs = make(MOST_SINGLES + 1, "tabular-Blackjack-v0")
    assert len(envs) > MOST_SINGLES


def test_a_process_is_told_once():
    done = run_python("""
import gymnasium
envs = [gymnasium.make("envpool:envpool/CartPole-v1") for _ in range(50)]
vector = gymnasium.make_vec("envpool:envpool/CartPole-v1", 10, vectorization_mode="sync")
""")
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("one by one") == 1
