"""A saved environment goes on, bit for bit, wherever its state is restored, or is refused."""

import pickle

import gymnasium
import numpy as np
import pytest
from gymnasium.vector.utils import batch_space
from hypothesis import given
from hypothesis import strategies as st

import envpool
import envpool.families.testing.registration
from envpool.errors import EnvironmentFailure
from helpers import (
    FAMILIES,
    HANG_S,
    OneByOne,
    Twins,
    assert_same_bytes,
    assert_same_results,
    leaves,
    make,
    run_python,
)

# Those on an engine, which take a hundred times as long, have tests of their own; and Masked, which
# refuses random actions, is like Structured.
ENGINES = tuple(record.package for record in FAMILIES.values() if record.check)
TASKS = [
    name
    for name, task in envpool.tasks.registration.registry.tasks.items()
    if not task.import_path.startswith(ENGINES) and name != "testing/Masked-v0"
]
# One task of each class.
KINDS = list(
    {
        (task.import_path, task.spec_cls): name
        for name, task in envpool.tasks.registration.registry.tasks.items()
        if name in TASKS
    }.values()
)
MOMENTS = ["before the first reset", "after a reset with options", "in an episode", "at its end"]
N = 3
LIMIT = 12  # steps of an episode: there are terminations, truncations and many auto-resets
STEPS = 150
SOME_STEPS = 65  # of tests that run through many tasks: five episodes each
FEW_STEPS = 26  # two; and of tasks that draw: a step takes half a millisecond, sanitized 15
ENDLESS = 2**31 - 1  # the max_episode_steps of a pool without a limit
# Something else than the default of every reset option there is.
RESET_OPTIONS = {"low": -0.02, "high": 0.01, "x_init": 0.5, "y_init": 0.5, "start": 1}


def make_pool(task_id, num_envs=N, **kwargs):
    return make(
        task_id, num_envs, max_episode_steps=LIMIT, record_episode_statistics=True, **kwargs
    )


def steps_of(task_id):
    return FEW_STEPS if task_id.startswith("CarRacing") else SOME_STEPS


def sample(pool, rng, rows):
    """Actions of any kind, so many of them."""
    space = batch_space(pool.action_space, rows)
    space.seed(int(rng.integers(2**31)))
    return space.sample()


def rows_after_reset(pool):
    """How many actions are taken then: at an intersection, all players are there at once."""
    players = pool.config.get("controlled_vehicles", 1) if pool._spec.spaces.most_players > 1 else 1
    return N * players


def play(pool, steps, rows=None, seed=0):
    """``(actions, results)`` of each step; ``rows`` is how many actions the first one takes."""
    rng = np.random.default_rng(seed)
    rows = rows or rows_after_reset(pool)
    played = []
    for _ in range(steps):
        actions = sample(pool, rng, rows)
        played.append((actions, pool.step(actions)))
        rows = len(played[-1][1][-1]["players"]["env_id"])
    return played


def bring_to(moment, task_id, **kwargs):
    """A pool at a moment of environment 0, and how many actions its next step takes."""
    pool = make_pool(task_id, **kwargs)
    if moment == MOMENTS[0]:
        return pool, None
    known = pool._spec.env_type.reset_options
    options = {name: value for name, value in RESET_OPTIONS.items() if name in known}
    pool.reset(options=options if moment == MOMENTS[1] else None)
    if moment == MOMENTS[1]:
        return pool, None
    rows, elapsed, over = None, 0, False
    while not over if moment == MOMENTS[3] else elapsed < 3:
        *_, terminated, truncated, info = play(pool, 1, rows, seed=elapsed)[0][1]
        rows, elapsed = len(info["players"]["env_id"]), elapsed + 1
        over = terminated[0] or truncated[0]
    return pool, rows


def in_order(results, ids):
    """The rows of a batch by path, in the order of ``ids`` but without them."""
    info = results[-1]
    rows = [info["env_id"].tolist().index(i) for i in ids]
    player_rows = np.concatenate([np.flatnonzero(info["players"]["env_id"] == i) for i in ids])
    # If there are as many players as environments, there is one each, and both are the same.
    return {
        path: array[rows if len(array) == len(rows) else player_rows]
        for path, array in leaves(results)
        if not path.endswith("env_id")
    }


def assert_goes_on(pool, ids, played, last_states):
    """These environments of a pool do what all environments of another pool did."""
    for actions, expected in played:
        ours = in_order(pool.step(actions, ids), ids)
        for path, array in in_order(expected, range(N)).items():
            assert_same_bytes(ours[path], array, path)
    assert pool.get_state(ids) == last_states


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("task_id", TASKS)
@pytest.mark.one_in(65)
def test_restored_in_any_pool(task_id, moment):
    undisturbed, rows = bring_to(moment, task_id)
    saved, _ = bring_to(moment, task_id, num_threads=1)
    states = saved.get_state()
    assert all(type(state) is bytes for state in states)
    assert len(set(states)) == N, "they have different random generators"
    assert states == saved.get_state() == undisturbed.get_state([0, 1, 2])

    steps = steps_of(task_id)
    played = play(undisturbed, steps, rows)
    ends = sum((results[2] | results[3]).sum() for _, results in played)
    assert ends >= N * (steps // (LIMIT + 1)), "an auto-reset takes a step"
    last_states = undisturbed.get_state()
    assert_goes_on(saved, [0, 1, 2], played, last_states)  # saving has changed nothing

    saved.set_state(states)
    assert_goes_on(saved, [0, 1, 2], played, last_states)
    saved.set_state(states, [1, 2, 0])
    assert_goes_on(saved, [1, 2, 0], played, last_states)

    larger = make_pool(task_id, 8, num_threads=3, seed=7)
    others = larger.get_state([1, 2, 4, 5, 7])
    larger.set_state(states, np.array([6, 0, 3]))
    assert_goes_on(larger, [6, 0, 3], played, last_states)
    assert larger.get_state([1, 2, 4, 5, 7]) == others

    asynchronous = make_pool(task_id, 7, batch_size=3)
    asynchronous.set_state(states, [5, 6, 1])
    assert_goes_on(asynchronous, [5, 6, 1], played, last_states)


CHILD = """
import pickle, sys
import envpool
import envpool.families.testing.registration

with open({path!r}, "rb") as file:
    saved = pickle.load(file)
rollouts = []
for task_id, kwargs, states, actions in saved:
    pool = envpool.make(task_id, "gymnasium", **kwargs)
    pool.set_state(states)
    rollouts.append([pool.step(batch) for batch in actions])
with open({path!r}, "wb") as file:
    pickle.dump(rollouts, file)
"""


@pytest.mark.slow
def test_restored_in_another_process(tmp_path):
    saved, expected = [], []
    kwargs = {"num_envs": N, "max_episode_steps": LIMIT, "num_threads": 1}
    for task_id in KINDS:
        pool = envpool.make(task_id, "gymnasium", **kwargs)
        rows = len(play(pool, 5)[-1][1][-1]["players"]["env_id"])
        states = pool.get_state()
        played = play(pool, FEW_STEPS, rows, seed=1)
        saved.append((task_id, kwargs, states, [actions for actions, _ in played]))
        expected.append([results for _, results in played])
    path = tmp_path / "saved.pickle"
    path.write_bytes(pickle.dumps(saved))
    child = run_python(CHILD.format(path=str(path)), timeout=HANG_S)
    assert child.returncode == 0, child.stderr
    for ours, theirs in zip(pickle.loads(path.read_bytes()), expected, strict=True):
        for our_results, their_results in zip(ours, theirs, strict=True):
            assert_same_results(our_results, their_results)


def essentials(results):
    """Observation, reward, "it has terminated" and "it is over", of any flavour."""
    if hasattr(results, "step_type"):  # dm_env's
        over = results.step_type == 2
        return results.observation.obs, results.reward, over & (results.discount == 0), over
    obs, reward, terminated, truncated, _ = results
    return obs, reward.astype(np.float32), terminated, terminated | truncated


FLAVOUR_TASKS = ["CartPole-v1", "Pendulum-v1", "MountainCarContinuous-v0", "Acrobot-v1"]


@pytest.mark.parametrize("flavour", ["dm", "vector"])
@pytest.mark.parametrize("task_id", FLAVOUR_TASKS)
def test_restored_in_another_flavour_and_back(task_id, flavour):
    pool, _ = bring_to("at its end", task_id)
    if flavour == "vector":
        other = gymnasium.make_vec(f"envpool/{task_id}", num_envs=N, max_episode_steps=LIMIT)
    else:
        other = envpool.make(task_id, flavour, num_envs=N, max_episode_steps=LIMIT)
    other.set_state(pool.get_state())
    for actions, expected in play(pool, STEPS):
        ours = essentials(other.step(actions))
        for our_array, array in zip(ours, essentials(expected), strict=True):
            assert_same_bytes(our_array, array)
    assert other.get_state() == pool.get_state()
    play(pool, 5)
    back = other.get_state()
    pool.set_state(back)
    assert pool.get_state() == back


def test_restored_in_single_environments():
    pool = make("CartPole-v1", N, max_episode_steps=ENDLESS)
    pool.reset()
    play(pool, 5)
    # Without Gymnasium's own limit: it counts in a wrapper, which knows nothing of our states.
    envs = [gymnasium.make("envpool/CartPole-v1", max_episode_steps=-1) for _ in range(N)]
    oracle = OneByOne(envs)
    oracle.reset([None] * N)
    for env, state in zip(envs, pool.get_state(), strict=True):
        env.unwrapped.set_state(state)
    ended = 0
    for actions, expected in play(pool, STEPS):
        for ours, array in zip(oracle.step(actions)[:4], expected[:4], strict=True):
            assert_same_bytes(ours, array)
        ended += expected[2].sum()
    assert ended > 10
    assert [env.unwrapped.get_state() for env in envs] == pool.get_state()


@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
def test_states_have_no_autoreset_mode(mode):
    """After an episode's end, each pool does what it would do after one of its own."""
    ended, _ = bring_to("at its end", "Pendulum-v1")  # all environments at once
    pool = make_pool("Pendulum-v1", autoreset_mode=mode)
    pool.set_state(ended.get_state())
    actions = np.zeros((N, 1))
    expected, *_ = ended.step(actions)
    if mode == "Disabled":
        with pytest.raises(RuntimeError, match="environment 0 has no episode to step"):
            pool.step(actions)
        obs, info = pool.reset()
    else:
        obs, *_, info = pool.step(actions)
    assert info["elapsed_step"].tolist() == [0] * N
    assert_same_bytes(obs, expected)


def without_gaps(results):
    """Results with only those final observations that there are."""
    *others, info = results
    final = tuple(row for row in info.get("final_obs", ()) if row is not None)
    return (*others, info | {"final_obs": final})


@pytest.mark.parametrize("moment", MOMENTS)
def test_restored_with_auto_resets_in_the_same_step(moment):
    pool, rows = bring_to(moment, "CartPole-v1", autoreset_mode="SameStep")
    other = make_pool("CartPole-v1", autoreset_mode="SameStep", seed=9)
    other.set_state(pool.get_state())
    ended = 0
    for actions, expected in play(pool, STEPS, rows):
        assert_same_results(without_gaps(other.step(actions)), without_gaps(expected))
        ended += "final_obs" in expected[-1]
    assert ended > STEPS // (LIMIT + 1)
    assert other.get_state() == pool.get_state()


@pytest.mark.parametrize("moment", ["before the first reset", "at its end"])
def test_unsteppable_states_stay_unsteppable_without_auto_reset(moment):
    pool, _ = bring_to(moment, "testing/Counting-v0", autoreset_mode="Disabled")
    other = make_pool("testing/Counting-v0", autoreset_mode="Disabled")
    other.reset()
    other.set_state(pool.get_state())
    for each in (pool, other):
        with pytest.raises(RuntimeError, match="environment 0 has no episode to step"):
            each.step(np.zeros(N, int))
    assert_same_results(other.reset(), pool.reset())


def test_states_survive_close():
    pool, _ = bring_to("in an episode", "CartPole-v1")
    states = pool.get_state()
    pool.close()
    assert pool.get_state() == states
    play(pool, 5)
    pool.close()
    pool.set_state(states)
    assert pool.get_state() == states


def test_a_state_takes_the_place_of_a_vector_environments_first_reset():
    pool, _ = bring_to("in an episode", "CartPole-v1")
    env = gymnasium.make_vec("envpool/CartPole-v1", num_envs=N, max_episode_steps=LIMIT)
    env.set_state(pool.get_state([0]), [1])
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(np.zeros(N, int))
    env.set_state((state for state in pool.get_state()), [2, 0, 1])
    env.step(np.zeros(N, int))


# --- what is refused ------------------------------------------------------------------------


@pytest.fixture
def other_states(cartpoles):
    """States that the pool would take, and that would change it."""
    pool = make("CartPole-v1", seed=99)
    pool.reset()
    return pool.get_state()


@pytest.mark.parametrize(
    "convert",
    [bytes, bytearray, memoryview, lambda state: np.frombuffer(state, np.uint8)],
    ids=["bytes", "bytearray", "memoryview", "array"],
)
def test_kinds_of_bytes(cartpoles, other_states, convert):
    for states in ([convert(s) for s in other_states], (convert(s) for s in other_states)):
        cartpoles.pool.set_state(states)
        assert cartpoles.pool.get_state() == other_states


@pytest.mark.parametrize(
    ("task_id", "kwargs", "message"),
    [
        ("Pendulum-v1", {}, "was saved from Pendulum, expected CartPole"),
        ("CartPole-v1", {"gravity": 9.7}, "was saved with gravity=9.7, expected gravity=9.8"),
        (
            "CartPole-v1",
            {"kinematics_integrator": "semi-implicit euler"},
            "was saved with kinematics_integrator=semi-implicit euler, "
            "expected kinematics_integrator=euler",
        ),
        ("CartPole-v0", {}, "was saved with max_episode_steps=200, expected max_episode_steps=500"),
    ],
)
def test_a_state_of_another_environment(cartpoles, other_states, task_id, kwargs, message):
    strange = make(task_id, 1, **kwargs).get_state()
    with pytest.raises(ValueError, match=rf"^states\[3\] {message}$"):
        cartpoles.pool.set_state(other_states[:3] + strange)
    cartpoles.assert_equal()


def test_a_state_of_a_pools_other_environment():
    twins = Twins("Pendulum-v1", 2, g=[9.0, 10.0])
    with pytest.raises(ValueError, match=r"states\[0\] was saved with g=10, expected g=9"):
        twins.pool.set_state(twins.pool.get_state()[::-1])
    twins.assert_equal()


def changed(state, index, mask=1):
    damaged = bytearray(state)
    damaged[index] ^= mask
    return bytes(damaged)


@pytest.mark.parametrize(
    ("strange", "message"),
    [
        (lambda state: b"", "is no state of an environment: it is too short"),
        (lambda state: b"x" * len(state), "is no state of an environment"),
        (pickle.dumps, "is no state of an environment"),
        (lambda state: changed(state, 4, mask=3), "has the format 1, this version reads 2"),
        (lambda state: changed(state, -1), "is damaged or cut off"),
        (lambda state: state[:-1], "is damaged or cut off"),
        (lambda state: state + b"\0", "is damaged or cut off"),
    ],
)
def test_bytes_that_are_no_state(cartpoles, other_states, strange, message):
    with pytest.raises(ValueError, match=rf"^states\[3\] {message}$"):
        cartpoles.pool.set_state([*other_states[:3], strange(other_states[3])])
    cartpoles.assert_equal()


@pytest.mark.parametrize(
    ("error", "message"),
    [
        ("runtime_error", "failed on purpose in state"),
        ("number", "an exception that is no std::ex"),
    ],
)
def test_a_state_that_an_environment_cannot_read(error, message):
    pool = make("testing/Failing-v0", 2, place=["state", "never"], error=error)
    pool.reset()
    with pytest.raises(
        RuntimeError, match=f"environment 0 has failed to read its state.*{message}"
    ):
        pool.set_state(pool.get_state())
    with pytest.raises(RuntimeError, match="environment 0 has failed: reset it first"):
        pool.step(np.zeros(2, np.int32))
    pool.reset([0])
    pool.step(np.zeros(2, np.int32))


@pytest.fixture(scope="module")
def one_cartpole():
    return make("CartPole-v1", 1)


@given(st.data())
def test_any_damage_is_found(one_cartpole, data):
    before = one_cartpole.get_state()
    index = data.draw(st.integers(0, len(before[0]) - 1), "index")
    damages = st.just(before[0][:index]) | st.builds(
        changed, st.just(before[0]), st.just(index), st.integers(1, 255)
    )
    with pytest.raises(ValueError, match=r"^states\[0\] "):
        one_cartpole.set_state([data.draw(damages, "damaged")])
    assert one_cartpole.get_state() == before


def test_bytes_need_not_be_contiguous(cartpoles, other_states):
    with pytest.raises(ValueError, match=r"states\[3\]"):
        cartpoles.pool.set_state([*other_states[:3], memoryview(other_states[3])[::-1]])
    cartpoles.assert_equal()


def test_no_ids(cartpoles):
    assert cartpoles.pool.get_state([]) == []
    cartpoles.pool.set_state([], [])
    cartpoles.assert_equal()


def test_a_state_mends_a_failed_environment():
    pool = make("testing/Failing-v0", 2, place=["never", "step"])
    pool.reset()
    pool.step(np.zeros(2, int))
    states = pool.get_state()
    with pytest.raises(EnvironmentFailure):
        pool.step(np.zeros(2, int))
    for ids in (None, [1]):
        with pytest.raises(RuntimeError, match="environment 1 has failed: reset it first"):
            pool.get_state(ids)
    assert pool.get_state([0]) != states[:1]
    pool.set_state(states)
    assert pool.get_state() == states
    with pytest.raises(EnvironmentFailure):  # the same state, so the same step fails
        pool.step(np.zeros(2, int))
