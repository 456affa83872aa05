"""What follows the end of an episode, in EnvPool's dialect; test_vector_env.py has Gymnasium's."""

import itertools
from typing import NamedTuple

import numpy as np
import pytest

import envpool
import envpool.families.testing.registration
from envpool.errors import EnvironmentFailure
from envpool.spec.values import AutoresetMode
from helpers import Twins, assert_identical

NEXT_STEP, SAME_STEP, DISABLED = AutoresetMode

# Three environments of Counting, whose episodes end after 2 steps, 3 steps and never, with a limit
# of 3 steps: so they are terminated, terminated and truncated at once, and truncated. Each line is
# a call for each of them; "reset:7" has the reset option start=7. The columns are
#   call, observation, reward, end (T: terminated, L: truncated by the limit, B: both), the
#   environment's info "episode", elapsed_step
# and, where an episode ends and the next one starts in the same step, the last ones of
#   observation/episode/elapsed_step.
LENGTHS, LIMIT = [2, 3, 9], 3

TABLES = {
    NEXT_STEP: """
        reset   0  0 - 1 0 | reset   0  0 - 1 0 | reset   0  0 - 1 0
        step    1 10 - 1 1 | step    1 11 - 1 1 | step    1 12 - 1 1
        step    2 20 T 1 2 | step    2 21 - 1 2 | step    2 22 - 1 2
        step    0  0 - 2 0 | step    3 31 B 1 3 | step    3 32 L 1 3
        step    1 40 - 2 1 | step    0  0 - 2 0 | reset:7 7  0 - 2 0
        reset:1 1  0 - 3 0 | step    1 51 - 2 1 | step    8 52 - 2 1
        step    2 60 T 3 1 | reset   0  0 - 3 0 | step    9 62 T 2 2
        reset   0  0 - 4 0 | reset   0  0 - 4 0 | step    0  0 - 3 0
        step    1 80 - 4 1 | step    1 81 - 4 1 | step    1 82 - 3 1
        step    2 90 T 4 2 | step    2 91 - 4 2 | step    2 92 - 3 2
        step    0  0 - 5 0 | step    3 101 B 4 3 | step   3 102 L 3 3
    """,
    SAME_STEP: """
        reset   0  0 - 1 0       | reset   0  0 - 1 0       | reset   0  0 - 1 0
        step    1 10 - 1 1       | step    1 11 - 1 1       | step    1 12 - 1 1
        step    0 20 T 2 0 2/1/2 | step    2 21 - 1 2       | step    2 22 - 1 2
        step    1 30 - 2 1       | step    0 31 B 2 0 3/1/3 | step    0 32 L 2 0 3/1/3
        step    0 40 T 3 0 2/2/2 | step    1 41 - 2 1       | reset:7 7  0 - 3 0
        reset:1 1  0 - 4 0       | step    2 51 - 2 2       | step    8 52 - 3 1
        step    0 60 T 5 0 2/4/1 | reset   0  0 - 3 0       | step    0 62 T 4 0 9/3/2
        step    1 70 - 5 1       | reset   0  0 - 4 0       | step    1 72 - 4 1
        step    0 80 T 6 0 2/5/2 | step    1 81 - 4 1       | reset   0  0 - 5 0
        step    1 90 - 6 1       | step    2 91 - 4 2       | step    1 92 - 5 1
    """,
    DISABLED: """
        reset   0  0 - 1 0 | reset   0  0 - 1 0 | reset   0  0 - 1 0
        step    1 10 - 1 1 | step    1 11 - 1 1 | step    1 12 - 1 1
        step    2 20 T 1 2 | step    2 21 - 1 2 | step    2 22 - 1 2
        reset   0  0 - 2 0 | step    3 31 B 1 3 | step    3 32 L 1 3
        step    1 40 - 2 1 | reset   0  0 - 2 0 | reset:7 7  0 - 2 0
        reset:1 1  0 - 3 0 | step    1 51 - 2 1 | step    8 52 - 2 1
        step    2 60 T 3 1 | reset   0  0 - 3 0 | step    9 62 T 2 2
        reset   0  0 - 4 0 | reset   0  0 - 4 0 | reset   0  0 - 3 0
        step    1 80 - 4 1 | step    1 81 - 4 1 | step    1 82 - 3 1
    """,
}


class Line(NamedTuple):
    call: str
    obs: int
    reward: int
    end: str
    episode: int
    elapsed: int
    final: tuple[int, ...] = ()

    @classmethod
    def parse(cls, text):
        call, obs, reward, end, episode, elapsed, *final = text.split()
        last = tuple(map(int, final[0].split("/"))) if final else ()
        return cls(call, int(obs), int(reward), end, int(episode), int(elapsed), last)


def rounds_of(mode):
    """The table's lines, each with one entry per environment."""
    lines = TABLES[mode].strip().splitlines()
    return [[Line.parse(entry) for entry in line.split("|")] for line in lines]


def masked(values, ended, dtype):
    """Values where an episode ended, zero elsewhere."""
    return np.array([value if end else 0 for value, end in zip(values, ended, strict=True)], dtype)


def expected_results(ids, lines, with_step):
    """All arrays of a batch whose rows are these lines."""
    obs = np.array([[line.obs] for line in lines], np.int32)
    info = {
        "env_id": np.array(ids, np.int32),
        "players": {"env_id": np.array(ids, np.int32)},
        "episode": np.array([line.episode for line in lines], np.int64),
        "elapsed_step": np.array([line.elapsed for line in lines], np.int32),
    }
    if not with_step:
        return obs, info
    terminated = np.array([line.end in "TB" for line in lines])
    truncated = np.array([line.end in "LB" for line in lines])
    ended = np.array([bool(line.final) for line in lines])
    if ended.any():
        observations, episodes, elapsed = zip(
            *(line.final or (None, 0, 0) for line in lines), strict=True
        )
        final_obs = np.full(len(lines), None, dtype=object)
        for row in np.flatnonzero(ended):
            final_obs[row] = np.array([observations[row]], np.int32)
        info |= {
            "final_obs": final_obs,
            "_final_obs": ended,
            "final_info": {
                "episode": masked(episodes, ended, np.int64),
                "_episode": ended,
                "elapsed_step": masked(elapsed, ended, np.int32),
                "_elapsed_step": ended,
            },
            "_final_info": ended,
        }
    reward = np.array([line.reward for line in lines], np.float32)
    return obs, reward, terminated, truncated, info


def reset_by_id(pool, ids, options):
    return pool.reset(np.array(ids), options=options)


def reset_by_mask(pool, ids, options):
    return pool.reset(options={"reset_mask": np.isin(pool.all_env_ids, ids)} | (options or {}))


def step(pool, actions, ids):
    """One batch with all results, whatever the pool is."""
    if len(ids) == pool.num_envs:
        return [pool.step(actions)]
    return [pool.step(actions, np.array(ids))]


def send_and_receive(pool, actions, ids):
    """A batch per environment, in an asynchronous pool of batch_size 1."""
    pool.send(actions, np.array(ids))
    return [pool.recv() for _ in ids]


def play(pool, rounds, reset, step):
    """Makes the calls of all rounds; yields each batch with the lines it should have."""
    for number, lines in enumerate(rounds):
        calls = [line.call for line in lines]
        for call in sorted(set(calls)):
            ids = [env for env, own in enumerate(calls) if own == call]
            if call == "step":
                actions = np.array([10 * number + env for env in ids])
                batches = step(pool, actions, ids)
            else:
                start = call.partition(":")[2]
                options = {"start": int(start)} if start else None
                # An asynchronous pool of batch_size 1 takes them one by one.
                groups = [[env] for env in ids] if pool.is_async else [ids]
                batches = [reset(pool, group, options) for group in groups]
            for results in batches:
                rows = results[-1]["env_id"].tolist()
                assert set(rows) <= set(ids)
                yield results, rows, [lines[row] for row in rows]


def make_counting(mode, step, **options):
    """The three environments of the tables, for one of those two ways to step them."""
    shape = {"num_envs": 3, "batch_size": 1 if step is send_and_receive else 3}
    limits = {"episode_length": LENGTHS, "max_episode_steps": LIMIT, "autoreset_mode": mode}
    return envpool.make_gymnasium("testing/Counting-v0", **shape, **limits, **options)


@pytest.mark.parametrize("reset", [reset_by_id, reset_by_mask])
@pytest.mark.parametrize("num_threads", [1, 3])
@pytest.mark.parametrize("mode", AutoresetMode)
@pytest.mark.parametrize("step", [step, send_and_receive])
def test_tables(mode, step, num_threads, reset):
    rounds = rounds_of(mode)
    pool = make_counting(mode, step, num_threads=num_threads)
    count = 0
    for results, rows, lines in play(pool, rounds, reset, step):
        assert_identical(results, expected_results(rows, lines, len(results) == 5))
        count += len(rows)
    assert count == 3 * len(rounds)


@pytest.mark.parametrize("step", [step, send_and_receive])
@pytest.mark.parametrize("mode", AutoresetMode)
def test_statistics(mode, step):
    rounds = rounds_of(mode)
    pool = make_counting(mode, step, record_episode_statistics=True)
    returns = np.zeros(3)
    episodes = 0
    for results, rows, lines in play(pool, rounds, reset_by_id, step):
        info = results[-1]
        for row, (env, line) in enumerate(zip(rows, lines, strict=True)):
            is_first = line.elapsed == 0 and line.end == "-"
            returns[env] = 0 if is_first else returns[env] + line.reward
            ended = line.end != "-"
            length = line.final[2] if line.final else line.elapsed
            assert info["_episode"][row] == ended
            assert info["episode"]["r"][row] == (returns[env] if ended else 0)
            assert info["episode"]["l"][row] == (length if ended else 0)
            returns[env] *= not ended
            episodes += ended
        assert info["episode"]["r"].dtype == np.float64
        assert info["episode"]["l"].dtype == np.int64
    assert episodes == TABLES[mode].count("T") + TABLES[mode].count("L") + TABLES[mode].count("B")


@pytest.mark.parametrize("mode", [NEXT_STEP, SAME_STEP])
def test_first_step_without_a_reset_is_one(mode):
    pool = envpool.make_gymnasium("testing/Counting-v0", num_envs=2, autoreset_mode=mode)
    expected = expected_results([0, 1], [Line("step", 0, 0, "-", 1, 0)] * 2, True)
    assert_identical(pool.step(np.array([5, 6])), expected)
    expected = expected_results([0, 1], [Line("step", 1, 5, "-", 1, 1)] * 2, True)
    assert_identical(pool.step(np.array([5, 5])), expected)


def test_final_observations_do_not_change_later():
    pool = envpool.make_gymnasium(
        "testing/Counting-v0", num_envs=1, episode_length=1, autoreset_mode=SAME_STEP
    )
    pool.reset()
    infos = [pool.step(np.array([0]))[-1] for _ in range(5)]
    for number, info in enumerate(infos, 1):
        assert info["final_obs"][0].tolist() == [1]
        assert info["final_info"]["episode"].tolist() == [number]


# --- what is refused --------------------------------------------------------------------------

STEPS = [
    lambda pool: pool.step(np.zeros(3, int)),
    lambda pool: pool.step(np.zeros(2, int), np.array([2, 0])),
    lambda pool: pool.step(np.zeros(1, int), np.array([0])),
    lambda pool: pool.send(np.zeros(3, int)),
    lambda pool: pool.send(np.zeros(2, int), np.array([0, 1])),
]


@pytest.mark.parametrize("call", STEPS)
def test_disabled_refuses_to_step_a_finished_episode(call):
    twins = Twins("testing/Counting-v0", 3, episode_length=[4, 5, 6], autoreset_mode=DISABLED)
    terminated = twins.both(lambda pool: pool.step(np.array([1, 2, 3])))[2]
    assert terminated.tolist() == [True, False, False]
    with pytest.raises(RuntimeError, match="environment 0 has no episode to step"):
        call(twins.pool)
    # Nobody else was stepped.
    twins.both(lambda pool: pool.step(np.array([4, 5]), np.array([2, 1])))
    with pytest.raises(RuntimeError, match=r"environment [01] has no episode to step"):
        call(twins.pool)
    obs, _ = twins.both(lambda pool: pool.reset(np.array([0, 1])))
    assert obs.tolist() == [[0], [0]]
    twins.both(lambda pool: pool.step(np.array([6, 7, 8])))


@pytest.mark.parametrize("call", STEPS)
def test_disabled_refuses_to_step_before_the_first_reset(call):
    pool = envpool.make_gymnasium("testing/Counting-v0", num_envs=3, autoreset_mode=DISABLED)
    with pytest.raises(RuntimeError, match=r"environment [02] has no episode to step"):
        call(pool)
    expected = expected_results([0, 1, 2], [Line("reset", 0, 0, "-", 1, 0)] * 3, False)
    assert_identical(pool.reset(), expected)


# --- the option -------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", AutoresetMode)
def test_mode_by_member_value_and_name(mode):
    for given in (mode, mode.value, mode.name):
        pool = envpool.make_gymnasium("testing/Counting-v0", autoreset_mode=given)
        assert pool.metadata == {"render_modes": [], "autoreset_mode": mode}
        assert pool.config["autoreset_mode"] == pool.spec.config.autoreset_mode == mode.value
    assert envpool.make_gymnasium("testing/Counting-v0").metadata["autoreset_mode"] is NEXT_STEP


@pytest.mark.parametrize(
    ("mode", "error"),
    [("nextstep", ValueError), ("", ValueError), (None, TypeError), (0, TypeError)],
)
def test_wrong_mode(mode, error):
    with pytest.raises(error, match="autoreset_mode is"):
        envpool.make_gymnasium("testing/Counting-v0", autoreset_mode=mode)


# --- dm_env -----------------------------------------------------------------------------------


def test_dm_has_a_first_after_each_last():
    pool = envpool.make_dm(
        "testing/Counting-v0", num_envs=3, episode_length=LENGTHS, max_episode_steps=LIMIT
    )
    first, mid, last = 0, 1, 2
    #   step_type             reward        discount   obs
    table = [
        ([first, first, first], [0, 0, 0], [1, 1, 1], [0, 0, 0]),
        ([mid, mid, mid], [10, 11, 12], [1, 1, 1], [1, 1, 1]),
        ([last, mid, mid], [20, 21, 22], [0, 1, 1], [2, 2, 2]),
        ([first, last, last], [0, 31, 32], [1, 0, 1], [0, 3, 3]),
        ([mid, first, first], [40, 0, 0], [1, 1, 1], [1, 0, 0]),
    ]
    for number, expected in enumerate(table):
        time_step = pool.step(np.arange(3) + 10 * number) if number else pool.reset()
        assert tuple(array.ravel().tolist() for array in time_step[:3]) == expected[:3]
        assert time_step.observation.obs.ravel().tolist() == expected[3]


@pytest.mark.parametrize("mode", [SAME_STEP, DISABLED])
def test_dm_refuses_other_modes(mode):
    with pytest.raises(ValueError, match="expected 'NextStep'"):
        envpool.make_dm("testing/Counting-v0", autoreset_mode=mode)


# --- several players --------------------------------------------------------------------------


def test_players_refuse_the_same_step():
    with pytest.raises(ValueError, match="only for environments of one player"):
        envpool.make_gymnasium("testing/Players-v0", autoreset_mode=SAME_STEP)


@pytest.mark.parametrize("mode", [NEXT_STEP, DISABLED])
def test_players_at_the_end_of_an_episode(mode):
    pool = envpool.make_gymnasium(
        "testing/Players-v0", max_episode_steps=2, players=2, autoreset_mode=mode
    )
    pool.reset()
    pool.step(np.zeros(1, int))
    obs, reward, _, truncated, _ = pool.step(np.array([3, 4]))
    assert (obs.tolist(), reward.tolist(), truncated.tolist()) == ([[2, 0]], [3.0], [True])
    if mode is NEXT_STEP:
        obs, reward, _, truncated, _ = pool.step(np.array([5]))
        assert (reward.tolist(), truncated.tolist()) == ([0.0], [False])
    else:
        with pytest.raises(RuntimeError, match="environment 0 has no episode to step"):
            pool.step(np.array([5]))
        obs, _ = pool.reset()
    assert obs.tolist() == [[0, 0]]


# --- failures ---------------------------------------------------------------------------------


@pytest.mark.parametrize("place", ["step", "observe"])
@pytest.mark.parametrize("mode", AutoresetMode)
def test_failure_at_the_end_of_an_episode(mode, place):
    """Environment 0 fails in the step that ends everybody's episode."""
    pool = envpool.make_gymnasium(
        "testing/Failing-v0",
        num_envs=3,
        place=[place, "never", "never"],
        fail_at=2,
        max_episode_steps=2,
        autoreset_mode=mode,
        record_episode_statistics=True,
    )
    actions = np.zeros(3, int)
    for _ in range(2):
        pool.reset()
        pool.step(actions)
        with pytest.raises(EnvironmentFailure, match=f"0: failed on purpose in {place}") as caught:
            pool.step(actions)
        assert caught.value.env_ids == [0]
        obs, reward, terminated, truncated, info = caught.value.results
        assert obs.tolist() == ([[0], [0]] if mode is SAME_STEP else [[2], [2]])
        assert reward.tolist() == [1.0, 1.0]
        assert (terminated.tolist(), truncated.tolist()) == ([False] * 2, [True] * 2)
        assert info["env_id"].tolist() == [1, 2]
        assert info["episode"]["r"].tolist() == [2.0, 2.0]
        assert info["episode"]["l"].tolist() == [2, 2]
        assert ("final_obs" in info) == (mode is SAME_STEP)
        if mode is SAME_STEP:
            assert [obs.tolist() for obs in info["final_obs"]] == [[2], [2]]
            assert info["final_info"]["elapsed_step"].tolist() == [2, 2]
        with pytest.raises(RuntimeError, match="environment 0 has failed: reset it first"):
            pool.step(actions[:1], np.array([0]))


@pytest.mark.parametrize("mode", AutoresetMode)
def test_failing_reset(mode):
    pool = envpool.make_gymnasium(
        "testing/Failing-v0", num_envs=3, place=["never", "reset", "never"], autoreset_mode=mode
    )
    with pytest.raises(EnvironmentFailure, match="1: failed on purpose in reset") as caught:
        pool.reset()
    obs, info = caught.value.results
    assert (obs.tolist(), info["env_id"].tolist()) == ([[0], [0]], [0, 2])
    healthy = np.array([0, 2])
    obs, *_ = pool.step(np.zeros(2, int), healthy)
    assert obs.tolist() == [[1], [1]]
    with pytest.raises(RuntimeError, match="environment 1 has failed"):
        pool.step(np.zeros(3, int))


def test_tables_cover_what_can_happen():
    for mode in AutoresetMode:
        columns = list(zip(*rounds_of(mode), strict=True))
        lines = list(itertools.chain(*columns))
        assert {line.end for line in lines} == {"-", "T", "L", "B"}
        # Resets in the middle of an episode, and right after its end.
        befores = {
            before.end != "-"
            for column in columns
            for before, line in itertools.pairwise(column)
            if line.call.startswith("reset")
        }
        assert befores == {False, True}, mode
