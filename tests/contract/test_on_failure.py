"""on_failure="reset": failures end episodes and are not raised, whoever runs the environments."""

import re
import warnings

import numpy as np
import pytest

import envpool
from contract.kinds import KILLED, KINDS, failing
from helpers import make

FAILED = "failed on purpose in step|was killed by SIGKILL.* while it ran this environment"
PLACES = [False, True, False, True]
each_kind = pytest.mark.parametrize("kind", [*KINDS, KILLED])
pytestmark = pytest.mark.filterwarnings("ignore:environment . failed:RuntimeWarning")


def rollout(pool, steps):
    """The columns of a synchronous pool's rows, each of shape (steps, num_envs)."""
    pool.reset()
    results = [pool.step(np.ones(pool.num_envs, np.int32)) for _ in range(steps)]
    obs, rewards, terminated, truncated = (
        np.array([result[i] for result in results]).reshape(steps, -1) for i in range(4)
    )
    assert not terminated.any()
    return obs, rewards, truncated, [result[4] for result in results]


def assert_tells_failures(infos, expected):
    """``expected`` has a row for each step: which environments failed in it."""
    for info, failed in zip(infos, expected, strict=True):
        assert ("failure" in info) == any(failed)
        if any(failed):
            assert info["_failure"].dtype == np.bool_
            assert info["_failure"].tolist() == failed
            for text, has_failed in zip(info["failure"].tolist(), failed, strict=True):
                assert re.search(FAILED, text) if has_failed else text is None


@each_kind
def test_next_step(kind):
    with failing(kind, PLACES, on_failure="reset", record_episode_statistics=True) as pool:
        obs, rewards, truncated, infos = rollout(pool, 6)
        counted = pool.stats()
    healthy, failed = [1, 2, 3, 4, 5, 6], [1, 0, 0, 1, 0, 0]  # fails, is reset, begins
    np.testing.assert_array_equal(obs[:, 0], healthy)
    np.testing.assert_array_equal(obs[:, 1], failed)
    np.testing.assert_array_equal(rewards[:, 1], [1, 0, 0, 1, 0, 0])
    np.testing.assert_array_equal(truncated[:, 3], [False, True, False, False, True, False])
    assert not truncated[:, [0, 2]].any()
    nobody = [False] * 4
    assert_tells_failures(infos, [nobody, PLACES, nobody, nobody, PLACES, nobody])
    np.testing.assert_array_equal([info["elapsed_step"][1] for info in infos], [1, 1, 0, 1, 1, 0])
    assert not any(info["_episode"].any() for info in infos), "what was cut off is no episode"
    assert (counted.failures, counted.episodes) == (4, 0)


@each_kind
def test_same_step(kind):
    with failing(kind, PLACES, on_failure="reset", autoreset_mode="SameStep") as pool:
        obs, rewards, truncated, infos = rollout(pool, 4)
    np.testing.assert_array_equal(obs[:, 1], [1, 0, 1, 0])
    np.testing.assert_array_equal(obs[:, 0], [1, 2, 3, 4])
    np.testing.assert_array_equal(rewards[:, 1], [1, 0, 1, 0])
    np.testing.assert_array_equal(truncated[:, 1], [False, True, False, True])
    nobody = [False] * 4
    assert_tells_failures(infos, [nobody, PLACES, nobody, PLACES])
    for info in (infos[1], infos[3]):
        assert info["_final_obs"].tolist() == PLACES
        assert np.ravel(info["final_obs"][1]).tolist() == [0]  # of the reset that followed
        assert info["final_obs"][0] is None
        assert info["final_info"]["elapsed_step"].tolist() == [0, 1, 0, 1]


@each_kind
def test_without_autoreset(kind):
    """Who has failed is to be reset by the caller, as after any episode."""
    with failing(kind, PLACES, on_failure="reset", autoreset_mode="Disabled") as pool:
        _, _, truncated, infos = rollout(pool, 2)
        nobody = [False] * 4
        np.testing.assert_array_equal(truncated, [nobody, PLACES])
        assert_tells_failures(infos, [nobody, PLACES])
        with pytest.raises(RuntimeError, match="has no episode to step"):
            pool.step(np.ones(4, np.int32))
        pool.reset()
        pool.step(np.ones(4, np.int32))


@each_kind
def test_asynchronous(kind):
    with failing(kind, PLACES, on_failure="reset", batch_size=2) as pool:
        pool.async_reset()
        seen = {env_id: [] for env_id in range(4)}
        for batch in range(40):
            obs, _, _, truncated, info = pool.recv()
            ids = info["env_id"]
            assert len(ids) == 2
            failures = info.get("failure", [None] * 2)
            for row, env_id in enumerate(ids.tolist()):
                assert bool(truncated[row]) == (failures[row] is not None)
                seen[env_id].append((int(obs[row].item()), bool(truncated[row])))
            if batch < 38:  # the last two are in flight
                pool.send(np.ones(2, np.int32), ids)
        assert pool.stats().failures == sum(truncated for _, truncated in seen[1] + seen[3])
    for env_id in (0, 2):
        assert seen[env_id] == [(step, False) for step in range(len(seen[env_id]))]
    for env_id in (1, 3):
        course = [(0, False), (1, False), (0, True)] * 40
        assert seen[env_id] == course[: len(seen[env_id])]


@each_kind
def test_warns_once_and_names_the_first(kind):
    with failing(kind, PLACES, on_failure="reset") as pool, warnings.catch_warnings():
        warnings.simplefilter("always")
        with pytest.warns(RuntimeWarning) as told:
            rollout(pool, 9)
    (warning,) = [warning for warning in told if "environment" in str(warning.message)]
    assert "environment 1 failed" in str(warning.message)
    assert re.search(FAILED, str(warning.message))
    assert "stats().failures" in str(warning.message)


@each_kind
def test_most_failures(kind):
    with failing(kind, PLACES, on_failure="reset", max_failures=5) as pool:
        rollout(pool, 6)  # 4 of them
        pool.step(np.ones(4, np.int32))
        with pytest.raises(envpool.EnvironmentFailure, match=FAILED) as caught:
            pool.step(np.ones(4, np.int32))
        assert len(caught.value.env_ids) == 1
        assert pool.stats().failures == 5
        (note,) = caught.value.__notes__[-1:]
        assert note == "5 failures were survived before, and max_failures is 5"
        _, _, _, truncated, info = caught.value.results
        (broken,) = caught.value.env_ids
        (other,) = {1, 3} - {broken}
        survived = info["env_id"].tolist().index(other)
        assert truncated.tolist() == [env_id == other for env_id in info["env_id"].tolist()]
        assert re.search(FAILED, info["failure"][survived])
        pool.reset([broken])
        assert pool.step(np.ones(4, np.int32))[3].tolist() == [False] * 4


@each_kind
def test_all_failures(kind):
    with failing(kind, PLACES, on_failure="reset", max_failures=None) as pool:
        assert pool.config["max_failures"] is None
        rollout(pool, 9)
        assert pool.stats().failures == 6


@each_kind
def test_counting_anew(kind):
    with failing(kind, PLACES, on_failure="reset") as pool:
        rollout(pool, 3)
        assert pool.stats(reset=True).failures == 2
        assert pool.stats().failures == 0


@each_kind
def test_the_note_counts_from_the_beginning(kind):
    with failing(kind, PLACES, on_failure="reset", max_failures=2) as pool:
        rollout(pool, 3)
        pool.stats(reset=True)
        pool.step(np.ones(4, np.int32))
        with pytest.raises(envpool.EnvironmentFailure, match=FAILED) as caught:
            pool.step(np.ones(4, np.int32))
        assert caught.value.__notes__[-1].startswith("2 failures were survived before")


@each_kind
def test_raises_without_it(kind):
    with failing(kind, PLACES) as pool, pytest.raises(envpool.EnvironmentFailure, match=FAILED):
        rollout(pool, 2)


@each_kind
def test_dm_env(kind):
    pytest.importorskip("dm_env")
    with failing(kind, PLACES, "dm", on_failure="reset") as pool:
        pool.reset()
        pool.step(np.ones(4, np.int32))
        with pytest.warns(RuntimeWarning, match=FAILED):
            step = pool.step(np.ones(4, np.int32))
        assert step.last().tolist() == PLACES
        assert step.discount.tolist() == [1.0] * 4
        assert pool.step(np.ones(4, np.int32)).first().tolist() == PLACES


@pytest.mark.parametrize("place", ["reset", "constructor"])
def test_what_no_reset_can_mend_is_raised(place):
    with pytest.raises((envpool.EnvironmentFailure, RuntimeError), match=f"purpose in {place}"):
        make("testing/Failing-v0", place=place, on_failure="reset").reset()


def test_observations_that_fail():
    with make("testing/Failing-v0", 2, place="observe", on_failure="reset") as pool:
        obs, rewards, truncated, infos = rollout(pool, 4)
    np.testing.assert_array_equal(obs[:, 0], [1, 0, 0, 1])
    np.testing.assert_array_equal(rewards[:, 0], [1, 0, 0, 1])
    np.testing.assert_array_equal(truncated[:, 0], [False, True, False, False])
    assert infos[1]["failure"].tolist() == ["failed on purpose in observe"] * 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"on_failure": "rest"}, "on_failure is 'rest', expected 'raise' or 'reset'"),
        ({"on_failure": None}, "on_failure is None, expected 'raise' or 'reset'"),
        ({"on_failure": np.array(["raise", "reset"])}, "expected 'raise' or 'reset'"),
        ({"max_failures": 0}, "max_failures is 0"),
        ({"max_failures": 1.5}, "max_failures is 1.5"),
        ({"max_failures": 5}, "max_failures is 5 and on_failure is 'raise', expected 'reset'"),
        ({"max_failures": None}, "max_failures is None and on_failure is 'raise', expected"),
    ],
)
@each_kind
def test_misuse(kind, options, message):
    with pytest.raises((ValueError, TypeError), match=message):
        failing(kind, PLACES, **options)
