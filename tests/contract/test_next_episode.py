"""What callers say of the next episode holds, whoever begins it, and only for that one."""

from __future__ import annotations

import gc
import itertools
import os
import threading
import time
import weakref
from typing import Any

import gymnasium
import numpy as np
import pytest

import envpool
from envpool.curriculum import Episode
from helpers import assert_same_bytes
from kinds import Failing, cartpoles, each_kind

MODES = ["NextStep", "SameStep", "Disabled"]
each_mode = pytest.mark.parametrize("mode", MODES)
OPTIONS = {"low": -0.01, "high": 0.02}


def first_of(seed: int, options: Any = None) -> np.ndarray:
    """What CartPole shows first when it is reset so by hand."""
    env = gymnasium.make("CartPole-v1")
    return env.reset(seed=int(seed), options=options)[0]


class Course:
    """A pool of CartPoles that are pushed to one side, with each episode's first observation."""

    def __init__(self, pool: Any, mode: str) -> None:
        self.pool = pool
        self.mode = mode
        self.firsts: list[list[np.ndarray]] = [[row] for row in pool.reset()[0]]
        self._over = np.zeros(pool.num_envs, np.bool_)

    def step(self) -> None:
        if self.mode == "Disabled" and self._over.any():
            ids = np.flatnonzero(self._over)
            for env_id, row in zip(ids, self.pool.reset(ids)[0], strict=True):
                self.firsts[env_id].append(row)
            self._over[:] = False
            return
        observation, _, terminated, truncated, _ = self.pool.step(np.ones(len(self.firsts), int))
        over = terminated | truncated
        begun = over if self.mode == "SameStep" else self._over
        for env_id in np.flatnonzero(begun):
            self.firsts[env_id].append(observation[env_id])
        self._over = over

    def play(self, episodes: int) -> None:
        while min(map(len, self.firsts)) <= episodes:
            self.step()


@each_kind
@each_mode
def test_it_begins_as_a_reset_by_hand(kind, mode):
    pool = cartpoles(kind, 3, autoreset_mode=mode)
    with pool:
        course = Course(pool, mode)
        pool.next_episode([0, 2], seed=[70, 71], options=OPTIONS)
        pool.next_episode([1], seed=[72])
        course.play(2)
        for env_id, (seed, options) in enumerate([(70, OPTIONS), (72, None), (71, OPTIONS)]):
            assert_same_bytes(course.firsts[env_id][1], first_of(seed, options))
            assert not np.array_equal(course.firsts[env_id][2], course.firsts[env_id][1])


@each_kind
def test_the_next_reset_begins_it_unless_it_is_given_something(kind):
    with cartpoles(kind) as pool:
        pool.next_episode(seed=10)  # before there was any
        for i, row in enumerate(pool.reset()[0]):
            assert_same_bytes(row, first_of(10 + i))
        pool.next_episode(seed=20)
        rows = pool.reset(seed=[None, 5, None, None])[0]
        for row, seed in zip(rows, [20, 5, 22, 23], strict=True):
            assert_same_bytes(row, first_of(seed))
        pool.next_episode(seed=30)
        pool.next_episode([1])  # takes it back
        rows, others = pool.reset()[0], pool.reset()[0]
        assert_same_bytes(rows[2], first_of(32))
        assert not np.array_equal(rows[1], first_of(31))
        assert not np.array_equal(others[2], first_of(32))


@pytest.mark.parametrize("mode", MODES[:2])
@pytest.mark.parametrize("kind", ["native", "several tasks"])
def test_an_episode_begins_in_a_state(kind, mode):
    with cartpoles(kind, 2, autoreset_mode=mode, max_episode_steps=20) as pool:
        course = Course(pool, mode)
        seen = pool.step(np.zeros(2, int))[0][0]
        state = pool.get_state([0])
        expected = pool.step(np.ones(1, int), [0])[0]
        pool.next_episode([0], state=state)
        while len(course.firsts[0]) < 2:
            course.step()
        assert_same_bytes(course.firsts[0][1], seen)
        observation, *_, info = pool.step(np.ones(1, int), [0])
        assert_same_bytes(observation, expected)
        assert info["elapsed_step"] == 1  # the episode's own


@each_kind
def test_environments_in_flight_are_refused(kind):
    with cartpoles(kind, batch_size=2) as pool:
        pool.async_reset()
        ids = pool.recv()[-1]["env_id"]
        others = np.setdiff1d(np.arange(4), ids)
        with pytest.raises(RuntimeError, match="is already running"):
            pool.next_episode(np.arange(4), seed=3)
        with pytest.raises(RuntimeError, match="is already running"):
            pool.next_episode(others, seed=3)
        pool.next_episode(ids, seed=3)
        pool.recv()
        observation, info = pool.reset(ids)
        for env_id, row in zip(info["env_id"], observation, strict=True):
            assert_same_bytes(row, first_of(3 + env_id))


WRONG = [
    ({"env_id": [4], "seed": 1}, r"env_id\[0\] is 4"),
    ({"env_id": [1, 1], "seed": 1}, "1"),
    ({"env_id": 1.5, "seed": 1}, "env_id"),
    ({"seed": -1}, "seed"),
    ({"seed": [1, 2]}, "seed"),
    ({"seed": "one"}, "seed"),
    ({"options": [{}]}, "options has 1 entries, expected 4"),
    ({"state": [b"", b""]}, "state has 2 entries, expected 4"),
    ({"seed": 1, "state": b"x"}, "state is given with seed or options"),
]
OF_NATIVE = [
    ({"options": {"lov": 1.0}}, "unknown key 'lov'; did you mean 'low'"),
    ({"options": {"low": "x"}}, "low"),
    ({"options": 3}, "options is 3, expected a dict"),
    ({"options": {"reset_mask": [True] * 4}}, "reset_mask"),
    ({"state": b"no state"}, "state"),
    ({"state": "text"}, "state is a str|state is 'text'"),
]


@each_kind
def test_wrong_arguments_store_nothing(kind):
    with cartpoles(kind) as pool:
        pool.reset(seed=3)
        for arguments, message in WRONG + (OF_NATIVE if kind == "native" else []):
            with pytest.raises((ValueError, TypeError, IndexError), match=message):
                pool.next_episode(**arguments)
        twin = cartpoles(kind)
        twin.reset(seed=3)
        assert_same_bytes(pool.reset()[0], twin.reset()[0])
        twin.close()


def test_a_state_of_another_task_or_without_an_episode_is_refused():
    with cartpoles("native", 2) as pool, envpool.make_gymnasium("Acrobot-v1") as other:
        other.reset()
        with pytest.raises(ValueError, match="state"):
            pool.next_episode(state=other.get_state()[0])
        before = pool.get_state([0])[0]
        with pytest.raises(ValueError, match="no episode under way"):
            pool.next_episode(state=before)
        pool.reset()


def test_python_environments_have_no_states_to_begin_in():
    with cartpoles("this process") as pool:
        pool.reset()
        with pytest.raises(ValueError, match="give them options"):
            pool.next_episode(state=pool.get_state()[0])


# --- schedules ----------------------------------------------------------------------------------


def numbered(env_id: int, index: int) -> Episode:
    return Episode(seed=1000 * env_id + index)


class Asked:
    """A schedule that notes what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[int, int]] = []

    def next(self, env_id: int, index: int) -> Episode:
        self.asked.append((env_id, index))
        return numbered(env_id, index)


@each_kind
@each_mode
def test_a_schedule_chooses_each_episode(kind, mode):
    schedule = Asked()
    with cartpoles(kind, 3, autoreset_mode=mode, episodes=schedule) as pool:
        course = Course(pool, mode)
        course.play(4)
    for env_id, firsts in enumerate(course.firsts):
        for index, row in enumerate(firsts):
            assert_same_bytes(row, first_of(1000 * env_id + index))
        indices = [index for asked, index in schedule.asked if asked == env_id]
        assert indices == list(range(len(indices)))
        assert len(indices) in (len(firsts), len(firsts) + 1)


@each_kind
def test_a_schedule_of_an_asynchronous_pool(kind):
    with cartpoles(kind, batch_size=2, episodes=numbered) as pool:
        pool.async_reset()
        episodes = [0] * 4
        while min(episodes) < 5:
            observation, *_, info = pool.recv()
            for row, env_id in enumerate(info["env_id"]):
                if info["elapsed_step"][row] == 0:
                    expected = first_of(1000 * env_id + episodes[env_id])
                    assert_same_bytes(observation[row], expected)
                    episodes[env_id] += 1
            pool.send(np.ones(2, int), info["env_id"])


@pytest.mark.parametrize(
    "episodes",
    [
        np.array([[0, 1, 2], [1000, 1001, 1002]]),
        numbered,
        [Episode(seed=5), None, Episode(options=OPTIONS)],
    ],
)
def test_forms_of_schedules(episodes):
    with cartpoles("native", 2, autoreset_mode="SameStep", episodes=episodes) as pool:
        course = Course(pool, "SameStep")
        course.play(3)
    for env_id, firsts in enumerate(course.firsts):
        if isinstance(episodes, list):
            assert_same_bytes(firsts[0], first_of(5))
            assert_same_bytes(firsts[3], first_of(5))
            assert -0.01 <= firsts[2].min() <= firsts[2].max() <= 0.02
        else:
            assert_same_bytes(firsts[2], first_of(1000 * env_id + 2))
            last = 3 if callable(episodes) else 0
            assert_same_bytes(firsts[3], first_of(1000 * env_id + last))


@pytest.mark.parametrize(
    ("episodes", "message"),
    [
        (3, "episodes is 3, expected an object with next"),
        ([], "episodes is an empty list"),
        ([3], "expected an object with next"),
        (np.zeros((3, 2), int), r"shape \(3, 2\), expected seeds of shape"),
        (np.zeros((2, 2)), "float64, expected integers"),
    ],
)
def test_what_is_no_schedule(episodes, message):
    with pytest.raises((TypeError, ValueError), match=message):
        cartpoles("native", 2, episodes=episodes)


@each_kind
@pytest.mark.parametrize("result", [RuntimeError("on purpose"), 3, Episode(seed=-1)])
def test_what_a_schedule_raises_comes_out_of_the_call_which_did_nothing(kind, result):
    fails = True

    def schedule(env_id: int, index: int) -> Any:
        if not (fails and (env_id, index) == (1, 2)):
            return numbered(env_id, index)
        if isinstance(result, Exception):
            raise result
        return result

    with cartpoles(kind, 2, autoreset_mode="SameStep", episodes=schedule) as pool:
        course = Course(pool, "SameStep")
        if kind != "native" and isinstance(result, Episode):
            return  # the environment itself refuses that seed
        with pytest.raises((RuntimeError, TypeError, ValueError)) as raised:
            course.play(3)
        assert "episode 2 of environment 1" in raised.value.__notes__[0]
        with pytest.raises(type(raised.value)):
            course.step()
        fails = False
        course.play(3)
    for index, row in enumerate(course.firsts[1]):
        assert_same_bytes(row, first_of(1000 + index))


def test_a_call_replaces_what_a_schedule_chose():
    with cartpoles("native", 2, autoreset_mode="SameStep", episodes=numbered) as pool:
        course = Course(pool, "SameStep")
        pool.next_episode([1], seed=[7])
        course.play(2)
        assert_same_bytes(course.firsts[1][1], first_of(7))
        assert_same_bytes(course.firsts[1][2], first_of(1002))
        pool.next_episode([0])  # as without a schedule
        before = len(course.firsts[0])
        course.play(before + 1)
        assert not np.array_equal(course.firsts[0][before], first_of(before))
        assert_same_bytes(course.firsts[0][before + 1], first_of(before + 1))


@each_kind
@pytest.mark.parametrize("is_known", [False, True], ids=["asked", "known"])
def test_a_reset_that_is_given_something_replaces_one_episode(kind, is_known):
    seeds = np.array([[1000 * env_id + index for index in range(90)] for env_id in range(2)])
    with cartpoles(kind, 2, episodes=seeds if is_known else numbered) as pool:
        for index in range(80):
            seed = [9000 + index, None] if index % 3 == 1 else None
            rows = pool.reset(seed=seed)[0]
            assert_same_bytes(rows[0], first_of(9000 + index if seed else index))
            assert_same_bytes(rows[1], first_of(1000 + index))


def test_compiled_programs_cannot_ask():
    with cartpoles("native", 2, episodes=numbered) as pool:
        pytest.importorskip("jax")
        with pytest.raises(RuntimeError, match="episodes"):
            pool.xla()


@each_kind
@each_mode
def test_running_episodes_tell_what_they_began_with(kind, mode):
    def schedule(env_id: int, index: int) -> Episode | None:
        return (
            None if index == 2 else Episode(100 * env_id + index, OPTIONS if index == 1 else None)
        )

    with cartpoles(kind, 2, autoreset_mode=mode, episodes=schedule) as pool:
        assert [each.index for each in pool.episodes()] == [-1, -1]
        course = Course(pool, mode)
        for index in range(4):
            course.play(index)
            for env_id, each in enumerate(pool.episodes()):
                expected = None if each.index == 2 else 100 * env_id + each.index
                assert (each.seed, each.from_state) == (expected, False)
                assert each.options == (OPTIONS if each.index == 1 else None)
                assert each.index == len(course.firsts[env_id]) - 1
        pool.reset(seed=[50, None])
        seeds = [each.seed for each in pool.episodes()]
        assert seeds[0] == 50
        assert seeds[1] != 50
        pool.next_episode([1], seed=[7])
        pool.reset([1])
        (told,) = pool.episodes([1])
        assert told.seed == 7


def test_running_episodes_in_flight_tell_nothing():
    with cartpoles("native", batch_size=2) as pool:
        pool.async_reset()
        pool.recv()
        with pytest.raises(RuntimeError, match="is already running"):
            pool.episodes()


def test_an_episode_tells_that_it_began_in_a_state():
    with cartpoles("native", 1) as pool:
        pool.reset()
        pool.next_episode(state=pool.get_state())
        pool.reset()
        (told,) = pool.episodes()
        assert (told.index, told.seed, told.from_state) == (1, None, True)


@each_kind
def test_a_schedule_that_steps_its_pool_is_told_so(kind):
    def schedule(env_id: int, index: int) -> Episode:
        if index == 1:
            pool.reset()
        return numbered(env_id, index)

    with cartpoles(kind, 2, episodes=schedule) as pool:
        pool.reset()
        with pytest.raises(RuntimeError, match="schedule in episodes steps or resets the pool"):
            pool.reset()


def test_what_a_schedule_returns_replaces_what_it_has_said():
    def schedule(env_id: int, index: int) -> Episode:
        pool.next_episode([env_id], seed=[5])
        return numbered(env_id, index)

    with cartpoles("native", 2, episodes=schedule) as pool:
        assert_same_bytes(pool.reset()[0][1], first_of(1000))


@pytest.mark.parametrize("name", ["SyncVectorEnv", "AsyncVectorEnv"])
def test_vector_environments_of_the_callers_own(name):
    vector = pytest.importorskip("envpool.vector")
    makers = [lambda: gymnasium.make("CartPole-v1")] * 2
    with getattr(vector, name)(makers, episodes=numbered) as envs:
        assert_same_bytes(envs.reset()[0][1], first_of(1000))
        envs.next_episode([0], seed=[8])
        rows = envs.reset()[0]
        assert_same_bytes(rows[0], first_of(8))
        assert_same_bytes(rows[1], first_of(1001))
        assert [each.seed for each in envs.episodes()] == [8, 1001]
    with pytest.raises(TypeError, match="episodes is 3"):
        getattr(vector, name)(makers, episodes=3)


# --- failures -----------------------------------------------------------------------------------


class Seeded(Failing):
    """Shows its seed in each step, and fails in each second step of an episode."""

    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        self.seed = np.float32(-1 if seed is None else seed)
        return self.seed, super().reset()[1]

    def step(self, action: Any) -> Any:
        return self.seed, *super().step(action)[1:]


@pytest.mark.parametrize("is_killed", [False, True], ids=["failed", "killed in a fork"])
@pytest.mark.parametrize("mode", MODES[:2])
def test_what_was_said_outlives_a_failure(mode, is_killed):
    pool = envpool.make_python(
        [lambda: Seeded(True, is_killed)] * 2,
        "gymnasium",
        num_workers=2 if is_killed else 0,
        start_method="fork",
        on_failure="reset",
        autoreset_mode=mode,
        episodes=numbered,
        record=None,
    )
    with pool:
        firsts = [pool.reset()[0]]
        over = np.zeros(2, np.bool_)
        with pytest.warns(RuntimeWarning, match="failed"):
            while len(firsts) < 5:
                observation, _, _, truncated, _ = pool.step(np.zeros(2, int))
                if (truncated if mode == "SameStep" else over).any():
                    firsts.append(observation)
                over = truncated
        for index, row in enumerate(firsts):
            assert row.tolist() == [index, 1000 + index]


class Choosy(Seeded):
    """Its resets refuse odd seeds."""

    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        if seed is not None and seed % 2:
            raise ValueError("odd")
        return super().reset(seed=seed, options=options)


@pytest.mark.parametrize("num_workers", [0, 2], ids=["this process", "forks"])
def test_a_choice_stays_where_the_reset_fails_and_can_be_taken_back(num_workers):
    makers = [lambda: Choosy(False, False)] * 2
    options = {"num_workers": num_workers} | ({"start_method": "fork"} if num_workers else {})
    with envpool.make_python(makers, "gymnasium", **options) as pool:
        pool.next_episode(seed=[3, 4])
        for _ in range(2):
            with pytest.raises(envpool.EnvironmentFailure, match="odd"):
                pool.reset([0])
        pool.next_episode([0])
        assert pool.reset()[0].tolist() == [-1, 4]


@pytest.mark.parametrize("kind", ["this process", "forked processes"])
def test_options_that_cannot_be_written_down_are_refused_when_they_are_chosen(tmp_path, kind):
    record = tmp_path / "recording"
    with cartpoles(kind, 2, record=record, autoreset_mode="SameStep") as pool:
        course = Course(pool, "SameStep")
        pool.next_episode(seed=20)
        with pytest.raises(ValueError, match="the options of its reset have a set"):
            pool.next_episode(options={"low": {1}})
        course.play(1)
        for env_id in (0, 1):
            assert_same_bytes(course.firsts[env_id][1], first_of(20 + env_id))
    for episode in envpool.replay(record):
        assert len(episode.rollout()) == episode.length  # nothing is lost
    with cartpoles(kind, 2) as pool:
        pool.next_episode(seed=30)
        with pytest.raises((TypeError, AttributeError, RuntimeError), match="pickle"):
            pool.next_episode(options={"low": threading.Lock()})
        assert_same_bytes(pool.reset()[0][1], first_of(31))


@pytest.mark.skipif(not hasattr(os, "memfd_create"), reason="has files of another kind")
def test_choices_of_forks_outlive_those_that_do_not_fit_onto_the_disk():
    resource = pytest.importorskip("resource")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    with cartpoles("forked processes", 2) as pool:
        pool.next_episode(seed=[40, 41])
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, limits[1]))
        try:
            with pytest.raises(RuntimeError, match="too large"):
                pool.next_episode(seed=[50, 51], options=[None, {"low": "x" * (1 << 22)}])
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        for row, seed in zip(pool.reset()[0], [40, 41], strict=True):
            assert_same_bytes(row, first_of(seed))


# --- recordings ---------------------------------------------------------------------------------


@each_mode
@pytest.mark.parametrize("kind", ["native", "this process"])
def test_recorded_episodes_need_no_schedule(tmp_path, kind, mode):
    def schedule(env_id: int, index: int) -> Episode:
        return Episode(1000 * env_id + index, OPTIONS if index % 2 else None)

    record = tmp_path / "recording"
    options = {"autoreset_mode": mode, "episodes": schedule, "record": record}
    with cartpoles(kind, 3, **options) as pool:
        course = Course(pool, mode)
        course.play(4)
    recording = envpool.replay(record)
    counts = [0] * 3
    assert len(recording) >= 9
    for episode in recording:
        index = counts[episode.env]
        counts[episode.env] += 1
        assert episode.seed == 1000 * episode.env + index
        rollout = episode.rollout()
        assert_same_bytes(rollout.observations[0], course.firsts[episode.env][index])
        assert len(rollout) == episode.length
    for episode, rollout in zip(recording, recording.rollouts(), strict=True):
        assert_same_bytes(rollout.observations[0], episode.rollout().observations[0])


def test_a_state_that_was_chosen_is_recorded(tmp_path):
    record = tmp_path / "recording"
    with cartpoles("native", 2, autoreset_mode="SameStep", record=record) as pool:
        course = Course(pool, "SameStep")
        course.step()
        pool.next_episode(state=pool.get_state()[0])
        course.play(2)
    firsts = [iter(firsts) for firsts in course.firsts]
    for episode in envpool.replay(record):
        assert_same_bytes(episode.rollout().observations[0], next(firsts[episode.env]))


def test_key_frames_have_what_was_said_before_them(tmp_path):
    """A rollout that begins between a choice and its episode knows the choice."""
    record = tmp_path / "recording"
    with cartpoles("native", 1, record=record) as pool:
        pool.reset()
        pool.next_episode(seed=77)
        pool.set_state(pool.get_state())  # whose state is noted before the next step
        over = itertools.chain([False], iter(lambda: pool.step(np.ones(1, int))[2][0], None))
        next(flag for flag in over if flag)
        first = pool.step(np.ones(1, int))[0][0]
        next(flag for flag in over if flag)
    assert_same_bytes(first, first_of(77))
    episode = envpool.replay(record)[1]
    assert episode.seed == 77
    assert_same_bytes(episode.rollout().observations[0], first)


@pytest.mark.parametrize(
    ("mode", "seeds"),
    [
        ("NextStep", [[40, 40, 90], [50, 50, 91]]),  # all was taken back before it began
        ("SameStep", [[40, 42, 90], [50, 52, 91]]),
        ("Disabled", [[40, 60, 90], [50, 52, 91]]),
    ],
)
def test_the_seed_of_an_episode_is_the_one_that_it_began_with(tmp_path, mode, seeds):
    """What was said may be replaced, taken back or overtaken before the episode begins."""
    record = tmp_path / "recording"
    with cartpoles("native", 2, autoreset_mode=mode, record=record) as pool:

        def play(env_id: int) -> None:
            while not pool.step(np.ones(1, int), [env_id])[2][0]:
                pass

        pool.reset(seed=[40, 50])
        for env_id, seed in enumerate((40, 50)):
            pool.next_episode([env_id], seed=[seed + 1])
            pool.next_episode([env_id], seed=[seed + 2])  # replaces it
            play(env_id)
        if mode != "SameStep":  # where the next one has begun
            pool.next_episode([0], seed=[60])
        for env_id in (0, 1):
            if mode == "Disabled":
                pool.reset([env_id])
            pool.next_episode([env_id], seed=[70])
            pool.next_episode([env_id])  # takes it back
            play(env_id)
        pool.next_episode(seed=[80, 81])
        pool.reset([0, 1], seed=[90, 91])  # replaces it
        for env_id in (0, 1):
            play(env_id)
    episodes = list(envpool.replay(record))
    assert [[each.seed for each in episodes if each.env == i] for i in (0, 1)] == seeds


def test_an_episode_that_has_begun_meanwhile_has_its_seed(tmp_path):
    """Steps of others tell nothing about it."""
    record = tmp_path / "recording"
    with cartpoles("native", 2, record=record) as pool:
        pool.reset(seed=5)
        while not pool.step(np.ones(1, int), [0])[2][0]:
            pass
        pool.step(np.ones(1, int), [1])
        pool.next_episode([0], seed=[8])  # of the one that the next step begins
        first = pool.step(np.ones(1, int), [0])[0][0]
        pool.next_episode([0], seed=[9])
        while not pool.step(np.ones(2, int))[2][0]:
            pass
    assert_same_bytes(first, first_of(8))
    assert [each.seed for each in envpool.replay(record) if each.env == 0] == [5, 8]


# --- found by an attack -------------------------------------------------------------------------


def test_a_list_of_states():
    with cartpoles("native", 2) as pool:
        pool.reset(seed=3)
        seen = pool.step(np.zeros(2, int))[0][0]
        state = pool.get_state([0])[0]
    episodes = [Episode(state=state), Episode(seed=4)]
    with cartpoles("native", 2, autoreset_mode="SameStep", episodes=episodes) as pool:
        course = Course(pool, "SameStep")
        course.play(3)
    for firsts in course.firsts:
        for index, row in enumerate(firsts):
            assert_same_bytes(row, first_of(4) if index % 2 else seen)
    with cartpoles("native", 1, episodes=[*episodes, Episode(state=b"junk")]) as pool:
        with pytest.raises(ValueError, match="state") as raised:
            [pool.reset() for _ in range(3)]
        assert "episode 2 of environment 0" not in raised.value.args[0]


def test_an_asynchronous_pool_goes_on_after_a_schedule_has_raised():
    fails = {(0, 2), (3, 1), (3, 4)}

    def schedule(env_id: int, index: int) -> Episode:
        if (env_id, index) in fails:
            fails.remove((env_id, index))
            raise RuntimeError("on purpose")
        return numbered(env_id, index)

    with cartpoles("native", 4, batch_size=1, num_threads=1, episodes=schedule) as pool:
        pool.async_reset()
        episodes = [0] * 4
        while min(episodes) < 8:
            observation, *_, info = pool.recv()
            env_id = int(info["env_id"][0])
            if info["elapsed_step"][0] == 0:
                assert_same_bytes(observation[0], first_of(1000 * env_id + episodes[env_id]))
                episodes[env_id] += 1
            try:
                pool.send(np.ones(1, int), [env_id])
            except RuntimeError:
                pool.send(np.ones(1, int), [env_id])
    assert not fails


@pytest.mark.parametrize("kind", ["native", "forked processes"])
def test_threads_that_reset_environments_of_their_own(kind):
    """Each resets those that it has received, whatever the others do meanwhile."""
    rows: list[tuple[int, int, np.ndarray]] = []
    counts = [0] * 8
    failures: list[BaseException] = []

    def schedule(env_id: int, index: int) -> Episode:
        time.sleep(0.0005)
        return numbered(env_id, index)

    with cartpoles(kind, 8, episodes=schedule) as pool:

        def run() -> None:
            try:
                for _ in range(30):
                    observation, info = pool.recv(reset=True)
                    for row, env_id in zip(observation, info["env_id"].tolist(), strict=True):
                        rows.append((env_id, counts[env_id], row))
                        counts[env_id] += 1
                    pool.async_reset(info["env_id"])
            except BaseException as error:  # of a thread
                failures.append(error)

        for i in range(4):
            pool.async_reset([2 * i, 2 * i + 1])
        threads = [threading.Thread(target=run) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
    assert not failures
    assert len(rows) == 4 * 30 * 2
    for env_id, index, row in rows:
        assert_same_bytes(row, first_of(1000 * env_id + index))


def test_options_that_a_chosen_state_would_not_fit_are_refused():
    with envpool.make_gymnasium("Pendulum-v1", num_envs=1) as pool:
        pool.reset()
        pool.next_episode(state=pool.get_state())
        with pytest.raises(RuntimeError, match="begins in a state, which would not fit"):
            pool.set_attr("g", 3.0)
        pool.next_episode()
        pool.set_attr("g", 3.0)


def test_a_schedule_that_knows_its_pool_is_collected_with_it():
    schedule = Asked()
    schedule.pool = cartpoles("native", 2, episodes=schedule)
    pool = weakref.ref(schedule.pool._pool)
    schedule.pool.reset()
    del schedule
    gc.collect()
    assert pool() is None


def test_what_is_no_schedule_leaves_no_recording(tmp_path):
    with pytest.raises(TypeError, match="episodes is 3"):
        cartpoles("native", 2, episodes=3, record=tmp_path / "recording")
    assert not (tmp_path / "recording").exists()


def test_an_interrupted_evaluation_takes_back_what_it_said():
    calls = itertools.count()

    def policy(observation: Any) -> Any:
        if next(calls) == 40:
            raise KeyboardInterrupt
        return np.ones(2, int)

    with cartpoles("native", 2, record_episode_statistics=True) as pool:
        envpool.evaluate(policy, pool, 30)
        pool.next_episode([0], seed=[3])
        rows = pool.reset()[0]
        assert_same_bytes(rows[0], first_of(3))
        assert not any(np.array_equal(rows[1], first_of(seed)) for seed in range(30))
