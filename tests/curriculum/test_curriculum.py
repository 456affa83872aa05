"""Curricula: which level each episode plays."""

import json
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envpool.curriculum import (
    Episode,
    Mixture,
    PrioritizedLevels,
    Sequence,
    Uniform,
    as_episode,
)
from envpool.errors import ArgumentError

N = 10


def scored(*scores, **options):
    """Prioritized levels, of which the first have these scores."""
    schedule = PrioritizedLevels(range(N), **options)
    for level, score in enumerate(scores):
        schedule.update(level, score)
    return schedule


SCHEDULES = {
    "uniform": lambda: Uniform(range(N), seed=3),
    "sequence": lambda: Sequence(range(N), num_envs=8),
    "mixture": lambda: Mixture({Uniform(range(N)): 2, None: 1, scored(5, 1, 3): 2}, seed=4),
    "unseen": scored,
    "rank": lambda: scored(2, 7, 1, temperature=1),
    "proportional": lambda: scored(2, 7, 0, strategy="proportional", temperature=1),
}
every_schedule = pytest.mark.parametrize("make", SCHEDULES.values(), ids=SCHEDULES)


def seeds(schedule, asked):
    """By environment and index the seed, or None."""
    found = {}
    for env_id, index in asked:
        episode = schedule.next(env_id, index)
        found[env_id, index] = episode and episode.seed
    return found


EPISODES = [(env_id, index) for index in range(12) for env_id in range(8)]


@every_schedule
@settings(max_examples=15, deadline=None)
@given(asked=st.permutations(EPISODES))
def test_an_episode_does_not_depend_on_when_it_is_asked_for(make, asked):
    schedule = make()
    first = seeds(schedule, EPISODES)
    assert len(set(first.values())) > 2
    assert seeds(schedule, asked) == first
    assert seeds(make(), asked) == first


def test_seeds_choose_the_draws():
    for kind in (Uniform, PrioritizedLevels):
        drawn = [tuple(seeds(kind(range(99), seed=seed), EPISODES).values()) for seed in (0, 0, 1)]
        assert drawn[0] == drawn[1] != drawn[2]


def test_levels():
    episode = Episode(state=b"state")
    assert as_episode(3) == as_episode(np.int64(3)) == Episode(seed=3)
    assert as_episode({"low": 1}) == Episode(options={"low": 1})
    assert as_episode(episode) is episode
    levels = [4, {"low": 1}, episode]
    assert [Sequence(levels, 1).next(0, k) for k in range(3)] == [
        as_episode(each) for each in levels
    ]
    assert Uniform(np.arange(5, 6)).next(0, 0) == Episode(seed=5)
    assert 0 <= Uniform(range(2**62)).next(0, 0).seed < 2**62  # which is no list


def test_a_sequence_is_shared_by_the_environments():
    schedule = Sequence([10, 11, 12, 13, 14], num_envs=3)
    assert [schedule.next(env_id, 0).seed for env_id in range(3)] == [10, 11, 12]
    assert [schedule.next(env_id, 1).seed for env_id in range(3)] == [13, 14, 10]
    with pytest.raises(ArgumentError, match="environment 3 asks for an episode of a Sequence with"):
        schedule.next(3, 0)


def near(counts, shares, total):
    """True if counts differ from what is expected by less than five standard deviations."""
    expected = np.array(shares) * total
    return bool((np.abs(np.array(counts) - expected) < 5 * np.sqrt(expected + 1)).all())


MANY = [(env_id, index) for env_id in range(4) for index in range(1500)]


def test_frequencies_of_uniform():
    counts = Counter(seeds(Uniform(range(N)), MANY).values())
    assert near([counts[seed] for seed in range(N)], [1 / N] * N, len(MANY))


def test_frequencies_of_mixtures():
    """Also of a mixture in one, and with the same seeds everywhere."""
    inner = Mixture({Uniform([1]): 1, Uniform([2]): 1, Uniform([3, 4]): 2})
    counts = Counter(seeds(Mixture({inner: 3, None: 1, Uniform([5]): 0}), MANY).values())
    shares = {1: 3 / 16, 2: 3 / 16, 3: 3 / 16, 4: 3 / 16, None: 1 / 4, 5: 0}
    assert near([counts[seed] for seed in shares], list(shares.values()), len(MANY))


@pytest.mark.parametrize("options", [{}, {"strategy": "proportional", "temperature": 1}])
def test_frequencies_of_prioritized_levels(options):
    schedule = scored(4, 0, 8, 1, **options)
    counts = Counter(seeds(schedule, MANY).values())
    assert near([counts[seed] for seed in range(N)], schedule.weights(), len(MANY))


def test_weights_by_rank():
    assert scored().weights().tolist() == [1 / N] * N
    schedule = scored(5, -1, 7, temperature=0.5, staleness_coef=0.25, replay_prob=0.6)
    ranks = np.array([2, 3, 1])
    by_score = ranks**-2.0 / (1 + 1 / 4 + 1 / 9)
    stale = np.array([2, 1, 0]) / 3  # scores that others have got since
    replayed = 0.6 * (0.75 * by_score + 0.25 * stale)
    np.testing.assert_allclose(schedule.weights(), [*replayed, *[0.4 / 7] * 7], rtol=1e-14)
    schedule.update(0, 7)  # of equal scores the earlier one comes first
    by_score = np.array([1, 3, 2]) ** -2.0 / (1 + 1 / 4 + 1 / 9)
    stale = np.array([0, 2, 1]) / 3
    replayed = 0.6 * (0.75 * by_score + 0.25 * stale)
    np.testing.assert_allclose(schedule.weights()[:3], replayed, rtol=1e-14)


def test_weights_in_proportion():
    options = {"strategy": "proportional", "temperature": 0.5, "staleness_coef": 0.25}
    schedule = scored(1, 2, 0, 3, replay_prob=0.5, **options)
    by_score = np.array([1, 4, 0, 9]) / 14
    stale = np.array([3, 2, 1, 0]) / 6
    replayed = 0.5 * (0.75 * by_score + 0.25 * stale)
    np.testing.assert_allclose(schedule.weights(), [*replayed, *[0.5 / 6] * 6], rtol=1e-14)


def test_all_levels_with_scores_are_all_replayed():
    schedule = scored(*range(N), temperature=1, staleness_coef=0, replay_prob=0)
    shares = 1 / np.arange(N, 0, -1)
    np.testing.assert_allclose(schedule.weights(), shares / shares.sum(), rtol=1e-14)


@settings(max_examples=60, deadline=None)
@given(
    scores=st.lists(st.floats(0, 1e308), min_size=1, max_size=2 * N),
    strategy=st.sampled_from(["rank", "proportional"]),
    temperature=st.floats(1e-320, 1e300),
    share=st.floats(0, 1),
)
def test_weights_are_probabilities(scores, strategy, temperature, share):
    options = {"staleness_coef": share, "replay_prob": 1 - share, "temperature": temperature}
    schedule = PrioritizedLevels(range(N), strategy, **options)
    for number, score in enumerate(scores):
        schedule.update(number % N, score)
    weights = schedule.weights()
    assert (weights >= 0).all() and np.isclose(weights.sum(), 1)
    assert schedule.next(0, 0).seed in range(N)


def test_the_level_of_an_episode():
    schedule = scored(1, 2, 3)
    drawn = seeds(schedule, EPISODES)
    for (env_id, index), seed in drawn.items():
        assert schedule.level_of(np.int64(env_id), np.int64(index)) == seed
    for env_id, index in ((8, 0), (0, 12), (0, -1)):
        with pytest.raises(ArgumentError, match="expected one of the last 1000 episodes"):
            schedule.level_of(env_id, index)


def test_levels_of_long_ago_are_forgotten():
    schedule = scored()
    drawn = seeds(schedule, [(0, index) for index in range(1001)])
    assert schedule.level_of(0, 1) == drawn[0, 1]
    with pytest.raises(ArgumentError, match="index is 0"):
        schedule.level_of(0, 0)


@every_schedule
def test_another_pool_goes_on_where_one_was(make):
    before, after = make(), make()
    seeds(before, EPISODES[:-3])  # environments 5 to 7 have begun one episode less
    state = json.loads(json.dumps(before.state_dict()))
    after.load_state_dict(state)
    assert after.state_dict() == state
    last = [11 if env_id < 5 else 10 for env_id in range(8)]
    expected = seeds(before, [(env_id, last[env_id] + k) for env_id in range(8) for k in range(9)])
    found = seeds(after, [(env_id, k) for env_id in range(8) for k in range(9)])
    assert {(env_id, last[env_id] + k): seed for (env_id, k), seed in found.items()} == expected
    assert after.state_dict() == before.state_dict()


def test_scores_go_on():
    before, after = scored(1, 2, 3), scored()
    before.next(0, 5)
    after.load_state_dict(before.state_dict())
    for schedule in (before, after):
        schedule.update(4, 9.5)
        schedule.update(0, 0.5)
    np.testing.assert_array_equal(before.weights(), after.weights())
    assert before.next(0, 6) == after.next(0, 1)
    assert before.level_of(0, 6) == after.level_of(0, 1)


def test_levels_within_a_mixture_go_on():
    """The pool's indices are those of level_of, also after a state was loaded."""
    inner = scored(1, 2)
    mixture = Mixture({inner: 1})
    mixture.next(0, 7)
    loaded = scored()
    other = Mixture({loaded: 1})
    other.load_state_dict(mixture.state_dict())
    assert mixture.next(0, 8) == other.next(0, 1)
    assert inner.level_of(0, 8) == loaded.level_of(0, 1) == other.next(0, 1).seed


WRONG = {
    "levels is empty, expected at least one": lambda: Uniform([]),
    "levels is 'ab', expected a list of levels": lambda: Uniform("ab"),
    "levels is {'low': 1}, expected a list of levels": lambda: Uniform({"low": 1}),
    "levels is 3, expected a list of levels": lambda: PrioritizedLevels(3),
    "levels[1] is -1, expected 0 <= levels[1] <= 18446744073709551615": lambda: Uniform([0, -1]),
    "levels[0] is -3, expected 0 <= levels[0] <= 18446744073709551615": lambda: Uniform(
        range(-3, 3)
    ),
    "levels[0] is True, expected a seed, a dict of reset options or an Episode": (
        lambda: Sequence([True], 1)
    ),
    "level is None, expected a seed, a dict of reset options or an Episode": (
        lambda: as_episode(None)
    ),
    "num_envs is 0, expected 1 <= num_envs <= 1073741823": lambda: Sequence([1], 0),
    "seed is 0.5, expected an integer": lambda: Uniform([1], seed=0.5),
    "seed is -1, expected 0 <= seed <= 18446744073709551615": lambda: Mixture({None: 1}, seed=-1),
    "schedules is [1], expected a dict of schedules and weights": lambda: Mixture([1]),
    "schedules has 'a', expected a schedule": lambda: Mixture({"a": 1}),
    "schedules is {None: 0}, expected a weight above 0": lambda: Mixture({None: 0}),
    "weight is nan, expected 0 <= weight < inf": lambda: Mixture({None: float("nan")}),
    "weight is '1', expected a number": lambda: Mixture({None: "1"}),
    "strategy is 'best', expected 'rank' or 'proportional'": lambda: scored(strategy="best"),
    "temperature is 0, expected 0 < temperature < inf": lambda: scored(temperature=0),
    "staleness_coef is 2, expected 0 <= staleness_coef <= 1": lambda: scored(staleness_coef=2),
    "replay_prob is -0.5, expected 0 <= replay_prob <= 1": lambda: scored(replay_prob=-0.5),
    "score is nan, expected -inf < score < inf": lambda: scored(float("nan")),
    "score is -1, expected 0 <= score < inf": lambda: scored(-1, strategy="proportional"),
    "score is None, expected a number": lambda: scored(None),
    "level is 10, expected level < 10": lambda: scored().update(10, 1),
    "level is -1, expected 0 <= level <= 18446744073709551615": lambda: scored().update(-1, 1),
    "level is None, expected an integer": lambda: scored().update(None, 1),
    "state is {}, expected what state_dict of such a schedule returned": (
        lambda: scored().load_state_dict({})
    ),
    "state is {'asked': [1]}, expected what state_dict of such a schedule returned": (
        lambda: scored().load_state_dict({"asked": [1]})
    ),
    "the state is of 1 levels, expected 10": lambda: scored().load_state_dict(
        PrioritizedLevels([1]).state_dict()
    ),
    "the state is of 1 schedules, expected 2": lambda: Mixture(
        {None: 1, Uniform([1]): 1}
    ).load_state_dict(Mixture({None: 1}).state_dict()),
}


@pytest.mark.parametrize("message", WRONG)
def test_what_is_wrong_is_said(message):
    with pytest.raises((ArgumentError, TypeError)) as raised:
        WRONG[message]()
    assert str(raised.value) == message
