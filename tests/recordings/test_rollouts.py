"""What was recorded happens once more, bit for bit."""

import numpy as np
import pytest

import envpool
import envpool.families.testing.registration
from envpool.checks.actions import Actions
from envpool.errors import EnvironmentFailure
from envpool.flavours.strict import EnvPoolVectorEnv
from envpool.recordings.pools import ReplayPool
from helpers import leaves, skipping_without_engine
from recorded import Recorded, compare, failures_of

TASKS = [
    "CartPole-v1",
    "Pendulum-v1",
    "FrozenLake-v1",
    "Blackjack-v1",
    "LunarLander-v3",
    "BipedalWalker-v3",
    "HalfCheetah-v5",
    "Humanoid-v5",
    "CartpoleSwingup-v1",
    "CheetahRun-v1",
    "MiniGrid-DoorKey-5x5-v0",
    "BabyAI-GoToLocal-v0",
    "Pong-v5",
    "testing/Structured-v0",
]
MODES = ["NextStep", "SameStep", "Disabled"]
LIMIT = 9


@pytest.mark.parametrize("task_id", skipping_without_engine(TASKS))
@pytest.mark.parametrize("mode", MODES[:2])
@pytest.mark.one_in(2)
def test_tasks(tmp_path, task_id, mode):
    recorded = Recorded(
        tmp_path / "a", task_id, num_envs=3, max_episode_steps=LIMIT, autoreset_mode=mode, seed=5
    )
    recorded.reset()
    for _ in range(25):
        recorded.step()
    recorded.check(at_least=6)


@pytest.mark.parametrize("mode", MODES)
def test_modes_and_partial_calls(tmp_path, mode):
    recorded = Recorded(tmp_path / "a", "CartPole-v1", num_envs=4, autoreset_mode=mode)
    rng = np.random.default_rng(0)
    recorded.reset(options={"low": -0.02, "high": 0.01})
    for _ in range(300):
        if mode == "Disabled" and recorded._is_over.any():
            recorded.reset(np.flatnonzero(recorded._is_over))
        if rng.random() < 0.02:
            recorded.reset([2, 0], seed=[int(rng.integers(2**63)), 7])
        ids = rng.permutation(4)[: rng.integers(1, 5)]
        recorded.step(ids)
    recording = recorded.check(at_least=10)
    assert set(recording.episodes["end"]) == {"terminated"}


def test_asynchronous(tmp_path):
    recorded = Recorded(tmp_path / "a", "CartPole-v1", num_envs=6, batch_size=2, num_threads=2)
    pool = recorded.pool
    pool.async_reset()
    for _ in range(300):
        results = pool.recv()
        ids = results[-1]["env_id"]
        recorded.note(results)
        pool.send(recorded.actions(ids), ids)
    recorded.check(at_least=10)


def test_options_of_environments(tmp_path):
    g = [9.81, 1.62, 3.7]
    recorded = Recorded(
        tmp_path / "a", "Pendulum-v1", num_envs=3, g=g, seed=[4, 9, 2], max_episode_steps=5
    )
    recorded.reset()
    for _ in range(20):
        recorded.step()
    recording = recorded.check()
    assert [recording.source.spec_of(env).config.g for env in range(3)] == g
    assert recording.episodes["seed"].tolist()[:3] == [4, 9, 2]


def test_states_that_were_set(tmp_path):
    recorded = Recorded(tmp_path / "a", "CartPole-v1", num_envs=2, max_episode_steps=30)
    pool = recorded.pool
    recorded.reset()
    for _ in range(3):
        recorded.step()
    states = pool.get_state()
    rows = [list(recorded.episodes[env][-1]) for env in range(2)]
    for _ in range(40):
        recorded.step()
    pool.set_state(states[::-1])
    recorded._is_over[:] = False
    for env in range(2):  # they go on with each other's episodes, of which only the end is theirs
        recorded.episodes[env].append(rows[1 - env][-1:])
    for _ in range(60):
        recorded.step()
    pool.close()
    recording = envpool.replay(tmp_path / "a")
    for env in range(2):
        mine = [rows for rows in recorded.episodes[env] if any(rows[-1][2:])]
        for episode, rows in zip(
            [episode for episode in recording if episode.env == env], mine, strict=True
        ):
            rollout = episode.rollout()
            # No reset tells what is observed first where a state was set.
            steps = len(rollout)
            assert steps in (len(rows) - 1, len(rows) - 2)
            compare(rollout, rows, len(rows) - 1 - steps)


def test_vector_environments_and_changed_options(tmp_path):
    env = envpool.make("Pendulum-v1", "gymnasium", record=tmp_path / "other", num_envs=2)
    env.close()
    spec = envpool.make_spec("Pendulum-v1", num_envs=2, record=tmp_path / "a", max_episode_steps=6)
    vector = EnvPoolVectorEnv(spec)
    vector.reset(seed=3)
    actions = np.full((2, 1), 0.7, np.float32)
    rows = []
    for call in range(21):
        if call == 8:
            vector.set_attr("g", [1.0, 2.0])
        rows.append(vector.step(actions))
    vector.close()
    recording = envpool.replay(tmp_path / "a")
    assert recording.episodes["end_call"].tolist() == [6, 6, 13, 13, 20, 20]
    rollout = recording[5].rollout()
    assert rollout.rewards.dtype == np.float64
    assert rollout.observations[1:].tobytes() == np.stack([r[0][1] for r in rows[14:20]]).tobytes()
    assert rollout.rewards.tobytes() == np.stack([r[1][1] for r in rows[14:20]]).tobytes()
    # Its options changed within it: what it began with is another environment's.
    changed = recording[3].rollout()
    assert changed.observations[-1].tobytes() == rows[12][0][1].tobytes()


def test_dm_env_and_old_rows(tmp_path):
    pool = envpool.make("CartPole-v1", "dm", num_envs=2, record=tmp_path / "a")
    pool.reset()
    seen = [pool.step(np.array([1, 0], np.int32)) for _ in range(12)]
    pool.close()
    episode = envpool.replay(tmp_path / "a")[0]
    rollout = episode.rollout()
    obs = np.stack([step.observation.obs[episode.env] for step in seen[: episode.length]])
    assert rollout.observations[1:].tobytes() == obs.tobytes()


def test_failures(tmp_path):
    recorded = Recorded(
        tmp_path / "a", "testing/Failing-v0", num_envs=3, place="step", fail_at=[0, 4, 0]
    )
    pool = recorded.pool
    pool.reset()
    for _ in range(3):
        pool.step(np.zeros(3, np.int32))
    with pytest.raises(EnvironmentFailure) as failure:
        pool.step(np.zeros(3, np.int32))
    pool.reset([1])
    pool.step(np.zeros(3, np.int32))
    pool.close()
    recording = envpool.replay(tmp_path / "a")
    (episode,) = failures_of(recording, 1)
    assert (episode.env, episode.end, episode.length) == (1, "failed", 3)
    rollout = episode.rollout()
    assert len(rollout) == 3 and rollout.failed_action == 0
    assert rollout.failure == failure.value.messages[0]
    assert not failures_of(recording, 0)


def failing(folder, num_envs=1, **options):
    """A recorded environment of which one may say later that it fails."""
    options = {"place": "never", "fail_at": 0, "max_episode_steps": 3} | options
    spec = envpool.make_spec("testing/Failing-v0", num_envs=num_envs, record=folder, **options)
    return EnvPoolVectorEnv(spec)


def test_resets_that_fail(tmp_path):
    pool = envpool.make_gymnasium(
        "testing/Failing-v0", num_envs=2, place="reset", record=tmp_path / "a"
    )
    for seed in (None, [4, 2**63 + 5]):
        with pytest.raises(EnvironmentFailure) as failure:
            pool.reset(seed=seed)
    pool.close()
    recording = envpool.replay(tmp_path / "a")
    assert recording.episodes["end"].tolist() == ["failed"] * 4
    assert recording.episodes["begin_call"].tolist() == [0] * 4
    assert sorted(recording.episodes["seed"].tolist()) == [4, 42, 43, 2**63 + 5]
    for episode in recording:
        rollout = episode.rollout()
        assert len(rollout) == 0 and rollout.failed_action is None
        assert rollout.failure == failure.value.messages[episode.env]


@pytest.mark.parametrize("mode", MODES)
def test_resets_that_fail_after_an_episode(tmp_path, mode):
    actions = np.zeros(1, int)
    env = failing(tmp_path / "a", autoreset_mode=mode)
    env.reset()
    for _ in range(2):
        env.step(actions)
    env.set_attr("place", "reset")
    if mode != "SameStep":
        env.step(actions)
    with pytest.raises(EnvironmentFailure):
        env.reset() if mode == "Disabled" else env.step(actions)
    env.close()
    recording = envpool.replay(tmp_path / "a")
    expected = {
        "NextStep": [("truncated", 2, 3, 3, 3), ("failed", 3, 4, 0, 0)],
        "SameStep": [("failed", 2, 3, 3, 3)],
        "Disabled": [("truncated", 2, 3, 3, 3), ("failed", 3, 3, 0, 0)],
    }
    names = ["end", "begin_call", "end_call", "length", "return"]
    assert recording.episodes[names].tolist() == expected[mode]
    for episode in recording:
        rollout = episode.rollout()
        # The first one's last step comes after its options have changed, and is what is shown.
        seen = [2, 3] if episode.length else []
        assert rollout.observations.ravel().tolist() == seen
        assert (rollout.start, len(rollout)) == ((2, 1) if seen else (0, 0))
        assert bool(rollout.failure) == (episode.end == "failed")
        assert rollout.failed_action is None


def test_a_step_that_fails_after_an_episode_in_the_same_step(tmp_path):
    actions = np.zeros(1, int)
    env = failing(tmp_path / "a", autoreset_mode="SameStep", fail_at=1)
    env.reset()
    for _ in range(3):
        env.step(actions)
    env.set_attr("place", "step")
    with pytest.raises(EnvironmentFailure):
        env.step(actions)
    env.close()
    recording = envpool.replay(tmp_path / "a")
    assert recording.episodes["length"].tolist() == [3, 0]
    assert recording.episodes["return"].tolist() == [3, 0]
    assert recording[1].rollout().failed_action == 0


def test_a_state_before_an_episodes_last_step(tmp_path):
    recorded = Recorded(
        tmp_path / "a", "CartPole-v1", max_episode_steps=2, autoreset_mode="SameStep"
    )
    recorded.reset()
    recorded.step()
    state = recorded.pool.get_state()
    recorded.step()
    recorded.pool.set_state(state)
    results = recorded.pool.step(np.zeros(1, int))
    recorded.pool.close()
    rollout = envpool.replay(tmp_path / "a")[1].rollout()
    assert (rollout.start, rollout.truncated.tolist()) == (1, [True])
    assert rollout.observations[1].tobytes() == results[-1]["final_obs"][0].tobytes()


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
@pytest.mark.parametrize("steps", [0, 3])
def test_episodes_that_begin_in_a_state(tmp_path, mode, steps):
    """They have what was seen since then, and begin after as many steps as it had."""
    options = {"num_envs": 2, "autoreset_mode": mode, "seed": 3}
    push = np.ones(2, int)
    with envpool.make("CartPole-v1", "gymnasium", record=tmp_path / "a", **options) as env:
        seen = [env.reset()[0][0]]
        seen = [*seen, *(env.step(push)[0][0] for _ in range(steps))][-1:]
        env.set_state(env.get_state())
        while True:
            observation, _, terminated, _, info = env.step(push)
            is_final = mode == "SameStep" and terminated[0]
            seen.append((info["final_obs"] if is_final else observation)[0])
            if terminated[0]:
                break
    recording = envpool.replay(tmp_path / "a")
    episode = recording[0]
    for rollout in (episode.rollout(), episode.rollout(frames=True), recording.rollouts()[0]):
        assert (rollout.start, len(rollout)) == (steps, episode.length - steps)
        np.testing.assert_array_equal(rollout.observations, seen)
        assert rollout.rewards.sum() == episode.total - steps
        assert rollout.frames is None or len(rollout.frames) == len(seen)
    with envpool.make("CartPole-v1", "gymnasium") as env:
        env.reset()
        for step in range(steps, episode.length):
            env.set_state([episode.state(step)])
            np.testing.assert_array_equal(env.step(push[:1])[0][0], seen[step - steps + 1])
    later = episode.rollout(steps + 2)
    assert (later.start, len(later)) == (steps + 2, episode.length - steps - 2)
    if steps:
        with pytest.raises(ValueError, match="step is 1, and the episode begins after 3 steps"):
            episode.state(1)


def test_environments_are_run_together(tmp_path, monkeypatch):
    recorded = Recorded(tmp_path / "a", "CartPole-v1", num_envs=4, max_episode_steps=7)
    recorded.reset()
    for _ in range(50):
        recorded.step()
    recorded.pool.close()
    recording = envpool.replay(tmp_path / "a")
    ids = []
    step = ReplayPool.step
    monkeypatch.setattr(ReplayPool, "step", lambda *a: ids.append(a[-1].tolist()) or step(*a))
    rollouts = recording.rollouts()
    assert [len(rollout) for rollout in rollouts] == recording.episodes["length"].tolist()
    assert len(ids) <= 50 and ids[0] == [0, 1, 2, 3]
    ids.clear()
    recording.rollouts([recording[0], recording[1]])
    assert len(ids) <= 7 and len(ids[0]) == 2
    assert recording.rollouts([]) == []
    with pytest.raises(TypeError, match="episodes has 3, expected episodes of this recording"):
        recording.rollouts(3)
    with pytest.raises(TypeError, match=r"episodes has Episode 0 .*, expected episodes of this"):
        recording.rollouts([envpool.replay(tmp_path / "a")[0]])


def test_states_are_short_cuts(tmp_path, monkeypatch):
    steps = 10_300  # there is a key frame before that
    with envpool.make_gymnasium(
        "Pendulum-v1", record=tmp_path / "a", max_episode_steps=100
    ) as pool:
        pool.reset()
        for _ in range(steps):
            pool.step(np.ones((1, 1), np.float32))
    recording = envpool.replay(tmp_path / "a")
    calls = []
    step = ReplayPool.step
    monkeypatch.setattr(ReplayPool, "step", lambda *a: calls.append(a) or step(*a))
    first, last = recording[0].rollout(), *recording.rollouts([recording[-1]])
    assert len(calls) < 1000
    whole = recording.rollouts()
    assert len(calls) > steps
    assert whole[0].observations.tobytes() == first.observations.tobytes()
    assert whole[-1].observations.tobytes() == last.observations.tobytes()


def test_forgotten_requests(tmp_path):
    recorded = Recorded(tmp_path / "a", "CartPole-v1", num_envs=4, batch_size=2)
    pool = recorded.pool
    pool.async_reset()
    for _ in range(2):
        for _ in range(80):
            results = pool.recv()
            recorded.note(results)
            ids = results[-1]["env_id"]
            pool.send(recorded.actions(ids), ids)
        pool.close()  # nobody knows whether what was in flight has run
        states = pool.get_state()
        pool.async_reset(seed=11)
        recorded._is_over[:] = True
        assert len(states) == 4
    recorded.check(at_least=4)


def test_an_end_that_nobody_received(tmp_path):
    """The last step of an episode is in flight when the pool is closed."""
    recorded = Recorded(tmp_path / "a", "CartPole-v1", num_envs=2, max_episode_steps=5)
    recorded.reset()
    for _ in range(4):
        recorded.step()
    recorded.pool.send(recorded.actions([0, 1]))
    recorded.pool.close()
    recorded.reset(seed=3)
    for _ in range(12):
        recorded.step()
    assert recorded.check(at_least=4).episodes["seed"].tolist() == [3, 4, 3, 4]


@pytest.mark.slow
def test_any_step_of_a_long_episode(tmp_path):
    steps = 10_300  # there is a key frame at 10,000
    pool = envpool.make_gymnasium("Pendulum-v1", record=tmp_path / "a", max_episode_steps=steps)
    rows = [(pool.reset()[0][0],)]
    actions = np.random.default_rng(0).uniform(-2, 2, (steps, 1, 1)).astype(np.float32)
    for action in actions:
        rows.append(tuple(part[0] for part in pool.step(action)[:4]))
    pool.close()
    recording = envpool.replay(tmp_path / "a")
    for start in (9_990, 10_000, 10_200, steps - 1, steps):
        rollout = recording[0].rollout(start)
        compare(rollout, rows, start)
        assert np.array_equal(rollout.actions, actions[start:, 0])
    with pytest.raises(ValueError, match="start is 10301, and the episode has 10300 steps"):
        recording[0].rollout(steps + 1)


def test_pictures(tmp_path):
    pool = envpool.make_gymnasium("CartPole-v1", record=tmp_path / "a", render_mode="rgb_array")
    pool.reset()
    pictures = [pool.render()[0]]
    while not pool.step(np.array([1]))[2][0]:
        pictures.append(pool.render()[0])
    pictures.append(pool.render()[0])
    pool.close()
    rollout = envpool.replay(tmp_path / "a")[0].rollout(frames=True)
    assert np.array_equal(rollout.frames, pictures)


@pytest.mark.parametrize("mode", MODES[:2])
def test_only_what_is_wanted_is_drawn(tmp_path, monkeypatch, mode):
    """There may be thousands of steps between the last snapshot and a late episode."""
    recorded = Recorded(
        tmp_path / "a",
        "MiniGrid-Empty-5x5-v0",
        num_envs=2,
        max_episode_steps=LIMIT,
        autoreset_mode=mode,
    )
    recorded.reset()
    for _ in range(60):
        recorded.step()
    recorded.pool.close()
    drawn: list[ReplayPool] = []
    pictures = set()
    # In one call, the end before the episode comes with its beginning, and the next one's with it.
    beside = 2 if mode == "SameStep" else 0
    render = ReplayPool.render
    monkeypatch.setattr(ReplayPool, "render", lambda self: drawn.append(self) or render(self))
    for episode in envpool.replay(tmp_path / "a"):
        drawn.clear()
        whole = episode.rollout(frames=True)
        assert len(whole.frames) == episode.length + 1
        assert len(drawn) <= episode.length + 1 + beside
        drawn.clear()
        start = episode.length // 2
        part = episode.rollout(start, frames=True)
        assert np.array_equal(part.frames, whole.frames[start:])
        assert len(drawn) <= len(part.frames) + 1 + beside  # and the beginning
        pictures |= {frame.tobytes() for frame in whole.frames}
    assert len(pictures) > 5


def test_several_players(tmp_path):
    pool = envpool.make_gymnasium(
        "testing/Players-v0", num_envs=2, record=tmp_path / "a", max_episode_steps=7
    )
    actions = Actions(pool.spec)
    info = pool.reset()[1]
    seen = []
    for step in range(30):
        players = np.bincount(info["players"]["env_id"], minlength=2)
        results = pool.step(actions.of(np.arange(2), np.full(2, step), players))
        info = results[-1]
        seen.append(results)
    pool.close()
    recording = envpool.replay(tmp_path / "a")
    assert len(recording) >= 4
    for episode in recording:
        rollout = episode.rollout()
        steps = seen[episode.end_call - len(rollout) : episode.end_call]
        for i, (observation, reward, *_, infos) in enumerate(steps):
            mine = infos["players"]["env_id"] == episode.env
            assert rollout.rewards[i].tobytes() == reward[mine].tobytes()
            rows = {len(infos["env_id"]): [episode.env]}
            for (path, ours), (_, theirs) in zip(
                leaves(rollout.observations), leaves(observation), strict=True
            ):
                own = theirs[mine] if len(theirs) == len(mine) else theirs[rows[2]]
                assert ours[i + 1].tobytes() == own.tobytes(), path
