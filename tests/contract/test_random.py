"""The native generator is bit for bit numpy.random.default_rng."""

import numpy as np
import pytest

from envpool._core import Random

SPECIAL_SEEDS = [0, 1, 2**31, 2**32 - 1, 2**32, 2**32 + 1, 2**63, 2**64 - 2, 2**64 - 1]
SEEDS = [*SPECIAL_SEEDS, *np.random.default_rng(0).integers(2**64, size=991, dtype=np.uint64)]
PROBABILITIES = [0.1, 0.0, 0.25, 0.4, 0.25]


def pair(seed):
    seed = int(seed)
    return Random(seed), np.random.default_rng(seed)


# What to draw from both: (ours, NumPy's). Small ranges use 32-bit halves, of which the second is
# kept for the next such draw while 64-bit draws pass by.
DRAWS = {
    "uniform": (lambda r: r.uniform(-0.05, 0.05), lambda g: g.uniform(-0.05, 0.05)),
    "uniform01": (lambda r: r.uniform(), lambda g: g.uniform()),
    "random": (lambda r: r.random(), lambda g: g.random()),
    "normal": (lambda r: r.normal(1.5, 0.3), lambda g: g.normal(1.5, 0.3)),
    "standard_normal": (lambda r: r.normal(), lambda g: g.normal()),
    "exponential": (lambda r: r.exponential(2.5), lambda g: g.exponential(2.5)),
    "bit": (lambda r: r.integers(0, 2), lambda g: g.integers(0, 2)),
    "digit": (lambda r: r.integers(-5, 5), lambda g: g.integers(-5, 5)),
    "constant": (lambda r: r.integers(3, 4), lambda g: g.integers(3, 4)),
    "32 bits": (lambda r: r.integers(0, 2**32), lambda g: g.integers(0, 2**32)),
    "33 bits": (lambda r: r.integers(0, 2**33 - 7), lambda g: g.integers(0, 2**33 - 7)),
    "half rejected": (lambda r: r.integers(0, 2**31 + 1), lambda g: g.integers(0, 2**31 + 1)),
    "63 bits": (lambda r: r.integers(0, 2**63 - 1), lambda g: g.integers(0, 2**63 - 1)),
    "64 bits": (
        lambda r: r.integers(-(2**63), 2**63 - 1),
        lambda g: g.integers(-(2**63), 2**63 - 1),
    ),
    "choice": (lambda r: r.choice(7), lambda g: g.choice(7)),
    "choice with p": (lambda r: r.choice(PROBABILITIES), lambda g: g.choice(5, p=PROBABILITIES)),
    "choices": (
        lambda r: r.choice_without_replacement(9, 4),
        lambda g: g.choice(9, 4, replace=False).tolist(),
    ),
    "permutation": (lambda r: r.permutation(6), lambda g: g.permutation(6).tolist()),
}


@pytest.mark.parametrize("name", DRAWS)
def test_one_distribution(name):
    our_draw, numpy_draw = DRAWS[name]
    for seed in SEEDS[:100]:
        ours, theirs = pair(seed)
        for _ in range(20):
            assert our_draw(ours) == numpy_draw(theirs)


def test_thousand_seeds():
    """All distributions in an order of its own for each seed."""
    assert len(set(map(int, SEEDS))) == 1000
    draws = list(DRAWS.values())
    for i, seed in enumerate(SEEDS):
        ours, theirs = pair(seed)
        for which in np.random.default_rng(i).integers(len(draws), size=40):
            our_draw, numpy_draw = draws[which]
            assert our_draw(ours) == numpy_draw(theirs), (seed, list(DRAWS)[which])


def test_rare_branches_of_normal_and_exponential():
    """The tails of the ziggurat come up about once in 4,000 draws."""
    ours, theirs = pair(3)
    assert [ours.normal() for _ in range(50_000)] == theirs.normal(size=50_000).tolist()
    assert [ours.exponential() for _ in range(50_000)] == theirs.exponential(size=50_000).tolist()


@pytest.mark.parametrize("seed", SPECIAL_SEEDS)
@pytest.mark.parametrize(
    ("n", "size"), [(1, 0), (1, 1), (5, 5), (100, 3), (10_000, 300), (10_001, 150), (20_000, 1000)]
)
def test_choice_without_replacement(seed, n, size):
    """NumPy takes another algorithm for large n."""
    ours, theirs = pair(seed)
    ours.integers(0, 2)  # leaves a half behind
    theirs.integers(0, 2)
    drawn = ours.choice_without_replacement(n, size)
    assert drawn == theirs.choice(n, size, replace=False).tolist()
    assert ours.integers(0, 2**20) == theirs.integers(0, 2**20)


@pytest.mark.parametrize("n", [0, 1, 2, 1000])
def test_permutation(n):
    for seed in SPECIAL_SEEDS:
        ours, theirs = pair(seed)
        assert ours.permutation(n) == theirs.permutation(n).tolist()
        assert ours.random() == theirs.random()


@pytest.mark.parametrize(
    "call",
    [
        lambda r: r.integers(3, 3),
        lambda r: r.integers(4, 3),
        lambda r: r.choice(0),
        lambda r: r.choice([]),
        lambda r: r.choice_without_replacement(3, 4),
        lambda r: r.choice_without_replacement(3, -1),
        lambda r: r.permutation(-1),
    ],
)
def test_impossible_draws(call):
    with pytest.raises(ValueError):
        call(Random(0))
